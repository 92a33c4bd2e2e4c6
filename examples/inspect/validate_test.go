package main

import (
	"strings"
	"testing"
)

// TestWarnings: what has no effect is told, with its place, and is no failure.
func TestWarnings(t *testing.T) {
	odd := writeFile(t, "odd.json", `{
	// for editors
	"$schema": "connections.schema.json",
	"mcpServers": {
		"a": {"command": "x", "agrs": []},
		"b": {"command": "x", "call_timeout": "5s"},
		"c": {"command": "x", "callTimeout": "5s"},
	},
}`)
	r := inspect(t, "-config", odd, "validate")
	r.must(t, statusOK, "is valid:", "")
	for _, want := range []string{
		`odd.json:5:25: server "a": agrs: is not known: did you mean "args"?`,
		`odd.json:5:3: server "a": can be read, but is not of the form that the schema describes`,
		`odd.json:6:3: server "b": can be read, but is not of the form that the schema describes`,
	} {
		r.must(t, statusOK, want, "")
	}
	if strings.Contains(r.stdout, `server "c"`) {
		t.Errorf("there is a warning of what is as it should be:\n%s", r.stdout)
	}
	r = inspect(t, "-json", "-config", odd, "validate")
	r.must(t, statusOK, `"line": 5,`, "")

	plain := writeFile(t, "plain.json", `{"mcpServers": {"b": {"command": "x", "call_timeout": "5s"}}}`)
	if r := inspect(t, "-config", plain, "validate"); strings.Contains(r.stdout, "Warnings:") {
		t.Errorf("a file that names no schema is held against it:\n%s", r.stdout)
	}
}
