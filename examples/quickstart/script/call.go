package script

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"
)

// waits reports whether an argument comes from a step that is not done yet.
func (s step) waits(waiting map[string]bool) bool {
	for _, value := range s.arguments {
		if f, ok := value.(found); ok && waiting[f.tool] {
			return true
		}
	}
	return false
}

// call returns the call of the tool, as the schema among the offered ones
// wants it.
func (s step) call(offered []llms.Tool, matches map[string][]string) (llms.ToolCall, error) {
	i := slices.IndexFunc(offered, func(t llms.Tool) bool {
		return t.Function != nil && (t.Function.Name == s.tool || strings.HasSuffix(t.Function.Name, "_"+s.tool))
	})
	if i < 0 {
		return llms.ToolCall{}, fmt.Errorf("there is no such tool")
	}
	function := offered[i].Function
	schema, _ := function.Parameters.(map[string]any)
	properties, _ := schema["properties"].(map[string]any)
	arguments := map[string]any{}
	for name, value := range s.arguments {
		property, ok := properties[name].(map[string]any)
		if !ok {
			return llms.ToolCall{}, fmt.Errorf("its schema has no %q", name)
		}
		if f, ok := value.(found); ok {
			if matches[f.tool] == nil {
				return llms.ToolCall{}, fmt.Errorf("%s did not tell what is needed", f.tool)
			}
			value = typed(property, matches[f.tool][f.group])
		}
		arguments[name] = value
	}
	required, _ := schema["required"].([]any)
	for _, name := range required {
		if _, ok := arguments[fmt.Sprint(name)]; !ok {
			return llms.ToolCall{}, fmt.Errorf("its schema requires %q", name)
		}
	}
	data, err := json.Marshal(arguments)
	if err != nil {
		return llms.ToolCall{}, err
	}
	return llms.ToolCall{ID: s.tool, Type: "function", FunctionCall: &llms.FunctionCall{
		Name: function.Name, Arguments: string(data),
	}}, nil
}

// typed returns text as the type that a schema asks for.
func typed(schema map[string]any, text string) any {
	switch schema["type"] {
	case "number", "integer":
		return json.Number(text)
	default:
		return text
	}
}
