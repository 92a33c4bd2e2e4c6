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
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/internal/stdio"
)

const (
	// brief is a TerminateTimeout for servers that will use it up.
	brief = 50 * time.Millisecond

	// ample is one for servers that react to SIGTERM, on a busy machine too.
	ample = time.Second
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
	files, goroutines := openFiles(t), runtime.NumGoroutine()
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
	t.Cleanup(func() {
		p.Kill()
		// Other goroutines of the test binary may end meanwhile: hence not "equal".
		eventually(t, "goroutines to end", func() bool { return runtime.NumGoroutine() <= goroutines })
		eventually(t, "files to be closed", func() bool { return openFiles(t) <= files })
	})
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
	deadline := time.NewTimer(10 * time.Second)
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

func TestEcho(t *testing.T) {
	s := start(t, "echo", stdio.Command{})
	for range 3 {
		if _, err := io.WriteString(s.Writer(), message("hello")+"\n"); err != nil {
			t.Fatal(err)
		}
		s.expect("hello")
	}
	if s.Exit() != "is running" || s.Err() != nil {
		t.Errorf("while running: Exit %q, Err %v", s.Exit(), s.Err())
	}
	s.close(0, 0)
	if s.Exit() != "exited with status 0" || s.Err() != nil {
		t.Errorf("after Close: Exit %q, Err %v", s.Exit(), s.Err())
	}
	s.expectEOF()
	if _, err := io.WriteString(s.Writer(), "{}\n"); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("Write after Close: %v, want io.ErrClosedPipe", err)
	}
	if n, err := s.Reader().Read(nil); n != 0 || !errors.Is(err, io.EOF) {
		t.Errorf("Read of nothing after Close: %d, %v", n, err)
	}
}

func TestExitByItself(t *testing.T) {
	tests := []struct {
		mode, exit, stderr string
		code               int
	}{
		{"exit3", "exited with status 3", "fatal: no configuration", 3},
		{"crash", "was ended by signal: killed", "", -1},
		{"last-words", "exited with status 0", "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.mode, func(t *testing.T) {
			s := start(t, tt.mode, stdio.Command{})
			if tt.mode == "last-words" {
				s.expect("one", "two", "three")
			}
			s.expectEOF()
			// Known already, without waiting for Done.
			if !strings.HasPrefix(s.Exit(), tt.exit) {
				t.Errorf("Exit %q, want %q", s.Exit(), tt.exit)
			}
			if s.StderrTail() != tt.stderr {
				t.Errorf("StderrTail %q, want %q", s.StderrTail(), tt.stderr)
			}
			var exitErr *exec.ExitError
			switch {
			case tt.code == 0 && s.Err() != nil:
				t.Errorf("Err %v, want nil", s.Err())
			case tt.code != 0 && (!errors.As(s.Err(), &exitErr) || exitErr.ExitCode() != tt.code):
				t.Errorf("Err %v, want an exit error with code %d", s.Err(), tt.code)
			}
			_, err := io.WriteString(s.Writer(), "{}\n")
			if !errors.Is(err, io.ErrClosedPipe) || !strings.Contains(err.Error(), tt.exit) {
				t.Errorf("Write: %v, want io.ErrClosedPipe and %q", err, tt.exit)
			}
			s.close(0, 0)
		})
	}
}

// What a server wrote before it exited is there for a reader that comes late.
func TestOutputOutlivesProcess(t *testing.T) {
	s := start(t, "last-words", stdio.Command{})
	<-s.Done()
	s.expect("one", "two", "three")
	s.expectEOF()
}

func TestCloseEscalates(t *testing.T) {
	const long = time.Minute // never to be waited for
	tests := []struct {
		mode, exit, stderr string
		timeout            time.Duration
		times              int // that it is waited for
	}{
		{"exit1-at-eof", "exited with status 1", "", long, 0},
		{"write-at-eof", "exited with status 0", "all written", long, 0},
		{"ignore-eof", "was ended by signal: terminated", "end of input, and so what", ample, 1},
		{"clean-up-on-term", "exited with status 0", "cleaned up", ample, 1},
		{"never-read", "was ended by signal: terminated", "", ample, 1},
		{"ignore-term", "was ended by signal: killed", "", brief, 2},
		{"stop", "was ended by signal: killed", "", brief, 2},
	}
	for _, tt := range tests {
		t.Run(tt.mode, func(t *testing.T) {
			s := start(t, tt.mode, stdio.Command{TerminateTimeout: tt.timeout})
			s.expect("ready")
			waits := time.Duration(tt.times) * tt.timeout
			s.close(waits, waits)
			if s.Exit() != tt.exit {
				t.Errorf("Exit %q, want %q", s.Exit(), tt.exit)
			}
			if s.Err() != nil {
				t.Errorf("Err %v, want nil after Close", s.Err())
			}
			if s.StderrTail() != tt.stderr {
				t.Errorf("StderrTail %q, want %q", s.StderrTail(), tt.stderr)
			}
			s.close(0, 0)
		})
	}
}

// The SDK closes the pipes itself, before anybody calls Close.
func TestPipesClosedFirst(t *testing.T) {
	s := start(t, "exit1-at-eof", stdio.Command{})
	s.expect("ready")
	for range 2 {
		if err := errors.Join(s.Reader().Close(), s.Writer().Close()); err != nil {
			t.Fatal(err)
		}
	}
	<-s.Done()
	if s.Err() != nil || s.Exit() != "exited with status 1" {
		t.Errorf("Err %v, Exit %q", s.Err(), s.Exit())
	}
}

func TestCloseObeysContext(t *testing.T) {
	for _, mode := range []string{"ignore-term", "stop", "grandchild-stubborn"} {
		t.Run(mode, func(t *testing.T) {
			s := start(t, mode, stdio.Command{TerminateTimeout: time.Minute})
			grandchild := 0
			if mode == "grandchild-stubborn" {
				grandchild = s.pid()
			}
			s.expect("ready")
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
			defer cancel()
			begin := time.Now()
			if err := s.Close(ctx); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(begin); took > 3*time.Second {
				t.Errorf("Close took %v", took)
			}
			if grandchild != 0 {
				expectGone(t, grandchild)
			}
		})
	}
}

func TestKill(t *testing.T) {
	for _, mode := range []string{"echo", "ignore-term", "stop", "exit3", "endless-line", "grandchild-left"} {
		t.Run(mode, func(t *testing.T) {
			s := start(t, mode, stdio.Command{})
			left := 0
			if mode == "grandchild-left" {
				left = s.pid()
				defer syscall.Kill(left, syscall.SIGKILL)
			}
			begin := time.Now()
			s.Kill()
			s.Kill()
			if took := time.Since(begin); took > 2*time.Second {
				t.Errorf("Kill took %v", took)
			}
			<-s.Done()
			s.expectEOF()
			s.close(0, 0)
		})
	}
}

func TestGrandchildren(t *testing.T) {
	tests := []struct {
		mode            string
		byItself        bool
		left            bool // the group, by which it survives
		atLeast, atMost time.Duration
	}{
		{mode: "grandchild"},
		{mode: "grandchild-exit", byItself: true},
		{mode: "grandchild-quiet"},
		{mode: "grandchild-stubborn", atLeast: brief, atMost: brief},
		{mode: "grandchild-left", left: true, atMost: brief},
		{mode: "grandchild-left-exit", byItself: true, left: true},
		{mode: "grandchild-left-flood", byItself: true, left: true},
	}
	for _, tt := range tests {
		t.Run(tt.mode, func(t *testing.T) {
			timeout := time.Minute
			if tt.atMost > 0 {
				timeout = brief
			}
			s := start(t, tt.mode, stdio.Command{TerminateTimeout: timeout})
			grandchild := s.pid()
			defer syscall.Kill(grandchild, syscall.SIGKILL)
			if tt.mode == "grandchild-stubborn" {
				s.expect("ready")
			}
			if tt.byItself {
				for s.output.Buffered() > 0 || !errors.Is(readLine(s.output), io.EOF) {
				}
				if s.Exit() != "exited with status 3" {
					t.Errorf("Exit %q", s.Exit())
				}
			}
			s.close(tt.atLeast, tt.atMost)
			if tt.left {
				if !alive(grandchild) {
					t.Error("a process that left the group was ended")
				}
			} else {
				expectGone(t, grandchild)
			}
		})
	}
}

func readLine(r *bufio.Reader) error {
	_, err := r.ReadString('\n')
	return err
}

// A wrapper such as a shell dies of SIGTERM at once, the server behind it takes
// its time to clean up.
func TestGrandchildMayCleanUp(t *testing.T) {
	s := start(t, "grandchild-cleans-up", stdio.Command{TerminateTimeout: ample})
	grandchild := s.pid()
	s.expect("ready")
	ended := make(chan error, 1)
	go func() { ended <- s.Close(context.Background()) }()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if s.StderrTail() != "cleaned up" {
		t.Errorf("StderrTail %q", s.StderrTail())
	}
	expectGone(t, grandchild)
}

func TestConcurrentEnds(t *testing.T) {
	for _, mode := range []string{"echo", "exit3", "ignore-term", "grandchild"} {
		t.Run(mode, func(t *testing.T) {
			s := start(t, mode, stdio.Command{TerminateTimeout: 20 * time.Millisecond})
			var group sync.WaitGroup
			group.Go(func() { _, _ = io.Copy(io.Discard, s.Reader()) })
			group.Go(func() {
				for {
					if _, err := io.WriteString(s.Writer(), message("x")+"\n"); err != nil {
						return
					}
				}
			})
			for range 4 {
				group.Go(func() {
					if err := s.Close(context.Background()); err != nil {
						t.Error(err)
					}
				})
				group.Go(func() { _ = s.Reader().Close() })
				group.Go(func() { _ = s.Writer().Close() })
				group.Go(func() { _, _, _ = s.StderrTail(), s.Err(), s.Exit() })
			}
			group.Go(s.Kill)
			group.Wait()
			<-s.Done()
		})
	}
}

func TestReaderCloseUnblocksRead(t *testing.T) {
	s := start(t, "echo", stdio.Command{})
	read := make(chan error, 1)
	go func() {
		_, err := s.Reader().Read(make([]byte, 1))
		read <- err
	}()
	if err := s.Reader().Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-read; !errors.Is(err, io.EOF) {
		t.Errorf("Read: %v, want io.EOF", err)
	}
	// The server is none the worse for it.
	if _, err := io.WriteString(s.Writer(), message("hello")+"\n"); err != nil {
		t.Error(err)
	}
	s.close(0, 0)
	if s.Exit() != "exited with status 0" {
		t.Errorf("Exit %q", s.Exit())
	}
}

func TestWriterCloseUnblocksWrite(t *testing.T) {
	s := start(t, "never-read", stdio.Command{TerminateTimeout: brief})
	s.expect("ready")
	written := make(chan error, 1)
	go func() {
		for {
			if _, err := s.Writer().Write(make([]byte, 1<<20)); err != nil {
				written <- err
				return
			}
		}
	}()
	s.close(brief, brief)
	if err := <-written; !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("Write: %v, want io.ErrClosedPipe", err)
	}
}

// Writing to a server that dies says how it died, even if that is not known yet.
func TestWriteToDyingServer(t *testing.T) {
	s := start(t, "exit-when-told", stdio.Command{})
	s.expect("ready")
	var err error
	for err == nil {
		_, err = io.WriteString(s.Writer(), message("exit")+"\n")
	}
	if !errors.Is(err, io.ErrClosedPipe) || !strings.Contains(err.Error(), "the server exited with status 4") {
		t.Errorf("Write: %v", err)
	}
	if s.StderrTail() != "told to exit" {
		t.Errorf("StderrTail %q", s.StderrTail())
	}
}

func TestServerClosesStdout(t *testing.T) {
	s := start(t, "close-stdout", stdio.Command{})
	s.expect("ready")
	s.expectEOF()
	if s.Exit() != "is running" {
		t.Errorf("Exit %q", s.Exit())
	}
	s.close(0, 0)
}
