package gateway_test

import (
	"context"
	"slices"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/gateway"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// Where names that collide are an error, the tools of these names go and come, also
// when they are all that there is, and the others stay.
func TestToolsWhoseNamesCollide(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		servers := map[string]*mcp.Server{}
		add := func(server, name string) {
			servers[server].AddTool(&mcp.Tool{Name: name, InputSchema: map[string]any{"type": "object"}}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{}, nil
			})
		}
		connections := config.Connections{}
		for _, name := range []string{"a", "b"} {
			servers[name] = mcp.NewServer(&mcp.Implementation{Name: name, Version: "1"}, nil)
			connections[name] = config.InMemory{Server: servers[name]}
		}
		add("a", "search")
		add("a", "fetch")
		add("b", "sleep")
		g := newHouse(t, w, connections, &gateway.Options{Client: multiclient.Options{Collisions: adapters.CollisionError}}).enter(t, "guest")
		becomes := func(want ...string) {
			t.Helper()
			g.wait("the list of tools", func() bool {
				g.mu.Unlock()
				defer g.mu.Lock()
				var names []string
				for tool, err := range g.Tools(t.Context(), nil) {
					if err != nil {
						t.Fatal(err)
					}
					names = append(names, tool.Name)
				}
				return slices.Equal(names, want)
			})
		}
		becomes("fetch", "search", "sleep")
		add("b", "search")
		becomes("fetch", "sleep")
		servers["a"].RemoveTools("fetch")
		servers["b"].RemoveTools("sleep")
		becomes()
		servers["b"].RemoveTools("search")
		becomes("search")
	})
}
