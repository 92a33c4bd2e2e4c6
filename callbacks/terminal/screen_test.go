//go:build unix

package terminal_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/term"

	"github.com/langchaingo-mcp/mcpadapters/callbacks/terminal"
)

// screen is a terminal with someone in front of it: a pseudo terminal and an
// emulator that reads it and answers its queries.
type screen struct {
	t           *testing.T
	master, tty *os.File
	before      term.State

	mu      sync.Mutex
	emu     *vt.Emulator
	raw     bytes.Buffer
	changed chan struct{}
}

func newScreen(t *testing.T, width, height int) *screen {
	t.Helper()
	t.Setenv("TERM", "xterm-256color")
	t.Setenv("NO_COLOR", "")
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	// Closing it is to end a read, which takes a file that the runtime polls.
	fd, err := syscall.Dup(int(master.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	master.Close()
	if err := syscall.SetNonblock(fd, true); err != nil {
		t.Fatal(err)
	}
	master = os.NewFile(uintptr(fd), "master")
	s := &screen{t: t, master: master, tty: tty, emu: vt.NewEmulator(width, height), changed: make(chan struct{})}
	s.resize(width, height)
	state, err := term.GetState(int(tty.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	s.before = *state
	var done sync.WaitGroup
	done.Go(func() {
		buf := make([]byte, 4096)
		for {
			n, err := master.Read(buf)
			if err != nil {
				// not Emulator.Close, which races with Read
				s.emu.InputPipe().(io.Closer).Close()
				return
			}
			s.mu.Lock()
			s.raw.Write(buf[:n])
			s.emu.Write(buf[:n])
			close(s.changed)
			s.changed = make(chan struct{})
			s.mu.Unlock()
		}
	})
	done.Go(func() { io.Copy(master, s.emu) })
	t.Cleanup(func() {
		tty.Close()
		master.Close()
		done.Wait()
	})
	return s
}

func (s *screen) terminal() *terminal.Terminal {
	term := terminal.New(terminal.Options{In: s.tty, Out: s.tty})
	s.t.Cleanup(func() { term.Close() })
	return term
}

func (s *screen) resize(width, height int) {
	s.t.Helper()
	s.mu.Lock()
	s.emu.Resize(width, height)
	s.mu.Unlock()
	if err := pty.Setsize(s.master, &pty.Winsize{Cols: uint16(width), Rows: uint16(height)}); err != nil {
		s.t.Fatal(err)
	}
	// The kernel tells only those whose controlling terminal it is.
	if err := syscall.Kill(os.Getpid(), syscall.SIGWINCH); err != nil {
		s.t.Fatal(err)
	}
}

// text is what the screen shows, without trailing space.
func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.show()
}

func (s *screen) show() string {
	lines := strings.Split(s.emu.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \r")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// until waits for the screen to satisfy ok.
func (s *screen) until(what string, ok func(text string) bool) string {
	s.t.Helper()
	deadline, stop := context.WithTimeout(s.t.Context(), 20*time.Second)
	defer stop()
	for {
		s.mu.Lock()
		text, changed := s.show(), s.changed
		good := ok(text)
		s.mu.Unlock()
		if good {
			return text
		}
		select {
		case <-changed:
		case <-deadline.Done():
			s.t.Fatalf("the screen never showed %s; it shows:\n%s", what, text)
		}
	}
}

func (s *screen) sees(want string) string {
	s.t.Helper()
	return s.until(want, func(text string) bool { return strings.Contains(text, want) })
}

func (s *screen) lacks(want string) string {
	s.t.Helper()
	return s.until("a screen without "+want, func(text string) bool { return !strings.Contains(text, want) })
}

const (
	enter    = "\r"
	escape   = "\x1b"
	ctrlC    = "\x03"
	ctrlD    = "\x04"
	ctrlU    = "\x15"
	down     = "\x1b[B"
	up       = "\x1b[A"
	shiftTab = "\x1b[Z"
	space    = " "
)

func (s *screen) types(keys ...string) {
	s.t.Helper()
	for _, k := range keys {
		if _, err := io.WriteString(s.master, k); err != nil {
			s.t.Fatal(err)
		}
	}
}

// restored fails unless the terminal is in the mode in which it was made.
func (s *screen) restored() {
	s.t.Helper()
	state, err := term.GetState(int(s.tty.Fd()))
	if err != nil {
		s.t.Fatal(err)
	}
	if *state != s.before {
		s.t.Errorf("terminal mode is %+v, was %+v", *state, s.before)
	}
	s.until("the cursor", func(string) bool { return !s.emu.CursorHidden() })
}
