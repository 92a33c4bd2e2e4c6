package multiclient_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// holding returns a server whose lists have one item a page, and hold for an hour.
func holding(n int) *testserver.Server {
	s := &testserver.Server{Name: "s", Server: mcp.NewServer(&mcp.Implementation{Name: "s"}, &mcp.ServerOptions{
		PageSize:     1,
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) { c.TTLMs = int(time.Hour.Milliseconds()) },
	})}
	for i := range n {
		addPlain(s.Server, fmt.Sprint("a", i), "")
	}
	return s
}

// What a program lists on a leased session is not the list of the client.
func TestToolsAfterAListOnALeasedSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := holding(3)
		c := newClient(t, config.Connections{"s": config.InMemory{Server: s.Server}}, nil)
		cs, release, err := c.Session(t.Context(), "s")
		if err != nil {
			t.Fatal(err)
		}
		defer release()
		if page, err := cs.ListTools(t.Context(), nil); err != nil || len(page.Tools) != 1 {
			t.Fatalf("%v, %v", page, err)
		}
		for _, want := range [][]string{{"a0", "a1", "a2"}, {"a0", "a1", "a2", "a3"}} {
			list, err := c.Tools(t.Context())
			if diff := cmp.Diff(want, toolNames(list)); diff != "" || err != nil {
				t.Errorf("(-want +got) %s, %v", diff, err)
			}
			addPlain(s.Server, "a3", "")
			time.Sleep(2 * time.Hour) // the list holds no longer
		}
	})
}

// The SDK keeps what a server has said to one user, and would say it to all who lease
// the session.
func TestALeasedSessionAsksTheServer(t *testing.T) {
	s := holding(1)
	read := func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, Text: "text"}}}, nil
	}
	s.AddResource(&mcp.Resource{Name: "r", URI: "x://r"}, read)
	s.AddResourceTemplate(&mcp.ResourceTemplate{Name: "t", URITemplate: "x://t/{id}"}, read)
	s.AddPrompt(&mcp.Prompt{Name: "p"}, nil)
	var asked atomic.Int32
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			asked.Add(1)
			return next(ctx, method, req)
		}
	})
	c := newClient(t, config.Connections{"s": config.StreamableHTTP{URL: s.HTTP(t, true)}}, nil)
	cs, release, err := c.Session(t.Context(), "s")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	for name, ask := range map[string]func() error{
		"tools":     func() error { _, err := cs.ListTools(t.Context(), nil); return err },
		"prompts":   func() error { _, err := cs.ListPrompts(t.Context(), nil); return err },
		"resources": func() error { _, err := cs.ListResources(t.Context(), nil); return err },
		"templates": func() error { _, err := cs.ListResourceTemplates(t.Context(), nil); return err },
		"resource": func() error {
			_, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "x://r"})
			return err
		},
	} {
		asked.Store(0)
		for range 2 {
			if err := ask(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		if n := asked.Load(); n != 2 {
			t.Errorf("%s: asked %d times, want 2", name, n)
		}
	}
}

// Middleware of the program that answers by itself is asked each time, and for all
// of its pages, in any version of the protocol.
func TestToolsOfMiddlewareThatAnswers(t *testing.T) {
	for _, version := range []string{"", stateful} {
		s := holding(1)
		var more atomic.Bool
		page := func(_ context.Context, method string, req mcp.Request) (mcp.Result, error) {
			tool := func(name string) []*mcp.Tool {
				return []*mcp.Tool{{Name: name, InputSchema: map[string]any{"type": "object"}}}
			}
			hour := mcp.Cacheable{TTLMs: int(time.Hour.Milliseconds())}
			switch cursor := req.GetParams().(*mcp.ListToolsParams).Cursor; {
			case cursor == "":
				return &mcp.ListToolsResult{Tools: tool("b0"), NextCursor: "1", Cacheable: hour}, nil
			case cursor == "1" && more.Load():
				return &mcp.ListToolsResult{Tools: tool("b1"), NextCursor: "2", Cacheable: hour}, nil
			default:
				return &mcp.ListToolsResult{Tools: tool("b2"), Cacheable: hour}, nil
			}
		}
		c := newClient(t, config.Connections{"s": config.StreamableHTTP{URL: s.HTTP(t, version == ""), Settings: config.Settings{ProtocolVersion: version}}}, &multiclient.Options{
			ConfigureClient: func(_ string, client *mcp.Client) {
				client.AddSendingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
					return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
						if method == "tools/list" {
							return page(ctx, method, req)
						}
						return next(ctx, method, req)
					}
				})
			},
		})
		for _, want := range [][]string{{"b0", "b2"}, {"b0", "b1", "b2"}} {
			list, err := c.Tools(t.Context())
			if diff := cmp.Diff(want, toolNames(list)); diff != "" || err != nil {
				t.Errorf("%q: (-want +got) %s, %v", version, diff, err)
			}
			more.Store(true)
		}
	}
}

// Middleware of the program sees one request, and one list, for all pages.
func TestMiddlewareSeesOneList(t *testing.T) {
	s := holding(3)
	var asked, listed atomic.Int32
	c := newClient(t, config.Connections{"s": config.StreamableHTTP{URL: s.HTTP(t, true)}}, &multiclient.Options{
		ConfigureClient: func(_ string, client *mcp.Client) {
			client.AddSendingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
				return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
					res, err := next(ctx, method, req)
					if list, ok := res.(*mcp.ListToolsResult); ok && err == nil {
						asked.Add(1)
						listed.Add(int32(len(list.Tools)))
					}
					return res, err
				}
			})
		},
	})
	for range 2 {
		if list, err := c.Tools(t.Context()); err != nil || len(list) != 3 {
			t.Errorf("%v, %v", toolNames(list), err)
		}
	}
	if asked.Load() != 1 || listed.Load() != 3 {
		t.Errorf("it saw %d requests, %d tools", asked.Load(), listed.Load())
	}
}
