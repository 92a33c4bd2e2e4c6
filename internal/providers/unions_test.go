package providers_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/tools"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
	"github.com/langchaingo-mcp/mcpadapters/internal/fakemodels"
)

// A union goes to the model as one where langchaingo's package sends it, and
// otherwise as text that holds the JSON. The tool gets the same in both cases.
func TestUnionsOfTypes(t *testing.T) {
	providers := all()
	providers["vertex"] = provider{start: fakemodels.Gemini, model: newVertex}
	for name, p := range providers {
		t.Run(name, func(t *testing.T) {
			var got []map[string]any
			tool := must[*adapters.Tool](t)(adapters.NewTool(adapters.ToolConfig{
				Name: "set", ServerName: "srv",
				Tool: &mcp.Tool{Name: "set", InputSchema: map[string]any{
					"type": "object", "required": []any{"value"},
					"properties": map[string]any{"value": map[string]any{"description": "The value.", "anyOf": []any{
						map[string]any{"type": "number"}, map[string]any{"type": "boolean"},
						map[string]any{"type": "object", "properties": map[string]any{"unit": map[string]any{"type": "string"}}},
					}}},
				}},
				Handler: func(_ context.Context, req *interceptors.Request) (*mcp.CallToolResult, error) {
					got = append(got, req.Arguments)
					return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "set"}}}, nil
				},
			}))
			google := name == "gemini" || name == "vertex"
			shown := func(r *fakemodels.Request) error {
				value := r.Tool("set").Schema["properties"].(map[string]any)["value"].(map[string]any)
				if union, _ := value["anyOf"].([]any); (len(union) == 3) == google {
					return fmt.Errorf("the value is offered as %v", value)
				}
				return nil
			}
			value := func(v any, text string) fakemodels.Call {
				if google {
					v = text
				}
				return callOf("set", "value", v)
			}
			endpoint := p.start(t,
				fakemodels.Turn{Check: shown, Calls: []fakemodels.Call{value(false, "false"), value(2.5, "2.5"), value(map[string]any{"unit": "m"}, `{"unit":"m"}`)}},
				fakemodels.Turn{Text: "ok"},
			)
			result, err := adapters.Run(t.Context(), p.model(t, endpoint.URL), []llms.MessageContent{say(llms.ChatMessageTypeHuman, "?")}, []tools.Tool{tool}, &adapters.RunOptions{MaxConcurrent: 1})
			if err != nil || result.Answer != "ok" {
				t.Fatalf("got %v, %v, refused %q", result.Answer, err, endpoint.Refused())
			}
			if want := "[map[value:false] map[value:2.5] map[value:map[unit:m]]]"; fmt.Sprint(got) != want {
				t.Errorf("the tool got %v", got)
			}
		})
	}
}
