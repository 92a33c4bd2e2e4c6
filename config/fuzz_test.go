package config_test

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/langchaingo-mcp/mcpadapters/config"
)

func FuzzParse(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "*.json"))
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	for _, seed := range []string{
		`{"s": {"command": "${A}\u0000", "args": ["${A}"], "cwd": "~/${A}", "env": {"X": "${A:-b}"}}}`,
		`{"s": {"url": "http://u:${A}@h:${A}/${A}?${A}", "headers": {"X": "${A}\n"}}}`,
		`{"s": {"url": "${A}${UNSET}${env:B}$${C}${D:-${E}}${"}}`,
		`{"servers": {"s": {"type": "sse", "transport": "sse"}}, "x": {"url": ""}}`,
		"\xef\xbb\xbf{}", `[]`, `{}{}`, "\xff",
	} {
		f.Add([]byte(seed))
	}

	const planted = "Planted-0123456789-Secret"
	opts := &config.ParseOptions{LookupEnv: func(name string) (string, bool) {
		return planted, !strings.HasPrefix(name, "UNSET")
	}}
	f.Fuzz(func(t *testing.T, data []byte) {
		connections, err := config.Parse(data, opts)
		if (err == nil) == (connections == nil) {
			t.Fatalf("connections %v and error %v", connections, err)
		}
		if bytes.Contains(data, []byte("Planted")) {
			return
		}
		if err != nil {
			if strings.Contains(err.Error(), planted) {
				t.Fatalf("the error shows a secret: %v", err)
			}
			return
		}
		if err := connections.Validate(); err != nil {
			t.Fatalf("what Parse returned is not valid: %v", err)
		}
		for _, c := range connections {
			if shown := fmt.Sprintf("%+v %#v", c, c); strings.Contains(shown, planted) && !mayShow(c, planted) {
				t.Fatalf("a connection shows a secret: %s", shown)
			}
		}
	})
}

// mayShow reports whether the text is in a part of the connection that is shown
// on purpose.
func mayShow(c config.Connection, text string) bool {
	switch c := c.(type) {
	case config.Stdio:
		return strings.Contains(c.Command, text)
	case config.StreamableHTTP:
		u, err := url.Parse(c.URL)
		return err == nil && strings.Contains(u.Host, text)
	case config.SSE:
		u, err := url.Parse(c.URL)
		return err == nil && strings.Contains(u.Host, text)
	default:
		return false
	}
}
