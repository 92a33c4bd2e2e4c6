package sampling_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/llms"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/callbacks/sampling"
)

// A scriptedModel gives one answer, and remembers what it was asked.
type scriptedModel struct {
	answer   *llms.ContentResponse
	err      error
	defaults llms.CallOptions

	mu       sync.Mutex
	asked    int
	messages []llms.MessageContent
	options  llms.CallOptions
}

func (m *scriptedModel) GenerateContent(_ context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	co := m.defaults
	for _, option := range options {
		option(&co)
	}
	m.asked++
	m.messages, m.options = messages, co
	return m.answer, m.err
}

func (m *scriptedModel) Call(context.Context, string, ...llms.CallOption) (string, error) {
	return "", errors.New("nobody calls this")
}

func answer(choices ...*llms.ContentChoice) *llms.ContentResponse {
	return &llms.ContentResponse{Choices: choices}
}

func says(text string) *llms.ContentResponse {
	return answer(&llms.ContentChoice{Content: text, StopReason: "stop"})
}

func toolCall(id, name, arguments string) llms.ToolCall {
	return llms.ToolCall{ID: id, Type: "function", FunctionCall: &llms.FunctionCall{Name: name, Arguments: arguments}}
}

func message(role llms.ChatMessageType, parts ...llms.ContentPart) llms.MessageContent {
	return llms.MessageContent{Role: role, Parts: parts}
}

// request parses the parameters of a request.
func request(t testing.TB, params string) *mcp.CreateMessageWithToolsRequest {
	t.Helper()
	req := &mcp.CreateMessageWithToolsRequest{Params: new(mcp.CreateMessageWithToolsParams)}
	if err := json.Unmarshal([]byte(params), req.Params); err != nil {
		t.Fatalf("%v: %s", err, params)
	}
	return req
}

var whose = callbacks.CallbackContext{ServerName: "files", ToolName: "summarise", CallID: "c1"}

func sample(t testing.TB, model llms.Model, opts *sampling.Options, params string) (*mcp.CreateMessageWithToolsResult, error) {
	t.Helper()
	return sampling.New(model, opts).OnSampling(t.Context(), whose, request(t, params))
}

// code returns the code that a server gets with an error, and 0 for none.
func code(t testing.TB, err error) int64 {
	t.Helper()
	if err == nil {
		return 0
	}
	wire, ok := err.(*jsonrpc.Error) // as the SDK looks at it
	if !ok {
		t.Fatalf("%T is no JSON-RPC error: %v", err, err)
	}
	return wire.Code
}

func toJSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}
