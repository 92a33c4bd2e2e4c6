package architecture

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// root is the folder of the module, seen from that of this package.
const root = "../.."

// listed is what "go list" says of a package.
type listed struct {
	Dir          string
	ImportPath   string
	ForTest      string
	Imports      []string
	TestImports  []string
	XTestImports []string

	GoFiles, CgoFiles, IgnoredGoFiles, TestGoFiles, XTestGoFiles []string
}

func TestArchitecture(t *testing.T) {
	g := graph{}
	for i, goos := range []string{"linux", "darwin", "windows"} {
		for _, l := range list(t, goos) {
			if l.ForTest != "" || strings.HasSuffix(l.ImportPath, ".test") {
				continue // made by the go command, from packages that are listed too
			}
			g[l.ImportPath] = pkg{
				imports:     union(g[l.ImportPath].imports, l.Imports),
				testImports: union(g[l.ImportPath].testImports, l.TestImports, l.XTestImports),
			}
			// The files for other systems are among those that the first ignores.
			if inside, ok := strings.CutPrefix(l.ImportPath, module+"/"); ok && i == 0 {
				t.Run(inside, func(t *testing.T) { checkSources(t, inside, l) })
			}
		}
	}
	if _, ok := g[module+"/multiclient"]; !ok {
		t.Errorf("the module's own packages are not among the %d listed", len(g))
	}
	for _, fault := range importFaults(g) {
		t.Error(fault)
	}
}

// checkSources holds every file of a package, those for other systems
// included, against the rules.
func checkSources(t *testing.T, inside string, l listed) {
	for _, name := range slices.Concat(l.GoFiles, l.CgoFiles, l.IgnoredGoFiles, l.TestGoFiles, l.XTestGoFiles) {
		test := strings.HasSuffix(name, "_test.go") || slices.Contains(testHelpers, inside)
		s := source{name: inside + "/" + name, text: read(t, filepath.Join(l.Dir, name)), test: test}
		for _, fault := range sourceFaults(s) {
			t.Error(fault)
		}
	}
	if !documented(read(t, filepath.Join(l.Dir, "doc.go"))) {
		t.Errorf("%s/doc.go does not begin with the comment of the package", inside)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Error(err)
	}
	return text
}

func union(lists ...[]string) []string {
	all := slices.Concat(lists...)
	slices.Sort(all)
	return slices.Compact(all)
}

// list returns the packages of the root module and all that they and their
// tests import on a system.
func list(t *testing.T, goos string) []listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-deps", "-test", "-json", "./...")
	cmd.Dir = root
	cmd.Env = append(cmd.Environ(), "GOWORK=off", "GOOS="+goos)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	var all []listed
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listed
		if err := decoder.Decode(&l); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatalf("go list: %v", err)
		}
		all = append(all, l)
	}
}
