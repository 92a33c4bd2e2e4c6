package session

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/internal/panics"
)

// configure lets the caller prepare the client.
func (m *Manager) configure(client *mcp.Client) (err error) {
	if m.opts.Configure == nil {
		return nil
	}
	defer panics.Recover(m.opts.Logger, "ConfigureClient", &err)
	m.opts.Configure(client)
	client.AddSendingMiddleware(m.containing)
	client.AddReceivingMiddleware(m.containing)
	return nil
}

// containing is middleware, around what the caller has added, for goroutines in
// which nobody else could recover a panic.
func (m *Manager) containing(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		defer panics.Recover(m.opts.Logger, "middleware of ConfigureClient", &err)
		return next(ctx, method, req)
	}
}
