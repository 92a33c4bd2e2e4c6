package elicitation_test

import (
	"encoding/json"
	"slices"
	"testing"
	"unicode"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/langchaingo-mcp/mcpadapters/callbacks/elicitation"
)

// Whatever a server asks and a user types: no panic, the documented bounds
// hold, what Parse returns Validate accepts, and what Validate accepts the
// schema accepts.
func FuzzFields(f *testing.F) {
	f.Add([]byte(everything), "42")
	f.Add([]byte("null"), "")
	f.Add([]byte(everything), "Guitar, Piano")
	f.Add([]byte(`{"properties": {"a": {"anyOf": [{"type": "string", "pattern": "(a|b)*"}, {"type": "null"}]}}, "required": ["a"]}`), "abab")
	f.Add([]byte(`{"properties": {"a": {"type": "integer", "minimum": -1e300, "default": 1e15}}}`), "9007199254740993")
	f.Add([]byte(`{"properties": {"a": {"type": "object"}, "\u202e": {"enum": ["\u001b"]}}}`), "\x1b")
	f.Fuzz(func(t *testing.T, schema []byte, text string) {
		fields, err := elicitation.Fields(json.RawMessage(schema))
		if err != nil {
			printable(t, err)
			return
		}
		var decoded map[string]any
		if json.Unmarshal(schema, &decoded) == nil {
			again, err := elicitation.Fields(decoded)
			if err != nil || len(again) != len(fields) {
				t.Fatalf("decoded schema: %d fields, %v; raw: %d", len(again), err, len(fields))
			}
		}
		if len(fields) > 128 {
			t.Fatalf("%d fields", len(fields))
		}
		defaults := elicitation.Defaults(fields)
		content := map[string]any{}
		for _, field := range fields {
			if len(field.Choices) > 1000 {
				t.Fatalf("%d choices", len(field.Choices))
			}
			one := []elicitation.Field{field}
			if d, ok := defaults[field.Name]; ok {
				if err := elicitation.Validate(one, map[string]any{field.Name: d}); err != nil {
					t.Fatalf("default %#v: %v", d, err)
				}
				content[field.Name] = d
			}
			v, err := elicitation.Parse(field, text)
			switch {
			case err != nil:
				printable(t, err)
			case v == nil:
				if field.Required {
					t.Fatalf("no value and no error for required %q", field.Name)
				}
			default:
				if err := elicitation.Validate(one, map[string]any{field.Name: v}); err != nil {
					t.Fatalf("parsed %#v: %v", v, err)
				}
				content[field.Name] = v
			}
		}
		if err := elicitation.Validate(fields, content); err != nil {
			printable(t, err)
			return
		}
		agree(t, schema, content)
	})
}

// agree compares with a full JSON Schema validator, on the keywords that a form
// may use.
func agree(t *testing.T, schema []byte, content map[string]any) {
	t.Helper()
	var root map[string]json.RawMessage
	var properties map[string]map[string]any
	if json.Unmarshal(schema, &root) != nil || json.Unmarshal(root["properties"], &properties) != nil {
		return // nothing to compare
	}
	for key := range root {
		if !slices.Contains([]string{"type", "title", "description", "properties", "required", "$schema"}, key) {
			return
		}
	}
	for _, p := range properties {
		for key, value := range p {
			if items, ok := value.(map[string]any); ok && key == "items" && len(items) == 2 && items["type"] != nil && items["enum"] != nil {
				continue
			}
			if !slices.Contains([]string{"type", "title", "description", "minLength", "maxLength", "pattern", "format", "minimum", "maximum",
				"enum", "enumNames", "minItems", "maxItems", "default"}, key) {
				return
			}
		}
	}
	var s jsonschema.Schema
	if json.Unmarshal(schema, &s) != nil {
		return
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return
	}
	wire, err := json.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	var sent map[string]any
	if err := json.Unmarshal(wire, &sent); err != nil {
		t.Fatal(err)
	}
	if err := resolved.Validate(sent); err != nil {
		t.Fatalf("valid here, but the schema refuses %s: %v", wire, err)
	}
}

func printable(t *testing.T, err error) {
	t.Helper()
	for _, r := range err.Error() {
		if !unicode.IsPrint(r) {
			t.Fatalf("error %q holds %U", err.Error(), r)
		}
	}
}
