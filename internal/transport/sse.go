package transport

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
)

func openSSE(ctx context.Context, c config.SSE, opts Options) (*Link, error) {
	endpoint, err := url.Parse(c.URL)
	if err != nil {
		return nil, fmt.Errorf("the URL does not parse") // err would repeat it
	}
	h := newHTTPLink(ctx, endpoint, c.HTTP, opts, true)
	if lost := opts.Lost; lost != nil {
		opts.Lost = func(err error) {
			// An answer says more than that the session has ended for it.
			if failed := (*url.Error)(nil); errors.As(err, &failed) {
				lost(err)
			}
		}
	}
	return h.link(opts.watch(&addressed{&mcp.SSEClientTransport{
		Endpoint:     h.public.String(),
		HTTPClient:   h.client,
		MaxEventSize: -1, // The chain has its own limit, at which the session survives.
	}})), nil
}

// addressed is the transport, whose errors tell of the endpoint. The address that
// the server has given for messages holds the id of the session, which is as good as
// a password.
type addressed struct{ *mcp.SSEClientTransport }

func (a *addressed) Connect(ctx context.Context) (mcp.Connection, error) {
	conn, err := a.SSEClientTransport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &addressedConn{conn, a.Endpoint}, nil
}

type addressedConn struct {
	mcp.Connection
	endpoint string
}

func (c *addressedConn) Write(ctx context.Context, msg jsonrpc.Message) error {
	err := c.Connection.Write(ctx, msg)
	if failed := (*url.Error)(nil); errors.As(err, &failed) {
		own := *failed
		own.URL = c.endpoint
		return &own
	}
	return err
}
