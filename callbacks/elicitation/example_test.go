package elicitation_test

import (
	"encoding/json"
	"fmt"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/callbacks/elicitation"
)

// A form is a loop over the fields.
func Example() {
	schema := json.RawMessage(`{
		"type": "object",
		"properties": {
			"name":  {"type": "string", "title": "Name on the card"},
			"years": {"type": "integer", "title": "Valid for", "minimum": 1, "maximum": 5, "default": 2},
			"kind":  {"type": "string", "oneOf": [{"const": "std", "title": "Standard"}, {"const": "kid", "title": "Children"}]}
		},
		"required": ["name", "kind"]
	}`)
	typed := map[string]string{"name": "Ada", "years": "9", "kind": "children"}

	fields, err := elicitation.Fields(schema)
	if err != nil {
		fmt.Println(err)
		return
	}
	content := elicitation.Defaults(fields)
	for _, f := range fields {
		value, err := elicitation.Parse(f, typed[f.Name])
		switch {
		case err != nil:
			fmt.Println(err)
		case value != nil:
			content[f.Name] = value
		}
	}
	fmt.Println(elicitation.Validate(fields, content))
	fmt.Println(content)
	// Output:
	// elicitation: answer: "years" must be at most 5
	// <nil>
	// map[kind:kid name:Ada years:2]
}

// Answer without a user, for tests and demonstrations.
func ExampleAcceptDefaults() {
	cb := callbacks.Callbacks{
		OnElicitation: elicitation.AcceptDefaults(map[string]any{"name": "Ada Lovelace"}),
	}
	fmt.Println(cb.OnElicitation != nil)
	// Output: true
}
