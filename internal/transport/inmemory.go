package transport

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
)

// inMemory connects the server when it is connected itself, so that a link
// that is never used leaves no session on the server.
type inMemory struct {
	config.InMemory
	ctx    context.Context
	client *mcp.InMemoryTransport
	server *mcp.InMemoryTransport
}

func openInMemory(ctx context.Context, c config.InMemory, opts Options) (*Link, error) {
	ctx, cancel := context.WithCancel(ctx)
	t := &inMemory{InMemory: c, ctx: ctx}
	t.server, t.client = mcp.NewInMemoryTransports()
	return &Link{
		Transport: opts.watchPipe(t),
		kill:      cancel,
		close:     func(context.Context) { cancel() },
	}, nil
}

func (t *inMemory) Connect(ctx context.Context) (mcp.Connection, error) {
	server, err := t.server.Connect(ctx)
	if err != nil {
		return nil, err
	}
	client, err := t.client.Connect(ctx)
	if err != nil {
		server.Close()
		return nil, err
	}
	// Closing both ends of the pipe unblocks whatever is on it.
	end := func() {
		client.Close()
		server.Close()
	}
	if _, err := t.Server.Connect(context.WithoutCancel(t.ctx), connected{server}, t.ServerSessionOptions); err != nil {
		end()
		return nil, err
	}
	stop := context.AfterFunc(t.ctx, end)
	return &stopping{Connection: client, stop: stop}, nil
}

// connected is a transport that has its connection already.
type connected struct{ mcp.Connection }

func (c connected) Connect(context.Context) (mcp.Connection, error) { return c.Connection, nil }

// stopping forgets the AfterFunc once the connection is closed in order.
type stopping struct {
	mcp.Connection
	stop func() bool
}

func (c *stopping) Close() error {
	// Not before, so that a Close that hangs can still be ended by force.
	defer c.stop()
	return c.Connection.Close()
}
