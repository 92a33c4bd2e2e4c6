package multiclient_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

func TestSubscriptionsOutliveATroubledServer(t *testing.T) {
	s := testserver.New("one")
	var troubled atomic.Bool
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method == "resources/subscribe" && troubled.Load() {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "starting, try again later"}
			}
			return next(ctx, method, req)
		}
	})
	connection, breakIt := breakable(s, config.Settings{ProtocolVersion: stateful})
	uris, cb := updates(t)
	c := newClient(t, config.Connections{"one": connection}, &multiclient.Options{Callbacks: cb})
	if err := c.Subscribe(t.Context(), "one", readme); err != nil {
		t.Fatal(err)
	}
	announced(t, c, uris)
	for _, trouble := range []bool{true, false} {
		troubled.Store(trouble)
		lose(t, c, breakIt)
		call(t, c, "one", "echo", map[string]any{"text": "x"})
	}
	announced(t, c, uris)
}

// Who gives up a subscription does not take back that of another to the same
// resource.
func TestSubscriptionOutlivesOneThatWasGivenUp(t *testing.T) {
	s := testserver.New("one")
	begun, requests := make(chan struct{}), make(chan struct{}, 8)
	var first atomic.Bool
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method == "resources/subscribe" {
				if first.CompareAndSwap(false, true) {
					close(begun)
					<-ctx.Done()
				} else {
					requests <- struct{}{}
				}
			}
			return next(ctx, method, req)
		}
	})
	connection, breakIt := breakable(s, config.Settings{ProtocolVersion: stateful})
	c := newClient(t, config.Connections{"one": connection}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	givenUp := make(chan error, 1)
	go func() { givenUp <- c.Subscribe(ctx, "one", readme) }()
	<-begun
	if err := c.Subscribe(t.Context(), "one", readme); err != nil {
		t.Fatal(err)
	}
	receive(t, requests, "subscription")
	cancel()
	if err := receive(t, givenUp, "end of the first"); !errors.Is(err, context.Canceled) {
		t.Errorf("the first ended with %v", err)
	}
	breakIt()
	receive(t, requests, "subscription on the new session")
}
