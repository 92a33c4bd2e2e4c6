package adapters_test

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

// generators make schemas about which each profile has nothing to widen.
func generators(seed uint64) map[adapters.SchemaProfile]*generator {
	nulls := seed%2 == 0
	with := func(g generator) *generator {
		g.Rand = rand.New(rand.NewPCG(seed, 1))
		return &g
	}
	common := map[string][]string{
		"string": {"minLength", "maxLength", "pattern"}, "integer": {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"},
		"number": {"minimum", "maximum"}, "array": {"minItems", "maxItems"},
	}
	all := map[string][]string{
		"string": common["string"], "integer": append([]string{"multipleOf"}, common["integer"]...),
		"number": {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}, "array": {"minItems", "maxItems", "uniqueItems"},
	}
	strict := map[string][]string{"string": {"pattern"}, "integer": all["integer"], "number": all["number"], "array": common["array"]}
	return map[adapters.SchemaProfile]*generator{
		adapters.SchemaPortable:     with(generator{bounds: common}),
		adapters.SchemaGemini:       with(generator{bounds: common, unions: true, nulls: nulls}),
		adapters.SchemaOpenAI:       with(generator{bounds: all, unions: true, mixedEnums: true, closing: true, nulls: nulls}),
		adapters.SchemaAnthropic:    with(generator{bounds: all, unions: true, mixedEnums: true, closing: true, nulls: nulls}),
		adapters.SchemaOpenAIStrict: with(generator{bounds: strict, unions: true, mixedEnums: true, nulls: nulls}),
	}
}

func TestNormalizeSchemaKeepsTheMeaning(t *testing.T) {
	valid := map[adapters.SchemaProfile]int{}
	strict := 0
	for seed := range uint64(50) {
		meaning := keepsMeaning(t, seed)
		for profile, n := range meaning.valid {
			valid[profile] += n
		}
		strict += meaning.strict
	}
	for _, profile := range profiles {
		if valid[profile] < 200 {
			t.Errorf("%s: only %d values showed anything", profile, valid[profile])
		}
	}
	if strict < 10 {
		t.Errorf("only %d strict schemas", strict)
	}
}

func FuzzNormalizeSchemaKeepsTheMeaning(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { keepsMeaning(t, seed) })
}

type meaning struct {
	valid  map[adapters.SchemaProfile]int
	strict int
}

// keepsMeaning checks, for one schema a profile, that what the result allows is
// allowed by the server's schema, and the other way round.
func keepsMeaning(t *testing.T, seed uint64) meaning {
	t.Helper()
	m := meaning{valid: map[adapters.SchemaProfile]int{}}
	for profile, g := range generators(seed) {
		schema := g.tool()
		result := adapters.NormalizeSchema(schema, profile)
		strict := profile == adapters.SchemaOpenAIStrict && result["minProperties"] == nil
		if strict {
			m.strict++
		}
		theirs, ours := resolved(t, schema), resolved(t, readable(result).(object))
		for range 10 {
			v := g.value(result, result, 0)
			if ours.Validate(v) == nil {
				m.valid[profile]++
				sent := v
				if strict {
					sent = sentBy(t, schema, v)
				}
				if err := theirs.Validate(sent); err != nil {
					t.Fatalf("%s: seed %d: %s\nis valid for %s\nand not for   %s:\n%v", profile, seed, toJSON(v), toJSON(result), toJSON(schema), err)
				}
			}
			v = g.value(schema, schema, 0)
			if theirs.Validate(v) != nil {
				continue
			}
			m.valid[profile]++
			if strict {
				written, ok := completed(v, result)
				if !ok {
					continue
				}
				if back := toJSON(sentBy(t, schema, written)); toJSON(withoutNulls(schemaOf(t, back))) != toJSON(withoutNulls(v)) {
					t.Fatalf("%s: seed %d: written as %s, %s was sent as %s\nby %s", profile, seed, toJSON(written), toJSON(v), back, toJSON(schema))
				}
				v = written
			} else if !g.nulls {
				v = withoutNulls(v) // null made the property optional
				if theirs.Validate(v) != nil {
					continue // what differed by a null is the same now
				}
			}
			if err := ours.Validate(v); err != nil {
				t.Fatalf("%s: seed %d: %s\nis valid for %s\nand not for   %s:\n%v", profile, seed, toJSON(v), toJSON(schema), toJSON(result), err)
			}
		}
	}
	return m
}

// sentBy returns the arguments that a strict tool sends for what a model wrote.
func sentBy(t *testing.T, schema, written any) any {
	t.Helper()
	tool := newEcho(t, toJSON(schema), adapters.ToolOptions{SchemaProfile: adapters.SchemaOpenAIStrict, ArgumentCheck: adapters.CheckOff})
	if _, err := tool.Call(t.Context(), toJSON(written)); err != nil || !tool.called {
		t.Fatalf("not called with %s: %v", toJSON(written), err)
	}
	return schemaOf(t, toJSON(tool.args))
}

// completed writes null for what is left out, as a strict schema has a model do.
// It reports false for a value within a union, of which it does not know the
// alternative.
func completed(v, schema any) (any, bool) {
	s := schema.(object)
	if list, ok := s["anyOf"].([]any); ok {
		if len(list) != 2 || v != nil && toJSON(list[1]) != `{"type":"null"}` {
			return nil, false
		}
		if v == nil {
			return nil, true
		}
		return completed(v, list[0])
	}
	switch v := v.(type) {
	case object:
		c := object{}
		properties, _ := s["properties"].(object)
		for name := range v {
			if properties[name] == nil {
				return nil, false // the schema is closed
			}
		}
		for name, property := range properties {
			member, given := v[name]
			if !given {
				c[name] = nil
				continue
			}
			var ok bool
			if c[name], ok = completed(member, property); !ok {
				return nil, false
			}
		}
		return c, true
	case []any:
		c := []any{}
		for _, e := range v {
			element, ok := completed(e, s["items"])
			if !ok {
				return nil, false
			}
			c = append(c, element)
		}
		return c, true
	}
	return v, true
}

// withoutNulls leaves out the members of objects that are null.
func withoutNulls(v any) any {
	switch v := v.(type) {
	case object:
		c := object{}
		for name, e := range v {
			if e != nil {
				c[name] = withoutNulls(e)
			}
		}
		return c
	case []any:
		c := make([]any, len(v))
		for i, e := range v {
			c[i] = withoutNulls(e)
		}
		return c
	}
	return v
}

// readable turns Gemini's "nullable" into JSON Schema.
func readable(v any) any {
	switch v := v.(type) {
	case object:
		c := object{}
		for name, e := range v {
			c[name] = readable(e)
		}
		if c["nullable"] == true {
			delete(c, "nullable")
			return object{"anyOf": []any{c, object{"type": "null"}}}
		}
		return c
	case []any:
		c := make([]any, len(v))
		for i, e := range v {
			c[i] = readable(e)
		}
		return c
	}
	return v
}

func resolved(t *testing.T, schema object) *jsonschema.Resolved {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(toJSON(schema)), &s); err != nil {
		t.Fatalf("%s: %v", toJSON(schema), err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatalf("%s: %v", toJSON(schema), err)
	}
	return r
}
