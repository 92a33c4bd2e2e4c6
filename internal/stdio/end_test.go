//go:build unix

package stdio_test

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/internal/stdio"
)

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

// The error of a Write does not overtake what the server said before it exited.
func TestWriteAfterLastWords(t *testing.T) {
	var strays atomic.Int32
	s := start(t, "stray-words", stdio.Command{OnStray: func([]byte) { strays.Add(1) }})
	<-s.Done()
	read := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, s.Reader())
		read <- err
	}()
	_, err := io.WriteString(s.Writer(), "{}\n")
	if !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("Write: %v, want io.ErrClosedPipe", err)
	}
	if strays.Load() == 0 {
		t.Error("Write has failed before the output was read")
	}
	if err := <-read; err != nil {
		t.Errorf("Read: %v", err)
	}
	s.close(0, 0)
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

func TestCloseObeysContext(t *testing.T) {
	for _, mode := range []string{"ignore-term", "stop", "grandchild-stubborn", "grandchild-left"} {
		t.Run(mode, func(t *testing.T) {
			s := start(t, mode, stdio.Command{TerminateTimeout: time.Minute})
			grandchild := 0
			if strings.HasPrefix(mode, "grandchild") {
				grandchild = s.pid()
				defer syscall.Kill(grandchild, syscall.SIGKILL)
			}
			if mode != "grandchild-left" {
				s.expect("ready")
			}
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
			defer cancel()
			begin := time.Now()
			if err := s.Close(ctx); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(begin); took > 30*time.Second {
				t.Errorf("Close took %v", took)
			}
			if mode == "grandchild-stubborn" {
				expectGone(t, grandchild)
			}
		})
	}
}

func TestKill(t *testing.T) {
	for _, mode := range []string{"echo", "ignore-term", "stop", "exit3", "endless-line", "grandchild-left"} {
		t.Run(mode, func(t *testing.T) {
			s := start(t, mode, stdio.Command{TerminateTimeout: time.Minute})
			left := 0
			if mode == "grandchild-left" {
				left = s.pid()
				defer syscall.Kill(left, syscall.SIGKILL)
			}
			begin := time.Now()
			s.Kill()
			s.Kill()
			if took := time.Since(begin); took > 30*time.Second {
				t.Errorf("Kill took %v", took)
			}
			<-s.Done()
			if mode != "exit3" && s.Err() != nil { // which may have been faster
				t.Errorf("Err %v, want nil after Kill", s.Err())
			}
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

func TestKillTimeout(t *testing.T) {
	s := start(t, "ignore-term", stdio.Command{TerminateTimeout: brief, KillTimeout: 4 * brief})
	s.expect("ready")
	s.close(5*brief, 5*brief)
	if want := "was ended by signal: killed"; s.Exit() != want {
		t.Errorf("Exit %q, want %q", s.Exit(), want)
	}
}

func TestWaitDelay(t *testing.T) {
	const delay = 500 * time.Millisecond
	s := start(t, "grandchild-stubborn", stdio.Command{WaitDelay: delay})
	grandchild := s.pid()
	s.expect("ready")
	began := time.Now()
	_ = s.Writer().Close() // at which it exits, and leaves the other
	<-s.Done()
	if took := time.Since(began); took < delay {
		t.Errorf("the rest of the group was given %v, want %v", took, delay)
	}
	expectGone(t, grandchild)
}
