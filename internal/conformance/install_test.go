package conformance_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// install is the remedy that every failure for want of a suite names.
const install = "run make conformance-suites (it needs npm)"

// installed returns the beginning of a command that runs a version of the
// suites.
func installed(t *testing.T, version string) []string {
	t.Helper()
	modules, err := filepath.Abs("node_modules")
	if err != nil {
		t.Fatal(err)
	}
	// The package for the platform; not every npm links to it from .bin.
	nodes, _ := filepath.Glob(filepath.Join(modules, "node-*", "bin", "node*")) // node.exe on Windows
	if len(nodes) == 0 {
		t.Fatalf("Node 22 is not installed in %s; %s", modules, install)
	}
	script := filepath.Join(modules, "conformance-"+version, "dist", "index.js")
	if _, err := os.Stat(script); err != nil {
		t.Fatalf("suite %s is not installed: %v; %s", version, err, install)
	}
	return []string{nodes[0], script}
}

// buildClient returns the path of the command in the folder client.
func buildClient(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "client")
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", path, "./client").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return path
}
