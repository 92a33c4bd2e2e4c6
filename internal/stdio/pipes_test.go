//go:build unix

package stdio_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/langchaingo-mcp/mcpadapters/internal/stdio"
)

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

// What a server wrote before it exited is there for a reader that comes late.
func TestOutputOutlivesProcess(t *testing.T) {
	s := start(t, "last-words", stdio.Command{})
	<-s.Done()
	s.expect("one", "two", "three")
	s.expectEOF()
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

func readLine(r *bufio.Reader) error {
	_, err := r.ReadString('\n')
	return err
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

// A Write ends with its context, whatever the server does. What was begun of a
// message is finished before the next, or they would garble each other.
func TestWriteEndsWithItsContext(t *testing.T) {
	s := start(t, "echo-later", stdio.Command{})
	pid, err := strconv.Atoi(s.text())
	if err != nil {
		t.Fatal(err)
	}
	conn, err := s.Transport().Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	request := func(method string, size int) *jsonrpc.Request {
		return &jsonrpc.Request{Method: method, Params: json.RawMessage(`{"text":"` + strings.Repeat("x", size) + `"}`)}
	}
	write := func(method string, size int) error {
		req := request(method, size)
		ctx, cancel := context.WithTimeout(t.Context(), ample/2)
		defer cancel()
		return conn.Write(ctx, req)
	}
	if err := write("begun", 1<<20); !errors.Is(err, context.DeadlineExceeded) || !errors.Is(err, stdio.ErrUnfinished) {
		t.Errorf("writing more than the pipe takes: %v", err)
	}
	for _, size := range []int{1, 1 << 20} {
		if err := write("dropped", size); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, stdio.ErrUnfinished) {
			t.Errorf("writing behind it: %v", err)
		}
	}
	if err := syscall.Kill(pid, syscall.SIGUSR1); err != nil {
		t.Fatal(err)
	}
	written := make(chan error, 1)
	go func() { written <- conn.Write(t.Context(), request("next", 1<<20)) }()
	for _, want := range []string{"begun", "next"} {
		msg, err := conn.Read(t.Context())
		if req, ok := msg.(*jsonrpc.Request); err != nil || !ok || req.Method != want || len(req.Params) < 1<<20 {
			t.Fatalf("got %.100v, %v, want %s", msg, err, want)
		}
	}
	if err := <-written; err != nil {
		t.Error(err)
	}
	s.close(0, 0)
}

// A server that never reads holds up no Close.
func TestCloseEndsUnfinishedWrites(t *testing.T) {
	s := start(t, "never-read", stdio.Command{TerminateTimeout: brief})
	s.expect("ready")
	conn, err := s.Transport().Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	big := &jsonrpc.Request{Method: "m", Params: json.RawMessage(`"` + strings.Repeat("x", 1<<20) + `"`)}
	written := make(chan error, 1)
	go func() { written <- conn.Write(t.Context(), big) }()
	ctx, cancel := context.WithTimeout(t.Context(), brief)
	defer cancel()
	if err := conn.Write(ctx, big); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the second Write: %v", err)
	}
	s.close(brief, brief)
	if err := <-written; !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("the first Write: %v", err)
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
