package config_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/langchaingo-mcp/mcpadapters/config"
)

// faultsOf returns the faults of an error that Parse, Load or Validate
// returned with nil connections.
func faultsOf(t *testing.T, got config.Connections, err error) []config.Fault {
	t.Helper()
	if got != nil {
		t.Errorf("connections beside an error: %v", got)
	}
	configError, ok := errors.AsType[*config.Error](err)
	if !ok {
		t.Fatalf("error is %v (%T), want a *config.Error", err, err)
	}
	return withoutPlaces(configError.Faults)
}

// withoutPlaces leaves out where the faults are, for tests of what they say.
func withoutPlaces(faults []config.Fault) []config.Fault {
	var out []config.Fault
	for _, f := range faults {
		out = append(out, config.Fault{Server: f.Server, Key: f.Key, Problem: f.Problem})
	}
	return out
}

func TestLoadBrokenFile(t *testing.T) {
	path := filepath.Join("testdata", "broken.json")
	got, err := config.Load(path, &config.ParseOptions{LookupEnv: environment(nil)})
	faultsOf(t, got, err)
	want := strings.ReplaceAll(`config: 12 faults:
  PATH:4:7: server "b": command: the variable NOT_SET is not set: set it, or write ${NOT_SET:-default}
  PATH:5:22: server "b": args[1]: expected a string, found number
  PATH:5:25: server "b": args[2]: the variable ALSO_NOT_SET is not set: set it, or write ${ALSO_NOT_SET:-default}
  PATH:6:15: server "b": env.TOKEN=…: the name of a variable holds "="
  PATH:6:37: server "b": env.GOOD: expected a string, found null
  PATH:7:7: server "b": callTimeout: expected a duration with its unit, such as "30s" or "5m", found number
  PATH:9:5: server "a": has both "command" (a program to start) and "url" (a server to connect to): keep one
  PATH:18:7: server "d": url: is not a URL: look at its port and its percent escapes
  PATH:19:19: server "d": headers.Authorization…: is not a valid name of a header
  PATH:19:56: server "d": headers.X-Secret: the value holds a control character, such as a line break
  PATH:21:5: server "c": has neither "command" (a program to start) nor "url" (a server to connect to)
  PATH:21:5: server "c": is there more than once: the first is on line 13`, "PATH", path)
	if d := cmp.Diff(want, err.Error()); d != "" {
		t.Errorf("error differs (-want +got):\n%s", d)
	}
	if strings.Contains(err.Error(), "hunter2") {
		t.Error("the error shows a secret")
	}
}

func TestParseFaultsOfDocuments(t *testing.T) {
	const literal = `is neither a string in double quotes, a number, true, false nor null`
	tests := []struct {
		name, json, want string
	}{
		{"empty", "", `1:1: is empty: write {"mcpServers": {}} if there are to be no servers`},
		{"nothing but a comment", "// later\n", `1:1: is empty: write {"mcpServers": {}} if there are to be no servers`},
		{"cut in a comment", `{"a": 1 /* `, `1:12: ends before it is complete`},
		{"servers beside an empty key", `{"mcpServers": null, "x": {"command": "x"}}`, `1:22: "x" is beside "mcpServers", which is empty: put it inside`},
		{"cut", "{\n  \"a\": {", `2:9: ends before it is complete`},
		{"column in characters", `{"ü": x}`, `1:7: ` + literal},
		{"column after a byte order mark", "\xef\xbb\xbfx", `1:1: ` + literal},
		{"a string over lines", "{\"a\": \"hunter2\n\"}", `1:7: ` + literal},
		{"second document", "{}\n{}", `2:1: invalid character '{' after top-level value`},
		{"nested too deep", strings.Repeat("[", 20000), `1:101: is nested deeper than 100 levels`},
		{"nested too deep, behind brackets that do not count", "// [[\n[\"[\\\"[\", /* [[ */ " + strings.Repeat("[", 20000), `2:118: is nested deeper than 100 levels`},
		{"UTF-16", "\xff\xfe{\x00}\x00", `1:1: is not UTF-8 text`},
		{"Latin-1", "{\"a\n\xe9\": 1}", `2:1: is not UTF-8 text`},
		{"array", ` []`, `1:2: expected an object with "mcpServers", found array`},
		{"null", `null`, `1:1: expected an object with "mcpServers", found null`},
		{"servers in a list", `{"mcpServers": [{}]}`, `1:17: "mcpServers": a server of a list needs a "name"`},
		{"servers in a string", `{"servers": "x"}`, `1:13: "servers": expected an object, found string`},
		{"two maps", `{"mcpServers": {}, "servers": {}}`, `1:20: both "mcpServers" and "servers" are there: keep one`},
		{"twice", "{\"mcpServers\": {},\n\"mcpServers\": {}}", `2:1: "mcpServers" is there more than once`},
		{"twice in two spellings", "{\"mcpServers\": {},\n\"mcp_servers\": {}}", `2:1: "mcp_servers" is there more than once`},
		{"short twice", `{"servers": {}, "servers": {}}`, `1:17: "servers" is there more than once`},
		{"map or server", `{"servers": {"x": {"command": "x"}}, "y": {"command": "y"}}`,
			`1:2: "servers" holds the servers or is the name of one, but other keys hold servers too: put them all into "mcpServers"`},
		{"misspelled", `{"mcpServer": {"x": {"command": "x"}}}`, `1:2: "mcpServer" is no server: did you mean "mcpServers"?`},
		{"other case", `{"McpServers": null}`, `1:2: "McpServers" is no server: did you mean "mcpServers"?`},
		{"too large", strings.Repeat(" ", 16<<20+1), `is larger than 16 MiB`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := config.Parse([]byte(tt.json), nil)
			if n := len(faultsOf(t, got, err)); n != 1 {
				t.Errorf("%d faults, want 1", n)
			}
			if want := "config: " + tt.want; err.Error() != want {
				t.Errorf("error is %q, want %q", err, want)
			}
		})
	}
}

func TestParseFaultsOfServers(t *testing.T) {
	const both = `has both "command" (a program to start) and "url" (a server to connect to): keep one`
	const neither = `has neither "command" (a program to start) nor "url" (a server to connect to)`
	const known = ` is not known: use "stdio" (or "local"), "http" (or "streamable_http", "streamable-http", "streamableHttp", "streamable", "remote") or "sse"`
	const duration = `expected a duration with its unit, such as "30s" or "5m", found `
	tests := []struct {
		entry string
		want  []config.Fault // without the server
	}{
		{`5`, []config.Fault{{Problem: `expected an object with "command" or "url", found number`}}},
		{`null`, []config.Fault{{Problem: `expected an object with "command" or "url", found null`}}},
		{`{}`, []config.Fault{{Problem: neither}}},
		{`{"command": ""}`, []config.Fault{{Problem: neither}}},
		{`{"Command": "x"}`, []config.Fault{{Problem: neither + `; "Command" is not known: did you mean "command"?`}}},
		{`{"command": "x", "url": "http://h"}`, []config.Fault{{Problem: both}}},
		{`{"command": "x", "url": "http://h", "type": "x", "args": 1, "headers": 1}`, []config.Fault{
			{Problem: both},
			{Key: "type", Problem: `"x"` + known},
			{Key: "args", Problem: `expected an array of strings, found number`},
			{Key: "headers", Problem: `expected an object of strings, found number`},
		}},
		{`{"command": 1}`, []config.Fault{{Key: "command", Problem: `expected a string, found number`}}},
		{`{"url": {}}`, []config.Fault{{Key: "url", Problem: `expected a string, found object`}}},
		{`{"command": "x", "cwd": true}`, []config.Fault{{Key: "cwd", Problem: `expected a string, found boolean`}}},
		{`{"command": "x", "command": "x"}`, []config.Fault{{Key: "command", Problem: `is there more than once`}}},
		{`{"command": "x", "args": "x"}`, []config.Fault{{Key: "args", Problem: `expected an array of strings, found string`}}},
		{`{"command": "x", "args": [true, "\u0000", null]}`, []config.Fault{
			{Key: "args[0]", Problem: `expected a string, found boolean`},
			{Key: "args[1]", Problem: `holds a NUL byte`},
			{Key: "args[2]", Problem: `expected a string, found null`},
		}},
		{`{"command": "x", "env": ["A=b"]}`, []config.Fault{{Key: "env", Problem: `expected an object of strings, found array`}}},
		{`{"command": "x", "env": {"A": {}, "B": "", "B": "", "": ""}}`, []config.Fault{
			{Key: "env.A", Problem: `expected a string, found object`},
			{Key: "env.B", Problem: `is there more than once`},
			{Key: "env.", Problem: `the name of a variable is empty`},
		}},
		{`{"url": "http://h", "headers": {"a": [], "b-c": "", "B-C": "", "": ""}}`, []config.Fault{
			{Key: "headers.a", Problem: `expected a string, found array`},
			{Key: "headers.B-C", Problem: `is there more than once: upper and lower case are the same in names of headers`},
			{Key: "headers.", Problem: `is not a valid name of a header`},
		}},
		{`{"url": "ws://h"}`, []config.Fault{{Key: "url", Problem: `websocket is not a transport of MCP: give a URL that starts with http:// or https://`}}},
		{`{"url": "http://h", "type": "websocket"}`, []config.Fault{{Key: "type", Problem: `"websocket" is not supported, since it is no transport of MCP: use "http" if the server has it`}}},
		{`{"url": "http://h", "type": "custom"}`, []config.Fault{{Key: "type", Problem: `"custom"` + known}}},
		{`{"url": "http://h", "type": 1}`, []config.Fault{{Key: "type", Problem: `expected a string, found number`}}},
		{`{"url": "http://h", "type": "http", "transport": "sse"}`, []config.Fault{{Key: "type", Problem: `says "streamable_http", but "transport" says "sse": keep one`}}},
		{`{"url": "http://h", "type": "stdio"}`, []config.Fault{{Key: "type", Problem: `asks for "stdio", which needs "command", but there is "url"`}}},
		{`{"command": "x", "transport": "http"}`, []config.Fault{{Key: "transport", Problem: `asks for "streamable_http", which needs "url", but there is "command"`}}},
		{`{"type": "stdio"}`, []config.Fault{{Key: "command", Problem: `is required`}}},
		{`{"type": "sse"}`, []config.Fault{{Key: "url", Problem: `is required`}}},
		{`{"command": "x", "disabled": "yes", "enabled": 1}`, []config.Fault{
			{Key: "disabled", Problem: `expected true or false, found string`},
			{Key: "enabled", Problem: `expected true or false, found number`},
		}},
		{`{"command": "x", "connectTimeout": 1, "listTimeout": "1", "closeTimeout": "-1s", "terminateTimeout": ""}`, []config.Fault{
			{Key: "connectTimeout", Problem: duration + `number`},
			{Key: "listTimeout", Problem: duration + `"1"`},
			{Key: "closeTimeout", Problem: `is negative: use 0 for the default`},
			{Key: "terminateTimeout", Problem: duration + `""`},
		}},
		{`{"command": "x", "maxInFlight": 1.5}`, []config.Fault{{Key: "maxInFlight", Problem: `expected a whole number of calls, found 1.5`}}},
		{`{"command": "x", "maxMessageSize": 1.5}`, []config.Fault{{Key: "maxMessageSize", Problem: `expected a whole number of bytes, found 1.5`}}},
		{`{"url": "http://h", "maxMessageSize": "1"}`, []config.Fault{{Key: "maxMessageSize", Problem: `expected a whole number of bytes, found string`}}},
		{`{"url": "http://h", "maxMessageSize": -1}`, []config.Fault{{Key: "maxMessageSize", Problem: `is negative: use 0 for the default`}}},
		{`{"command": "x", "sessionPolicy": "private", "protocolVersion": 2025}`, []config.Fault{
			{Key: "sessionPolicy", Problem: `"private" is not known: use "shared", "serialized", "per-call" or "per-identity"`},
			{Key: "protocolVersion", Problem: `expected a string, found number`},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.entry, func(t *testing.T) {
			got, err := config.Parse([]byte(`{"mcpServers": {"s": `+tt.entry+`}}`), nil)
			for i := range tt.want {
				tt.want[i].Server = "s"
			}
			if d := cmp.Diff(tt.want, faultsOf(t, got, err)); d != "" {
				t.Errorf("faults differ (-want +got):\n%s", d)
			}
		})
	}
}

func TestParseMissingNameOfServer(t *testing.T) {
	got, err := config.Parse([]byte(`{"mcpServers": {"command": "npx"}}`), nil)
	want := []config.Fault{{Server: "command", Problem: `is a key of a server, but stands where their names are: put it into a server`}}
	if d := cmp.Diff(want, faultsOf(t, got, err)); d != "" {
		t.Errorf("faults differ (-want +got):\n%s", d)
	}
}

func TestParseEmptyNameOfServer(t *testing.T) {
	got, err := config.Parse([]byte(`{"mcpServers": {"": {"command": "npx", "cwd": "~"}}}`), nil)
	faultsOf(t, got, err)
	want := `config: 2 faults:
  1:17: the name of a server is empty
  1:40: server "": cwd: starts with "~", which is not expanded: give the whole path`
	if d := cmp.Diff(want, err.Error()); d != "" {
		t.Errorf("error differs (-want +got):\n%s", d)
	}
}

func TestLoadErrors(t *testing.T) {
	dir := t.TempDir()
	t.Run("no file", func(t *testing.T) {
		path := filepath.Join(dir, "none.json")
		got, err := config.Load(path, nil)
		if got != nil || !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), path) {
			t.Errorf("got %v and error %v, want nil and one that names the file", got, err)
		}
	})
	t.Run("directory", func(t *testing.T) {
		got, err := config.Load(dir, nil)
		if got != nil || err == nil || !strings.Contains(err.Error(), dir) {
			t.Errorf("got %v and error %v, want nil and one that names the directory", got, err)
		}
	})
	for _, tt := range []struct{ name, content, want string }{
		{"syntax.json", `{`, ":1:2: ends before it is complete"},
		{"form.json", `[]`, ":1:1: expected an object"},
		{"server.json", `{"s": {}}`, `:1:2: server "s": has neither`},
		{"large.json", "{}" + strings.Repeat(" ", 16<<20), ": is larger than 16 MiB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(dir, tt.name)
			if err := os.WriteFile(path, []byte(tt.content), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := config.Load(path, nil)
			faultsOf(t, got, err)
			if want := "config: " + path + tt.want; !strings.HasPrefix(err.Error(), want) {
				t.Errorf("error is %q, want it to start with %q", err, want)
			}
		})
	}
}

func TestErrorRepeatsNothingOfOtherFiles(t *testing.T) {
	const hash = "$6$salt$x6FLSfoHlcQNZYtJ2kSB5Z0W1pVvI6s3"
	for name, content := range map[string]string{
		"passwords": "root:" + hash + ":19000:0:99999:7:::\ndaemon:*:19000:0:99999:7:::\n",
		"yaml":      hash + ": 1\n",
		"json":      `{"` + hash + `": "x"}`,
	} {
		t.Run(name, func(t *testing.T) {
			got, err := config.Parse([]byte(content), nil)
			if n := len(faultsOf(t, got, err)); n != 1 || strings.Contains(err.Error(), "root") || strings.Contains(err.Error(), "$6$") {
				t.Errorf("%d faults: %v", n, err)
			}
		})
	}
	got, err := config.Parse([]byte(`{"x": {"command": "x"}, "`+strings.Repeat("n", 50)+`": 1}`), nil)
	faultsOf(t, got, err)
	if strings.Contains(err.Error(), strings.Repeat("n", 41)) {
		t.Errorf("a long name is not cut: %v", err)
	}
}

func TestErrorListsTheFirstFaults(t *testing.T) {
	got, err := config.Parse([]byte(`{"mcpServers": {"s": {"command": "x", "args": [`+strings.Repeat("1,", 999)+`1]}}}`), nil)
	if n := len(faultsOf(t, got, err)); n != 1000 {
		t.Errorf("%d faults, want all 1000", n)
	}
	lines := strings.Split(err.Error(), "\n")
	if want := "  and 980 more"; len(lines) != 22 || lines[0] != "config: 1000 faults:" || lines[21] != want {
		t.Errorf("%d lines, from %q to %q, want 22, the last %q", len(lines), lines[0], lines[len(lines)-1], want)
	}
}

func TestErrorBoundsWhatItShows(t *testing.T) {
	long := strings.Repeat("ä", 5000)
	got, err := config.Parse([]byte(`{"mcpServers": {"`+long+`": {"command": "x", "type": "`+long+`", "env": {"\u001b[31m`+long+`": null}}}}`), nil)
	faultsOf(t, got, err)
	if n := len(err.Error()); n > 1000 {
		t.Errorf("the error has %d bytes", n)
	}
	if strings.Contains(err.Error(), "\x1b") {
		t.Errorf("the error holds a control character: %q", err)
	}
}
