package adapters_test

import (
	"fmt"
	"testing"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

// A schema that is too large to be merged in full must not rule out what was
// left out.
func TestSchemaBeyondTheBudgetIsOpen(t *testing.T) {
	many := map[string]any{}
	for i := range 3000 {
		many[fmt.Sprint("p", i)] = map[string]any{"type": "string"}
	}
	var parts []any
	for range 6 {
		parts = append(parts, map[string]any{"properties": many})
	}
	parts = append(parts, map[string]any{"properties": map[string]any{"last": map[string]any{"type": "string"}}})
	for _, profile := range []adapters.SchemaProfile{adapters.SchemaOpenAI, adapters.SchemaAnthropic} {
		got := adapters.NormalizeSchema(map[string]any{"type": "object", "allOf": parts, "unevaluatedProperties": false}, profile)
		if _, shown := got["properties"].(map[string]any)["last"]; !shown && got["additionalProperties"] == false {
			t.Errorf("%s: the last property can not be given", profile)
		}
	}
}
