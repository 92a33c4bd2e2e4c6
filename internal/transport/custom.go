package transport

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
)

func openCustom(ctx context.Context, c config.Custom, opts Options) (*Link, error) {
	t, err := newTransport(opts.Attempt, c)
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
		Transport: opts.watch(&killable{Transport: t, ctx: ctx}),
		kill:      cancel,
		close:     func(context.Context) { cancel() },
	}, nil
}

// newTransport calls the factory, for no longer than ctx lasts.
func newTransport(ctx context.Context, c config.Custom) (mcp.Transport, error) {
	type result struct {
		t   mcp.Transport
		err error
	}
	done := make(chan result)
	go func() {
		t, err := guarded(ctx, c)
		select {
		case done <- result{t, err}:
		case <-ctx.Done():
			discard(t)
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
func discard(t mcp.Transport) {
	switch t.(type) {
	case *mcp.IOTransport, *mcp.InMemoryTransport:
		if conn, err := t.Connect(context.Background()); err == nil {
			conn.Close() // of no use to anybody
		}
	}
}

func guarded(ctx context.Context, c config.Custom) (t mcp.Transport, err error) {
	defer func() {
		if v := recover(); v != nil {
			t, err = nil, fmt.Errorf("NewTransport panicked: %v\n%s", v, debug.Stack())
		}
	}()
	t, err = c.NewTransport(ctx)
	if err == nil && t == nil {
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
	return &stopping{Connection: inner, stop: stop}, nil
}
