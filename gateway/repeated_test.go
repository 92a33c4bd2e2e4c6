package gateway_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/gateway"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// A call that is made again reports anew, which its client must not see: progress
// only increases.
func TestProgressOfCallsThatAreRepeatedIncreases(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		connections, _ := upstream()
		twice := func(ctx context.Context, req *interceptors.Request, next interceptors.Handler) (*mcp.CallToolResult, error) {
			first := req.Clone()
			first.Arguments["n"] = 2
			if _, err := next(ctx, first); err != nil {
				return nil, err
			}
			return next(ctx, req)
		}
		g := newHouse(t, w, connections, &gateway.Options{Client: multiclient.Options{Interceptors: []interceptors.Interceptor{twice}}}).enter(t, "alice")
		for _, server := range []string{"old", "new"} {
			token := "token of " + server
			g.call(t.Context(), server+"_work_1", token, map[string]any{"id": "x", "n": 4})
			// Later reports of the same session come after all that was sent before.
			g.call(t.Context(), server+"_work_1", "the last, "+server, map[string]any{"id": "x", "n": 1})
			g.wait("the last report", func() bool { return len(g.progress["the last, "+server]) > 0 })
			var want []string
			for i := range 4 {
				want = append(want, fmt.Sprintf("%s/work_1 x %d", server, i+1))
			}
			g.mu.Lock()
			if diff := cmp.Diff(want, g.progress[token]); diff != "" {
				t.Errorf("progress of %s: %s", server, diff)
			}
			g.mu.Unlock()
		}
	})
}

// What a server reports out of turn is not passed on.
func TestProgressOfOneCallIncreases(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		connections, servers := upstream()
		g := newHouse(t, w, connections, nil)
		for name, s := range servers {
			mcp.AddTool(s.Server, &mcp.Tool{Name: "waver"}, func(ctx context.Context, req *mcp.CallToolRequest, _ map[string]any) (*mcp.CallToolResult, any, error) {
				for i, value := range []float64{-1, 2, 2, 1, 3, 2.5, 3, 4} {
					err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
						ProgressToken: req.Params.GetProgressToken(), Progress: value, Message: fmt.Sprintf("%s %d: %v", name, i, value),
					})
					if err != nil {
						return nil, nil, err
					}
				}
				return &mcp.CallToolResult{}, nil, nil
			})
		}
		alice := g.enter(t, "alice")
		for name := range servers {
			alice.call(t.Context(), name+"_waver", name, nil)
			last := name + " 7: 4"
			alice.wait("the last report", func() bool { return slices.Contains(alice.progress[name], last) })
			alice.mu.Lock()
			if diff := cmp.Diff([]string{name + " 0: -1", name + " 1: 2", name + " 4: 3", last}, alice.progress[name]); diff != "" {
				t.Errorf("progress of %s: %s", name, diff)
			}
			alice.mu.Unlock()
		}
	})
}
