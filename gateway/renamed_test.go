package gateway_test

import (
	"context"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
)

// A tool that takes the place of another with the same exposed name and the same
// definition is the one that is called from then on.
func TestToolInPlaceOfAnother(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		s := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
		add := func(name string) {
			s.AddTool(&mcp.Tool{Name: name, InputSchema: map[string]any{"type": "object"}, Description: "d"}, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: r.Params.Name}}}, nil
			})
		}
		add("get.thing")
		add("other")
		g := newHouse(t, w, config.Connections{"s": config.InMemory{Server: s}}, nil).enter(t, "guest")
		called := func() string {
			res, err := g.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_thing"})
			if err != nil || len(res.Content) != 1 {
				return ""
			}
			return res.Content[0].(*mcp.TextContent).Text
		}
		if got := called(); got != "get.thing" {
			t.Fatalf("called %q", got)
		}
		s.RemoveTools("get.thing")
		add("get/thing")
		g.wait("the new tool", func() bool {
			g.mu.Unlock()
			defer g.mu.Lock()
			return called() == "get/thing"
		})
	})
}
