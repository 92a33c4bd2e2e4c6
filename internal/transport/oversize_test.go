package transport

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/internal/calls"
	"github.com/langchaingo-mcp/mcpadapters/internal/skim"
	"github.com/langchaingo-mcp/mcpadapters/internal/stdio"
)

// flooding is a transport that reads what it is given and writes when it is let.
type flooding struct {
	mcp.Connection
	errs    chan error
	let     chan struct{}
	written chan jsonrpc.Message
}

func (f *flooding) Connect(context.Context) (mcp.Connection, error) { return f, nil }

func (f *flooding) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case err := <-f.errs:
		return nil, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (f *flooding) Write(_ context.Context, msg jsonrpc.Message) error {
	<-f.let
	f.written <- msg
	return nil
}

// A request of the server over the limit is refused, for which it waits, and
// reported once. What a server that does not read asks for meanwhile has a bound.
func TestOversizeRequestsAreRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reports := 0
		opts := Options{
			Tracker: calls.New(calls.Options{Server: "s", Logger: slog.New(slog.DiscardHandler)}),
			Report:  func(error) { reports++ }, Logger: slog.New(slog.DiscardHandler),
		}
		f := &flooding{errs: make(chan error), let: make(chan struct{}), written: make(chan jsonrpc.Message, 1000)}
		c, err := opts.watchPipe(f).Connect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = c.Read(t.Context()) }()
		asked := 0
		ask := func(again bool) {
			asked++
			id, err := jsonrpc.MakeID(fmt.Sprint(asked))
			if err != nil {
				t.Fatal(err)
			}
			f.errs <- &stdio.LineTooLongError{Limit: 10, Message: skim.Message{ID: id, Kind: skim.Request}, Again: again}
			synctest.Wait()
		}
		expect := func(want int) {
			t.Helper()
			if n := len(f.written); n != want {
				t.Errorf("%d requests were refused, want %d", n, want)
			}
			for range len(f.written) {
				msg := <-f.written
				if resp, ok := msg.(*jsonrpc.Response); !ok || resp.Error == nil || !resp.ID.IsValid() {
					t.Errorf("written: %+v", msg)
				}
			}
		}
		for range 3 * maxRefusing {
			ask(false)
		}
		close(f.let)
		synctest.Wait()
		expect(maxRefusing)
		ask(false)
		expect(1)
		reports = 0
		f.errs <- &stdio.LineTooLongError{Limit: 10}
		ask(true)
		expect(1)
		if reports != 1 {
			t.Errorf("it was reported %d times", reports)
		}
	})
}
