package elicitation_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/langchaingo-mcp/mcpadapters/callbacks/elicitation"
)

func ptr[T any](v T) *T { return &v }

// everything holds every kind of field, as the reference server of the
// protocol asks for them.
const everything = `{
  "type": "object",
  "properties": {
    "name": {"title": "String", "type": "string", "description": "Your full, legal name", "minLength": 2, "maxLength": 20},
    "check": {"title": "Boolean", "type": "boolean", "description": "Agree to the terms"},
    "firstLine": {"type": "string", "title": "First line", "default": "It was a dark and stormy night."},
    "email": {"type": "string", "title": "Email", "format": "email"},
    "homepage": {"type": "string", "format": "uri", "title": "Homepage"},
    "birthdate": {"title": "Birthdate", "type": "string", "format": "date"},
    "code": {"type": "string", "pattern": "^[A-Z]{3}$"},
    "integer": {"title": "Integer", "type": "integer", "minimum": 1, "maximum": 100, "default": 42},
    "number": {"title": "Number", "type": "number", "minimum": 0, "maximum": 1000, "default": 3.14},
    "single": {"type": "string", "title": "Friend", "enum": ["Monica", "Rachel"], "default": "Monica"},
    "multiple": {"type": "array", "minItems": 1, "maxItems": 3, "items": {"type": "string", "enum": ["Guitar", "Piano", "Drums"]}, "default": ["Guitar"]},
    "titledSingle": {"type": "string", "oneOf": [{"const": "hero-1", "title": "Superman"}, {"const": "hero-2", "title": "Green Lantern"}], "default": "hero-1"},
    "titledMultiple": {"type": "array", "items": {"anyOf": [{"const": "fish-1", "title": "Tuna"}, {"const": "fish-2", "title": "Salmon"}]}, "default": ["fish-1"]},
    "legacy": {"type": "string", "enum": ["pet-1", "pet-2"], "enumNames": ["Cats", "Dogs"], "default": "pet-1"}
  },
  "required": ["name"]
}`

func TestFieldsReadsEveryKind(t *testing.T) {
	got, err := elicitation.Fields(json.RawMessage(everything))
	if err != nil {
		t.Fatal(err)
	}
	want := []elicitation.Field{
		{Name: "name", Title: "String", Description: "Your full, legal name", Kind: elicitation.String, Required: true, MinLength: ptr(2), MaxLength: ptr(20)},
		{Name: "check", Title: "Boolean", Description: "Agree to the terms", Kind: elicitation.Boolean},
		{Name: "firstLine", Title: "First line", Kind: elicitation.String, Default: "It was a dark and stormy night."},
		{Name: "email", Title: "Email", Kind: elicitation.String, Format: "email"},
		{Name: "homepage", Title: "Homepage", Kind: elicitation.String, Format: "uri"},
		{Name: "birthdate", Title: "Birthdate", Kind: elicitation.String, Format: "date"},
		{Name: "code", Title: "code", Kind: elicitation.String, Pattern: "^[A-Z]{3}$"},
		{Name: "integer", Title: "Integer", Kind: elicitation.Integer, Minimum: ptr(1.0), Maximum: ptr(100.0), Default: int64(42)},
		{Name: "number", Title: "Number", Kind: elicitation.Number, Minimum: ptr(0.0), Maximum: ptr(1000.0), Default: 3.14},
		{Name: "single", Title: "Friend", Kind: elicitation.SingleChoice, Choices: []elicitation.Choice{{"Monica", "Monica"}, {"Rachel", "Rachel"}}, Default: "Monica"},
		{Name: "multiple", Title: "multiple", Kind: elicitation.MultipleChoice, MinItems: ptr(1), MaxItems: ptr(3), Choices: []elicitation.Choice{{"Guitar", "Guitar"}, {"Piano", "Piano"}, {"Drums", "Drums"}}, Default: []string{"Guitar"}},
		{Name: "titledSingle", Title: "titledSingle", Kind: elicitation.SingleChoice, Choices: []elicitation.Choice{{"hero-1", "Superman"}, {"hero-2", "Green Lantern"}}, Default: "hero-1"},
		{Name: "titledMultiple", Title: "titledMultiple", Kind: elicitation.MultipleChoice, Choices: []elicitation.Choice{{"fish-1", "Tuna"}, {"fish-2", "Salmon"}}, Default: []string{"fish-1"}},
		{Name: "legacy", Title: "legacy", Kind: elicitation.SingleChoice, Choices: []elicitation.Choice{{"pet-1", "Cats"}, {"pet-2", "Dogs"}}, Default: "pet-1"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("fields (-want +got):\n%s", diff)
	}
}

func TestFieldsOrder(t *testing.T) {
	const schema = `{"properties": {"b": {"type": "string"}, "d": {"type": "string"}, "a": {"type": "string"}, "c": {"type": "string"}}, "required": ["d", "c", "d"]}`
	var decoded map[string]any
	if err := json.Unmarshal([]byte(schema), &decoded); err != nil {
		t.Fatal(err)
	}
	typed := &jsonschema.Schema{
		Properties:    map[string]*jsonschema.Schema{"b": {Type: "string"}, "d": {Type: "string"}, "a": {Type: "string"}},
		PropertyOrder: []string{"d", "a", "b"},
	}
	for _, tc := range []struct {
		name   string
		schema any
		want   []string
	}{
		{"raw message", json.RawMessage(schema), []string{"b", "d", "a", "c"}},
		{"bytes", []byte(schema), []string{"b", "d", "a", "c"}},
		{"typed schema with an order", typed, []string{"d", "a", "b"}},
		{"map", decoded, []string{"d", "c", "a", "b"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			fields, err := elicitation.Fields(tc.schema)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range fields {
				got = append(got, f.Name)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("order (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFieldsOfNothing(t *testing.T) {
	for _, schema := range []any{nil, json.RawMessage("null"), []byte(" null\n"), (*jsonschema.Schema)(nil), map[string]any{}, json.RawMessage(`{"type":"object","properties":null,"required":[]}`)} {
		fields, err := elicitation.Fields(schema)
		if err != nil || len(fields) != 0 {
			t.Errorf("Fields(%#v) = %v, %v; want none", schema, fields, err)
		}
	}
}

// Generators say "or null", spell choices in several ways, repeat them and give
// defaults that their own schema refuses.
func TestFieldsIsLenientWhereTheMeaningIsCertain(t *testing.T) {
	ab := []elicitation.Choice{{"a", "a"}, {"b", "b"}}
	for _, tc := range []struct {
		property string
		want     elicitation.Field
	}{
		{`{"type": ["string", "null"]}`, elicitation.Field{Kind: elicitation.String}},
		{`{"anyOf": [{"type": "null"}, {"type": "integer", "maximum": 9, "title": "inner"}], "title": "outer", "default": null}`,
			elicitation.Field{Kind: elicitation.Integer, Maximum: ptr(9.0), Title: "outer"}},
		{`{"enum": ["a", "b", "a"]}`, elicitation.Field{Kind: elicitation.SingleChoice, Choices: ab}},
		{`{"type": "string", "anyOf": [{"const": "a"}, {"const": "b", "title": ""}]}`, elicitation.Field{Kind: elicitation.SingleChoice, Choices: ab}},
		{`{"type": "array", "items": {"oneOf": [{"const": "a"}, {"const": "b"}]}}`, elicitation.Field{Kind: elicitation.MultipleChoice, Choices: ab}},
		{`{"type": "string", "enum": ["a", "b"], "default": "c"}`, elicitation.Field{Kind: elicitation.SingleChoice, Choices: ab}},
		{`{"type": "integer", "minimum": 5, "default": 4}`, elicitation.Field{Kind: elicitation.Integer, Minimum: ptr(5.0)}},
		{`{"type": "integer", "default": 1.5}`, elicitation.Field{Kind: elicitation.Integer}},
		{`{"type": "integer", "default": 1e3}`, elicitation.Field{Kind: elicitation.Integer, Default: int64(1000)}},
		{`{"type": "integer", "default": 9223372036854775807}`, elicitation.Field{Kind: elicitation.Integer, Default: int64(9223372036854775807)}},
		{`{"type": "string", "default": 5}`, elicitation.Field{Kind: elicitation.String}},
		{`{"type": "string", "format": "date", "default": "today"}`, elicitation.Field{Kind: elicitation.String, Format: "date"}},
		{`{"type": "boolean", "default": false, "x-hint": {"any": "thing"}}`, elicitation.Field{Kind: elicitation.Boolean, Default: false}},
		{`{"type": "string", "minLength": 3.0, "Type": "object"}`, elicitation.Field{Kind: elicitation.String, MinLength: ptr(3)}},
	} {
		t.Run(tc.property, func(t *testing.T) {
			got, err := elicitation.Fields(json.RawMessage(`{"properties": {"p": ` + tc.property + `}}`))
			if err != nil {
				t.Fatal(err)
			}
			tc.want.Name = "p"
			if tc.want.Title == "" {
				tc.want.Title = "p"
			}
			if diff := cmp.Diff([]elicitation.Field{tc.want}, got); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
		})
	}
}

func TestFieldsRefusesAProperty(t *testing.T) {
	for _, tc := range []struct{ property, want string }{
		{`{"type": "object", "properties": {}}`, `is of type "object"`},
		{`{"type": "array"}`, "without items"},
		{`{"type": "array", "items": true}`, "items that are not an object"},
		{`{"type": "array", "items": {"type": "string"}}`, "something other than choices"},
		{`{"type": "array", "items": {"type": "integer", "enum": [1]}}`, "something other than choices"},
		{`{"type": "array", "items": {"enum": [1]}}`, "choice that is not a string, number 1"},
		{`{"type": "array", "minItems": 3, "items": {"enum": ["a", "a", "b"]}}`, "minItems 3 but only 2 choices"},
		{`{"type": "array", "minItems": 2, "maxItems": 1, "items": {"enum": ["a", "b"]}}`, "minItems 2 above maxItems 1"},
		{`{"type": "null"}`, "may be of 0 types"},
		{`{"type": ["string", "integer"]}`, "may be of 2 types"},
		{`{"type": 5}`, "type that is not a string"},
		{`{}`, "has no type"},
		{`true`, "not described by an object"},
		{`{"$ref": "#/$defs/x"}`, "has no type"},
		{`{"type": "integer", "enum": [1, 2]}`, `choices of type "integer"`},
		{`{"type": "string", "enum": []}`, "offers 0 choices"},
		{`{"type": "string", "enum": "a"}`, "enum that is not a list"},
		{`{"type": "string", "enum": [null]}`, "not a string, number 1"},
		{`{"type": "string", "enum": ["a", "b"], "enumNames": ["A"]}`, "enumNames"},
		{`{"type": "string", "oneOf": [{"const": "a"}, {"title": "B"}]}`, "without a const that is a string, number 2"},
		{`{"type": "string", "oneOf": ["a"]}`, "without a const that is a string, number 1"},
		{`{"type": "string", "oneOf": [{"const": "a", "title": 5}]}`, "title that is not a string, number 1"},
		{`{"type": "string", "title": 5}`, "title that is not a string"},
		{`{"type": "string", "minLength": -1}`, "minLength that is not a whole number"},
		{`{"type": "string", "maxLength": 1.5}`, "maxLength that is not a whole number"},
		{`{"type": "string", "maxLength": 1e300}`, "maxLength that is not a whole number"},
		{`{"type": "string", "minLength": 2, "maxLength": 1}`, "minLength 2 above maxLength 1"},
		{`{"type": "number", "minimum": "1"}`, "minimum that is not a number"},
		{`{"type": "number", "minimum": 2, "maximum": 1}`, "minimum 2 above maximum 1"},
		{`{"type": "string", "pattern": "(?=a)"}`, "not in RE2 syntax"},
		{`{"type": "string", "pattern": "((a{100}){100}){30}"}`, "not in RE2 syntax"},
		{`{"type": "string", "pattern": "(abcdefghij){1000}"}`, "repeats too much"},
		{`{"type": "string", "pattern": "` + strings.Repeat("a", 513) + `"}`, "a pattern of 513 bytes"},
		{`{"type": "string", "type": "integer"}`, `the key "type" twice`},
	} {
		t.Run(tc.property[:min(len(tc.property), 60)], func(t *testing.T) {
			fields, err := elicitation.Fields(json.RawMessage(`{"properties": {"ok": {"type": "string"}, "bad\u001b": ` + tc.property + `}}`))
			if fields != nil {
				t.Errorf("fields = %v, want none", fields)
			}
			var e *elicitation.Error
			if !errors.As(err, &e) {
				t.Fatalf("err = %v, want an *elicitation.Error", err)
			}
			if len(e.Fields) != 1 || e.Fields[0].Name != "bad\x1b" || !strings.Contains(e.Fields[0].Problem, tc.want) {
				t.Errorf("fields of the error = %+v, want one with %q", e.Fields, tc.want)
			}
			if msg := err.Error(); strings.Contains(msg, "\x1b") || !strings.Contains(msg, `"bad\x1b"`) {
				t.Errorf("message %q does not quote the name", msg)
			}
		})
	}
}

func TestFieldsRefusesASchema(t *testing.T) {
	many := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `"p%d": {"type": "string"},`, i)
		}
		return strings.TrimSuffix(b.String(), ",")
	}
	for _, tc := range []struct {
		name   string
		schema any
		want   string
	}{
		{"no JSON", json.RawMessage(`{"properties"`), "not a JSON object"},
		{"a list", json.RawMessage(`[]`), "not a JSON object"},
		{"empty", json.RawMessage(``), "not a JSON object"},
		{"cut in a value", json.RawMessage(`{"a": [1`), "not a JSON object"},
		{"something after it", json.RawMessage(`{} {}`), "something follows"},
		{"not encodable", map[string]any{"f": func() {}}, "is no JSON"},
		{"other type", json.RawMessage(`{"type": "array"}`), `not of type "object"`},
		{"properties a list", json.RawMessage(`{"properties": []}`), `"properties" that are not an object`},
		{"required a string", json.RawMessage(`{"required": "a"}`), `"required" that is not a list`},
		{"required not described", json.RawMessage(`{"properties": {}, "required": ["ghost"]}`), `"ghost" is required but not described`},
		{"a property twice", json.RawMessage(`{"properties": {"a": {"type": "string"}, "a": {"type": "string"}}}`), `the key "a" twice`},
		{"too many fields", json.RawMessage(`{"properties": {` + many(129) + `}}`), "asks for 129 fields"},
		{"too many required", json.RawMessage(`{"required": [` + strings.Repeat(`"a",`, 128) + `"a"]}`), "requires 129 fields"},
		{"too many choices", json.RawMessage(`{"properties": {"a": {"enum": [` + strings.Repeat(`"a",`, 1000) + `"a"]}}}`), "offers 1001 choices"},
		{"too large", json.RawMessage(`{"title": "` + strings.Repeat("x", 256<<10) + `"}`), "more than 262144"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			fields, err := elicitation.Fields(tc.schema)
			var e *elicitation.Error
			if !errors.As(err, &e) || fields != nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("Fields = %v, %v; want an error with %q", fields, err, tc.want)
			}
		})
	}
	if _, err := elicitation.Fields(json.RawMessage(`{"properties": {` + many(128) + `}}`)); err != nil {
		t.Errorf("128 fields: %v", err)
	}
}

func TestFieldsNamesEveryBadProperty(t *testing.T) {
	_, err := elicitation.Fields(json.RawMessage(`{"properties": {"a": {"type": "object"}, "b": {"type": "string"}, "c": {}}}`))
	const want = `elicitation: requested schema: "a" is of type "object": a form asks for strings, numbers, integers, booleans and arrays of choices; "c" has no type`
	if err == nil || err.Error() != want {
		t.Errorf("err = %v\nwant  %s", err, want)
	}
}
