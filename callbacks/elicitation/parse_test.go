package elicitation_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks/elicitation"
)

func TestParse(t *testing.T) {
	const (
		choice   = `{"type": "string", "oneOf": [{"const": "us", "title": "United States"}, {"const": "Us", "title": "We"}, {"const": "de", "title": "Germany, Berlin"}, {"const": "We", "title": "ours"}]}`
		several  = `{"type": "array", "minItems": 1, "items": {"anyOf": [{"const": "a", "title": "Ann"}, {"const": "b", "title": "Bob, the builder"}, {"const": "c,d", "title": "CD"}]}}`
		possibly = `{"type": "array", "items": {"enum": ["a"]}}`
	)
	for _, tc := range []struct {
		property, text string
		want           any
	}{
		{`{"type": "string"}`, " as it is ", " as it is "},
		{`{"type": "string"}`, " ", " "},
		{`{"type": "string", "format": "date"}`, " 2024-01-02\n", "2024-01-02"},
		{`{"type": "integer"}`, " 12 ", int64(12)},
		{`{"type": "integer"}`, "+12", int64(12)},
		{`{"type": "integer"}`, "-9223372036854775808", int64(-9223372036854775808)},
		{`{"type": "integer"}`, "1e3", int64(1000)},
		{`{"type": "integer"}`, "5.0", int64(5)},
		{`{"type": "number"}`, "12", 12.0},
		{`{"type": "number"}`, "-.5", -0.5},
		{`{"type": "boolean"}`, "Yes", true},
		{`{"type": "boolean"}`, "true", true},
		{`{"type": "boolean"}`, "0", false},
		{choice, "us", "us"},
		{choice, "Us", "Us"},
		{choice, "We", "We"}, // a value wins over a title
		{choice, "united states", "us"},
		{choice, "Germany, Berlin", "de"},
		{several, "a", []string{"a"}},
		{several, "Bob, the builder, ANN,c,d", []string{"b", "a", "c,d"}},
		{several, "a,a, Ann", []string{"a"}},
		{`{"type": "string"}`, "", nil},
		{`{"type": "integer"}`, "  ", nil},
		{several, "", nil},
	} {
		got, err := elicitation.Parse(field(t, tc.property), tc.text)
		if err != nil {
			t.Errorf("Parse(%s, %q): %v", tc.property, tc.text, err)
		} else if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("Parse(%s, %q) (-want +got):\n%s", tc.property, tc.text, diff)
		}
	}

	f := field(t, possibly)
	f.Required = true
	if got, err := elicitation.Parse(f, ""); err != nil || !cmp.Equal(got, []string{}) {
		t.Errorf("required, may be empty: %#v, %v", got, err)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, tc := range []struct{ property, text, want string }{
		{`{"type": "string", "minLength": 3}`, "ab", "at least 3"},
		{`{"type": "integer"}`, "12.5", "whole number"},
		{`{"type": "integer"}`, "1e17", "whole number"},
		{`{"type": "integer"}`, "twelve", "whole number"},
		{`{"type": "integer", "maximum": 5}`, "12", "at most 5"},
		{`{"type": "number"}`, "0x10", "a number"},
		{`{"type": "number"}`, "inf", "a number"},
		{`{"type": "number"}`, "NaN", "a number"},
		{`{"type": "number"}`, "1_000", "a number"},
		{`{"type": "number"}`, "1e999", "a number"},
		{`{"type": "boolean"}`, "maybe", `"yes" or "no"`},
		{`{"enum": ["a", "A"]}`, "b", `one of "a", "A"`},
		{`{"oneOf": [{"const": "1", "title": "x"}, {"const": "2", "title": "x"}]}`, "x", "one of"},
		{`{"type": "array", "items": {"enum": ["a", "b"]}}`, "a,,b", "separated by commas"},
		{`{"type": "array", "items": {"enum": ["a", "b"]}}`, "a b", "separated by commas"},
		{`{"type": "array", "maxItems": 1, "items": {"enum": ["a", "b"]}}`, "a, b", "at most 1 choice"},
	} {
		got, err := elicitation.Parse(field(t, tc.property), tc.text)
		var e *elicitation.Error
		if got != nil || !errors.As(err, &e) || e.Fields[0].Name != "p" || !strings.Contains(e.Fields[0].Problem, tc.want) {
			t.Errorf("Parse(%s, %q) = %v, %v; want an error with %q", tc.property, tc.text, got, err, tc.want)
		}
	}
	for _, property := range []string{`{"type": "string"}`, `{"type": "integer"}`, `{"type": "array", "minItems": 1, "items": {"enum": ["a"]}}`} {
		f := field(t, property)
		f.Required = true
		if got, err := elicitation.Parse(f, ""); got != nil || err == nil || err.Error() != `elicitation: answer: "p" is required` {
			t.Errorf("required %s: %v, %v", property, got, err)
		}
	}
}
