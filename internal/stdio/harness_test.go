//go:build unix

package stdio_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/internal/leak"
	"github.com/langchaingo-mcp/mcpadapters/internal/stdio"
)

const (
	// brief is a TerminateTimeout for servers that will use it up.
	brief = 50 * time.Millisecond

	// ample is one for servers that react to SIGTERM, on a busy machine too.
	ample = 2 * time.Second
)

// A server is a started process with its output at hand.
type server struct {
	*stdio.Process
	t      *testing.T
	output *bufio.Reader
}

// start starts this test binary in a mode. In the end it checks that nothing is
// left: no process of the group, no file, no goroutine.
func start(t *testing.T, mode string, command stdio.Command) *server {
	t.Helper()
	leak.Check(t)
	command.Env = maps.Clone(command.Env)
	if command.Env == nil {
		command.Env = map[string]string{}
	}
	command.Env[modeVariable] = mode
	// A test binary that exits waits for a second, or warns that it has nowhere to
	// put its coverage.
	command.Env["GORACE"] = "atexit_sleep_ms=0"
	command.Env["GOCOVERDIR"] = t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	command.Path = self
	p, err := stdio.Start(command)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return &server{Process: p, t: t, output: bufio.NewReader(p.Reader())}
}

// text reads a message and returns its text.
func (s *server) text() string {
	s.t.Helper()
	line, err := s.output.ReadBytes('\n')
	if err != nil {
		s.t.Fatalf("reading a message: %v; standard error:\n%s", err, s.StderrTail())
	}
	var m struct{ Params struct{ Text string } }
	if err := json.Unmarshal(line, &m); err != nil {
		s.t.Fatalf("%q: %v", line, err)
	}
	return m.Params.Text
}

func (s *server) expect(texts ...string) {
	s.t.Helper()
	for _, want := range texts {
		if got := s.text(); got != want {
			s.t.Fatalf("got message %.60q, want %.60q", got, want)
		}
	}
}

func (s *server) expectEOF() {
	s.t.Helper()
	if line, err := s.output.ReadString('\n'); !errors.Is(err, io.EOF) || line != "" {
		s.t.Fatalf("got %q and %v, want io.EOF", line, err)
	}
}

// close closes the process and checks that this took at least and at most so
// long, the latter with some room for a busy machine.
func (s *server) close(atLeast, atMost time.Duration) {
	s.t.Helper()
	begin := time.Now()
	if err := s.Close(context.Background()); err != nil {
		s.t.Fatalf("Close: %v", err)
	}
	if took := time.Since(begin); took < atLeast || took > atMost+3*time.Second {
		s.t.Fatalf("Close took %v, want %v to %v", took, atLeast, atMost)
	}
	select {
	case <-s.Done():
	default:
		s.t.Fatal("Done is not closed after Close")
	}
}

// pid reads the message that tells a process id, and returns it.
func (s *server) pid() int {
	s.t.Helper()
	pid, err := strconv.Atoi(s.text())
	if err != nil {
		s.t.Fatal(err)
	}
	return pid
}

func eventually(t *testing.T, what string, condition func() bool) {
	t.Helper()
	deadline := time.NewTimer(30 * time.Second)
	defer deadline.Stop()
	ticker := time.NewTicker(time.Millisecond)
	defer ticker.Stop()
	for !condition() {
		select {
		case <-ticker.C:
		case <-deadline.C:
			buf := make([]byte, 1<<20)
			t.Fatalf("waited in vain for %s\n%s", what, buf[:runtime.Stack(buf, true)])
		}
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// expectGone checks that a process ends. The zombie of an orphan is gone when
// init has reaped it, which is none of our business.
func expectGone(t *testing.T, pid int) {
	t.Helper()
	eventually(t, "process "+strconv.Itoa(pid)+" to end", func() bool { return !alive(pid) })
}

func alive(pid int) bool {
	if stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat"); err == nil {
		_, state, _ := strings.Cut(string(stat), ") ")
		return !strings.HasPrefix(state, "Z")
	}
	return !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}
