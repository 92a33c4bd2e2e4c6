package config_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
)

// accepts returns a function that tells whether the schema accepts a text.
func accepts(t *testing.T) func(text string) bool {
	t.Helper()
	var schema jsonschema.Schema
	if err := json.Unmarshal(config.Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return func(text string) bool {
		t.Helper()
		var instance any
		if err := json.Unmarshal([]byte(text), &instance); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		return resolved.Validate(instance) == nil
	}
}

func schemaOptions(t *testing.T) *config.ParseOptions {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte("A=a"), 0o600); err != nil {
		t.Fatal(err)
	}
	return &config.ParseOptions{
		LookupEnv:       func(string) (string, bool) { return "a", true },
		WorkspaceFolder: dir,
		UserHome:        dir,
		FileReferences:  true,
		Strict:          true,
	}
}

func TestSchemaIsTheFile(t *testing.T) {
	file, err := os.ReadFile("connections.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(file), string(config.Schema())); d != "" {
		t.Error(d)
	}
	for _, version := range mcp.SupportedProtocolVersions() {
		if !accepts(t)(`{"mcpServers": {"s": {"command": "x", "protocolVersion": "` + version + `"}}}`) {
			t.Errorf("the version %s is not in the schema", version)
		}
	}
}

// TestSchemaRefuses: what is wrong is refused by the schema and by Parse.
func TestSchemaRefuses(t *testing.T) {
	accepts, opts := accepts(t), schemaOptions(t)
	for _, text := range []string{
		`[]`, `null`, `"x"`, `{"mcpServers": [5]}`, `{"mcpServers": {"": {"command": "x"}}}`, `{"mcpServers": {"s": null}}`,
	} {
		if accepts(text) {
			t.Errorf("the schema accepts %s", text)
		}
		if _, err := config.Parse([]byte(text), opts); err == nil {
			t.Errorf("Parse accepts %s", text)
		}
	}
	for _, server := range []string{
		`{}`, `{"args": []}`, `{"command": ""}`, `{"command": " "}`, `{"command": "~/x"}`, `{"command": 1}`, `{"command": "x\u0000"}`,
		`{"command": "${"}`, `{"command": "${a-b}"}`, `{"command": "${A:-${B}}"}`, `{"command": "${command:x}"}`,
		`{"command": "x", "url": "http://h"}`, `{"command": "x", "type": "sse"}`, `{"url": "http://h", "type": "stdio"}`,
		`{"url": "http://h", "type": "ws"}`, `{"url": "ftp://h"}`, `{"url": "http://"}`, `{"url": "http://h:x"}`, `{"url": "http://h/%zz"}`,
		`{"url": "h/mcp"}`, `{"url": "http://a b"}`, `{"url": "http://h", "headers": {"a b": "c"}}`, `{"url": "http://h", "headers": {"a": "b\nc"}}`,
		`{"url": "http://h", "headers": {"a": []}}`, `{"url": "http://h", "headers": ["a: b"]}`, `{"url": "http://h", "envHttpHeaders": {"a": "b c"}}`,
		`{"url": "http://h", "bearerTokenEnvVar": "x y"}`,
		`{"command": "x", "args": "a"}`, `{"command": "x", "args": [1]}`, `{"command": "x", "args": ["${"]}`, `{"command": "x", "args": ["\u0000"]}`,
		`{"command": "x", "env": {"A=b": "c"}}`, `{"command": "x", "env": {"A": {}}}`, `{"command": "x", "env": {"": "c"}}`, `{"command": "x", "cwd": "~"}`,
		`{"command": "x", "envVars": ["A=b"]}`, `{"command": "x", "connectTimeout": "5"}`, `{"command": "x", "connectTimeout": 5}`,
		`{"command": "x", "listTimeout": "-5s"}`, `{"command": "x", "closeTimeout": "5 s"}`, `{"command": "x", "callTimeout": "s"}`,
		`{"command": "x", "maxMessageSize": -1}`, `{"command": "x", "maxMessageSize": 1.5}`, `{"command": "x", "maxMessageSize": "1"}`,
		`{"command": "x", "protocolVersion": "2020-01-01"}`, `{"command": "x", "sessionPolicy": "none"}`, `{"command": "x", "required": "yes"}`,
		`{"command": "x", "maxInFlight": "5"}`, `{"command": "x", "maxInFlight": 1.5}`,
		`{"command": "x", "disabled": 0}`, `{"command": "x", "includeTools": "a"}`, `{"command": "x", "includeTools": [""]}`,
		`{"command": "x", "excludeTools": ["[a"]}`, `{"command": "x", "excludeTools": ["a\\"]}`, `{"command": "x", "comand": "y"}`,
	} {
		text := `{"mcpServers": {"s": ` + server + `}}`
		if accepts(text) {
			t.Errorf("the schema accepts %s", text)
		}
		if _, err := config.Parse([]byte(text), opts); err == nil {
			t.Errorf("Parse accepts %s", text)
		}
	}
}

// TestSchemaAcceptsWhatLoads: of random files, right and wrong, Parse reads all
// that the schema accepts, and all keys are seen in accepted ones.
func TestSchemaAcceptsWhatLoads(t *testing.T) {
	accepts, opts := accepts(t), schemaOptions(t)
	texts := []any{"x", "", "a b", "${A}", "$", "$$", "$5", "$${x}", "$$${A}", "${A:-b}", "${A:-}", "${A:-$}", "${env:A}", "${env:A:-x y}", "${file:file}x",
		"${userHome}", "${workspaceFolder}/${/}", "${A}${B}", "${", "${a b}", "${A:-${B}}", "~/x", "a\x00b", "a\nb", "é", 5, true, nil}
	durations := []any{"1s", "1m30s", "1.5h", "999999h", "999999h999999m999999m999999m", "5", "", "s", "-1s", "1 s", 5, ".5s", "1µs", "0s"}
	flags := []any{true, false, "yes", nil}
	tools := []any{[]any{}, []any{"a", "b*"}, []any{"[a-c]?", `\[`, "[^a-c]"}, []any{""}, []any{"["}, []any{"[]"}, []any{`\`}, "a", []any{"[a-]"}, []any{"[-a]"}, []any{"[z-a]"}}
	pick := func(r *rand.Rand, from []any) any { return from[r.IntN(len(from))] }
	object := func(names ...any) func(*rand.Rand) any {
		return func(r *rand.Rand) any {
			m := map[string]any{}
			for range r.IntN(3) {
				m[pick(r, names).(string)] = pick(r, texts)
			}
			return m
		}
	}
	list := func(from []any) func(*rand.Rand) any {
		return func(r *rand.Rand) any {
			l := []any{}
			for range r.IntN(3) {
				l = append(l, pick(r, from))
			}
			return l
		}
	}
	of := func(from ...any) func(*rand.Rand) any { return func(r *rand.Rand) any { return pick(r, from) } }
	keys := map[string]func(*rand.Rand) any{
		"command": of(texts...), "args": list(texts), "env": object("A", "B C", "A=b", ""), "envFile": of("file", "${workspaceFolder}/file", 5),
		"envVars": list([]any{"A", "B_1", "a b", 5}), "cwd": of(texts...), "terminateTimeout": of(durations...), "killTimeout": of(durations...), "waitDelay": of(durations...),
		"maxMessageSize": of(0, 5, 1<<30, -1, 1.5, "1", 1e3), "type": of("stdio", "local", "http", "streamableHttp", "remote", "sse", "ws"),
		"transport": of("stdio", "http", "sse"), "url": of("http://h", "https://u:p@h.example:8443/a/b?c=d#e", "http://[::1]:80/", "http://h:99999", "http://h/%41",
			"http://h/%4", "https://${A}/x", "${A}", "http://h/${A}?${B:-c}", "http://h h", "ftp://h", "http://${", "http://h/$", 5),
		"headers": object("A", "b-c", "d e", ""), "envHttpHeaders": func(r *rand.Rand) any { return map[string]any{"X": pick(r, []any{"A", "a b", 5})} },
		"bearerTokenEnvVar": of("A", "", "a b", 5), "connectTimeout": of(durations...), "listTimeout": of(durations...), "callTimeout": of(durations...),
		"closeTimeout": of(durations...), "protocolVersion": of("2025-11-25", "x"), "sessionPolicy": of("shared", "serialized", "per-call", "per-identity", "x"),
		"includeTools": of(tools...), "excludeTools": of(tools...), "maxInFlight": of(0, 5, 1<<30, -1, 1.5, "1", 1e3), "required": of(flags...), "disabled": of(flags...), "enabled": of(flags...),
		"description": of("x", 5), "unknown": of(1),
		"oauth": func(r *rand.Rand) any {
			values := map[string]any{
				"clientId":          pick(r, texts),
				"clientSecret":      pick(r, texts),
				"clientMetadataUrl": pick(r, []any{"https://h/x", "https://h", "https://h/", "http://h/x", "https://h:99999/x", "${A}", 5}),
				"scopes":            pick(r, []any{[]any{}, []any{"a", "a:b/c"}, []any{"a b"}, []any{""}, []any{"$"}, []any{`"`}, "a", []any{5}}),
				"callbackPort":      pick(r, []any{1, 65535, 0, 65536, "80", 1.5}),
				"redirectUrl":       pick(r, []any{"http://localhost:8080/callback", "https://h", "h:80", "https://h/#x", "", 5}),
				"issuer":            pick(r, []any{"https://h", "http://h:80/a", "h", ""}),
				"unknown":           1,
			}
			for _, name := range slices.Sorted(maps.Keys(values)) {
				if r.IntN(4) != 0 {
					delete(values, name)
				}
			}
			return values
		},
	}
	var names []string
	for name := range keys {
		names = append(names, name)
	}
	slices.Sort(names)
	seen := map[string]int{}
	r := rand.New(rand.NewPCG(1, 2))
	for range 2500 {
		server := map[string]any{}
		if r.IntN(2) == 0 {
			server["command"] = "x"
		} else {
			server["url"] = "http://h"
		}
		for range r.IntN(4) {
			name := names[r.IntN(len(names))]
			server[name] = keys[name](r)
		}
		data, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"s": server}})
		if err != nil {
			t.Fatal(err)
		}
		if !accepts(string(data)) {
			continue
		}
		for name := range server {
			seen[name]++
		}
		_, err = config.Read(t.Context(), opts, config.Source{Path: filepath.Join(opts.WorkspaceFolder, "mcp.json"), Data: data})
		// A variable may make a URL of anything.
		if url, _ := server["url"].(string); err != nil && !strings.Contains(url, "${") {
			t.Errorf("the schema accepts what does not load: %s: %v", data, err)
		}
	}
	for _, name := range names {
		if seen[name] == 0 && name != "unknown" {
			t.Errorf("the schema never accepted the key %s (%s)", name, fmt.Sprint(seen))
		}
	}
}
