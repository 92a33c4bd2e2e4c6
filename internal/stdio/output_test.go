//go:build unix

package stdio_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/internal/stdio"
)

// strays collects what OnStray gets.
type strays struct {
	mu    sync.Mutex
	lines []string
}

func (s *strays) add(line []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lines = append(s.lines, string(line))
}

func (s *strays) all() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.lines)
}

func TestNoise(t *testing.T) {
	var stray strays
	s := start(t, "noise", stdio.Command{OnStray: stray.add})
	s.expect("after a mark", "after spaces", "first of batch", "second of batch", "end")
	s.expectEOF()
	want := []string{
		"Welcome to the server!",
		"[INFO] starting",
		"{oops",
		`{"level":30,"msg":"listening"}`,
		"green",
	}
	if diff := cmp.Diff(want, stray.all()); diff != "" {
		t.Errorf("stray lines (-want +got):\n%s", diff)
	}
}

func TestHalfLines(t *testing.T) {
	var stray strays
	s := start(t, "half-lines", stdio.Command{OnStray: stray.add})
	if _, err := io.WriteString(s.Writer(), "\n"); err != nil {
		t.Fatal(err)
	}
	s.expect("halves")
	s.expectEOF()
	if diff := cmp.Diff([]string{message("halves")[:10]}, stray.all()); diff != "" {
		t.Errorf("stray lines (-want +got):\n%s", diff)
	}
}

func TestStrayMayClose(t *testing.T) {
	var p *stdio.Process
	ready := make(chan struct{})
	s := start(t, "noise", stdio.Command{OnStray: func([]byte) {
		<-ready
		_ = p.Close(context.Background())
	}})
	p = s.Process
	close(ready)
	s.expect("after a mark")
	_, _ = io.Copy(io.Discard, s.output)
	<-s.Done()
}

func TestLineTooLong(t *testing.T) {
	for _, mode := range []string{"endless-line", "long-line"} {
		t.Run(mode, func(t *testing.T) {
			s := start(t, mode, stdio.Command{MaxLine: 100 << 10})
			_, err := s.output.ReadString('\n')
			var tooLong *stdio.LineTooLongError
			if !errors.As(err, &tooLong) || tooLong.Limit != 100<<10 {
				t.Fatalf("got %v, want a LineTooLongError", err)
			}
			if !strings.Contains(err.Error(), "102400 bytes") {
				t.Errorf("the error does not say the limit: %v", err)
			}
			if mode == "long-line" {
				s.expect("ready")
			}
		})
	}
}

func TestLongLine(t *testing.T) {
	s := start(t, "long-line", stdio.Command{})
	if got := s.text(); len(got) != 200<<10 {
		t.Errorf("got %d bytes", len(got))
	}
	s.expect("ready")
}

func TestStderr(t *testing.T) {
	var all bytes.Buffer
	s := start(t, "flood-stderr", stdio.Command{Stderr: &all})
	s.expect("ready")
	s.close(0, 0)
	if all.Len() != 1<<20+len("the end of it\n") {
		t.Errorf("the writer got %d bytes", all.Len())
	}
	tail := s.StderrTail()
	if lines := strings.Split(tail, "\n"); len(tail) > 4<<10 || len(lines) != 4 || lines[3] != "the end of it" {
		t.Errorf("tail of %d bytes and %d lines: %.100q", len(tail), len(lines), tail)
	}
}

type failingWriter struct{ calls int }

func (w *failingWriter) Write([]byte) (int, error) {
	w.calls++
	return 0, errors.New("disk full")
}

func TestStderrWriterFails(t *testing.T) {
	var log syncBuffer
	w := &failingWriter{}
	s := start(t, "flood-stderr", stdio.Command{Stderr: w, Logger: newLogger(&log)})
	s.expect("ready")
	s.close(0, 0)
	if w.calls != 1 {
		t.Errorf("the failing writer was called %d times", w.calls)
	}
	if !strings.Contains(log.String(), "disk full") {
		t.Error("the failure was not logged")
	}
	if !strings.HasSuffix(s.StderrTail(), "the end of it") {
		t.Errorf("StderrTail %.50q", s.StderrTail())
	}
}

type blockedWriter chan struct{}

func (w blockedWriter) Write(b []byte) (int, error) { <-w; return len(b), nil }

func TestStderrWriterBlocks(t *testing.T) {
	w := make(blockedWriter)
	s := start(t, "flood-stderr", stdio.Command{Stderr: w, TerminateTimeout: brief})
	s.close(0, 2*brief)
	close(w)
}

type syncBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

func newLogger(w io.Writer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func TestLogger(t *testing.T) {
	var log syncBuffer
	s := start(t, "noise", stdio.Command{Logger: newLogger(&log)})
	for !errors.Is(readLine(s.output), io.EOF) {
	}
	s.close(0, 0)
	s = start(t, "ignore-term", stdio.Command{Logger: newLogger(&log), TerminateTimeout: brief})
	s.expect("ready")
	s.close(2*brief, 2*brief)
	for _, want := range []string{
		"msg=started", "Welcome to the server!", "exited with status 0",
		"sending SIGTERM", "sending SIGKILL", "was ended by signal: killed",
	} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("%q was not logged", want)
		}
	}
}

func TestSecretsAreHidden(t *testing.T) {
	var log syncBuffer
	const secret = "sk-very-secret-12345"
	s := start(t, "leak-secret", stdio.Command{
		Env:    map[string]string{"API_KEY": secret},
		Logger: newLogger(&log),
	})
	s.expectEOF()
	s.close(0, 0)
	if got := s.StderrTail(); got != "bad key ${API_KEY}" {
		t.Errorf("StderrTail %q", got)
	}
	if strings.Contains(log.String(), secret) || !strings.Contains(log.String(), "bad key ${API_KEY}") {
		t.Errorf("logged:\n%s", &log)
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("LC_TIME", "C")
	t.Setenv("LANG", "() { echo a function; }")
	t.Setenv("HOME", "/home/of/parent")
	t.Setenv("PARENTS_SECRET", "x")
	s := start(t, "environment", stdio.Command{Env: map[string]string{"HOME": "/elsewhere", "OWN": "a=b"}})
	line, err := s.output.ReadBytes('\n')
	if err != nil {
		t.Fatal(err)
	}
	var m struct{ Params struct{ List []string } }
	if err := json.Unmarshal(line, &m); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"PATH=" + os.Getenv("PATH"), "LC_TIME=C", "HOME=/elsewhere", "OWN=a=b"} {
		if !slices.Contains(m.Params.List, want) {
			t.Errorf("%s is missing", want)
		}
	}
	for _, entry := range m.Params.List {
		if name, _, _ := strings.Cut(entry, "="); name == "PARENTS_SECRET" || name == "LANG" {
			t.Errorf("%s was passed on", name)
		}
	}
}

func TestDirectory(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, "directory", stdio.Command{Dir: dir})
	s.expect(dir)
}

// A session of the SDK lives through a server that writes what it likes.
func TestSession(t *testing.T) {
	for name, transport := range map[string]func(*stdio.Process) mcp.Transport{
		"own": (*stdio.Process).Transport,
		"SDK's": func(p *stdio.Process) mcp.Transport {
			return &mcp.IOTransport{Reader: p.Reader(), Writer: p.Writer(), MaxLineLength: -1}
		},
	} {
		t.Run(name, func(t *testing.T) { testSession(t, transport) })
	}
}

func testSession(t *testing.T, transport func(*stdio.Process) mcp.Transport) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var stray strays
	s := start(t, "sdk", stdio.Command{OnStray: stray.add})
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(ctx, transport(s.Process), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"one", "two"} {
		result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "shout", Arguments: map[string]any{"text": word}})
		if err != nil {
			t.Fatal(err)
		}
		if got := result.Content[0].(*mcp.TextContent).Text; got != strings.ToUpper(word) {
			t.Errorf("got %q", got)
		}
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	s.close(0, 0)
	if s.Exit() != "exited with status 0" {
		t.Errorf("Exit %q", s.Exit())
	}
	const logged = `{"level":"info","msg":{"jsonrpc":"2.0"}}`
	want := []string{"Starting the server ...", "shouting one", logged, "shouting two", logged}
	if diff := cmp.Diff(want, stray.all()); diff != "" {
		t.Errorf("stray lines (-want +got):\n%s", diff)
	}
}
