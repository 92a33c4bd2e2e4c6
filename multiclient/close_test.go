package multiclient_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// A callback that ends soon after its context has ended when Close returns.
func TestCloseWaitsForCallbacks(t *testing.T) {
	for _, version := range []string{stateful, stateless} {
		t.Run(version, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked, ended := make(chan struct{}), make(chan struct{})
				c := newClient(t, config.Connections{"one": inMemory(version)(t, testserver.New("one"), config.Settings{})}, &multiclient.Options{
					Callbacks: callbacks.Callbacks{OnElicitation: func(ctx context.Context, _ callbacks.CallbackContext, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
						close(asked)
						<-ctx.Done()
						time.Sleep(time.Second) // such as to take a form off the screen
						close(ended)
						return nil, ctx.Err()
					}},
				})
				called := make(chan error, 1)
				go func() { _, err := c.CallTool(t.Context(), "one", "ask_0", map[string]any{"id": "x"}); called <- err }()
				<-asked
				if err := c.Close(); err != nil {
					t.Error(err)
				}
				select {
				case <-ended:
				default:
					t.Error("the callback still runs")
				}
				<-called
			})
		})
	}
}
