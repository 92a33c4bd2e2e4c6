package config_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/langchaingo-mcp/mcpadapters/config"
)

// FuzzParse reads JSON, or whatever the text looks like.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{"s": {"command": "${A}\u0000", "args": ["${A}"], "cwd": "~/${A}", "env": {"X": "${A:-b}"}}}`,
		`{"s": {"url": "http://u:${A}@h:${A}/${A}?${A}", "headers": {"X": "${A}\n"}}}`,
		`{"s": {"url": "${A}${UNSET}${env:B}$${C}${D:-${E}}${"}}`,
		`{"servers": {"s": {"type": "sse", "transport": "sse"}}, "x": {"url": ""}}`,
		`{"mcpServers": {"s": {"command": "$A$$A$5${input:x}", "trust": true, "timeout": 5}}} // end`,
		"\xef\xbb\xbf{}", `[]`, `{}{}`, "\xff",
	} {
		f.Add([]byte(seed), uint8(0))
	}
	fuzz(f, "", "*.json")
}

// FuzzTOML reads TOML.
func FuzzTOML(f *testing.F) {
	f.Add([]byte("[[mcp_servers.x]]\na.b = {c = 1}\n[mcp_servers.x.y]\nz = 2020-01-01T00:00:00Z"), uint8(0))
	f.Add([]byte("a = {}\na.b = 1\n[a.c]\n[[a.d]]\n[a.d.e]\n[[a.d]]"), uint8(0))
	fuzz(f, config.FormatTOML, "*.toml")
}

// FuzzYAML reads YAML.
func FuzzYAML(f *testing.F) {
	f.Add([]byte("a: &a {b: &b [*a]}\n<<: *a\n? *b\n: - c\n"), uint8(0))
	f.Add([]byte("- &x a: 1\n  <<: [{b: 2}, *y]\n--- !!binary |\n  x\n"), uint8(0))
	fuzz(f, config.FormatYAML, "*.y*ml")
}

func fuzz(f *testing.F, format config.Format, pattern string) {
	seeds := 0
	for _, dir := range []string{"testdata", filepath.Join("testdata", "dialects", "*")} {
		files, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data, uint8(seeds))
			seeds++
		}
	}
	if seeds == 0 {
		f.Fatal("no seeds")
	}
	const planted = "Planted-0123456789-Secret"
	answer := func(name string) (string, bool) { return planted, !strings.HasPrefix(name, "UNSET") }
	dialects := []config.Dialect{"", config.DialectGeminiCLI, config.DialectVSCode, config.DialectCodex, config.DialectLangChain, config.DialectFastMCP}
	missing := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte, choice uint8) {
		opts := &config.ParseOptions{
			LookupEnv:       answer,
			Input:           func(context.Context, config.Input) (string, error) { return planted, nil },
			WorkspaceFolder: missing,
			UserHome:        missing,
			Strict:          choice&0x80 != 0,
		}
		source := config.Source{Data: data, Format: format, Dialect: dialects[int(choice&0x7f)%len(dialects)]}
		if data == nil {
			source.Data = []byte{}
		}
		result, err := config.Read(t.Context(), opts, source)
		if err := result.Connections.Validate(); err != nil {
			t.Fatalf("what Read returned is not valid: %v", err)
		}
		for name := range result.Connections {
			if _, ok := result.Origins[name]; !ok {
				t.Fatalf("server %q comes from nowhere", name)
			}
		}
		if bytes.Contains(bytes.ToLower(data), []byte("planted")) {
			return
		}
		var marked []config.Fault
		if choice&0x3f == 0 { // not always, since it takes its time
			marked = config.CheckSchema(source)
		}
		if shown := fmt.Sprint(err, result.Warnings, marked); strings.Contains(shown, planted) {
			t.Fatalf("faults or warnings show a secret: %s", shown)
		}
		for _, c := range result.Connections {
			if shown := fmt.Sprintf("%+v %#v", c, c); strings.Contains(shown, planted) {
				t.Fatalf("a connection shows a secret: %s", shown)
			}
		}
	})
}

// FuzzEnvFile reads the file of an envFile.
func FuzzEnvFile(f *testing.F) {
	for _, seed := range []string{"A=b\nexport C='d' # e\n", "A=\"\\u00e9\\ud83d\\ude00\"", "\xef\xbb\xbfA = b c ", "=", "A=\"", "\xff=\x00"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file := filepath.Join(t.TempDir(), "env")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		result, err := config.Read(t.Context(), &config.ParseOptions{WorkspaceFolder: filepath.Dir(file)},
			config.Source{Data: []byte(`{"s": {"command": "x", "envFile": "${workspaceFolder}/env"}}`)})
		if (err == nil) != (len(result.Connections) == 1) {
			t.Fatalf("connections %v and error %v", result.Connections, err)
		}
	})
}
