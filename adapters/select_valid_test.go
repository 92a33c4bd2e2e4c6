package adapters

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/interceptors"
)

// Hiding an argument must not rule out calls that the server takes: neither by
// what is shown nor by the full check.
func TestHiddenArgumentLeavesValidCalls(t *testing.T) {
	const location = `{"type":"object","properties":{"id":{"type":"string"},"n":{"type":"integer"}},"required":["id"],"additionalProperties":false}`
	for _, c := range []struct {
		name, schema, fixed, input string
		shown                      []string // a property that the model has to see
	}{
		{"shared definition", `{"type":"object","properties":{"from":{"$ref":"#/$defs/L"},"to":{"$ref":"#/$defs/L"}},"$defs":{"L":` + location + `}}`,
			"/from/id", `{"from":{},"to":{"id":"b"}}`, []string{"to", "id"}},
		{"reference to a property", `{"type":"object","properties":{"from":` + location + `,"to":{"$ref":"#/properties/from"}}}`,
			"/from/id", `{"from":{},"to":{"id":"b"}}`, []string{"to", "id"}},
		{"reference to a hidden property", `{"type":"object","properties":{"from":` + location + `,"to":{"$ref":"#/properties/from"}}}`,
			"from", `{"to":{"id":"b"}}`, []string{"to", "id"}},
		{"reference to the whole", `{"type":"object","properties":{"id":{"type":"string"},"child":{"$ref":"#"}},"required":["id"],"additionalProperties":false}`,
			"/child/id", `{"id":"b"}`, []string{"id"}},
		{"discriminator", `{"type":"object","properties":{"x":{"type":"string"}},"oneOf":[{"properties":{"kind":{"const":"a"}},"required":["kind","x"]},{"properties":{"kind":{"const":"b"}},"required":["kind"]}]}`,
			"kind", `{"x":"1"}`, nil},
		{"condition", `{"type":"object","properties":{"kind":{},"x":{}},"if":{"properties":{"kind":{"const":"b"}}},"then":{"required":["y"]}}`, "kind", `{"x":"1"}`, nil},
		{"not", `{"type":"object","properties":{"kind":{},"x":{}},"not":{"properties":{"kind":{"const":"b"}}}}`, "kind", `{"x":"1"}`, nil},
		{"minProperties", `{"type":"object","properties":{"kind":{},"x":{}},"minProperties":2}`, "kind", `{"x":"1"}`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var schema map[string]any
			if err := json.Unmarshal([]byte(c.schema), &schema); err != nil {
				t.Fatal(err)
			}
			cfg, err := ToolChange{Fixed: map[string]any{c.fixed: "a"}}.Apply(ToolConfig{
				Name: "t", Tool: &mcp.Tool{Name: "t", InputSchema: schema}, Options: ToolOptions{ArgumentCheck: CheckFull},
				Handler: func(context.Context, *interceptors.Request) (*mcp.CallToolResult, error) {
					return textResult("ran"), nil
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			tool, err := NewTool(cfg)
			if err != nil {
				t.Fatal(err)
			}
			if text, err := tool.Call(t.Context(), c.input); err != nil || text != "ran" {
				t.Errorf("%s: %q, %v", c.input, text, err)
			}
			at := tool.Schema()
			for _, name := range c.shown {
				properties, _ := at["properties"].(map[string]any)
				if at, _ = properties[name].(map[string]any); at == nil {
					t.Errorf("%v is not shown: %s", c.shown, compactJSON(tool.Schema()))
					break
				}
			}
		})
	}
}
