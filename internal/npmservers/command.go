package npmservers

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

// The servers that [Command] knows.
const (
	// Everything has a tool for every feature of the protocol.
	Everything = "everything"

	// Filesystem reads and writes files below the directories that are its
	// arguments; it does not start without one.
	Filesystem = "filesystem"

	// Memory is a knowledge graph, kept in the file that the environment
	// variable MEMORY_FILE_PATH names. Without that variable all tests share
	// one file inside node_modules.
	Memory = "memory"

	// SequentialThinking has one tool with many optional arguments.
	SequentialThinking = "sequential-thinking"
)

// install is the remedy that every failure for want of a server names.
const install = "run make npm-servers (it needs Node 20 or newer)"

// Command returns the program and the arguments that run the named server
// over stdio, args last. Both paths are absolute, so that the working
// directory and PATH do not matter. Without Node or the package it ends the
// test by tb.Fatal.
func Command(tb testing.TB, name string, args ...string) (string, []string) {
	tb.Helper()
	return command(tb, packageDir(tb), name, args)
}

func command(tb testing.TB, dir, name string, args []string) (string, []string) {
	tb.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		tb.Fatalf("npmservers: %v; %s", err, install)
	}
	script, err := binary(filepath.Join(dir, "node_modules", "@modelcontextprotocol", "server-"+name))
	if err != nil {
		tb.Fatalf("npmservers: server %q is not installed: %v; %s", name, err, install)
	}
	return node, append([]string{script}, args...)
}

// binary returns the path of the script that the npm package in dir declares
// as its one executable.
func binary(dir string) (string, error) {
	data, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil {
		return "", err
	}
	var manifest struct {
		Bin map[string]string `json:"bin"`
	}
	if err := json.Unmarshal(data, &manifest); err != nil {
		return "", err
	}
	if len(manifest.Bin) != 1 {
		return "", fmt.Errorf("%s declares %d executables, want 1", dir, len(manifest.Bin))
	}
	var script string
	for _, path := range manifest.Bin {
		script = filepath.Join(dir, filepath.FromSlash(path))
	}
	_, err = os.Stat(script)
	return script, err
}

// packageDir returns the folder of this package in the source tree.
func packageDir(tb testing.TB) string {
	tb.Helper()
	_, file, _, _ := runtime.Caller(0)
	if !filepath.IsAbs(file) {
		tb.Fatal("npmservers: the binary does not know where its sources are; build it without -trimpath")
	}
	return filepath.Dir(file)
}
