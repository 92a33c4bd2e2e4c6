package architecture

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

const (
	module      = "github.com/langchaingo-mcp/mcpadapters"
	langchaingo = "github.com/tmc/langchaingo"
)

// A room says what some packages of the module may import of the module and
// of langchaingo in code that is not test code.
type room struct {
	// path is that of the packages, those below it included. Of several that
	// fit a package the first counts.
	path string

	// ours may be imported, what is below it included.
	ours []string

	// langchaingo may be imported; "" stands for all that is not heavy.
	langchaingo []string
}

var rooms = []room{
	{path: "callbacks/sampling", ours: []string{"callbacks"}, langchaingo: []string{""}}, // the bridge to a model
	{path: "callbacks/*", ours: []string{"callbacks"}},
	{path: "callbacks"},
	{path: "interceptors/*", ours: []string{"interceptors"}},
	{path: "interceptors"},
	{path: "config/*", ours: []string{"config"}},
	{path: "config", ours: []string{"internal/edits"}},
	{path: "auth/*", ours: []string{"auth"}},
	{path: "auth"},
	{path: "adapters", ours: []string{"adapters", "interceptors", "internal/edits"}, langchaingo: []string{""}},
	{path: "internal/edits"}, // config and adapters import it, which know nothing else of internal
	{path: "internal/*", ours: []string{"callbacks", "config", "interceptors", "internal"}},
	{
		path:        "multiclient",
		ours:        []string{"adapters", "auth", "callbacks", "config", "interceptors", "internal", "multiclient"},
		langchaingo: []string{"tools"}, // the client hands out []tools.Tool
	},
	{path: "gateway", ours: []string{"adapters", "callbacks", "config", "interceptors", "multiclient"}},
}

// heavy are packages of langchaingo that drag in 20 MB. Nothing imports them,
// neither by a detour nor in a test: examples are a module of their own.
var heavy = []string{"agents", "chains", "prompts"}

// testHelpers are packages of the module that only tests may import, and that
// may do as tests may.
var testHelpers = []string{"internal/authserver", "internal/fakemodels", "internal/leak", "internal/npmservers", "internal/testserver"}

// pkg is what the rules for imports see of a package.
type pkg struct {
	imports     []string
	testImports []string
}

// graph holds the packages of the module and all that they import, by import
// path.
type graph map[string]pkg

// importFaults lists the imports that the rules forbid.
func importFaults(g graph) []string {
	var faults []string
	for _, path := range slices.Sorted(maps.Keys(g)) {
		inside, ok := strings.CutPrefix(path, module+"/")
		if !ok {
			continue
		}
		faults = append(faults, roomFaults(inside, g[path].imports)...)
		for _, name := range heavy {
			target := langchaingo + "/" + name
			if way := g.way(path, target); way != nil {
				faults = append(faults, "nothing may import "+name+": "+strings.Join(way, " -> "))
			}
		}
	}
	return faults
}

// roomFaults lists what the package at a path inside the module must not
// import directly.
func roomFaults(path string, imports []string) []string {
	i := slices.IndexFunc(rooms, func(r room) bool { return within(path, r.path) })
	if i < 0 {
		return []string{path + ": no rule says what it may import"}
	}
	var faults []string
	for _, imported := range imports {
		allowed := true
		if ours, ok := strings.CutPrefix(imported, module+"/"); ok {
			allowed = slices.ContainsFunc(rooms[i].ours, func(root string) bool { return within(ours, root) }) &&
				(!slices.Contains(testHelpers, ours) || slices.Contains(testHelpers, path))
		}
		if theirs, ok := strings.CutPrefix(imported, langchaingo+"/"); ok {
			allowed = slices.ContainsFunc(rooms[i].langchaingo, func(name string) bool { return name == "" || name == theirs })
		}
		if !allowed {
			faults = append(faults, fmt.Sprintf("%s must not import %s", path, imported))
		}
	}
	return faults
}

// within reports whether path is root or below it; when root ends in "/*",
// whether it is below.
func within(path, root string) bool {
	root, onlyBelow := strings.CutSuffix(root, "/*")
	return path == root && !onlyBelow || strings.HasPrefix(path, root+"/")
}

// way returns the shortest chain of imports from one package, its tests
// included, to a package at or below target. It is nil when there is none.
func (g graph) way(from, target string) []string {
	cameFrom := map[string]string{}
	queue := []string{from}
	for len(queue) > 0 {
		path := queue[0]
		queue = queue[1:]
		if within(path, target) {
			way := []string{path}
			for path != from {
				path = cameFrom[path]
				way = append(way, path)
			}
			slices.Reverse(way)
			return way
		}
		imports := g[path].imports
		if path == from {
			imports = slices.Concat(imports, g[path].testImports)
		}
		for _, next := range imports {
			if _, known := cameFrom[next]; !known && next != from {
				cameFrom[next] = path
				queue = append(queue, next)
			}
		}
	}
	return nil
}
