package transport

import (
	"context"
	"fmt"
	"log/slog"

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
	return &impatient{stopping{Connection: inner, stop: stop}}, nil
}

// An impatient connection returns from a Write when its context ends, whatever
// the transport does: those of the SDK over pipes wait for the server to read.
type impatient struct{ stopping }

func (c *impatient) Write(ctx context.Context, msg jsonrpc.Message) error {
	if ctx.Done() == nil {
		return c.Connection.Write(ctx, msg)
	}
	written := make(chan error, 1)
	go func() { written <- c.Connection.Write(ctx, msg) }() // it is contained
	select {
	case err := <-written:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}
