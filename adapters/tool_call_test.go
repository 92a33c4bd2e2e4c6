package adapters_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
)

func wireError(code int64, message, data string) error {
	return fmt.Errorf("calling %q: %w", "tools/call", &jsonrpc.Error{Code: code, Message: message, Data: json.RawMessage(data)})
}

// httpError is how the SDK reports an HTTP status with a JSON-RPC error as body.
func httpError(code int64, message string) error {
	return fmt.Errorf("POST: %w: %w: Bad Request", &jsonrpc.Error{Code: code, Message: message}, &jsonrpc.Error{Code: -32005, Message: "rejected by transport"})
}

// What becomes of each kind of failure, by default and by option.
func TestCallFailures(t *testing.T) {
	var asks mcp.CallToolResult
	if err := asks.UnmarshalJSON([]byte(`{"content":[],"resultType":"input_required","requestState":"s"}`)); err != nil {
		t.Fatal(err)
	}
	const who = `tool "get" of server "srv": `
	tests := []struct {
		name    string
		handler interceptors.Handler
		kind    adapters.ErrorKind
		message string // of the error
		text    string // for the model
	}{
		{"isError", returns(failed(text("no such city")), nil), adapters.ErrToolFailed, who + "no such city", "Error: no such city"},
		{"isError without text", returns(failed(), nil), adapters.ErrToolFailed, who + "it gave no reason", "Error: the tool reported a failure without saying why."},
		{"isError with much text", returns(failed(text(strings.Repeat("x", 5000))), nil), adapters.ErrToolFailed, "xx\n[cut: this is the first 1000 of 5000 bytes]", "Error: xxx"},
		{"invalid params", returns(nil, wireError(-32602, "unknown tool \"get\"", "")), adapters.ErrToolFailed, "unknown tool", "Error: unknown tool \"get\""},
		{"invalid params in an HTTP status", returns(nil, httpError(-32602, "bad city")), adapters.ErrToolFailed, "bad city", "Error: bad city"},
		{"internal error", returns(nil, wireError(-32603, "Error in handler", `{"path":"city"}`)), adapters.ErrToolFailed, "Error in handler", "Error in handler\n{\"path\":\"city\"}"},
		{"method not found", returns(nil, wireError(-32601, "tool get not found", "")), adapters.ErrToolFailed, "tool get not found", "Error: tool get not found"},
		{"error of a go-sdk handler", returns(nil, wireError(0, "boom", "null")), adapters.ErrToolFailed, "boom", "Error: boom"},
		{"error of an application", returns(nil, wireError(-32000, "quota", "")), adapters.ErrToolFailed, "quota", "Error: quota"},

		{"lost connection", returns(nil, fmt.Errorf("%w: EOF", mcp.ErrConnectionClosed)), adapters.ErrCallFailed, who + "connection closed: EOF", `Error: call failed: tool "get" of server "srv": connection closed: EOF`},
		{"refused by HTTP", returns(nil, httpError(-32000, "Unauthorized")), adapters.ErrCallFailed, "Unauthorized", "Error: call failed: "},
		{"not sent", returns(nil, fmt.Errorf("POST: %w: %w", &jsonrpc.Error{Code: -32005}, io.EOF)), adapters.ErrCallFailed, "EOF", "Error: call failed: "},
		{"session not found", returns(nil, wireError(-32001, "Session not found", "")), adapters.ErrCallFailed, "Session not found", "Error: call failed: "},
		{"URL elicitation required", returns(nil, wireError(mcp.CodeURLElicitationRequired, "go there", "")), adapters.ErrCallFailed, "go there", "Error: call failed: "},
		{"capability missing", returns(nil, wireError(mcp.CodeMissingRequiredClientCapabilities, "needs elicitation", "")), adapters.ErrCallFailed, "needs elicitation", "Error: call failed: "},
		{"malformed request", returns(nil, wireError(-32600, "invalid request", "")), adapters.ErrCallFailed, "invalid request", "Error: call failed: "},
		{"interceptor", returns(nil, errors.New("not allowed")), adapters.ErrCallFailed, who + "not allowed", "Error: call failed: "},
		{"nothing", returns(nil, nil), adapters.ErrCallFailed, who + "the handler returned neither a result nor an error", "Error: call failed: "},
		{"input required", returns(&asks, nil), adapters.ErrCallFailed, who + "the server asks for more input", "Error: call failed: "},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			call := func(options adapters.ToolOptions) (string, *events, error) {
				told := &events{}
				options.CallbacksHandler = told
				got, err := newTool(t, nil, options, test.handler).Call(t.Context(), `{"a":1}`)
				return got, told, err
			}
			_, cause := test.handler(t.Context(), nil)
			checkError := func(err error) {
				t.Helper()
				var e *adapters.Error
				if !errors.As(err, &e) {
					t.Fatalf("got the error %v", err)
				}
				if e.Kind != test.kind || e.Server != "srv" || e.Tool != "get" || !strings.Contains(err.Error(), test.message) {
					t.Errorf("got the error %v, want %q of kind %q", err, test.message, test.kind)
				}
				if cause != nil && !errors.Is(err, cause) {
					t.Errorf("%v does not wrap %v", err, cause)
				}
			}

			got, told, err := call(adapters.ToolOptions{ToolErrors: adapters.ErrorsAsErrors, TransportErrors: adapters.ErrorsAsErrors})
			if got != "" {
				t.Errorf("text next to an error: %q", got)
			}
			checkError(err)
			if diff := cmp.Diff([]string{`start {"a":1}`, "error"}, told.log); diff != "" {
				t.Errorf("events (-want +got)\n%s", diff)
			}

			got, told, err = call(adapters.ToolOptions{ToolErrors: adapters.ErrorsAsText, TransportErrors: adapters.ErrorsAsText})
			if err != nil || !strings.HasPrefix(got, test.text) {
				t.Errorf("as text: %q, %v, want %q", got, err, test.text)
			}
			if diff := cmp.Diff([]string{`start {"a":1}`, "error"}, told.log); diff != "" {
				t.Errorf("events (-want +got)\n%s", diff)
			}
			checkError(told.errs[0])

			got, _, err = call(adapters.ToolOptions{})
			if test.kind == adapters.ErrCallFailed {
				checkError(err)
			} else if err != nil || !strings.HasPrefix(got, test.text) {
				t.Errorf("by default: %q, %v", got, err)
			}

			got, _, err = call(adapters.ToolOptions{TransportErrors: adapters.ErrorsAsText, MaxResultText: 9})
			if err != nil || !strings.Contains(got, "\n[cut: this is the first 9 of ") {
				t.Errorf("limited: %q, %v", got, err)
			}
		})
	}
}

func TestCallBadArguments(t *testing.T) {
	told := &events{}
	tool := newEcho(t, oneRequired, adapters.ToolOptions{ToolErrors: adapters.ErrorsAsErrors, CallbacksHandler: told})
	got, err := tool.Call(t.Context(), `{"city":5,"password":"hunter2"}`)
	if got != "" || !errors.Is(err, adapters.ErrBadArguments) {
		t.Fatalf("got %q, %v", got, err)
	}
	want := `adapters: bad arguments: tool "get" of server "srv": "city" must be string, not integer. Send a JSON object with "city" (string, required), "days" (integer)`
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if tool.called || len(told.errs) != 1 || told.errs[0] != err {
		t.Errorf("called: %v, events %v %v", tool.called, told.log, told.errs)
	}
}

func TestCallSuccessEvents(t *testing.T) {
	told := &events{}
	tool := newTool(t, nil, adapters.ToolOptions{CallbacksHandler: told, MaxResultText: 2}, returns(content(text("abc")), nil))
	got, err := tool.Call(t.Context(), " {} ")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"start  {} ", "end " + got}, told.log); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestCallWhenTheContextEnds(t *testing.T) {
	asText := adapters.ToolOptions{ToolErrors: adapters.ErrorsAsText, TransportErrors: adapters.ErrorsAsText}
	for _, cause := range []error{errors.New("broken pipe"), wireError(-32603, "interrupted", ""), fmt.Errorf("gave up: %w", context.Canceled)} {
		ctx, cancel := context.WithCancel(t.Context())
		tool := newTool(t, nil, asText, func(context.Context, *interceptors.Request) (*mcp.CallToolResult, error) {
			cancel()
			return nil, cause
		})
		got, err := tool.Call(ctx, "{}")
		if got != "" || !errors.Is(err, context.Canceled) || !errors.Is(err, cause) || !errors.Is(err, adapters.ErrCallFailed) {
			t.Errorf("%v: got %q, %v", cause, got, err)
		}
		if strings.Count(err.Error(), "context canceled") != 1 {
			t.Errorf("%v: got %q", cause, err)
		}
	}

	ctx, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	tool := newEcho(t, noParameters, asText)
	if got, err := tool.Call(ctx, "{}"); got != "" || !errors.Is(err, context.DeadlineExceeded) || tool.called {
		t.Errorf("ended before: called %v, got %q, %v", tool.called, got, err)
	}

	// A result that is there counts, even if the context has ended since.
	ctx, cancel = context.WithCancel(t.Context())
	late := newTool(t, nil, asText, func(context.Context, *interceptors.Request) (*mcp.CallToolResult, error) {
		cancel()
		return content(text("done")), nil
	})
	if got, err := late.Call(ctx, "{}"); got != "done" || err != nil {
		t.Errorf("ended after: got %q, %v", got, err)
	}
}

func TestInvoke(t *testing.T) {
	res := &mcp.CallToolResult{
		Meta: mcp.Meta{"k": "v"}, IsError: true, StructuredContent: map[string]any{"code": 5.0},
		Content: []mcp.Content{text("bad"), &mcp.ImageContent{MIMEType: "image/png", Data: png}},
	}
	told := &events{}
	options := adapters.ToolOptions{ToolErrors: adapters.ErrorsAsErrors, CallbacksHandler: told}
	got, err := newTool(t, nil, options, returns(res, nil)).Invoke(t.Context(), nil)
	if got != res || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
	if told.log != nil {
		t.Errorf("events of Invoke: %v", told.log)
	}

	got, err = newTool(t, nil, adapters.ToolOptions{TransportErrors: adapters.ErrorsAsText}, returns(nil, io.EOF)).Invoke(t.Context(), nil)
	if got != nil || !errors.Is(err, adapters.ErrCallFailed) || !errors.Is(err, io.EOF) {
		t.Errorf("got %v, %v", got, err)
	}
	_, err = newTool(t, nil, adapters.ToolOptions{}, returns(nil, wireError(-32602, "bad", ""))).Invoke(t.Context(), nil)
	var wire *jsonrpc.Error
	if !errors.Is(err, adapters.ErrToolFailed) || !errors.As(err, &wire) {
		t.Errorf("got %v", err)
	}
}
