package transport

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/panics"
)

func openCustom(ctx context.Context, c config.Custom, opts Options) (*Link, error) {
	t, err := newTransport(opts.Attempt, c, opts.Logger)
	if err != nil {
		return nil, err
	}
	if s, ok := t.(*mcp.StreamableClientTransport); ok {
		// Wrapping it would hide what its connection offers the SDK; its
		// messages are seen by its HTTP client instead.
		own := *s
		return openOwnStreamable(ctx, &own, opts)
	}
	ctx, cancel := context.WithCancel(ctx)
	return &Link{
		Transport: opts.watch(&killable{Transport: contained{t, opts.Logger}, ctx: ctx}),
		kill:      cancel,
		close:     func(context.Context) { cancel() },
	}, nil
}

// newTransport calls the factory, for no longer than ctx lasts.
func newTransport(ctx context.Context, c config.Custom, logger *slog.Logger) (mcp.Transport, error) {
	type result struct {
		t   mcp.Transport
		err error
	}
	done := make(chan result)
	go func() {
		t, err := guarded(ctx, c, logger)
		select {
		case done <- result{t, err}:
		case <-ctx.Done():
			discard(t, logger)
		}
	}()
	select {
	case r := <-done:
		return r.t, r.err
	case <-ctx.Done():
		return nil, fmt.Errorf("NewTransport has not returned: %w", context.Cause(ctx))
	}
}

// discard ends a transport that has come too late, if it holds something already:
// others begin when they are connected.
func discard(t mcp.Transport, logger *slog.Logger) {
	switch t.(type) {
	case *mcp.IOTransport, *mcp.InMemoryTransport:
		if conn, err := (contained{t, logger}).Connect(context.Background()); err == nil {
			conn.Close() // of no use to anybody
		}
	}
}

func guarded(ctx context.Context, c config.Custom, logger *slog.Logger) (t mcp.Transport, err error) {
	defer panics.Recover(logger, "NewTransport", &err)
	t, err = c.NewTransport(ctx)
	streamable, ok := t.(*mcp.StreamableClientTransport) // which is copied
	if err == nil && (t == nil || ok && streamable == nil) {
		err = fmt.Errorf("NewTransport returned neither a transport nor an error")
	}
	return t, err
}

// killable closes the connection of a transport when its context ends.
type killable struct {
	mcp.Transport
	ctx context.Context
}

func (t *killable) Connect(context.Context) (mcp.Connection, error) {
	// The session's context, since a transport may tie its streams to it.
	inner, err := t.Transport.Connect(t.ctx)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(t.ctx, func() { inner.Close() })
	return &impatient{stopping: stopping{Connection: inner, stop: stop}}, nil
}

// An impatient connection returns from a Write when its context ends, whatever
// the transport does: those of the SDK over pipes wait for the server to read.
type impatient struct {
	stopping
	abandoned atomic.Int32 // writes that have not returned although their context has ended
}

// maxAbandoned bounds those writes, each of which keeps a goroutine until the
// connection is closed.
const maxAbandoned = 32

// errStuck is the failure of a write that was not begun.
var errStuck = fmt.Errorf("the transport does not return from Write when its context ends, for %d messages by now: its other end does not read", maxAbandoned)

func (c *impatient) Write(ctx context.Context, msg jsonrpc.Message) error {
	if ctx.Done() == nil {
		return c.Connection.Write(ctx, msg)
	}
	if c.abandoned.Load() >= maxAbandoned {
		return errStuck
	}
	written, gone := make(chan error), make(chan struct{})
	go func() {
		err := c.Connection.Write(ctx, msg) // it is contained
		select {
		case written <- err:
		case <-gone:
			c.abandoned.Add(-1)
		}
	}()
	select {
	case err := <-written:
		return err
	case <-ctx.Done():
		c.abandoned.Add(1)
		close(gone)
		return ctx.Err()
	}
}
