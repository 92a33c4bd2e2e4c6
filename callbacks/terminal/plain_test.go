package terminal_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/callbacks/elicitation"
	"github.com/langchaingo-mcp/mcpadapters/callbacks/terminal"
)

func TestPlainOutput(t *testing.T) {
	ctx := t.Context()
	var out bytes.Buffer
	term := terminal.New(terminal.Options{In: strings.NewReader(""), Out: &out})
	cb := term.Callbacks()
	cc := callbacks.CallbackContext{ServerName: "math", ToolName: "prime", CallID: "1"}
	unclear := callbacks.CallbackContext{ServerName: "math", Candidates: []string{"add", "prime"}}

	cb.OnProgress(ctx, cc, &mcp.ProgressNotificationParams{Progress: 3, Total: 5, Message: "Step 3"})
	cb.OnProgress(ctx, cc, &mcp.ProgressNotificationParams{Progress: 4})
	cb.OnLoggingMessage(ctx, cc, &mcp.LoggingMessageParams{Level: "warning", Logger: "db", Data: "slow"})
	cb.OnLoggingMessage(ctx, unclear, &mcp.LoggingMessageParams{Level: "info", Data: map[string]any{"a": []int{1}, "b": "<&>"}})
	cb.OnLoggingMessage(ctx, cc, &mcp.LoggingMessageParams{Level: "info", Data: math.NaN()})
	cb.OnLoggingMessage(ctx, cc, &mcp.LoggingMessageParams{Level: "info"})
	cc.Dropped = 7
	cb.OnLoggingMessage(ctx, cc, &mcp.LoggingMessageParams{Level: "error", Data: "one\r\ntwo\nmath/add: info: forged"})
	cc.Dropped = 1
	cb.OnLoggingMessage(ctx, cc, &mcp.LoggingMessageParams{Level: "error", Data: "x"})
	res, err := cb.OnElicitation(ctx, cc, &mcp.ElicitRequest{Params: &mcp.ElicitParams{Message: "Who are you?"}})
	if err != nil || res.Action != "decline" {
		t.Errorf("answer without Options.Answer = %+v, %v; want decline", res, err)
	}
	fmt.Fprint(term, "as it is \x1b[1m\n")
	fmt.Fprint(term, "unfinished")
	if err := term.Close(); err != nil {
		t.Error(err)
	}
	cb.OnProgress(ctx, cc, &mcp.ProgressNotificationParams{Progress: 5, Total: 5})
	if _, err := fmt.Fprint(term, "late\n"); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Write after Close: %v, want os.ErrClosed", err)
	}
	if err := term.Close(); err != nil {
		t.Error(err)
	}

	want := `math/prime: 3/5 (60%) Step 3
math/prime: 4
math/prime: warning [db]: slow
math/(add|prime): info: {"a":[1],"b":"<&>"}
math/prime: info: (float64 that is no JSON)
math/prime: info: null
math/prime: 7 log messages discarded, they came too fast
math/prime: error: one two math/add: info: forged
math/prime: 1 log message discarded, they came too fast
math/prime: error: x
math/prime asked "Who are you?": declined
` + "as it is \x1b[1m\nunfinished\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
}

func TestPlainAnswers(t *testing.T) {
	for _, tc := range []struct {
		answer func(context.Context, callbacks.CallbackContext, *mcp.ElicitRequest) (*mcp.ElicitResult, error)
		want   string
	}{
		{elicitation.AcceptDefaults(nil), "accepted"},
		{elicitation.Cancel, "cancelled"},
		{func(context.Context, callbacks.CallbackContext, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return nil, errors.New("not\nnow")
		}, "no answer: not now"},
		{func(context.Context, callbacks.CallbackContext, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return nil, nil
		}, "no answer"},
		{func(context.Context, callbacks.CallbackContext, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "\x1b"}, nil
		}, "�"},
	} {
		var out bytes.Buffer
		term := terminal.New(terminal.Options{In: strings.NewReader(""), Out: &out, Answer: tc.answer})
		term.Callbacks().OnElicitation(t.Context(), callbacks.CallbackContext{ServerName: "s"}, &mcp.ElicitRequest{Params: &mcp.ElicitParams{Message: "?"}})
		if got, want := out.String(), `s asked "?": `+tc.want+"\n"; got != want {
			t.Errorf("output %q, want %q", got, want)
		}
	}
}

// Close does not wait for an Answer, but ends its context.
func TestCloseEndsAnswers(t *testing.T) {
	asked := make(chan struct{})
	term := terminal.New(terminal.Options{In: strings.NewReader(""), Out: new(bytes.Buffer), Answer: func(ctx context.Context, _ callbacks.CallbackContext, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		close(asked)
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	done := make(chan error)
	go func() {
		_, err := term.Callbacks().OnElicitation(t.Context(), callbacks.CallbackContext{}, &mcp.ElicitRequest{Params: &mcp.ElicitParams{}})
		done <- err
	}()
	<-asked
	term.Close()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestWriteErrors(t *testing.T) {
	term := terminal.New(terminal.Options{In: strings.NewReader(""), Out: broken{}})
	if _, err := fmt.Fprintln(term, "x"); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("Write: %v", err)
	}
	for range 2 {
		if err := term.Close(); err == nil || !strings.Contains(err.Error(), "disk full") {
			t.Errorf("Close: %v", err)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	var out bytes.Buffer
	term := terminal.New(terminal.Options{In: strings.NewReader(""), Out: &out})
	cb := term.Callbacks()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			cc := callbacks.CallbackContext{ServerName: fmt.Sprint("s", i)}
			for range 50 {
				cb.OnProgress(t.Context(), cc, &mcp.ProgressNotificationParams{Progress: 1})
				cb.OnLoggingMessage(t.Context(), cc, &mcp.LoggingMessageParams{Level: "info", Data: "x"})
				cb.OnElicitation(t.Context(), cc, &mcp.ElicitRequest{Params: &mcp.ElicitParams{}})
				fmt.Fprintln(term, "mine")
			}
		})
	}
	wg.Wait()
	term.Close()
	if got := strings.Count(out.String(), "\n"); got != 8*50*4 {
		t.Errorf("%d lines, want %d", got, 8*50*4)
	}
}
