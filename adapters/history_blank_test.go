package adapters_test

import (
	"context"
	"testing"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/tools"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

// Anthropic refuses text that is nothing but white space, which some models
// write along with a call: it would be refused with each request from then on.
func TestBlankTextIsNotSentBack(t *testing.T) {
	tool := funcTool{"t", func(context.Context, string) (string, error) { return "ok", nil }}
	first := calls(llms.ToolCall{ID: "a", Type: "function", FunctionCall: &llms.FunctionCall{Name: "t", Arguments: "{}"}})
	first.Choices[0].Content = "\n\n"
	result, err := adapters.Run(t.Context(), script(first, answer(&llms.ContentChoice{Content: "done"})), ask("Well?"), []tools.Tool{tool}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range result.Messages {
		for _, part := range m.Parts {
			if text, ok := part.(llms.TextContent); ok && text.Text == "\n\n" {
				t.Errorf("the conversation has blank text: %v", m)
			}
		}
	}
}
