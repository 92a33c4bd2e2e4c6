package adapters_test

import (
	"context"
	"encoding/json"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/callbacks"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
)

// schemaOf decodes a schema as the SDK decodes what a server sends.
func schemaOf(t testing.TB, text string) any {
	t.Helper()
	var schema any
	if err := json.Unmarshal([]byte(text), &schema); err != nil {
		t.Fatalf("schema %s: %v", text, err)
	}
	return schema
}

// echo is a tool that remembers the arguments of its last call.
type echo struct {
	*adapters.Tool
	called bool
	args   map[string]any
}

func newEcho(t testing.TB, schema string, options adapters.ToolOptions) *echo {
	t.Helper()
	e := &echo{}
	e.Tool = newTool(t, schemaOf(t, schema), options, func(_ context.Context, req *interceptors.Request) (*mcp.CallToolResult, error) {
		e.called, e.args = true, req.Arguments
		return content(text("done")), nil
	})
	return e
}

func newTool(t testing.TB, schema any, options adapters.ToolOptions, handler interceptors.Handler) *adapters.Tool {
	t.Helper()
	tool, err := adapters.NewTool(adapters.ToolConfig{
		Name:       "srv_get",
		ServerName: "srv",
		Tool:       &mcp.Tool{Name: "get", Description: "Gets.", InputSchema: schema},
		Handler:    handler,
		Options:    options,
	})
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

// returns is a handler that always gives the same.
func returns(res *mcp.CallToolResult, err error) interceptors.Handler {
	return func(context.Context, *interceptors.Request) (*mcp.CallToolResult, error) { return res, err }
}

// events records what a callbacks.Handler is told of tools.
type events struct {
	callbacks.SimpleHandler
	mu   sync.Mutex
	log  []string
	errs []error
}

func (e *events) HandleToolStart(_ context.Context, input string) { e.add("start "+input, nil) }
func (e *events) HandleToolEnd(_ context.Context, output string)  { e.add("end "+output, nil) }
func (e *events) HandleToolError(_ context.Context, err error)    { e.add("error", err) }

func (e *events) add(event string, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.log = append(e.log, event)
	if err != nil {
		e.errs = append(e.errs, err)
	}
}
