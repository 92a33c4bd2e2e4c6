package multiclient_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

func TestServerThatDoesNotAnswerToTheLogLevel(t *testing.T) {
	synctest.Test(t, hangingLevel)
}

func hangingLevel(t *testing.T) {
	const patience = 10 * time.Second
	s := testserver.New("one")
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method == "logging/setLevel" {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return next(ctx, method, req)
		}
	})
	connection, breakIt := breakable(s, config.Settings{ProtocolVersion: stateful})
	cb := logging()
	c := newClient(t, config.Connections{"one": connection}, &multiclient.Options{Callbacks: cb, DiscoverTimeout: patience})
	for range 2 {
		began := time.Now()
		err := c.Subscribe(t.Context(), "one", readme)
		if took := time.Since(began); err != nil || took != patience {
			t.Errorf("%v after %v", err, took)
		}
		breakIt()
		eventually(t, func() bool { return c.Status()[0].State != multiclient.StateReady })
	}
}
