package adapters_test

import (
	"encoding/json"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

// What the server's schema allows stays possible also where a profile has one
// type for several: there is something to write that its schema allows, and that
// arrives as what was meant.
func TestEveryValidCallStaysPossible(t *testing.T) {
	tried := map[adapters.SchemaProfile]int{}
	for seed := range uint64(60) {
		staysPossible(t, seed, tried)
	}
	for _, profile := range profiles {
		if tried[profile] < 200 && profile != adapters.SchemaOpenAIStrict {
			t.Errorf("%s: only %d values showed anything", profile, tried[profile])
		}
	}
	if tried["read"] < 20 {
		t.Errorf("only %d values were spelled as JSON", tried["read"])
	}
}

func FuzzEveryValidCallStaysPossible(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { staysPossible(t, seed, map[adapters.SchemaProfile]int{}) })
}

func staysPossible(t *testing.T, seed uint64, tried map[adapters.SchemaProfile]int) {
	t.Helper()
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 2)), unions: true, mixedEnums: true, bounds: map[string][]string{
		"string": {"minLength", "pattern"}, "integer": {"minimum", "maximum", "multipleOf"}, "number": {"exclusiveMinimum"}, "array": {"minItems", "uniqueItems"},
	}}
	schema := g.tool()
	// A property that one alternative names may be anything in another that does
	// not name it and is open: nobody means that, and no profile says it.
	theirs := resolved(t, closed(schema).(object))
	for _, profile := range profiles {
		if _, strict := adapters.StrictSchema(schema); strict && profile == adapters.SchemaOpenAIStrict {
			continue // see keepsMeaning
		}
		tool := newEcho(t, toJSON(schema), adapters.ToolOptions{SchemaProfile: profile})
		shown := tool.Schema()
		ours := resolved(t, readable(shown).(object))
		for range 10 {
			v := withoutNulls(g.value(schema, schema, 0))
			if theirs.Validate(v) != nil {
				continue
			}
			tried[profile]++
			written := writtenFor(v, shown)
			if err := ours.Validate(written); err != nil {
				t.Fatalf("%s: seed %d: %s\nis valid for %s\nand %s not for %s:\n%v", profile, seed, toJSON(v), toJSON(schema), toJSON(written), toJSON(shown), err)
			}
			if toJSON(written) != toJSON(v) {
				tried["read"]++
			}
			tool.called = false
			if _, err := tool.Call(t.Context(), toJSON(written)); err != nil || !tool.called {
				t.Fatalf("%s: seed %d: not called with %s: %v", profile, seed, toJSON(written), err)
			}
			if sent := schemaOf(t, toJSON(tool.args)); !arrived(v, sent) {
				t.Fatalf("%s: seed %d: written as %s by %s, it was sent differently:\n%s", profile, seed, toJSON(written), toJSON(shown), cmp.Diff(v, sent))
			}
		}
	}
}

// closed returns a schema of a generator with objects that have no properties but
// those that it names.
func closed(v any) any {
	switch v := v.(type) {
	case object:
		c := object{}
		for name, e := range v {
			c[name] = closed(e)
		}
		if _, ok := v["allOf"].([]any); ok {
			c["unevaluatedProperties"] = false
			for _, part := range c["allOf"].([]any) {
				delete(part.(object), "additionalProperties")
			}
		} else if _, isObject := v["properties"].(object); isObject {
			c["additionalProperties"] = false
		}
		return c
	case []any:
		c := make([]any, len(v))
		for i, e := range v {
			c[i] = closed(e)
		}
		return c
	}
	return v
}

// writtenFor returns what a model writes for v by a schema: where that has a
// string for what is none, the JSON of it, and so for text that is JSON of
// something larger.
func writtenFor(v, schema any) any {
	s, _ := schema.(object)
	text, isText := v.(string)
	switch {
	case s["type"] == "string" && !isText:
		return toJSON(v)
	case s["type"] == "string":
		var inner any
		if json.Unmarshal([]byte(text), &inner) == nil && (inner != nil && toJSON(inner)[0] == '{' || toJSON(inner)[0] == '[') {
			return toJSON(text)
		}
	case s["type"] == "object":
		written := object{}
		properties, _ := s["properties"].(object)
		members, isObject := v.(object)
		if !isObject {
			return v
		}
		for name, member := range members {
			written[name] = writtenFor(member, properties[name])
		}
		return written
	case s["type"] == "array":
		list, isList := v.([]any)
		if !isList {
			return v
		}
		written := []any{}
		for _, e := range list {
			written = append(written, writtenFor(e, s["items"]))
		}
		return written
	}
	return v
}

// arrived reports whether what was sent is v, but for a number or a truth value
// that is sent as text where the server takes any text.
func arrived(v, sent any) bool {
	switch v := v.(type) {
	case object:
		other, ok := sent.(object)
		if !ok || len(other) != len(v) {
			return false
		}
		for name, member := range v {
			if e, given := other[name]; !given || !arrived(member, e) {
				return false
			}
		}
		return true
	case []any:
		other, ok := sent.([]any)
		if !ok || len(other) != len(v) {
			return false
		}
		for i, e := range v {
			if !arrived(e, other[i]) {
				return false
			}
		}
		return true
	}
	text, isText := sent.(string)
	return cmp.Equal(v, sent) || isText && text == toJSON(v)
}
