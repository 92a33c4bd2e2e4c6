package adapters

import (
	"encoding/json"
	"strings"

	"github.com/tmc/langchaingo/llms"
)

// flatCalls says, by tool, which arguments are given as JSON text.
type flatCalls map[string]map[string]bool

// flatten rewrites tools for a package that sends nothing of a property but its
// type and description, as langchaingo's vertex does. Gemini refuses an array
// without items, and guesses at objects without properties: such arguments become
// strings that hold JSON, with the schema in the description. [flatCalls.restore]
// undoes it in the calls. Schemas that are given are not changed.
func flatten(tools []llms.Tool) ([]llms.Tool, flatCalls) {
	flat := flatCalls{}
	all := make([]llms.Tool, len(tools))
	for i, tool := range tools {
		all[i] = tool
		if tool.Function == nil {
			continue
		}
		function := *tool.Function
		root := NormalizeSchema(function.Parameters, SchemaRaw)
		properties, _ := root["properties"].(map[string]any)
		for name, v := range properties {
			property, ok := v.(map[string]any)
			if !ok || isScalarType(property["type"]) {
				continue
			}
			description, _ := property["description"].(string)
			if flat[function.Name] == nil {
				flat[function.Name] = map[string]bool{}
			}
			flat[function.Name][name] = true
			properties[name] = map[string]any{
				"type":        "string",
				"description": strings.TrimSpace(description + "\nJSON text of this schema: " + compactJSON(property)),
			}
		}
		function.Parameters = root
		all[i].Function = &function
	}
	return all, flat
}

func isScalarType(v any) bool {
	switch v {
	case "string", "number", "integer", "boolean":
		return true
	}
	return false
}

// restore puts what JSON text stands for into the arguments of calls. Text that
// is no JSON stays what it is: the tool will say what it wanted.
func (f flatCalls) restore(calls []llms.ToolCall) {
	for i, call := range calls {
		names := f[call.FunctionCall.Name]
		value, rest, err := decodeFirst(strings.TrimSpace(call.FunctionCall.Arguments))
		object, ok := value.(map[string]any)
		if err != nil || rest != "" || !ok {
			continue
		}
		changed := false
		for name := range names {
			text, ok := object[name].(string)
			if !ok || !json.Valid([]byte(text)) {
				continue
			}
			if inner, _, err := decodeFirst(strings.TrimSpace(text)); err == nil {
				object[name], changed = inner, true
			}
		}
		if changed {
			function := *call.FunctionCall
			function.Arguments = compactJSON(object)
			calls[i].FunctionCall = &function
		}
	}
}
