package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/langchaingo-mcp/mcpadapters/internal/leak"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
)

// child is the entry of a server that is a child process.
func child(t testing.TB) map[string]any {
	c := testserver.Stdio(t, "child")
	return map[string]any{"command": c.Command, "args": c.Args, "env": c.Env}
}

// TestChild leaves no process behind, however it ends.
func TestChild(t *testing.T) {
	leak.Check(t)
	config := configure(t, entries{"child": child(t), "silent": stdio("sleep", "1000"), "gone": stdio("nonesuch-server")})
	t.Run("call", func(t *testing.T) {
		r := inspect(t, "-config", config, "-server", "child", "call", "add", `{"a": 40, "b": 2}`)
		r.must(t, statusOK, "42\n", "")
	})
	t.Run("others are broken", func(t *testing.T) {
		r := inspect(t, "-config", config, "-timeout", "5s", "call", "add", `{"a": 40, "b": 2}`)
		r.must(t, statusFailed, "42\n", "gone    spawn       server unavailable: ")
		r.must(t, statusFailed, "42\n", "silent  initialize  server unavailable: no answer within the connect timeout")
	})
	t.Run("timeout", func(t *testing.T) {
		r := inspect(t, "-config", config, "-server", "child", "-json", "-timeout", "3s", "call", "block")
		r.must(t, statusFailed, "{", "child   call   block: the -timeout of 3s has passed\n")
		if problems := errorsOf(t, r); len(problems) != 1 || problems[0].Kind != "timeout" || problems[0].Server != "child" {
			t.Errorf("problems are %+v, want one timeout of the child", problems)
		}
	})
}

// TestInterrupt ends a run by its context, as a signal does.
func TestInterrupt(t *testing.T) {
	leak.Check(t)
	waiting := make(chan struct{}, 1)
	config := configure(t, entries{"library": url(serve(t, library(t, waiting)))})
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		<-waiting
		cancel(errors.New("interrupt signal received"))
	}()
	r := inspectWith(ctx, "", "-config", config, "call", "wait", "-json")
	r.must(t, statusFailed, "{", "interrupt signal received\n")
	problems := errorsOf(t, r)
	if len(problems) != 1 || problems[0].Tool != "wait" || !strings.Contains(problems[0].Message, "interrupt signal received") {
		t.Errorf("problems are %+v, want one of the tool that was interrupted", problems)
	}
}

// TestBlockedInput: nothing waits for ever for someone to type.
func TestBlockedInput(t *testing.T) {
	config := configure(t, entries{"a": stdio("nonesuch")})
	stdin, typing := io.Pipe()
	defer typing.Close()
	var stdout, stderr bytes.Buffer
	status := run(t.Context(), []string{"-config", config, "-timeout", "10ms", "call", "x", "-"}, stdin, &stdout, &stderr)
	ran{status, stdout.String(), stderr.String()}.must(t, statusFailed, "", "inspect: the -timeout of 10ms has passed\n")
}

type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

// TestBrokenOutput tells that nothing was written, unless the reader has gone
// by itself.
func TestBrokenOutput(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{errors.New("disk full"), "inspect: disk full\n"},
		{&os.PathError{Op: "write", Path: "stdout", Err: syscall.EPIPE}, ""},
	} {
		var stderr bytes.Buffer
		status := run(t.Context(), []string{"-h"}, strings.NewReader(""), brokenWriter{test.err}, &stderr)
		if status != statusFailed || stderr.String() != test.want {
			t.Errorf("%v: status %d, stderr %q; want %d and %q", test.err, status, stderr.String(), statusFailed, test.want)
		}
	}
}
