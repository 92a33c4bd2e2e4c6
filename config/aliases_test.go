package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/langchaingo-mcp/mcpadapters/config"
)

func TestAliases(t *testing.T) {
	stdio := func(s config.Settings) config.Connection { return config.Stdio{Command: "x", Settings: s} }
	tools := func(allow, deny []string) config.Connection {
		return stdio(config.Settings{Tools: config.ToolFilter{Allow: allow, Deny: deny}})
	}
	http := func(url string) config.Connection { return config.StreamableHTTP{URL: url} }
	a := []string{"a"}
	tests := []struct {
		entry string
		want  config.Connection
	}{
		{`"httpUrl": "http://h"`, http("http://h")},
		{`"http_url": "http://h"`, http("http://h")},
		{`"serverUrl": "http://h"`, http("http://h")},
		{`"server_url": "http://h", "url": ""`, http("http://h")},
		{`"url": null, "uri": "http://h"`, http("http://h")},
		{`"url": "http://h", "serverUrl": "http://h"`, http("http://h")},
		{`"url": "http://h", "transport_type": "remote"`, http("http://h")},
		{`"command": "x", "working_directory": "/w"`, config.Stdio{Command: "x", Cwd: "/w"}},
		{`"command": "x", "include_tools": ["a"], "exclude_tools": ["a"]`, tools(a, a)},
		{`"command": "x", "enabledTools": ["a"], "disabled_tools": ["a"]`, tools(a, a)},
		{`"command": "x", "allowed_tools": ["a"], "excludedTools": ["a"]`, tools(a, a)},
		{`"command": "x", "tools": ["a"], "deniedTools": ["a"]`, tools(a, a)},
		{`"command": "x", "tools": {"a": {}}`, tools(nil, nil)},
		{`"command": "x", "call_timeout": "1s", "tool_timeout_sec": 5`, stdio(config.Settings{CallTimeout: time.Second})},
		{`"command": "x", "defaultToolTimeout": 1500`, stdio(config.Settings{CallTimeout: 1500 * time.Millisecond})},
		{`"command": "x", "timeout": "90s"`, stdio(config.Settings{CallTimeout: 90 * time.Second})},
		{`"command": "x", "timeout": 90, "sse_read_timeout": 5`, stdio(config.Settings{})},
		{`"command": "x", "max_message_size": 1e3`, config.Stdio{Command: "x", MaxMessageSize: 1000}},
		{`"command": "x", "required": true`, stdio(config.Settings{Required: true})},
	}
	for _, tt := range tests {
		got, err := config.Parse([]byte(`{"mcpServers": {"s": {`+tt.entry+`}}}`), nil)
		if err != nil {
			t.Errorf("%s: %v", tt.entry, err)
		} else if d := diff(config.Connections{"s": tt.want}, got); d != "" {
			t.Errorf("%s: connections differ (-want +got):\n%s", tt.entry, d)
		}
	}
}

func TestPlacesAndFiles(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "token"), []byte("${A} secret\n\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	opts := &config.ParseOptions{
		LookupEnv: environment(nil), UserHome: dir, WorkspaceFolder: dir, FileReferences: true, MaxFileSize: 1 << 10,
	}
	read := func(text string) ([]string, error) {
		result, err := config.Read(t.Context(), opts, config.Source{Path: filepath.Join(dir, "mcp.json"),
			Data: []byte(`{"s": {"command": "x", "args": ["` + text + `"]}}`)})
		if err != nil {
			return nil, err
		}
		return result.Connections["s"].(config.Stdio).Args, nil
	}
	for text, want := range map[string]string{
		"${file:token}":                     "${A} secret",
		"${file:~/token}":                   "${A} secret",
		"${file:" + dir + "/token}":         "${A} secret",
		"${userHome}":                       dir,
		"${workspaceFolder}":                dir,
		"${workspaceFolderBasename}":        filepath.Base(dir),
		"a${pathSeparator}b${/}":            "a" + string(filepath.Separator) + "b" + string(filepath.Separator),
		"$A $$A ${NONE:-$A} $${file:token}": "$A $$A $A ${file:token}",
	} {
		if got, err := read(text); err != nil || !cmp.Equal(got, []string{want}) {
			t.Errorf("%s is %q, %v, want %q", text, got, err, want)
		}
	}
	for text, want := range map[string]string{
		"${file:none}": "the file of ${file:...} cannot be read",
		"${file:}":     "without the path of a file",
		"${file:${A}}": "without the path of a file",
	} {
		if _, err := read(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", text, err, want)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "token"), []byte(strings.Repeat("secret", 1000)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := read("${file:token}"); err == nil || !strings.Contains(err.Error(), "is larger than 1024 bytes") || strings.Contains(err.Error(), "secret") {
		t.Errorf("error of a large file is %v", err)
	}
}
