package multiclient_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// A server that announces changes faster than it lists is asked for one list at a
// time, and the last change is told.
func TestChangesFasterThanLists(t *testing.T) {
	for what, test := range map[string]struct {
		method string
		change func(s *mcp.Server, name string)
		list   func(context.Context, *multiclient.MultiServerClient) (int, error)
	}{
		"tools": {"tools/list", func(s *mcp.Server, name string) { addPlain(s, name, "") },
			func(ctx context.Context, c *multiclient.MultiServerClient) (int, error) {
				l, err := c.Tools(ctx)
				return len(l), err
			}},
		"prompts": {"prompts/list", func(s *mcp.Server, name string) { s.AddPrompt(&mcp.Prompt{Name: name}, nil) },
			func(ctx context.Context, c *multiclient.MultiServerClient) (int, error) {
				l, err := c.Prompts(ctx)
				return len(l), err
			}},
		"resources": {"resources/list", func(s *mcp.Server, name string) {
			s.AddResource(&mcp.Resource{Name: name, URI: "x://" + name}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				return &mcp.ReadResourceResult{}, nil
			})
		}, func(ctx context.Context, c *multiclient.MultiServerClient) (int, error) {
			l, err := c.Resources(ctx)
			return len(l), err
		}},
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := mcp.NewServer(&mcp.Implementation{Name: "s"}, nil)
				var listing, most, lists atomic.Int32
				s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
					return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
						if method == test.method {
							lists.Add(1)
							most.Store(max(most.Load(), listing.Add(1)))
							select {
							case <-time.After(10 * time.Second):
							case <-ctx.Done():
							}
							listing.Add(-1)
						}
						return next(ctx, method, req)
					}
				})
				test.change(s, "first")
				last := make(chan struct{}, 1)
				told := func(name string) {
					if name == "last" {
						last <- struct{}{}
					}
				}
				c := newClient(t, config.Connections{"s": config.InMemory{Server: s}}, &multiclient.Options{Callbacks: callbacks.Callbacks{
					OnToolsChanged: func(_ context.Context, _ callbacks.CallbackContext, change callbacks.ToolsChange) {
						for _, e := range change.Added {
							told(e.Name)
						}
					},
					OnPromptsChanged: func(_ context.Context, _ callbacks.CallbackContext, change callbacks.PromptsChange) {
						for _, e := range change.Added {
							told(e.Name)
						}
					},
					OnResourcesChanged: func(_ context.Context, _ callbacks.CallbackContext, change callbacks.ResourcesChange) {
						for _, e := range change.Added {
							told(e.Name)
						}
					},
				}})
				if n, err := test.list(t.Context(), c); n != 1 || err != nil {
					t.Fatalf("%d, %v", n, err)
				}
				lists.Store(0)
				const changes = 600
				for i := range changes {
					test.change(s, fmt.Sprint("n", i))
					time.Sleep(200 * time.Millisecond)
				}
				begun := time.Now()
				if n, err := test.list(t.Context(), c); n < changes || err != nil {
					t.Errorf("%d listed, %v", n, err)
				}
				if took := time.Since(begun); took > 20*time.Second {
					t.Errorf("a list in the middle of the changes took %v", took)
				}
				test.change(s, "last")
				receive(t, last, "last change")
				if n := most.Load(); n > 2 {
					t.Errorf("%d lists were asked for at a time", n)
				}
				if n := lists.Load(); n > 20 {
					t.Errorf("%d lists were asked for in 2 minutes, each of which takes 10 s", n)
				}
			})
		})
	}
}
