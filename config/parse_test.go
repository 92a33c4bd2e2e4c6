package config_test

import (
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/langchaingo-mcp/mcpadapters/config"
)

// environment returns a LookupEnv over the given variables.
func environment(variables map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		value, ok := variables[name]
		return value, ok
	}
}

// diff compares connections by their fields, since they show none of them.
func diff(want, got config.Connections) string {
	type stdio config.Stdio
	type streamable config.StreamableHTTP
	type sse config.SSE
	return cmp.Diff(want, got,
		cmp.Transformer("stdio", func(c config.Stdio) stdio { return stdio(c) }),
		cmp.Transformer("streamable", func(c config.StreamableHTTP) streamable { return streamable(c) }),
		cmp.Transformer("sse", func(c config.SSE) sse { return sse(c) }),
		cmpopts.IgnoreUnexported(stdio{}, config.HTTP{}),
	)
}

func TestLoadFilesOfHosts(t *testing.T) {
	opts := &config.ParseOptions{LookupEnv: environment(map[string]string{
		"API_KEY":     "${NOT_EXPANDED_AGAIN}",
		"TOOLS_DIR":   "/opt/tools",
		"DB_USER":     "",
		"DB_PASSWORD": `quote " and brace }`,
		"SERVER_HOME": "/srv",
	})}
	tests := []struct {
		file string
		want config.Connections
	}{
		{"claude_desktop.json", config.Connections{
			"filesystem": config.Stdio{
				Command: "npx",
				Args:    []string{"-y", "@modelcontextprotocol/server-filesystem", "/Users/ada/Desktop", "/Users/ada/Downloads"},
			},
			"github": config.Stdio{
				Command: "docker",
				Args:    []string{"run", "-i", "--rm", "-e", "GITHUB_PERSONAL_ACCESS_TOKEN", "ghcr.io/github/github-mcp-server"},
				Env:     map[string]string{"GITHUB_PERSONAL_ACCESS_TOKEN": "ghp_0123456789"},
			},
			"remote": config.Stdio{Command: "npx", Args: []string{"mcp-remote", "https://mcp.example.com/sse"}},
		}},
		{"claude_code.mcp.json", config.Connections{
			"api-server": config.StreamableHTTP{
				URL: "https://api.example.com/mcp",
				HTTP: config.HTTP{Headers: http.Header{
					"Authorization": {"Bearer ${NOT_EXPANDED_AGAIN}"},
					"X-Retries":     {"3"},
				}},
			},
			"events": config.SSE{URL: "https://events.example.com/stream"},
			"db": config.Stdio{
				Command: "/opt/tools/db-server",
				Args:    []string{"--config", "/opt/tools/db.json", "--price", "$5", "--template", "${name}"},
				Env: map[string]string{
					"DB_URL": `postgres://reader:quote " and brace }@localhost/app`,
					"PORT":   "5432",
					"DEBUG":  "false",
				},
			},
		}},
		{"cursor.mcp.json", config.Connections{
			"cli": config.Stdio{
				Command: "python",
				Args:    []string{"/srv/mcp-server.py"},
				Env: map[string]string{
					"API_KEY": "${NOT_EXPANDED_AGAIN}",
					"REGION":  "eu-1",
					"QUOTED":  "two words # no comment\n",
					"SINGLE":  "$NOT_EXPANDED",
				},
			},
			"remote": config.StreamableHTTP{
				URL:  "https://example.com/mcp?team=core",
				HTTP: config.HTTP{Headers: http.Header{"Api_key": {"${NOT_EXPANDED_AGAIN}"}}},
			},
			"old": config.SSE{URL: "http://localhost:3000/sse"},
		}},
		{"vscode.mcp.json", config.Connections{
			"playwright": config.Stdio{Command: "npx", Args: []string{"-y", "@playwright/mcp@latest"}, Cwd: "/srv/app"},
			"github":     config.StreamableHTTP{URL: "https://api.githubcopilot.com/mcp/"},
		}},
		{"langchain.json", config.Connections{
			"math": config.Stdio{Command: "python", Args: []string{"/path/to/math_server.py"}},
			"weather": config.StreamableHTTP{
				URL:  "http://localhost:8000/mcp",
				HTTP: config.HTTP{Headers: http.Header{"Authorization": {"Bearer YOUR_TOKEN"}}},
				Settings: config.Settings{
					ConnectTimeout: 30 * time.Second,
					CallTimeout:    5 * time.Minute,
				},
			},
			"news": config.SSE{URL: "http://localhost:8001/events"},
		}},
		{"own.json", config.Connections{
			"local": config.Stdio{
				Command:          "server",
				Args:             []string{"serve"},
				Env:              map[string]string{"LEVEL": "debug"},
				Cwd:              "/srv",
				TerminateTimeout: time.Second,
				MaxMessageSize:   1 << 20,
				Settings: config.Settings{
					ConnectTimeout:  10 * time.Second,
					ListTimeout:     20 * time.Second,
					CallTimeout:     -1,
					CloseTimeout:    1500 * time.Millisecond,
					ProtocolVersion: "2025-11-25",
					SessionPolicy:   config.SessionPerCall,
					MaxInFlight:     4,
				},
			},
			"remote": config.StreamableHTTP{
				URL: "https://example.com/mcp",
				HTTP: config.HTTP{
					Headers:        http.Header{"X-Team": {"core"}},
					MaxMessageSize: 4096,
				},
				Settings: config.Settings{SessionPolicy: config.SessionSerialized, MaxInFlight: -1},
			},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			got, err := config.Load(filepath.Join("testdata", tt.file), opts)
			if err != nil {
				t.Fatal(err)
			}
			if d := diff(tt.want, got); d != "" {
				t.Errorf("connections differ (-want +got):\n%s", d)
			}
			if err := got.Validate(); err != nil {
				t.Errorf("what Load returned is not valid: %v", err)
			}
		})
	}
}

func TestParseForms(t *testing.T) {
	x := config.Connections{"x": config.Stdio{Command: "x"}}
	tests := []struct {
		name, json string
		want       config.Connections
	}{
		{"nothing", `{}`, config.Connections{}},
		{"no servers", `{"mcpServers": {}}`, config.Connections{}},
		{"no servers of VS Code", `{"servers": {}}`, config.Connections{}},
		{"inputs without servers", `{"inputs": []}`, config.Connections{}},
		{"null servers", `{"mcpServers": null}`, config.Connections{}},
		{"standard", `{"mcpServers": {"x": {"command": "x"}}}`, x},
		{"standard beside other settings", `{"statusLine": {"type": "command", "command": "date"}, "mcpServers": {"x": {"command": "x"}}}`, x},
		{"short", `{"servers": {"x": {"command": "x"}}}`, x},
		{"short beside inputs", `{"servers": {"x": {"command": "x"}}, "inputs": [], "sandbox": {"enabled": true}}`, x},
		{"bare", `{"x": {"command": "x"}}`, x},
		{"bare with schema", `{"$schema": "x.json", "x": {"command": "x"}}`, x},
		{"space and a byte order mark", "\xef\xbb\xbf \n{\"x\": {\"command\": \"x\"}}\n\n", x},
		{"a server called servers", `{"servers": {"command": "x"}, "y": {"url": "http://y"}}`,
			config.Connections{"servers": config.Stdio{Command: "x"}, "y": config.StreamableHTTP{URL: "http://y"}}},
		{"a server called mcpServers", `{"mcpServers": {"mcpServers": {"command": "x"}, "servers": {"command": "x"}}}`,
			config.Connections{"mcpServers": config.Stdio{Command: "x"}, "servers": config.Stdio{Command: "x"}}},
		{"a server called like a key", `{"servers": {"command": {"command": "x"}, "url": {"url": "http://x"}}}`,
			config.Connections{"command": config.Stdio{Command: "x"}, "url": config.StreamableHTTP{URL: "http://x"}}},
		{"names of any kind", `{"a b/ü\u0000": {"command": "x"}}`, config.Connections{"a b/ü\x00": config.Stdio{Command: "x"}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := config.Parse([]byte(tt.json), nil)
			if err != nil {
				t.Fatal(err)
			}
			if got == nil {
				t.Fatal("the connections are nil")
			}
			if d := diff(tt.want, got); d != "" {
				t.Errorf("connections differ (-want +got):\n%s", d)
			}
		})
	}
}

func TestParseTransport(t *testing.T) {
	stdio := config.Stdio{Command: "x"}
	streamable := config.StreamableHTTP{URL: "http://h/mcp"}
	sse := config.SSE{URL: "http://h/mcp"}
	tests := []struct {
		entry string
		want  config.Connection
	}{
		{`"command": "x"`, stdio},
		{`"command": "x", "url": null`, stdio},
		{`"command": "x", "url": ""`, stdio},
		{`"command": "x", "type": "stdio"`, stdio},
		{`"command": "x", "type": ""`, stdio},
		{`"command": "x", "type": null, "transport": "local"`, stdio},
		{`"command": "x", "type": "STDIO"`, stdio},
		{`"command": "x", "headers": {"bad name": 1}`, stdio},
		{`"url": "http://h/mcp"`, streamable},
		{`"url": "http://h/mcp", "command": ""`, streamable},
		{`"url": "http://h/mcp", "transport": "http"`, streamable},
		{`"url": "http://h/mcp", "transport": "streamable_http", "type": "http"`, streamable},
		{`"url": "http://h/mcp", "type": "streamable-http"`, streamable},
		{`"url": "http://h/mcp", "type": "streamableHttp"`, streamable},
		{`"url": "http://h/mcp", "type": "streamable"`, streamable},
		{`"url": "http://h/mcp", "args": 5, "env": 5, "cwd": 5`, streamable},
		{`"url": "http://h/mcp", "type": "sse"`, sse},
		{`"url": "http://h/sse"`, config.SSE{URL: "http://h/sse"}},
		{`"url": "http://h/a/sse/?x=1"`, config.SSE{URL: "http://h/a/sse/?x=1"}},
		{`"url": "http://h/${NAME:-sse}"`, config.SSE{URL: "http://h/sse"}},
		{`"url": "http://h/sse", "type": "http"`, config.StreamableHTTP{URL: "http://h/sse"}},
		{`"url": "http://h/mcp?x=/sse"`, config.StreamableHTTP{URL: "http://h/mcp?x=/sse"}},
		{`"url": "http://h/posse"`, config.StreamableHTTP{URL: "http://h/posse"}},
	}
	for _, tt := range tests {
		t.Run(tt.entry, func(t *testing.T) {
			got, err := config.Parse([]byte(`{"s": {`+tt.entry+`}}`), &config.ParseOptions{LookupEnv: environment(nil)})
			if err != nil {
				t.Fatal(err)
			}
			if d := diff(config.Connections{"s": tt.want}, got); d != "" {
				t.Errorf("connections differ (-want +got):\n%s", d)
			}
		})
	}
}

func TestParseDisabled(t *testing.T) {
	got, err := config.Parse([]byte(`{
		"a": {"disabled": true, "command": 5},
		"b": {"enabled": false},
		"c": {"disabled": false, "enabled": true, "command": "c"},
		"d": {"disabled": null, "command": "d"}
	}`), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := config.Connections{"c": config.Stdio{Command: "c"}, "d": config.Stdio{Command: "d"}}
	if d := diff(want, got); d != "" {
		t.Errorf("connections differ (-want +got):\n%s", d)
	}
}

func TestParseReadsTheEnvironmentByDefault(t *testing.T) {
	t.Setenv("MCPADAPTERS_TEST_COMMAND", "x")
	for _, opts := range []*config.ParseOptions{nil, {}} {
		got, err := config.Parse([]byte(`{"s": {"command": "${MCPADAPTERS_TEST_COMMAND}"}}`), opts)
		if err != nil {
			t.Fatal(err)
		}
		if d := diff(config.Connections{"s": config.Stdio{Command: "x"}}, got); d != "" {
			t.Errorf("connections differ (-want +got):\n%s", d)
		}
	}
}
