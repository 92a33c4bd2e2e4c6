package multiclient_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// without returns a server that knows nothing of a method.
func without(method string, opts *mcp.ServerOptions) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "s"}, opts)
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, m string, req mcp.Request) (mcp.Result, error) {
			if m == method {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "what?"}
			}
			return next(ctx, m, req)
		}
	})
	return s
}

// What a server does not declare and does not know is empty, and no failure; what
// it declares it has to have.
func TestServersWithoutLists(t *testing.T) {
	none := &mcp.ServerCapabilities{}
	for name, test := range map[string]struct {
		method   string
		declares *mcp.ServerCapabilities
		ok       bool
	}{
		"tools":                             {"tools/list", none, true},
		"tools, declared":                   {"tools/list", &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}, false},
		"templates, of a server of nothing": {"resources/templates/list", none, true},
		"templates, beside resources":       {"resources/templates/list", &mcp.ServerCapabilities{Resources: &mcp.ResourceCapabilities{}}, true},
		"resources, declared":               {"resources/list", &mcp.ServerCapabilities{Resources: &mcp.ResourceCapabilities{}}, false},
		"prompts, declared":                 {"prompts/list", &mcp.ServerCapabilities{Prompts: &mcp.PromptCapabilities{}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := without(test.method, &mcp.ServerOptions{Capabilities: test.declares})
			c := newClient(t, config.Connections{"s": config.InMemory{Server: s}}, nil)
			var n int
			var err error
			switch test.method {
			case "tools/list":
				list, e := c.Tools(t.Context())
				n, err = len(list), e
			case "resources/templates/list":
				list, e := c.ResourceTemplates(t.Context())
				n, err = len(list), e
			case "resources/list":
				list, e := c.Resources(t.Context())
				n, err = len(list), e
			case "prompts/list":
				list, e := c.Prompts(t.Context())
				n, err = len(list), e
			}
			if n != 0 || (err == nil) != test.ok || err != nil && !errors.Is(err, multiclient.ErrRefused) {
				t.Errorf("%d items, %v", n, err)
			}
		})
	}
}

// A tool that no list shows cannot be judged by Keep, and is not called.
func TestKeepRefusesWhatIsNotListed(t *testing.T) {
	s := testserver.New("s")
	c := newClient(t, config.Connections{"s": config.InMemory{Server: s.Server}}, &multiclient.Options{
		Selection: multiclient.Selection{Keep: func(_ string, tool *mcp.Tool) bool { return tool.Name == "echo" || tool.Name == "hidden" }},
	})
	_, err := c.CallTool(t.Context(), "s", "hidden", nil)
	if !errors.Is(err, multiclient.ErrNotAllowed) || !strings.Contains(err.Error(), "does not list it") {
		t.Errorf("got %v", err)
	}
	if n, _ := s.Received("tools/call"); n != 0 {
		t.Errorf("the server was called %d times", n)
	}
	if got := call(t, c, "s", "echo", map[string]any{"text": "x"}); got != "x" {
		t.Errorf("got %q", got)
	}
}

// What fmt prints of a client, by whatever verb, are the names of its servers.
func TestClientIsPrintedWithoutItsConnections(t *testing.T) {
	const secret = "hunter2"
	c := newClient(t, config.Connections{
		"http":  config.StreamableHTTP{URL: "https://example.com/mcp?key=" + secret, HTTP: config.HTTP{Headers: http.Header{"Authorization": {secret}}}},
		"stdio": config.Stdio{Command: "x", Env: map[string]string{"TOKEN": secret}},
	}, nil)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%d"} {
		if got := fmt.Sprintf(verb, c); strings.Contains(got, secret) || !strings.Contains(got, `"http" "stdio"`) {
			t.Errorf("%s prints %s", verb, got)
		}
	}
}
