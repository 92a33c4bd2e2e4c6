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
	return configError.Faults
}

func TestLoadBrokenFile(t *testing.T) {
	path := filepath.Join("testdata", "broken.json")
	got, err := config.Load(path, &config.ParseOptions{LookupEnv: environment(nil)})
	faultsOf(t, got, err)
	want := `config: ` + path + `: 13 faults:
  server "a": has both "command" (a program to start) and "url" (a server to connect to): keep one
  server "b": args[1]: expected a string, found number
  server "b": args[2]: the variable ALSO_NOT_SET is not set: set it, or write ${ALSO_NOT_SET:-default}
  server "b": callTimeout: expected a duration with its unit, such as "30s" or "5m", found number
  server "b": command: the variable NOT_SET is not set: set it, or write ${NOT_SET:-default}
  server "b": env.GOOD: expected a string, found null
  server "b": env.TOKEN=…: the name of a variable holds "="
  server "c": has neither "command" (a program to start) nor "url" (a server to connect to)
  server "c": is there more than once: on line 13 and on line 21
  server "c": transport: "carrier-pigeon" is not known: use "stdio" (or "local"), "http" (or "streamable_http", "streamable-http", "streamableHttp", "streamable") or "sse"
  server "d": headers.Authorization…: is not a valid name of a header
  server "d": headers.X-Secret: the value holds a control character, such as a line break
  server "d": url: is not a URL: look at its port and its percent escapes`
	if d := cmp.Diff(want, err.Error()); d != "" {
		t.Errorf("error differs (-want +got):\n%s", d)
	}
	if strings.Contains(err.Error(), "hunter2") {
		t.Error("the error shows a secret")
	}
}

func TestParseFaultsOfDocuments(t *testing.T) {
	tests := []struct {
		name, json, want string
	}{
		{"empty", "", `line 1, column 1: unexpected end of JSON input`},
		{"cut", "{\n  \"a\": {", `line 2, column 8: unexpected end of JSON input`},
		{"trailing comma", "{\n  \"ü\": {},\n}", `line 3, column 1: invalid character '}' looking for beginning of object key string`},
		{"column in characters", `{"ü": x}`, `line 1, column 7: invalid character 'x' looking for beginning of value`},
		{"column after a byte order mark", "\xef\xbb\xbfx", `line 1, column 1: invalid character 'x' looking for beginning of value`},
		{"second document", "{}\n{}", `line 2, column 1: invalid character '{' after top-level value`},
		{"nested too deep", strings.Repeat("[", 20000), `line 1, column 10001: invalid character '[' exceeded max depth`},
		{"UTF-16", "\xff\xfe{\x00}\x00", `line 1, column 1: is not UTF-8 text`},
		{"Latin-1", "{\"a\n\xe9\": 1}", `line 2, column 1: is not UTF-8 text`},
		{"array", ` []`, `expected an object with "mcpServers", found array`},
		{"null", `null`, `expected an object with "mcpServers", found null`},
		{"servers in an array", `{"mcpServers": []}`, `"mcpServers": expected an object, found array`},
		{"servers in a string", `{"servers": "x"}`, `"servers": expected an object, found string`},
		{"two maps", `{"mcpServers": {}, "servers": {}}`, `both "mcpServers" and "servers" are there: keep one`},
		{"twice", "{\"mcpServers\": {},\n\"mcpServers\": {}}", `"mcpServers" is there more than once, again on line 2, column 15`},
		{"short twice", `{"servers": {}, "servers": {}}`, `"servers" is there more than once, again on line 1, column 28`},
		{"map or server", `{"servers": {"x": {"command": "x"}}, "y": {"command": "y"}}`,
			`"servers" holds the servers or is the name of one, but other keys hold servers too: put them all into "mcpServers"`},
		{"too large", strings.Repeat(" ", 16<<20+1), `is larger than 16 MiB`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := config.Parse([]byte(tt.json), nil)
			want := []config.Fault{{Problem: tt.want}}
			if d := cmp.Diff(want, faultsOf(t, got, err)); d != "" {
				t.Errorf("faults differ (-want +got):\n%s", d)
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
	const known = ` is not known: use "stdio" (or "local"), "http" (or "streamable_http", "streamable-http", "streamableHttp", "streamable") or "sse"`
	const duration = `expected a duration with its unit, such as "30s" or "5m", found `
	tests := []struct {
		entry string
		want  []config.Fault // without the server
	}{
		{`5`, []config.Fault{{Problem: `expected an object with "command" or "url", found number`}}},
		{`null`, []config.Fault{{Problem: `expected an object with "command" or "url", found null`}}},
		{`{}`, []config.Fault{{Problem: neither}}},
		{`{"command": ""}`, []config.Fault{{Problem: neither}}},
		{`{"Command": "x"}`, []config.Fault{{Problem: neither}}},
		{`{"command": "x", "url": "http://h"}`, []config.Fault{{Problem: both}}},
		{`{"command": "x", "url": "http://h", "type": "x", "args": 1, "headers": 1}`, []config.Fault{
			{Problem: both},
			{Key: "args", Problem: `expected an array of strings, found number`},
			{Key: "headers", Problem: `expected an object of strings, found number`},
			{Key: "type", Problem: `"x"` + known},
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
			{Key: "env.", Problem: `the name of a variable is empty`},
			{Key: "env.A", Problem: `expected a string, found object`},
			{Key: "env.B", Problem: `is there more than once`},
		}},
		{`{"url": "http://h", "headers": {"a": [], "b-c": "", "B-C": "", "": ""}}`, []config.Fault{
			{Key: "headers.", Problem: `is not a valid name of a header`},
			{Key: "headers.B-C", Problem: `is there more than once: upper and lower case are the same in names of headers`},
			{Key: "headers.a", Problem: `expected a string, found array`},
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
			{Key: "closeTimeout", Problem: `is negative: use 0 for the default`},
			{Key: "connectTimeout", Problem: duration + `number`},
			{Key: "listTimeout", Problem: duration + `"1"`},
			{Key: "terminateTimeout", Problem: duration + `""`},
		}},
		{`{"command": "x", "maxMessageSize": 1.5}`, []config.Fault{{Key: "maxMessageSize", Problem: `expected a whole number of bytes, found 1.5`}}},
		{`{"url": "http://h", "maxMessageSize": "1"}`, []config.Fault{{Key: "maxMessageSize", Problem: `expected a whole number of bytes, found string`}}},
		{`{"url": "http://h", "maxMessageSize": -1}`, []config.Fault{{Key: "maxMessageSize", Problem: `is negative: use 0 for the default`}}},
		{`{"command": "x", "sessionPolicy": "private", "protocolVersion": 2025}`, []config.Fault{
			{Key: "protocolVersion", Problem: `expected a string, found number`},
			{Key: "sessionPolicy", Problem: `"private" is not known: use "shared", "serialized" or "per-call"`},
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
	want := []config.Fault{{Server: "command", Problem: `expected an object with "command" or "url", found string`}}
	if d := cmp.Diff(want, faultsOf(t, got, err)); d != "" {
		t.Errorf("faults differ (-want +got):\n%s", d)
	}
}

func TestParseEmptyNameOfServer(t *testing.T) {
	got, err := config.Parse([]byte(`{"mcpServers": {"": {"command": "npx", "cwd": "~"}}}`), nil)
	faultsOf(t, got, err)
	want := `config: 2 faults:
  the name of a server is empty
  server "": cwd: starts with "~", which is not expanded: give the whole path`
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
		{"syntax.json", `{`, "line 1, column 1: unexpected end"},
		{"form.json", `[]`, "expected an object"},
		{"server.json", `{"s": {}}`, `server "s": has neither`},
		{"large.json", "{}" + strings.Repeat(" ", 16<<20), "is larger than 16 MiB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(dir, tt.name)
			if err := os.WriteFile(path, []byte(tt.content), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := config.Load(path, nil)
			faultsOf(t, got, err)
			if want := "config: " + path + ": " + tt.want; !strings.HasPrefix(err.Error(), want) {
				t.Errorf("error is %q, want it to start with %q", err, want)
			}
		})
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
