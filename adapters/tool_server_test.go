package adapters_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
)

// connect returns a session with a server of the SDK, in memory.
func connect(t *testing.T, server *mcp.Server) *mcp.ClientSession {
	t.Helper()
	serverSide, clientSide := mcp.NewInMemoryTransports()
	serving, err := server.Connect(t.Context(), serverSide, nil)
	if err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), clientSide, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = session.Close()
		_ = serving.Wait()
	})
	return session
}

// The whole way: what a server lists and answers, as the SDK hands it over.
func TestToolOfAServer(t *testing.T) {
	server := mcp.NewServer(&mcp.Implementation{Name: "srv", Version: "1"}, nil)
	type sum struct {
		A int  `json:"a"`
		B int  `json:"b"`
		C *int `json:"c,omitempty"`
	}
	mcp.AddTool(server, &mcp.Tool{Name: "sum", Description: "Adds."}, func(_ context.Context, _ *mcp.CallToolRequest, in sum) (*mcp.CallToolResult, any, error) {
		return nil, map[string]int{"sum": in.A + in.B}, nil
	})
	mcp.AddTool(server, &mcp.Tool{Name: "fail"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return nil, nil, errors.New("disk full")
	})
	server.AddTool(&mcp.Tool{Name: "crash", InputSchema: schemaOf(t, `{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return nil, errors.New("no database")
	})
	server.AddTool(&mcp.Tool{Name: "mix", InputSchema: schemaOf(t, `{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return content(text("a"), &mcp.ImageContent{MIMEType: "image/png", Data: png}, embedded(mcp.ResourceContents{URI: "u:1", MIMEType: "text/plain", Text: "b"})), nil
	})
	session := connect(t, server)

	handler := func(ctx context.Context, req *interceptors.Request) (*mcp.CallToolResult, error) {
		return session.CallTool(ctx, &mcp.CallToolParams{Name: req.ToolName, Arguments: req.Arguments})
	}
	got := map[string]*adapters.Tool{}
	for listed, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		tool, err := adapters.NewTool(adapters.ToolConfig{Name: listed.Name, ServerName: "srv", Tool: listed, Handler: handler})
		if err != nil {
			t.Fatal(err)
		}
		got[listed.Name] = tool
	}

	for _, test := range []struct{ tool, input, want string }{
		{"sum", `{"a":20,"b":22}`, `{"sum":42}`},
		{"sum", `{"__arg1":"{\"a\":20,\"b\":22,\"c\":null}"}`, `{"sum":42}`},
		{"fail", ``, "Error: disk full"},
		{"crash", ``, "Error: no database"},
		{"mix", `{}`, "a\n[image: image/png, 12 bytes]\n[resource: u:1, text/plain]\nb"},
	} {
		text, err := got[test.tool].Call(t.Context(), test.input)
		if err != nil {
			t.Errorf("%s: %v", test.tool, err)
		}
		if diff := cmp.Diff(test.want, text); diff != "" {
			t.Errorf("%s (-want +got)\n%s", test.tool, diff)
		}
	}

	server.RemoveTools("sum")
	if text, err := got["sum"].Call(t.Context(), `{"a":1,"b":2}`); err != nil || text != `Error: unknown tool "sum"` {
		t.Errorf("a tool that is gone: %q, %v", text, err)
	}
	_ = session.Close()
	if text, err := got["mix"].Call(t.Context(), ``); !errors.Is(err, adapters.ErrCallFailed) || !errors.Is(err, mcp.ErrConnectionClosed) {
		t.Errorf("a session that is gone: %q, %v", text, err)
	}
}
