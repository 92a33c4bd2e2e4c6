package adapters_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/tools"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
)

// textTool is a tool of langchaingo.
type textTool struct {
	name string
	call func(ctx context.Context, input string) (string, error)
}

func (t textTool) Name() string                                           { return t.name }
func (t textTool) Description() string                                    { return "Describes " + t.name + "." }
func (t textTool) Call(ctx context.Context, input string) (string, error) { return t.call(ctx, input) }

func echoTool(name string) textTool {
	return textTool{name, func(_ context.Context, input string) (string, error) { return "<" + input + ">", nil }}
}

// serveTools serves the tools and returns a session of a client.
func serveTools(t *testing.T, progress func(*mcp.ProgressNotificationParams), add func(*mcp.Server)) *mcp.ClientSession {
	t.Helper()
	server := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
	add(server)
	ours, theirs := mcp.NewInMemoryTransports()
	ss, err := server.Connect(t.Context(), theirs, nil)
	if err != nil {
		t.Fatal(err)
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) { progress(req.Params) },
	})
	cs, err := client.Connect(t.Context(), ours, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cs.Close()
		_ = ss.Wait()
	})
	return cs
}

func mustAdd(t *testing.T, server *mcp.Server, tool tools.Tool, schema any) {
	t.Helper()
	if err := adapters.AddTool(server, tool, schema); err != nil {
		t.Fatal(err)
	}
}

func TestAddToolOfText(t *testing.T) {
	t.Parallel()
	fail := textTool{"fail", func(context.Context, string) (string, error) { return "", errors.New("no such city") }}
	panics := textTool{"panics", func(context.Context, string) (string, error) { panic("hunter2") }}
	wire := textTool{"wire", func(context.Context, string) (string, error) {
		return "", fmt.Errorf("wrapped: %w", &jsonrpc.Error{Code: -1, Message: "inside"})
	}}
	cs := serveTools(t, nil, func(s *mcp.Server) {
		mustAdd(t, s, echoTool("bare"), nil)
		mustAdd(t, s, echoTool("Google Search"), map[string]any{
			"type": "object", "properties": map[string]any{"n": map[string]any{"type": "integer"}}, "required": []string{"n"},
		})
		mustAdd(t, s, fail, nil)
		mustAdd(t, s, panics, nil)
		mustAdd(t, s, wire, nil)
	})
	tests := []struct {
		tool      string
		arguments string
		want      string
		isError   bool
	}{
		{"bare", `{"input":"hello"}`, "<hello>", false},
		{"bare", `{}`, "Error: bad arguments", true},
		{"bare", `{"input":1}`, "Error: bad arguments", true},
		{"Google_Search", `{"n":12345678901234567890123}`, `<{"n":12345678901234567890123}>`, false},
		{"Google_Search", `{"n":"x"}`, "Error: bad arguments", true},
		{"fail", `{"input":""}`, "Error: no such city", true},
		{"panics", `{"input":""}`, "Error: the tool failed unexpectedly", true},
		{"wire", `{"input":""}`, "Error: inside", true},
	}
	for _, test := range tests {
		res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: test.tool, Arguments: json.RawMessage(test.arguments)})
		if err != nil {
			t.Errorf("%s(%s): %v", test.tool, test.arguments, err)
			continue
		}
		if text := res.Content[0].(*mcp.TextContent).Text; !strings.HasPrefix(text, test.want) || res.IsError != test.isError || strings.Contains(text, "hunter2") {
			t.Errorf("%s(%s) gives %q (error: %v), want %q (%v)", test.tool, test.arguments, text, res.IsError, test.want, test.isError)
		}
	}
	if _, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "bare", Arguments: json.RawMessage(`[1]`)}); err == nil {
		t.Error("an array is taken for arguments")
	}
}

func TestAddToolOfAServer(t *testing.T) {
	t.Parallel()
	open := true
	definition := &mcp.Tool{
		Name: "draw", Title: "Draws", Description: "Draws it.",
		InputSchema:  map[string]any{"type": "object", "properties": map[string]any{"n": map[string]any{"type": "integer"}}},
		OutputSchema: map[string]any{"type": "object"},
		Annotations:  &mcp.ToolAnnotations{ReadOnlyHint: true, OpenWorldHint: &open},
		Meta:         mcp.Meta{"k": "v"},
	}
	result := &mcp.CallToolResult{
		Content:           []mcp.Content{&mcp.ImageContent{MIMEType: "image/png", Data: []byte{1, 2}}, &mcp.TextContent{Text: "x"}},
		StructuredContent: map[string]any{"a": "b"}, IsError: true, Meta: mcp.Meta{"m": "n"},
	}
	var failure error
	tool, err := adapters.NewTool(adapters.ToolConfig{Name: "s_draw", ServerName: "s", Tool: definition,
		Handler: func(ctx context.Context, req *interceptors.Request) (*mcp.CallToolResult, error) {
			if failure != nil {
				return nil, failure
			}
			if n := req.Arguments["n"]; n != nil && n != json.Number("12345678901234567890") {
				t.Errorf("n arrives as %v", n)
			}
			return result, adapters.ReportProgress(ctx, 1, 2, "half")
		}})
	if err != nil {
		t.Fatal(err)
	}
	reports := make(chan *mcp.ProgressNotificationParams, 1)
	cs := serveTools(t, func(p *mcp.ProgressNotificationParams) { reports <- p }, func(s *mcp.Server) { mustAdd(t, s, tool, nil) })

	list, err := cs.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := *definition
	want.Name = "s_draw"
	if diff := cmp.Diff(&want, list.Tools[0]); diff != "" {
		t.Error("served as", diff)
	}
	params := &mcp.CallToolParams{Name: "s_draw", Arguments: json.RawMessage(`{"n":12345678901234567890}`)}
	params.SetProgressToken("token")
	res, err := cs.CallTool(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	delete(res.Meta, mcp.MetaKeyServerInfo)
	if diff := cmp.Diff([]any{result.Content, result.StructuredContent, true, result.Meta}, []any{res.Content, res.StructuredContent, res.IsError, res.Meta}); diff != "" {
		t.Error("result", diff)
	}
	if p := <-reports; p.ProgressToken != "token" || p.Progress != 1 || p.Total != 2 || p.Message != "half" {
		t.Errorf("progress is %v", p)
	}
	// Without a token nothing is reported, and that is no error.
	if _, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: "s_draw"}); err != nil {
		t.Error(err)
	}
	failure = fmt.Errorf("call: %w", &jsonrpc.Error{Code: -32602, Message: "unknown color"})
	var wire *jsonrpc.Error
	if _, err := cs.CallTool(t.Context(), params); !errors.As(err, &wire) || wire.Code != -32602 || wire.Message != "unknown color" {
		t.Errorf("a JSON-RPC error arrives as %v", err)
	}
	failure = errors.New("connection lost")
	res, err = cs.CallTool(t.Context(), params)
	if err != nil || !res.IsError || !strings.Contains(res.Content[0].(*mcp.TextContent).Text, "connection lost") {
		t.Errorf("a lost connection: %v, %v", res, err)
	}
}

// A schema that the SDK does not take is served in a form that it takes, which
// says of types what the tool's server does: nothing reads the arguments.
func TestAddToolKeepsUnions(t *testing.T) {
	tool := newEcho(t, `{"properties":{"v":{"type":["boolean","number"]}}}`, adapters.ToolOptions{})
	cs := serveTools(t, nil, func(server *mcp.Server) { mustAdd(t, server, tool.Tool, nil) })
	list, err := cs.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := toJSON(list.Tools[0].InputSchema); got != `{"properties":{"v":{"type":["number","boolean"]}},"type":"object"}` {
		t.Errorf("served with %s", got)
	}
}

func TestAddToolFaults(t *testing.T) {
	t.Parallel()
	server := mcp.NewServer(&mcp.Implementation{Name: "s"}, nil)
	typed, err := adapters.NewTool(adapters.ToolConfig{Name: "t", Tool: &mcp.Tool{Name: "t"}, Handler: func(context.Context, *interceptors.Request) (*mcp.CallToolResult, error) { return nil, nil }})
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		tool   tools.Tool
		schema any
	}{
		{"no tool", nil, nil},
		{"nil pointer", (*adapters.Tool)(nil), nil},
		{"array", echoTool("t"), []any{}},
		{"no type", echoTool("t"), map[string]any{}},
		{"remote", echoTool("t"), map[string]any{"type": "object", "$ref": "https://example.com/x"}},
		{"unreadable", echoTool("t"), map[string]any{"type": "object", "required": 1}},
		{"no JSON", echoTool("t"), func() {}},
		{"server's tool", typed, "text"},
	} {
		if err := adapters.AddTool(server, test.tool, test.schema); !errors.Is(err, adapters.ErrBadOption) {
			t.Errorf("%s: error %v", test.name, err)
		}
	}
	// A tool whose server gives it no schema is served all the same.
	if err := adapters.AddTool(server, typed, nil); err != nil {
		t.Error(err)
	}
	if err := adapters.ReportProgress(t.Context(), 1, 0, ""); err != nil {
		t.Error(err)
	}
}

func ExampleAddTool() {
	upper := textTool{"upper", func(_ context.Context, input string) (string, error) { return strings.ToUpper(input), nil }}
	server := mcp.NewServer(&mcp.Implementation{Name: "shouting", Version: "1"}, nil)
	if err := adapters.AddTool(server, upper, nil); err != nil {
		panic(err)
	}

	ctx := context.Background()
	ours, theirs := mcp.NewInMemoryTransports()
	ss, _ := server.Connect(ctx, theirs, nil)
	defer ss.Wait()
	session, _ := mcp.NewClient(&mcp.Implementation{Name: "c"}, nil).Connect(ctx, ours, nil)
	defer session.Close()
	res, _ := session.CallTool(ctx, &mcp.CallToolParams{Name: "upper", Arguments: map[string]any{"input": "hello"}})
	fmt.Println(adapters.ResultText(res, nil))
	// Output: HELLO
}
