package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
)

func TestMain(m *testing.M) {
	if os.Getenv(fakeBrowser) != "" && len(os.Args) == 2 {
		if err := browse(os.Args[1]); err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	testserver.Main()
	os.Exit(m.Run())
}

// entries are the servers of a configuration, as its file has them.
type entries map[string]map[string]any

func url(u string) map[string]any { return map[string]any{"url": u} }

func stdio(command string, args ...string) map[string]any {
	return map[string]any{"command": command, "args": args}
}

// configure writes a configuration and returns its path.
func configure(t testing.TB, servers entries) string {
	t.Helper()
	data, err := json.Marshal(map[string]any{"mcpServers": servers})
	if err != nil {
		t.Fatal(err)
	}
	return writeFile(t, "mcp.json", string(data))
}

func writeFile(t testing.TB, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// ran is what came of a run.
type ran struct {
	status         int
	stdout, stderr string
}

// inspect runs the program without a terminal and with nothing on stdin.
func inspect(t testing.TB, args ...string) ran {
	t.Helper()
	return inspectWith(t.Context(), "", args...)
}

func inspectWith(ctx context.Context, stdin string, args ...string) ran {
	var stdout, stderr bytes.Buffer
	status := run(ctx, args, strings.NewReader(stdin), &stdout, &stderr)
	return ran{status, stdout.String(), stderr.String()}
}

// must fails the test unless the run ended with the status and wrote what is
// wanted: somewhere in the stream, or nothing at all if that is "".
func (r ran) must(t testing.TB, status int, stdout, stderr string) {
	t.Helper()
	if r.status != status {
		t.Errorf("status is %d, want %d", r.status, status)
	}
	for _, stream := range []struct{ name, got, want string }{{"stdout", r.stdout, stdout}, {"stderr", r.stderr, stderr}} {
		switch {
		case stream.want == "" && stream.got != "":
			t.Errorf("%s is %q, want nothing", stream.name, stream.got)
		case !strings.Contains(stream.got, stream.want):
			t.Errorf("%s is\n%s\nwant in it\n%s", stream.name, stream.got, stream.want)
		}
	}
}

// decode reads a document.
func decode[T any](t testing.TB, r ran) T {
	t.Helper()
	var doc T
	dec := json.NewDecoder(strings.NewReader(r.stdout))
	if err := dec.Decode(&doc); err != nil {
		t.Fatalf("stdout is no JSON: %v\n%s", err, r.stdout)
	}
	if dec.More() {
		t.Fatalf("stdout is more than one JSON document:\n%s", r.stdout)
	}
	return doc
}

// errorsOf reads the errors of a document, which has to have the key.
func errorsOf(t testing.TB, r ran) []problem {
	t.Helper()
	doc := decode[struct{ Errors *[]problem }](t, r)
	if doc.Errors == nil {
		t.Fatalf("the document has no errors, not even an empty list:\n%s", r.stdout)
	}
	return *doc.Errors
}
