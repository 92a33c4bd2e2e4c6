package gateway_test

import (
	"context"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/gateway"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// A block that is nil costs itself: a client could not decode the result.
func TestNilBlocksOfInterceptors(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		spoil := func(ctx context.Context, req *interceptors.Request, next interceptors.Handler) (*mcp.CallToolResult, error) {
			res, err := next(ctx, req)
			if err != nil {
				return nil, err
			}
			var none *mcp.ResourceLink
			own := *res
			own.Content = append([]mcp.Content{nil, none}, res.Content...)
			return &own, nil
		}
		g := newHouse(t, w, config.Connections{"s": config.InMemory{Server: testserver.New("s").Server}}, &gateway.Options{
			Client: multiclient.Options{Interceptors: []interceptors.Interceptor{spoil}},
		}).enter(t, "guest")
		res, err := g.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"text": "x"}})
		if err != nil || res.IsError || adapters.ResultText(res, nil) != "x" {
			t.Errorf("got %v, %v", res, err)
		}
	})
}
