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
	ctx context.Context
}

func openInMemory(ctx context.Context, c config.InMemory, opts Options) (*Link, error) {
	ctx, cancel := context.WithCancel(ctx)
	return &Link{
		Transport: opts.watchPipe(&inMemory{InMemory: c, ctx: ctx}),
		kill:      cancel,
		close:     func(context.Context) { cancel() },
	}, nil
}

func (t *inMemory) Connect(context.Context) (mcp.Connection, error) {
	server, client := newPipe()
	if _, err := t.Server.Connect(context.WithoutCancel(t.ctx), server, t.ServerSessionOptions); err != nil {
		client.Close()
		return nil, err
	}
	stop := context.AfterFunc(t.ctx, func() { client.Close() })
	return &stopping{Connection: client, stop: stop}, nil
}

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
