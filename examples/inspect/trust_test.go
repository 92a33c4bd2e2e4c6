package main

import (
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

// TestHostile has a server try to get control sequences to the terminal.
func TestHostile(t *testing.T) {
	config := configure(t, entries{"evil\x1b[2J": url(serve(t, evil()))})
	for _, args := range [][]string{
		{"servers"},
		{"tools"},
		{"call", "evil"},
		{"call", "no\x1b[2J"},
		{"prompts"},
		{"prompt", "evil\x1b[2J", hostile},
		{"resources"},
		{"read", "evil\x1b[2J", "x://y"},
		{"read", "evil\x1b[2J", "x://none"},
		{"read", "no\x1b[2J", "x://none"},
		{"validate"},
		{"no\x1b[2J"},
	} {
		t.Run(args[0], func(t *testing.T) {
			t.Parallel()
			args := append([]string{"-config", config}, args...)
			human, script := inspect(t, args...), inspect(t, append(args, "-json")...)
			for name, text := range map[string]string{
				"stdout": human.stdout, "stderr": human.stderr, "JSON": script.stdout, "stderr beside JSON": script.stderr,
			} {
				if i := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); i >= 0 {
					t.Errorf("%s has %q at %d:\n%q", name, text[i:i+1], i, text)
				}
			}
			errorsOf(t, script)
		})
	}

	// As JSON it is all there.
	r := inspect(t, "-config", config, "-json", "call", "evil")
	doc := decode[struct {
		Result struct {
			Content []struct{ Text string }
		}
	}](t, r)
	if diff := cmp.Diff(hostile, doc.Result.Content[0].Text); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
}

// TestSecrets has a configuration full of secrets fail in all ways.
func TestSecrets(t *testing.T) {
	config := configure(t, entries{
		"process": {"command": "false", "args": []string{"--token=geheim"}, "env": map[string]any{"TOKEN": "geheim"}},
		"missing": {"command": "nonesuch", "args": []string{"--token=geheim"}, "env": map[string]any{"TOKEN": "geheim"}},
		"web":     {"url": "http://user:geheim@127.0.0.1:1/mcp?key=geheim", "headers": map[string]any{"Authorization": "geheim"}},
		"sse":     {"url": "http://user:geheim@127.0.0.1:1/sse?key=geheim", "headers": map[string]any{"Authorization": "geheim"}},
	})
	for _, args := range [][]string{
		{"servers"}, {"tools"}, {"call", "x"}, {"prompts"}, {"prompt", "web", "x"}, {"resources"}, {"read", "process", "x"}, {"validate"},
	} {
		t.Run(args[0], func(t *testing.T) {
			t.Parallel()
			for _, flags := range [][]string{nil, {"-json"}} {
				r := inspect(t, append(append([]string{"-config", config}, args...), flags...)...)
				if (r.status == statusOK) != (args[0] == "validate") {
					t.Errorf("status is %d", r.status)
				}
				if strings.Contains(r.stdout+r.stderr, "geheim") {
					t.Errorf("a secret is told:\n%s\n%s", r.stdout, r.stderr)
				}
			}
		})
	}
}
