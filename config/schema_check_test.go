package config_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/langchaingo-mcp/mcpadapters/config"
)

// TestCheckSchema: what editors mark has its place, in every format.
func TestCheckSchema(t *testing.T) {
	for name, tt := range map[string]struct {
		text, want string
		format     config.Format
	}{
		"fine": {`{"$schema": "x", "mcpServers": {"a": {"command": "x", "args": ["${A}"]}, "b": {"url": "https://h", "oauth": {"scopes": ["a"]}}}}`, "", ""},
		"JSON": {`// for people
{
	"mcpServers": {
		"a": {"command": "x", "call_timeout": "5s", "comand": "hunter2", "uri": "x"},
		"b": {"url": "https://h", "type": "streamble", "headers": {"X-A": ["hunter2"], "Bearer hunter2": "x"}},
		"c": {"command": 5, "args": ["x", 5, {}], "env": {"A": [], "B=hunter2": "x"}, "callTimeout": "hunter2"},
		"d": {"args": ["x"]},
		"e": {"url": "ftp://hunter2", "oauth": {"clientSecret": "hunter2", "client_id": "x", "callbackPort": 99999}},
		"f": 5,
		"": {"command": "x"},
	},
	"hunters": {},
}`, `4:25: server "a": call_timeout: is no key of the schema: it calls it "callTimeout"
4:47: server "a": comand: is no key of the schema: did you mean "command"?
4:68: server "a": uri: is no key of the schema
5:29: server "b": type: the schema knows only "http", "streamable_http", "streamable-http", "streamableHttp", "streamable", "remote", "sse"
5:62: server "b": headers.X-A: is not what the schema describes
6:9: server "c": command: the schema expects string, found number
6:37: server "c": args[1]: the schema expects string, found number
6:40: server "c": args[2]: the schema expects string, found object
6:53: server "c": env.A: is not what the schema describes
6:81: server "c": callTimeout: is not what the schema describes
7:3: server "d": has no "command", which the schema wants
8:9: server "e": url: is not what the schema describes
8:70: server "e": oauth.client_id: is no key of the schema: it calls it "clientId"
8:88: server "e": oauth.callbackPort: is not what the schema describes
9:3: server "f": the schema expects object, found number
12:2: "hunters" is no key of the schema`, ""},
		"no name": {`{"mcpServers": {"": {"command": "x"}}}`, `1:2: "mcpServers" is not what the schema describes`, ""},
		"header":  {`{"mcpServers": {"s": {"url": "https://h", "headers": {"Bearer hunter2": "x"}}}}`, `1:43: server "s": headers: is not what the schema describes`, ""},
		"YAML": {"mcpServers:\n  a:\n    command: x\n    arguments: [hunter2]\n    maxMessageSize: 1.5\n    envVars:\n      - A\n      - hunter-2\n", `4:5: server "a": arguments: is no key of the schema
5:5: server "a": maxMessageSize: is not what the schema describes
8:9: server "a": envVars[1]: is not what the schema describes`, config.FormatYAML},
		"TOML": {"[mcpServers.a]\nurl = \"https://h\"\nrequired = \"yes\"\n[mcpServers.a.headers]\nX = 1\nY = 2020-01-01\n", `3:1: server "a": required: the schema expects boolean, found string`, config.FormatTOML},
		"both": {`{"mcpServers": {"a": {"command": "x", "headers": {}}, "b": {"url": "https://h", "args": []}}}`, `1:39: server "a": headers: is no key of the schema for servers with "command"
1:81: server "b": args: is no key of the schema for servers with "url"`, ""},
		"no JSON":        {`{`, "", ""},
		"not ours":       {`{"servers": {"a": {"command": 5}}}`, "", ""},
		"not ours again": {`{"mcpServers": {"a": {"httpUrl": "https://h"}}}`, "", ""},
	} {
		var lines []string
		for _, f := range config.CheckSchema(config.Source{Data: []byte(tt.text), Format: tt.format}) {
			lines = append(lines, f.String())
		}
		got := strings.Join(lines, "\n")
		if d := cmp.Diff(tt.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
		if strings.Contains(got, "hunter2") {
			t.Errorf("%s: a value is shown", name)
		}
	}
}

// TestCheckSchemaOfOwnFiles: the files with every key are of the schema, but
// for what YAML and TOML have on top.
func TestCheckSchemaOfOwnFiles(t *testing.T) {
	for _, f := range config.CheckSchema(config.Source{Path: filepath.Join("testdata", "own.json")}) {
		t.Error(f)
	}
	if faults := config.CheckSchema(config.Source{Path: filepath.Join("testdata", "none.json")}); faults != nil {
		t.Errorf("a file that is not there has %v", faults)
	}
}
