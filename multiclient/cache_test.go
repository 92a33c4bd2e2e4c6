package multiclient_test

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// addWhere adds a tool whose argument goes into a header, if it says so.
func addWhere(s *mcp.Server, runs *atomic.Int32, header string) {
	region := map[string]any{"type": "string"}
	if header != "" {
		region["x-mcp-header"] = header
	}
	s.AddTool(&mcp.Tool{Name: "where", InputSchema: map[string]any{"type": "object", "properties": map[string]any{"region": region}}},
		func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			runs.Add(1)
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: req.Extra.Header.Get("Mcp-Param-" + header)}}}, nil
		})
}

// A server that wants an argument in another header than it said is asked what it
// wants now, although its list holds, and is called once more.
func TestHeadersThatDoNotMatch(t *testing.T) {
	s := hinting("s", time.Hour, "public", false)
	var runs atomic.Int32
	addWhere(s.Server, &runs, "")
	c := newClient(t, config.Connections{"s": config.StreamableHTTP{URL: s.HTTP(t, true)}}, nil)
	arguments := map[string]any{"region": "eu"}
	if _, err := c.Tools(t.Context()); err != nil {
		t.Fatal(err)
	}
	call(t, c, "s", "where", arguments)
	for i, header := range []string{"Region", "Area"} {
		addWhere(s.Server, &runs, header)
		if got := call(t, c, "s", "where", arguments); got != "eu" {
			t.Errorf("the header is %q", got)
		}
		if n := runs.Load(); n != int32(i+2) {
			t.Errorf("the tool ran %d times, want %d", n, i+2)
		}
	}
}

// It is called no more than that, whatever it wants.
func TestHeadersThatNeverMatch(t *testing.T) {
	s := testserver.New("s")
	var asked atomic.Int32
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method == "tools/call" {
				asked.Add(1)
				return nil, &jsonrpc.Error{Code: mcp.CodeHeaderMismatch, Message: "another one"}
			}
			return next(ctx, method, req)
		}
	})
	for _, policy := range []config.SessionPolicy{config.SessionShared, config.SessionPerCall} {
		asked.Store(0)
		c := newClient(t, config.Connections{"s": config.StreamableHTTP{URL: s.HTTP(t, true), Settings: config.Settings{SessionPolicy: policy}}}, nil)
		if _, err := c.CallTool(t.Context(), "s", "echo", map[string]any{"text": "x"}); !errors.Is(err, multiclient.ErrRefused) || asked.Load() != 2 {
			t.Errorf("%s: called %d times: %v", policy, asked.Load(), err)
		}
	}
}

// So is one with a session for each call, on which the tools are listed first from
// then on.
func TestHeadersOfSessionsForOneCall(t *testing.T) {
	s := hinting("s", time.Hour, "public", false)
	var runs, lists atomic.Int32
	addWhere(s.Server, &runs, "Region")
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method == "tools/list" {
				lists.Add(1)
			}
			return next(ctx, method, req)
		}
	})
	c := newClient(t, config.Connections{"s": config.StreamableHTTP{URL: s.HTTP(t, true), Settings: config.Settings{SessionPolicy: config.SessionPerCall}}}, nil)
	for range 3 {
		if got := call(t, c, "s", "where", map[string]any{"region": "eu"}); got != "eu" {
			t.Errorf("the header is %q", got)
		}
	}
	if runs.Load() != 3 || lists.Load() != 3 {
		t.Errorf("the tool ran %d times, and the tools were listed %d times", runs.Load(), lists.Load())
	}
}

// Whatever a program does to what it was given, the next one gets what the server
// said, and calls are made as it wants them.
func TestWhatWasHandedOutMayBeChanged(t *testing.T) {
	s := hinting("s", time.Hour, "public", false)
	var runs atomic.Int32
	addWhere(s.Server, &runs, "Region")
	read := func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: req.Params.URI, Text: "text"}}}, nil
	}
	s.AddResource(&mcp.Resource{Name: "r", URI: "x://r", Annotations: &mcp.Annotations{Priority: 1}}, read)
	s.AddResourceTemplate(&mcp.ResourceTemplate{Name: "t", URITemplate: "x://t/{id}"}, read)
	s.AddPrompt(&mcp.Prompt{Name: "p", Arguments: []*mcp.PromptArgument{{Name: "a"}}}, nil)
	c := newClient(t, config.Connections{"s": config.StreamableHTTP{URL: s.HTTP(t, true)}}, nil)
	for range 2 {
		tool, err := c.Tool(t.Context(), "where")
		if err != nil {
			t.Fatal(err)
		}
		mine := tool.MCPTool()
		if mine.Name != "where" {
			t.Errorf("the tool is called %q", mine.Name)
		}
		mine.Name = "changed"
		clear(mine.InputSchema.(map[string]any)["properties"].(map[string]any))
		if got := call(t, c, "s", "where", map[string]any{"region": "eu"}); got != "eu" {
			t.Errorf("the header is %q", got)
		}
		resources, err := c.Resources(t.Context())
		if err != nil || len(resources) != 1 || resources[0].Name != "r" || resources[0].Annotations.Priority != 1 {
			t.Fatalf("resources: %v, %v", resources, err)
		}
		resources[0].Name, resources[0].Annotations.Priority = "changed", 0
		templates, err := c.ResourceTemplates(t.Context())
		if err != nil || len(templates) != 1 || templates[0].Name != "t" {
			t.Fatalf("templates: %v, %v", templates, err)
		}
		templates[0].Name = "changed"
		prompts, err := c.Prompts(t.Context())
		if err != nil || len(prompts) != 1 || prompts[0].Arguments[0].Name != "a" {
			t.Fatalf("prompts: %v, %v", prompts, err)
		}
		prompts[0].Arguments[0].Name = "changed"
		content, err := c.ReadResource(t.Context(), "s", "x://r")
		if err != nil || content.Contents[0].Text != "text" || content.TTLMs != int(time.Hour.Milliseconds()) {
			t.Fatalf("content: %v, %v", content, err)
		}
		content.Contents[0].Text = "changed"
	}
}

// A list for one user is not shown to the next.
func TestPrivateLists(t *testing.T) {
	type userKey struct{}
	s := hinting("s", time.Hour, "private", true)
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			res, err := next(ctx, method, req)
			if list, ok := res.(*mcp.ListToolsResult); ok {
				list.Tools = append(list.Tools, plainTool("of_"+req.GetExtra().Header.Get("X-User"), ""))
			}
			return res, err
		}
	})
	c := newClient(t, config.Connections{"s": config.StreamableHTTP{URL: s.HTTP(t, true), HTTP: config.HTTP{
		HeaderSource: func(ctx context.Context) (http.Header, error) {
			user, _ := ctx.Value(userKey{}).(string)
			return http.Header{"X-User": {user}}, nil
		},
	}}}, nil)
	for _, user := range []string{"ada", "bob", "ada"} {
		list, err := c.Tools(context.WithValue(t.Context(), userKey{}, user))
		if err != nil || len(list) != 1 || list[0].Name() != "of_"+user {
			t.Errorf("%s got %v, %v", user, toolNames(list), err)
		}
	}
}
