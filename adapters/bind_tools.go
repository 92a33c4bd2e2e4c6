package adapters

import (
	"encoding/json"
	"strings"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/tools"
)

// textArgument is the one argument that langchaingo's functions agent knows. It
// unwraps it before it calls a tool.
const textArgument = "__arg1"

// A toolbox is the definitions of bound tools. It does not change.
type toolbox struct {
	order  []string // names, in the order of the tools
	byName map[string]llms.Tool
	texts  map[string]string // what a bare string is for a tool: its only required argument
}

// newToolbox takes the definitions of tools for a model, whose package passesOn
// schemas as they are or does not.
func newToolbox(list []tools.Tool, passesOn bool) *toolbox {
	b := &toolbox{byName: map[string]llms.Tool{}, texts: map[string]string{}}
	for _, tool := range list {
		if isNil(tool) {
			continue
		}
		definition := define(tool, passesOn)
		name := definition.Function.Name
		if _, twice := b.byName[name]; !twice {
			b.order = append(b.order, name)
		}
		b.byName[name] = definition
		b.texts[name] = soleText(definition.Function.Parameters)
	}
	return b
}

// define returns a tool's own definition, or that of a tool of text.
func define(tool tools.Tool, passesOn bool) llms.Tool {
	if t, ok := tool.(*Tool); ok && passesOn {
		return t.definitionPassedOn()
	}
	if d, ok := tool.(interface{ Definition() llms.Tool }); ok {
		if definition := d.Definition(); definition.Function != nil {
			return definition
		}
	}
	return llms.Tool{Type: "function", Function: &llms.FunctionDefinition{
		Name:        tool.Name(),
		Description: tool.Description(),
		Parameters: map[string]any{
			"type":       "object",
			"properties": map[string]any{textArgument: map[string]any{"type": "string"}},
			"required":   []any{textArgument},
		},
	}}
}

// soleText returns the name of the only required argument if it is a string, and
// textArgument otherwise.
func soleText(parameters any) string {
	schema, _ := parameters.(map[string]any)
	required := anyList(schema["required"])
	if len(required) != 1 {
		return textArgument
	}
	name, _ := required[0].(string)
	properties, _ := schema["properties"].(map[string]any)
	property, _ := properties[name].(map[string]any)
	if property["type"] != "string" {
		return textArgument
	}
	return name
}

// offer turns functions into tools, and adds the bound ones to options that say
// nothing about tools.
func (b *toolbox) offer(co *llms.CallOptions) {
	if co.ToolChoice == nil {
		co.ToolChoice = choiceOf(co.FunctionCallBehavior)
	}
	if co.Functions == nil && co.Tools == nil && !isNone(co.ToolChoice) {
		co.Tools = b.all()
	}
	if len(co.Functions) > 0 {
		given := map[string]bool{}
		all := make([]llms.Tool, 0, len(co.Tools)+len(co.Functions))
		for _, tool := range co.Tools {
			if all = append(all, tool); tool.Function != nil {
				given[tool.Function.Name] = true
			}
		}
		for _, function := range co.Functions {
			if !given[function.Name] { // twice the same name fails the request
				given[function.Name] = true
				all = append(all, b.tool(function))
			}
		}
		co.Tools = all
	}
	co.Functions, co.FunctionCallBehavior = nil, ""
	if len(co.Tools) == 0 {
		co.Tools, co.ToolChoice = nil, nil // OpenAI refuses a choice among no tools
	}
}

// tool returns the tool that a function stands for.
func (b *toolbox) tool(function llms.FunctionDefinition) llms.Tool {
	if _, ok := b.byName[function.Name]; ok {
		return b.copy(function.Name)
	}
	// langchaingo's Google converter takes plain maps only.
	function.Parameters = NormalizeSchema(function.Parameters, SchemaRaw)
	return llms.Tool{Type: "function", Function: &function}
}

// all returns the bound tools, or nil.
func (b *toolbox) all() []llms.Tool {
	var all []llms.Tool
	for _, name := range b.order {
		all = append(all, b.copy(name))
	}
	return all
}

// standIns returns tools for a request that must have some because its history
// speaks of those called: the bound ones, or else ones without arguments.
func (b *toolbox) standIns(called []string) []llms.Tool {
	if len(called) > 0 && len(b.order) > 0 {
		return b.all()
	}
	var all []llms.Tool
	for _, name := range called {
		all = append(all, llms.Tool{Type: "function", Function: &llms.FunctionDefinition{
			Name: name, Description: "Not available any more.", Parameters: emptyObjectSchema(),
		}})
	}
	return all
}

// copy returns a definition of which the caller may change all but the schema.
func (b *toolbox) copy(name string) llms.Tool {
	tool := b.byName[name]
	function := *tool.Function
	tool.Function = &function
	return tool
}

// choiceOf returns the tool choice that a function call behaviour means.
func choiceOf(behavior llms.FunctionCallBehavior) any {
	if behavior == "" {
		return nil
	}
	var function llms.FunctionReference
	if json.Unmarshal([]byte(behavior), &function) == nil && function.Name != "" {
		return llms.ToolChoice{Type: "function", Function: &function}
	}
	return string(behavior)
}

func isNone(choice any) bool {
	const none = string(llms.FunctionCallBehaviorNone)
	switch choice := choice.(type) {
	case string:
		return choice == none
	case llms.FunctionCallBehavior:
		return string(choice) == none
	case llms.ToolChoice:
		return choice.Type == none
	case *llms.ToolChoice:
		return choice != nil && choice.Type == none
	default:
		return false
	}
}

// arguments returns the arguments of a past call as a JSON object, which the
// providers demand. What the functions agent keeps of a call is the text that it
// has given to the tool.
func (b *toolbox) arguments(name, text string) string {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" || trimmed == "null" {
		return "{}"
	}
	if trimmed[0] == '{' && json.Valid([]byte(trimmed)) {
		return text
	}
	key := textArgument
	if sole := b.texts[name]; sole != "" && !strings.ContainsRune("{[", rune(trimmed[0])) {
		key = sole
	}
	return compactJSON(map[string]any{key: text})
}
