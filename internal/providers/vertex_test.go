package providers_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/googleai"
	"github.com/tmc/langchaingo/llms/googleai/vertex"
	"github.com/tmc/langchaingo/tools"
	"google.golang.org/api/option"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
	"github.com/langchaingo-mcp/mcpadapters/internal/fakemodels"
)

func newVertex(t *testing.T, url string) llms.Model {
	model, err := vertex.New(t.Context(), googleai.WithCloudProject("p"), googleai.WithCloudLocation("us-central1"), googleai.WithRest(),
		googleai.WithDefaultModel("gemini-2.0-flash"), func(o *googleai.Options) {
			o.ClientOptions = append(o.ClientOptions, option.WithEndpoint(url), option.WithoutAuthentication())
		})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = model.Close() })
	return model
}

// Vertex's package sends only the type and the description of a property: what is
// nested goes as JSON text, and comes to the tool as what it stands for.
func TestVertexNestedArguments(t *testing.T) {
	var got map[string]any
	tool, err := adapters.NewTool(adapters.ToolConfig{
		Name: "put", ServerName: "srv",
		Tool: &mcp.Tool{Name: "put", InputSchema: map[string]any{
			"type": "object", "required": []any{"rows"},
			"properties": map[string]any{
				"rows":  map[string]any{"type": "array", "description": "The rows.", "items": map[string]any{"type": "object", "properties": map[string]any{"n": map[string]any{"type": "integer"}}}},
				"where": map[string]any{"type": "object", "properties": map[string]any{"x": map[string]any{"type": "number"}}},
				"name":  map[string]any{"type": "string"},
			},
		}},
		Handler: func(_ context.Context, req *interceptors.Request) (*mcp.CallToolResult, error) {
			got = req.Arguments
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "put"}}}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	flat := func(r *fakemodels.Request) error {
		rows, _ := r.Tool("put").Schema["properties"].(map[string]any)["rows"].(map[string]any)
		if description := fmt.Sprint(rows["description"]); !strings.HasPrefix(description, "The rows.\nJSON text") || !strings.Contains(description, `"n"`) {
			return fmt.Errorf("rows are offered as %v", rows)
		}
		return nil
	}
	endpoint := fakemodels.Gemini(t,
		fakemodels.Turn{Check: flat, Calls: []fakemodels.Call{{Tool: "put", Arguments: map[string]any{
			"rows": `[{"n":12345678901234567890}]`, "where": map[string]any{"x": 1}, "name": `["not", "nested"]`,
		}}}},
		fakemodels.Turn{Check: fakemodels.LastResults("put"), Calls: []fakemodels.Call{callOf("put", "rows", "[1")}},
		fakemodels.Turn{Check: fakemodels.LastResults(`"rows" must be array`), Text: "ok"},
	)
	result, err := adapters.Run(t.Context(), newVertex(t, endpoint.URL), []llms.MessageContent{say(llms.ChatMessageTypeHuman, "?")}, []tools.Tool{tool}, nil)
	if err != nil || result.Answer != "ok" {
		t.Fatalf("got %v, %v, refused %q", result.Answer, err, endpoint.Refused())
	}
	if want := `map[name:["not", "nested"] rows:[map[n:12345678901234567890]] where:map[x:1]]`; fmt.Sprint(got) != want {
		t.Errorf("the tool got %v", got)
	}
}
