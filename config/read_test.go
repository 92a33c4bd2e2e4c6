package config_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/langchaingo-mcp/mcpadapters/config"
)

func TestReadMergesInOrder(t *testing.T) {
	asked := []string{}
	opts := &config.ParseOptions{LookupEnv: func(name string) (string, bool) {
		asked = append(asked, name)
		return "value", name == "SET"
	}}
	result, err := config.Read(t.Context(), opts,
		config.Source{Path: "user.json", Data: []byte(`{"mcpServers": {
			"kept": {"command": "${SET}"},
			"replaced": {"command": "${OF_NO_INTEREST}", "args": ["a"], "typo": 1},
			"disabled": {"command": "${OF_NO_INTEREST}"}
		}}`)},
		config.Source{Path: "none.json", Optional: true},
		config.Source{Path: "project.toml", Data: []byte("[mcp_servers.replaced]\nurl = 'http://h'\n[mcp_servers.disabled]\nenabled = false\n[mcp_servers.added]\ncommand = 'y'\nnonsense = 1\n")},
	)
	if err != nil {
		t.Fatal(err)
	}
	want := config.Connections{
		"kept":     config.Stdio{Command: "value"},
		"replaced": config.StreamableHTTP{URL: "http://h"},
		"added":    config.Stdio{Command: "y"},
	}
	if d := diff(want, result.Connections); d != "" {
		t.Errorf("connections differ (-want +got):\n%s", d)
	}
	origins := map[string]config.Origin{
		"kept":     {File: "user.json", Line: 2, Column: 4, Dialect: config.DialectOwn},
		"replaced": {File: "project.toml", Line: 1, Column: 14, Dialect: config.DialectCodex},
		"disabled": {File: "project.toml", Line: 3, Column: 14, Dialect: config.DialectCodex, Disabled: true},
		"added":    {File: "project.toml", Line: 5, Column: 14, Dialect: config.DialectCodex},
	}
	if d := cmp.Diff(origins, result.Origins); d != "" {
		t.Errorf("origins differ (-want +got):\n%s", d)
	}
	warnings := []config.Fault{{Server: "added", Key: "nonsense", Problem: "is not known", File: "project.toml", Line: 7, Column: 1}}
	if d := cmp.Diff(warnings, result.Warnings); d != "" {
		t.Errorf("warnings differ (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"SET"}, asked); d != "" {
		t.Errorf("variables that were looked up differ (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{"none.json"}, result.Files); d != "" {
		t.Errorf("files differ (-want +got):\n%s", d)
	}
}

func TestReadKeepsWhatIsSound(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "missing.json")
	large := filepath.Join(dir, "large.json")
	if err := os.WriteFile(large, []byte(strings.Repeat(" ", 2048)), 0o600); err != nil {
		t.Fatal(err)
	}
	result, err := config.Read(t.Context(), &config.ParseOptions{MaxFileSize: 1 << 10},
		config.Source{Path: "broken.json", Data: []byte(`{"mcpServers": `)},
		config.Source{Path: missing},
		config.Source{Path: large},
		config.Source{Path: "x.json", Data: []byte("{}"), Dialect: "emacs"},
		config.Source{Path: "y.json", Data: []byte("{}"), Format: "xml"},
		config.Source{Path: "good.json", Data: []byte(`{"mcpServers": {"good": {"command": "x"}, "bad": {"command": 1}, "worse": {"command": "x", "cwd": "~"}}}`)},
	)
	want := config.Connections{"good": config.Stdio{Command: "x"}}
	if d := diff(want, result.Connections); d != "" {
		t.Errorf("connections differ (-want +got):\n%s", d)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v does not wrap that a file is missing", err)
	}
	text := strings.ReplaceAll(err.Error(), dir, "DIR")
	wantText := `config: 7 faults:
  broken.json:1:16: ends before it is complete
  DIR/missing.json: cannot be read: no such file or directory
  DIR/large.json: is larger than 1024 bytes
  x.json: the dialect "emacs" is not known
  y.json: the format "xml" is not known: use "json", "toml" or "yaml"
  good.json:1:51: server "bad": command: expected a string, found number
  good.json:1:92: server "worse": cwd: starts with "~", which is not expanded: give the whole path`
	if d := cmp.Diff(wantText, text); d != "" {
		t.Errorf("error differs (-want +got):\n%s", d)
	}
}

func TestReadStrict(t *testing.T) {
	text := []byte(`{"mcpServers": {"s": {"command": "x", "scope": [], "trust": true, "oauth": {}, "zzz": 1, "s_s": null}}}`)
	result, err := config.Read(t.Context(), &config.ParseOptions{Strict: true}, config.Source{Data: text})
	if len(result.Connections) != 0 {
		t.Errorf("connections %v", result.Connections)
	}
	want := `config: 2 faults:
  1:39: server "s": scope: is not known: did you mean "scopes"?
  1:80: server "s": zzz: is not known`
	if err == nil || err.Error() != want {
		t.Errorf("error is %v, want %s", err, want)
	}
	result, err = config.Read(t.Context(), nil, config.Source{Data: text})
	if err != nil || len(result.Warnings) != 3 {
		t.Errorf("warnings %v, error %v", result.Warnings, err)
	}
}

func TestReadEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	result, err := config.Read(ctx, nil, config.Source{Data: []byte(`{"s": {"command": "x"}}`)})
	if len(result.Connections) != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("connections %v, error %v", result.Connections, err)
	}
}

func TestReadAsksOnce(t *testing.T) {
	var asked []config.Input
	opts := &config.ParseOptions{Input: func(_ context.Context, input config.Input) (string, error) {
		asked = append(asked, input)
		return "answer-" + input.ID, nil
	}}
	text := []byte(`{"inputs": [
		{"type": "promptString", "id": "key", "description": "The key", "password": true, "default": "d"},
		{"type": "pickString", "id": "one", "options": ["a", {"label": "B", "value": "answer-one"}]},
		{"type": "promptString", "id": "unused"}
	], "servers": {
		"a": {"command": "${input:key}-server", "args": ["${input:key}", "${input:one}"]},
		"b": {"url": "http://${input:key}/${input:key}/mcp"},
		"off": {"command": "${input:unused}", "disabled": true}
	}}`)
	result, err := config.Read(t.Context(), opts, config.Source{Path: "mcp.json", Data: text})
	if err != nil {
		t.Fatal(err)
	}
	want := []config.Input{
		{ID: "key", Type: "promptString", Description: "The key", Default: "d", Password: true, File: "mcp.json"},
		{ID: "one", Type: "pickString", Options: []config.InputOption{{Label: "a", Value: "a"}, {Label: "B", Value: "answer-one"}}, File: "mcp.json"},
	}
	if d := cmp.Diff(want, asked); d != "" {
		t.Errorf("questions differ (-want +got):\n%s", d)
	}
	for name, want := range map[string]string{"a": `stdio "…-server" (2 args)`, "b": "streamable_http http://…/…/mcp"} {
		if got := result.Connections[name].String(); got != want {
			t.Errorf("connection is shown as %s, want %s", got, want)
		}
	}
	opts.Input = nil
	_, err = config.Read(t.Context(), opts, config.Source{Data: text})
	if err == nil || !strings.Contains(err.Error(), "the input key has to be asked for, and nobody can be asked: set ParseOptions.Input") {
		t.Errorf("error without a callback is %v", err)
	}
	opts.Input = func(context.Context, config.Input) (string, error) { return "hunter2", nil }
	_, err = config.Read(t.Context(), opts, config.Source{Data: text})
	if err == nil || !strings.Contains(err.Error(), "the input one was answered by none of its options") || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("error of a wrong answer is %v", err)
	}
}

func TestNegativeMaxFileSize(t *testing.T) {
	_, err := config.Parse([]byte("{}"), &config.ParseOptions{MaxFileSize: -1})
	if err == nil || !strings.Contains(err.Error(), "option MaxFileSize is negative (-1)") {
		t.Errorf("got %v", err)
	}
}
