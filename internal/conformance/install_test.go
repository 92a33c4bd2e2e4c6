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
	// npm links it to the package for the platform, if there is one.
	node := filepath.Join(modules, ".bin", "node")
	if _, err := exec.LookPath(node); err != nil {
		t.Fatalf("Node 22 is not installed: %v; %s", err, install)
	}
	script := filepath.Join(modules, "conformance-"+version, "dist", "index.js")
	if _, err := os.Stat(script); err != nil {
		t.Fatalf("suite %s is not installed: %v; %s", version, err, install)
	}
	return []string{node, script}
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
