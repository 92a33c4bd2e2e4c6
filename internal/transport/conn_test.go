package transport

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/internal/calls"
	"github.com/langchaingo-mcp/mcpadapters/internal/stdio"
)

// broken is a transport that nothing can be written to.
type broken struct {
	mcp.Connection
	err error
}

func (b broken) Connect(context.Context) (mcp.Connection, error) { return b, nil }

func (b broken) Write(context.Context, jsonrpc.Message) error { return b.err }

func TestCallThatCannotBeWritten(t *testing.T) {
	opts := Options{Tracker: calls.New(calls.Options{Server: "s", Logger: slog.New(slog.DiscardHandler)})}
	for name, test := range map[string]struct {
		transport   mcp.Transport
		notExecuted bool
	}{
		"to a pipe":          {opts.watchPipe(broken{err: io.ErrClosedPipe}), true},
		"to who knows where": {opts.watch(broken{err: io.ErrClosedPipe}), false},
		"as yet":             {opts.watchPipe(broken{err: fmt.Errorf("%w: %w", stdio.ErrUnfinished, context.Canceled)}), false},
	} {
		c, err := test.transport.Connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		id, err := jsonrpc.MakeID("1")
		if err != nil {
			t.Fatal(err)
		}
		ctx, outcome := calls.WithOutcome(t.Context(), 0)
		if !outcome.NotExecuted() {
			t.Errorf("%s: it was executed before it was written", name)
		}
		if err := c.Write(ctx, &jsonrpc.Request{ID: id, Method: "tools/call"}); err == nil {
			t.Errorf("%s: it was written", name)
		}
		if got := outcome.NotExecuted(); got != test.notExecuted {
			t.Errorf("%s: it was surely not executed: %v, want %v", name, got, test.notExecuted)
		}
	}
}
