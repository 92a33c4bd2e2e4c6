package elicitation_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks/elicitation"
)

func field(t *testing.T, property string) elicitation.Field {
	t.Helper()
	fields, err := elicitation.Fields(json.RawMessage(`{"properties": {"p": ` + property + `}}`))
	if err != nil {
		t.Fatal(err)
	}
	return fields[0]
}

func TestValidateOneField(t *testing.T) {
	for _, tc := range []struct {
		property string
		value    any
		want     string // "" is well
	}{
		{`{"type": "string"}`, "", ""},
		{`{"type": "string"}`, 5, "must be a text"},
		{`{"type": "string"}`, nil, "is null"},
		{`{"type": "string", "minLength": 2, "maxLength": 3}`, "é", "at least 2 characters"},
		{`{"type": "string", "minLength": 2, "maxLength": 3}`, "éèê", ""},
		{`{"type": "string", "minLength": 1}`, "", "at least 1 character"},
		{`{"type": "string", "maxLength": 3}`, "four", "at most 3 characters"},
		{`{"type": "string", "pattern": "b"}`, "abc", ""},
		{`{"type": "string", "pattern": "^b$"}`, "abc", `must match the pattern "^b$"`},
		{`{"type": "string", "format": "email"}`, "ada@example.com", ""},
		{`{"type": "string", "format": "email"}`, "Ada <ada@example.com>", "e-mail"},
		{`{"type": "string", "format": "email"}`, "ada", "e-mail"},
		{`{"type": "string", "format": "uri"}`, "https://example.com/a?b#c", ""},
		{`{"type": "string", "format": "uri"}`, "mailto:ada@example.com", ""},
		{`{"type": "string", "format": "uri"}`, "/relative", "full URI"},
		{`{"type": "string", "format": "uri"}`, "http://a b", "full URI"},
		{`{"type": "string", "format": "date"}`, "2024-02-29", ""},
		{`{"type": "string", "format": "date"}`, "2023-02-29", "date such as"},
		{`{"type": "string", "format": "date-time"}`, "2024-02-29T10:00:00.5+01:00", ""},
		{`{"type": "string", "format": "date-time"}`, "2024-02-29 10:00", "date and time"},
		{`{"type": "string", "format": "hostname"}`, "?", ""},
		{`{"type": "number", "minimum": 0.5, "maximum": 2}`, 0.5, ""},
		{`{"type": "number", "minimum": 0.5, "maximum": 2}`, 0.4, "at least 0.5"},
		{`{"type": "number", "maximum": 2}`, float32(2.5), "at most 2"},
		{`{"type": "number", "maximum": 9007199254740991}`, 1e17, "at most 9.007199254740991e+15"},
		{`{"type": "number"}`, 7, ""},
		{`{"type": "number"}`, json.Number("7.5"), ""},
		{`{"type": "number"}`, json.Number("seven"), "must be a number"},
		{`{"type": "number"}`, math.NaN(), "must be a number"},
		{`{"type": "number"}`, math.Inf(1), "must be a number"},
		{`{"type": "number"}`, "7", "must be a number"},
		{`{"type": "number"}`, []string{}, "must be a number"},
		{`{"type": "integer"}`, 7.0, ""},
		{`{"type": "integer"}`, uint8(7), ""},
		{`{"type": "integer"}`, json.Number("9223372036854775807"), ""},
		{`{"type": "integer"}`, json.Number("7.0"), ""},
		{`{"type": "integer"}`, 7.5, "whole number"},
		{`{"type": "integer"}`, 1e19, "whole number"},
		{`{"type": "integer"}`, uint64(math.MaxUint64), "whole number"},
		{`{"type": "integer", "minimum": 1}`, int64(0), "at least 1"},
		{`{"type": "boolean"}`, false, ""},
		{`{"type": "boolean"}`, "false", "true or false"},
		{`{"enum": ["a", "b"]}`, "b", ""},
		{`{"enum": ["a", "b"]}`, "B", `must be one of "a", "b"`},
		{`{"enum": ["a", "b"]}`, 1, `must be one of "a", "b"`},
		{`{"enum": ["0","1","2","3","4","5","6","7","8","9","10","11"]}`, "x", `"9" and 2 more`},
		{`{"enum": ["` + strings.Repeat("x", 100) + `"]}`, "x", strings.Repeat("x", 80) + `…"`},
		{`{"type": "array", "items": {"enum": ["a", "b", "c"]}}`, []string{}, ""},
		{`{"type": "array", "items": {"enum": ["a", "b", "c"]}}`, []any{"c", "a"}, ""},
		{`{"type": "array", "items": {"enum": ["a", "b", "c"]}}`, []any{"c", 1}, "list of choices"},
		{`{"type": "array", "items": {"enum": ["a", "b", "c"]}}`, "a", "list of choices"},
		{`{"type": "array", "items": {"enum": ["a", "b", "c"]}}`, []string{"d"}, `must hold only "a", "b", "c"`},
		{`{"type": "array", "items": {"enum": ["a", "b", "c"]}}`, []string{"a", "a"}, `holds "a" twice`},
		{`{"type": "array", "minItems": 1, "items": {"enum": ["a", "b", "c"]}}`, []string{}, "at least 1 choice"},
		{`{"type": "array", "maxItems": 2, "items": {"enum": ["a", "b", "c"]}}`, []string{"a", "b", "c"}, "at most 2 choices"},
	} {
		err := elicitation.Validate([]elicitation.Field{field(t, tc.property)}, map[string]any{"p": tc.value})
		switch {
		case tc.want == "" && err != nil:
			t.Errorf("%v for %s: %v", tc.value, tc.property, err)
		case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
			t.Errorf("%v for %s: %v, want %q", tc.value, tc.property, err, tc.want)
		}
	}
}

func TestValidateListsEveryProblemInOrder(t *testing.T) {
	fields, err := elicitation.Fields(json.RawMessage(`{
		"properties": {"z": {"type": "string"}, "a": {"type": "integer"}, "o": {"type": "string"}},
		"required": ["a", "z"]}`))
	if err != nil {
		t.Fatal(err)
	}
	err = elicitation.Validate(fields, map[string]any{"a": "secret", "y": 1, "b": 2})
	var got *elicitation.Error
	if !errors.As(err, &got) {
		t.Fatalf("err = %v", err)
	}
	want := []elicitation.FieldError{
		{Name: "z", Problem: "is required"},
		{Name: "a", Problem: "must be a whole number"},
		{Name: "b", Problem: "is not a field of the form"},
		{Name: "y", Problem: "is not a field of the form"},
	}
	if diff := cmp.Diff(want, got.Fields); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	if strings.Contains(err.Error(), "secret") {
		t.Errorf("error tells the answer: %v", err)
	}
	if err := elicitation.Validate(fields, map[string]any{"a": 1, "z": ""}); err != nil {
		t.Errorf("an answer without the optional field: %v", err)
	}
}

// Fields are plain values that a user may make up.
func TestValidateOfMadeUpFields(t *testing.T) {
	for _, tc := range []struct {
		field elicitation.Field
		want  string
	}{
		{elicitation.Field{Name: "p", Kind: "colour"}, `unknown kind "colour"`},
		{elicitation.Field{Name: "p", Kind: elicitation.String, Pattern: "("}, "not in RE2 syntax"},
	} {
		err := elicitation.Validate([]elicitation.Field{tc.field}, map[string]any{"p": "x"})
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%+v: %v, want %q", tc.field, err, tc.want)
		}
	}
}

func TestDefaultsBelongToTheCaller(t *testing.T) {
	fields, err := elicitation.Fields(json.RawMessage(everything))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"firstLine": "It was a dark and stormy night.", "integer": int64(42), "number": 3.14, "single": "Monica",
		"multiple": []string{"Guitar"}, "titledSingle": "hero-1", "titledMultiple": []string{"fish-1"}, "legacy": "pet-1",
	}
	got := elicitation.Defaults(fields)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
	got["multiple"].([]string)[0] = "Kazoo"
	if diff := cmp.Diff(want, elicitation.Defaults(fields)); diff != "" {
		t.Errorf("defaults after a change of the first ones (-want +got):\n%s", diff)
	}
	if got := elicitation.Defaults(nil); got == nil || len(got) != 0 {
		t.Errorf("Defaults(nil) = %#v, want an empty map", got)
	}
}
