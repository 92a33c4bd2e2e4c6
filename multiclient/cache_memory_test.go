package multiclient_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// bulky returns a server each of whose answers is long: lists of two pages, with
// cursors that are never the same.
func bulky() *testserver.Server {
	s := &testserver.Server{Name: "s", Server: mcp.NewServer(&mcp.Implementation{Name: "s"}, &mcp.ServerOptions{
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Prompts: &mcp.PromptCapabilities{}, Resources: &mcp.ResourceCapabilities{}},
	})}
	var pages atomic.Int32
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			text := strings.Repeat("x", bulk)
			n := pages.Add(1)
			name, cursor := fmt.Sprint("n", n), fmt.Sprint("c", n)
			switch p := req.GetParams().(type) {
			case *mcp.ReadResourceParams:
				return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: p.URI, Text: text}}}, nil
			case *mcp.ListToolsParams:
				if p.Cursor != "" {
					cursor = ""
				}
				return &mcp.ListToolsResult{NextCursor: cursor, Tools: []*mcp.Tool{plainTool(name, text)}}, nil
			case *mcp.ListPromptsParams:
				if p.Cursor != "" {
					cursor = ""
				}
				return &mcp.ListPromptsResult{NextCursor: cursor, Prompts: []*mcp.Prompt{{Name: name, Description: text}}}, nil
			case *mcp.ListResourcesParams:
				if p.Cursor != "" {
					cursor = ""
				}
				return &mcp.ListResourcesResult{NextCursor: cursor, Resources: []*mcp.Resource{{Name: name, URI: "x://" + name, Description: text}}}, nil
			case *mcp.ListResourceTemplatesParams:
				if p.Cursor != "" {
					cursor = ""
				}
				return &mcp.ListResourceTemplatesResult{NextCursor: cursor, ResourceTemplates: []*mcp.ResourceTemplate{{Name: name, URITemplate: "x://{" + name + "}", Description: text}}}, nil
			}
			return next(ctx, method, req)
		}
	})
	return s
}

const bulk = 256 << 10

// What was listed and read does not stay for as long as the session does.
func TestWhatWasReadIsNotKept(t *testing.T) {
	c := newClient(t, config.Connections{"s": config.InMemory{Server: bulky().Server}}, nil)
	for name, ask := range map[string]func(i int) error{
		"tools":      func(int) error { _, err := c.Tools(t.Context()); return err },
		"prompts":    func(int) error { _, err := c.Prompts(t.Context()); return err },
		"resources":  func(int) error { _, err := c.Resources(t.Context()); return err },
		"templates":  func(int) error { _, err := c.ResourceTemplates(t.Context()); return err },
		"a resource": func(i int) error { _, err := c.ReadResource(t.Context(), "s", fmt.Sprint("x://", i)); return err },
	} {
		t.Run(name, func(t *testing.T) {
			if err := ask(-1); err != nil {
				t.Fatal(err)
			}
			before := held()
			const times = 40
			for i := range times {
				if err := ask(i); err != nil {
					t.Fatal(err)
				}
			}
			if grown := held() - before; grown > times*bulk/4 {
				t.Errorf("%d answers of %d KB hold %d KB more than one", times, bulk>>10, grown>>10)
			}
		})
	}
	if st := c.Status()[0]; st.State != multiclient.StateReady || st.Generation != 1 {
		t.Errorf("there was another session: %+v", st)
	}
}

// held returns the size of what is in use.
func held() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
