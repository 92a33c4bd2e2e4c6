package adapters_test

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A listedTool is a tool as a server lists it.
type listedTool struct {
	server string
	*mcp.Tool
}

func (t listedTool) String() string { return t.server + "/" + t.Name }

// A toolList is the tools of some servers, in the order of their names.
type toolList struct {
	name  string
	tools []listedTool
}

// toolLists returns the lists of testdata/toollists, whose servers are invented
// and write schemas as servers do, and, where the environment variable
// TOOL_LISTS names a directory, those that it holds. There, as here, a server is
// a file NAME.tools.json: an array of tools as tools/list returns them.
func toolLists(t testing.TB) []toolList {
	t.Helper()
	lists := []toolList{{"invented", readToolLists(t, "testdata/toollists")}}
	if dir := os.Getenv("TOOL_LISTS"); dir != "" {
		lists = append(lists, toolList{"TOOL_LISTS", readToolLists(t, dir)})
	}
	return lists
}

// readToolLists returns the tools of the servers of a directory.
func readToolLists(t testing.TB, dir string) []listedTool {
	t.Helper()
	const suffix = ".tools.json"
	files, err := filepath.Glob(filepath.Join(dir, "*"+suffix))
	if err != nil {
		t.Fatal(err)
	}
	var all []listedTool
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var tools []*mcp.Tool
		if err := json.Unmarshal(data, &tools); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, tool := range tools {
			all = append(all, listedTool{strings.TrimSuffix(filepath.Base(file), suffix), tool})
		}
	}
	if len(all) == 0 {
		t.Fatalf("no tools in *%s of %s", suffix, dir)
	}
	slices.SortFunc(all, func(a, b listedTool) int { return cmp.Compare(a.String(), b.String()) })
	return all
}
