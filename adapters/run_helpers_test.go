package adapters_test

import (
	"context"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/tools"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
)

// calls is an answer that calls tools.
func calls(list ...llms.ToolCall) *llms.ContentResponse {
	return answer(&llms.ContentChoice{ToolCalls: list})
}

func script(answers ...*llms.ContentResponse) *scriptedModel { return &scriptedModel{answers: answers} }

func ask(text string) []llms.MessageContent {
	return []llms.MessageContent{message(llms.ChatMessageTypeHuman, llms.TextPart(text))}
}

// reply is the message with the response of a call.
func reply(id, name, text string) llms.MessageContent {
	return message(llms.ChatMessageTypeTool, llms.ToolCallResponse{ToolCallID: id, Name: name, Content: text})
}

// funcTool is a tool of langchaingo.
type funcTool struct {
	name string
	call func(ctx context.Context, input string) (string, error)
}

func (f funcTool) Name() string        { return f.name }
func (f funcTool) Description() string { return "It does." }
func (f funcTool) Call(ctx context.Context, input string) (string, error) {
	return f.call(ctx, input)
}

// mcpTool is a tool of a server whose handler is given.
func mcpTool(t testing.TB, name string, options adapters.ToolOptions, handler interceptors.Handler) tools.Tool {
	t.Helper()
	tool, err := adapters.NewTool(adapters.ToolConfig{
		Name: name, ServerName: "srv", Handler: handler, Options: options,
		Tool: &mcp.Tool{Name: name, InputSchema: map[string]any{"type": "object"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

// allEvents runs to the end and returns what happened.
func allEvents(t *testing.T, model llms.Model, list []tools.Tool, opts *adapters.RunOptions) ([]adapters.RunEvent, error) {
	t.Helper()
	var all []adapters.RunEvent
	var last error
	for event, err := range adapters.RunEvents(t.Context(), model, ask("Well?"), list, opts) {
		if err != nil && event.Kind != adapters.RunEnd {
			t.Errorf("%v comes with an error: %v", event.Kind, err)
		}
		all, last = append(all, event), err
	}
	if len(all) == 0 || all[len(all)-1].Kind != adapters.RunEnd {
		t.Fatal("there is no end")
	}
	return all, last
}
