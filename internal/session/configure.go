package session

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// configure lets the caller prepare the client.
func (m *Manager) configure(client *mcp.Client) (err error) {
	if m.opts.Configure == nil {
		return nil
	}
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("ConfigureClient panicked: %v\n%s", v, debug.Stack())
		}
	}()
	m.opts.Configure(client)
	client.AddSendingMiddleware(containing)
	client.AddReceivingMiddleware(containing)
	return nil
}

// containing is middleware, around what the caller has added, for goroutines in
// which nobody else could recover a panic.
func containing(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		defer func() {
			if v := recover(); v != nil {
				res, err = nil, fmt.Errorf("middleware of ConfigureClient panicked: %v\n%s", v, debug.Stack())
			}
		}()
		return next(ctx, method, req)
	}
}
