package main

import (
	"strings"
	"testing"
)

// TestWarnings: what has no effect is told, and what editors will mark, with
// its place, once, and is no failure.
func TestWarnings(t *testing.T) {
	const forms = `b": call_timeout: is no key of the schema: it calls it "callTimeout"`
	for name, file := range map[string]struct{ text, place, odd string }{
		"odd.jsonc": {`{
	// for editors
	"$schema": "connections.schema.json",
	"mcpServers": {
		"a": {"command": "x", "scope": []},
		"b": {"command": "x", "call_timeout": "5s"},
		"c": {"command": "x", "callTimeout": "5s"},
	},
}`, "6:25", "5:25"},
		"odd.yaml": {"mcpServers:\n  a: {command: x, scope: []}\n  b:\n    command: x\n    call_timeout: 5s\n  c: {command: x, callTimeout: 5s}\n", "5:5", "2:19"},
		"odd.toml": {"[mcpServers.a]\ncommand = 'x'\nscope = []\n[mcpServers.b]\ncommand = 'x'\ncall_timeout = '5s'\n[mcpServers.c]\ncommand = 'x'\ncallTimeout = '5s'\n", "6:1", "3:1"},
	} {
		path := writeFile(t, name, file.text)
		r := inspect(t, "-config", path, "validate")
		r.must(t, statusOK, "is valid:", "")
		r.must(t, statusOK, name+":"+file.odd+`: server "a": scope: is not known: did you mean "scopes"?`, "")
		r.must(t, statusOK, name+":"+file.place+`: server "`+forms, "")
		if strings.Contains(r.stdout, `server "c"`) || strings.Count(r.stdout, "scope:") != 1 {
			t.Errorf("there is a warning of what is as it should be, or twice:\n%s", r.stdout)
		}
		inspect(t, "-json", "-config", path, "validate").must(t, statusOK, `"column": `, "")
	}
	for name, text := range map[string]string{
		".mcp.json":    `{"mcpServers": {"b": {"command": "x", "timeout": 5000}}}`,
		"servers.json": `{"servers": {"b": {"command": "x"}}}`,
	} {
		if r := inspect(t, "-config", writeFile(t, name, text), "validate"); strings.Contains(r.stdout, "Warnings:") {
			t.Errorf("a file of another client is held against our schema:\n%s", r.stdout)
		}
	}
}
