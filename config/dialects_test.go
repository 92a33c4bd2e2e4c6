package config_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/langchaingo-mcp/mcpadapters/config"
)

var update = flag.Bool("update", false, "write the expected results of the files in testdata/dialects")

// TestDialects reads every file in testdata/dialects and compares what comes
// of it with the text beside it: files as the documentation of each client
// shows them, files with every key that it has, and broken ones.
func TestDialects(t *testing.T) {
	files, err := filepath.Glob("testdata/dialects/*/*.*")
	if err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, file := range files {
		switch filepath.Ext(file) {
		case ".json", ".toml", ".yaml", ".yml":
		default:
			continue
		}
		read++
		t.Run(file, func(t *testing.T) {
			named := config.Dialect(filepath.Base(filepath.Dir(file)))
			result, err := config.Read(t.Context(), dialectOptions(file), config.Source{Path: file, Dialect: named})
			wd, wdErr := os.Getwd()
			if wdErr != nil {
				t.Fatal(wdErr)
			}
			got := strings.ReplaceAll(describe(result, err), wd+"/", "")
			expected := file + ".txt"
			if *update {
				if err := os.WriteFile(expected, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(expected)
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(string(want), got); d != "" {
				t.Errorf("result differs (-want +got):\n%s", d)
			}
			if strings.Contains(got, "hunter2") {
				t.Error("the result shows a secret")
			}
		})
	}
	if read < 25 {
		t.Errorf("only %d files", read)
	}
}

func dialectOptions(file string) *config.ParseOptions {
	return &config.ParseOptions{
		LookupEnv: environment(map[string]string{
			"API_KEY": "key", "TOOLS_DIR": "/opt/tools", "REGION": "eu", "AUTH_TOKEN": "token",
			"DB_CONNECTION_STRING": "a$b", "EXTERNAL_API_KEY": "$TOOLS_DIR", "FIGMA_OAUTH_TOKEN": "figma",
		}),
		Input: func(_ context.Context, input config.Input) (string, error) {
			if input.ID == "refused" {
				return "", errors.New("no terminal")
			}
			return "us", nil
		},
		WorkspaceFolder: filepath.Dir(file),
		UserHome:        "/home/ada",
		FileReferences:  true,
	}
}

// describe writes a result with everything that connections do not show.
func describe(result *config.Result, err error) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(result.Origins)) {
		o := result.Origins[name]
		fmt.Fprintf(&b, "%q at %d:%d, %s", name, o.Line, o.Column, o.Dialect)
		if o.Disabled {
			b.WriteString(", disabled")
		}
		b.WriteString("\n")
		c, ok := result.Connections[name]
		if !ok {
			continue
		}
		fmt.Fprintf(&b, "  shown as %v\n", c)
		line := func(name, format string, args ...any) {
			if value := fmt.Sprintf(format, args...); !slices.Contains([]string{"", "0", "0s", `""`, "[]", "map[]", "false"}, value) {
				fmt.Fprintf(&b, "  %s: %s\n", name, value)
			}
		}
		http := func(url string, h config.HTTP) {
			line("URL", "%q", url)
			line("Headers", "%q", h.Headers)
			line("MaxMessageSize", "%d", h.MaxMessageSize)
		}
		switch c := c.(type) {
		case config.Stdio:
			line("Command", "%q", c.Command)
			line("Args", "%q", c.Args)
			line("Env", "%q", c.Env)
			line("Cwd", "%q", c.Cwd)
			line("TerminateTimeout", "%v", c.TerminateTimeout)
			line("KillTimeout", "%v", c.KillTimeout)
			line("WaitDelay", "%v", c.WaitDelay)
			line("MaxMessageSize", "%d", c.MaxMessageSize)
		case config.StreamableHTTP:
			http(c.URL, c.HTTP)
			line("ClientID", "%q", c.OAuth.ClientID)
			line("ClientSecret", "%q", c.OAuth.ClientSecret)
			line("ClientMetadataURL", "%q", c.OAuth.ClientMetadataURL)
			line("Scopes", "%q", c.OAuth.Scopes)
			line("RedirectURL", "%q", c.OAuth.RedirectURL)
			line("Issuer", "%q", c.OAuth.Issuer)
		case config.SSE:
			http(c.URL, c.HTTP)
		}
		s := c.Common()
		line("ConnectTimeout", "%v", s.ConnectTimeout)
		line("ListTimeout", "%v", s.ListTimeout)
		line("CallTimeout", "%v", s.CallTimeout)
		line("CloseTimeout", "%v", s.CloseTimeout)
		line("ProtocolVersion", "%q", s.ProtocolVersion)
		line("SessionPolicy", "%q", string(s.SessionPolicy))
		line("MaxInFlight", "%d", s.MaxInFlight)
		line("Required", "%v", s.Required)
		if s.Tools.Allow != nil {
			line("Allow", "%d %q", len(s.Tools.Allow), s.Tools.Allow)
		}
		line("Deny", "%q", s.Tools.Deny)
	}
	for _, w := range result.Warnings {
		fmt.Fprintf(&b, "warning: %v\n", w)
	}
	if len(result.Files) > 1 {
		fmt.Fprintf(&b, "files: %s\n", strings.Join(result.Files, " "))
	}
	if err != nil {
		fmt.Fprintf(&b, "error: %v\n", err)
	}
	return b.String()
}

func TestDialectsAreToldApart(t *testing.T) {
	// By their keys: where these are of no one client, they mean the same
	// everywhere, and the dialect is our own.
	files, err := filepath.Glob("testdata/dialects/*/*.[jty]*[nl]")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		result, _ := config.Read(t.Context(), dialectOptions(file), config.Source{Path: file})
		for name, origin := range result.Origins {
			if own := config.Dialect(filepath.Base(filepath.Dir(file))); origin.Dialect != own && origin.Dialect != config.DialectOwn {
				t.Errorf("%s: %q is of %s", file, name, origin.Dialect)
			}
		}
	}
	tests := []struct {
		path, text string
		want       config.Dialect
	}{
		{"/x/claude_desktop_config.json", `{"mcpServers": {"s": {"command": "x"}}}`, config.DialectClaudeDesktop},
		{"/x/.mcp.json", `{"mcpServers": {"s": {"command": "x"}}}`, config.DialectClaudeCode},
		{"/home/ada/.claude.json", `{"mcpServers": {"s": {"command": "x"}}}`, config.DialectClaudeCode},
		{"/x/.cursor/mcp.json", `{"mcpServers": {"s": {"command": "x"}}}`, config.DialectCursor},
		{"/x/.vscode/mcp.json", `{"servers": {"s": {"command": "x"}}}`, config.DialectVSCode},
		{"/x/.gemini/settings.json", `{"mcpServers": {"s": {"command": "x"}}}`, config.DialectGeminiCLI},
		{"/x/.codeium/windsurf/mcp_config.json", `{"mcpServers": {"s": {"command": "x"}}}`, config.DialectWindsurf},
		{"/x/.codex/config.toml", "mcp_servers.s.command = 'x'", config.DialectCodex},
		{"", `{"mcpServers": {"s": {"command": "x"}}}`, config.DialectOwn},
		{"", `{"mcpServers": {"s": {"command": "x", "trust": false}}}`, config.DialectGeminiCLI},
		{"", `{"mcpServers": {"s": {"command": "x"}}, "mcp": {"excluded": []}}`, config.DialectGeminiCLI},
		{"", `{"mcpServers": {"s": {"serverUrl": "http://h", "disabledTools": []}}}`, config.DialectWindsurf},
		{"", `{"mcpServers": {"s": {"serverUrl": "http://h"}, "t": {"httpUrl": "http://h"}}}`, config.DialectOwn},
		{"", `{"mcpServers": {"s": {"command": "x", "alwaysLoad": true}}}`, config.DialectClaudeCode},
		{"", `{"mcpServers": {"s": {"command": "x", "keep_alive": true}}}`, config.DialectFastMCP},
		{"", `{"mcp_servers": {"s": {"command": "x"}}}`, config.DialectCodex},
		{"", "[mcp_servers.s]\ncommand = 'x'", config.DialectCodex},
		{"", `{"servers": {"s": {"command": "x"}}}`, config.DialectVSCode},
		{"", `{"mcp": {"servers": {"s": {"command": "x"}}}, "editor": {}}`, config.DialectVSCode},
		{"", `{"s": {"command": "x", "transport": "stdio"}}`, config.DialectLangChain},
	}
	for _, tt := range tests {
		result, err := config.Read(t.Context(), nil, config.Source{Path: tt.path, Data: []byte(tt.text)})
		if err != nil {
			t.Error(err)
		}
		if got := result.Origins["s"].Dialect; got != tt.want {
			t.Errorf("%s %s is %q, want %q", tt.path, tt.text, got, tt.want)
		}
	}
}

func TestSettingsWithoutServers(t *testing.T) {
	for _, source := range []config.Source{
		{Path: "/home/ada/.claude.json", Data: []byte(`{"numStartups": 5, "projects": {"/x": {}}}`)},
		{Path: "/home/ada/.gemini/settings.json", Data: []byte(`{"theme": "Dracula", "mcp": {"allowed": []}}`)},
		{Path: "/home/ada/.codex/config.toml", Data: []byte("model = 'gpt-5'\n[tui]\nx = 1")},
		{Dialect: config.DialectVSCode, Data: []byte(`{"editor.fontSize": 12}`)},
	} {
		result, err := config.Read(t.Context(), &config.ParseOptions{Strict: true}, source)
		if err != nil || len(result.Origins) != 0 || len(result.Warnings) != 0 {
			t.Errorf("%s: %v, %v, %v", source.Data, result.Origins, result.Warnings, err)
		}
	}
	_, err := config.Read(t.Context(), nil, config.Source{Path: ".mcp.json", Data: []byte(`{"mcpServer": {"s": {"command": "x"}}}`)})
	if err == nil || !strings.Contains(err.Error(), `did you mean "mcpServers"?`) {
		t.Errorf("error of a misspelled key is %v", err)
	}
}
