package adapters_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

// FuzzNormalizeSchema takes JSON as it is, and makes a schema of bytes that are
// none.
func FuzzNormalizeSchema(f *testing.F) {
	for _, file := range schemaFiles(f) {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var schema any
		if err := json.Unmarshal(data, &schema); err != nil {
			g := schemaMaker{data: data}
			schema = map[string]any{"type": "object", "properties": map[string]any{"a": g.schema(0), "b": g.schema(0)},
				"anyOf": g.list(0), "$defs": map[string]any{"a": g.schema(0), "b": g.schema(0)}}
		} else if a, b := adapters.NormalizeSchema(schema, ""), adapters.NormalizeSchema(json.RawMessage(data), ""); !cmp.Equal(sameNumbers(a), sameNumbers(b)) {
			t.Errorf("decoded and raw differ: %s", cmp.Diff(a, b))
		}
		verifySchema(t, schema)
	})
}

// sameNumbers makes numbers comparable, however they were decoded.
func sameNumbers(v any) any {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	var decoded any
	if err := json.Unmarshal(data, &decoded); err != nil {
		return string(data)
	}
	return decoded
}

// A schemaMaker spells bytes as a schema. When they are used up, all is zero.
type schemaMaker struct{ data []byte }

func (g *schemaMaker) next(n int) int {
	if len(g.data) == 0 {
		return 0
	}
	b := g.data[0]
	g.data = g.data[1:]
	return int(b) % n
}

func (g *schemaMaker) pick(values ...any) any { return values[g.next(len(values))] }

func (g *schemaMaker) list(depth int) []any {
	var l []any
	for range g.next(4) {
		l = append(l, g.schema(depth+1))
	}
	return l
}

func (g *schemaMaker) named(depth int) map[string]any {
	m := map[string]any{}
	for range g.next(4) {
		m[g.pick("a", "b", "c", "type", "$ref", "x y", "properties").(string)] = g.schema(depth + 1)
	}
	return m
}

func (g *schemaMaker) value() any {
	return g.pick(nil, true, false, "", "a", "b", 0.0, 1.0, 1.5, -3.0, 1e300, []any{}, []any{"a", nil}, map[string]any{}, map[string]any{"a": 1.0})
}

func (g *schemaMaker) schema(depth int) any {
	if depth > 6 {
		return g.pick(true, false, nil, "x", map[string]any{})
	}
	m := map[string]any{}
	for range g.next(6) {
		switch g.next(24) {
		case 0, 1, 2:
			m["type"] = g.pick("string", "integer", "number", "boolean", "object", "array", "null", "x")
		case 3:
			m["type"] = []any{g.pick("string", "integer", "null"), g.pick("number", "object", "array", "boolean")}
		case 4, 5, 6:
			m["properties"] = g.named(depth)
		case 7:
			m["required"] = []any{g.pick("a", "b", 5.0), g.pick("a", "c", "$ref")}
		case 8:
			m["items"] = g.schema(depth + 1)
		case 9:
			m[g.pick("items", "prefixItems").(string)] = g.list(depth)
		case 10, 11:
			m[g.pick("anyOf", "oneOf").(string)] = g.list(depth)
		case 12:
			m["allOf"] = g.list(depth)
		case 13, 14:
			m["$ref"] = g.pick("#", "#/$defs/a", "#/$defs/b", "#/properties/a/properties/b", "#/anyOf/0", "#/properties/a/items", "x")
		case 15:
			m["enum"] = []any{g.value(), g.value(), g.value()}
		case 16:
			m["const"] = g.value()
		case 17:
			m["default"] = g.value()
		case 18:
			m[g.pick("description", "title").(string)] = g.pick("one", "two", "", 5.0)
		case 19:
			m["additionalProperties"] = g.schema(depth + 1)
		case 20:
			m[g.pick("then", "else", "not", "if", "propertyNames", "additionalItems", "unevaluatedProperties").(string)] = g.schema(depth + 1)
		case 21:
			m[g.pick("patternProperties", "dependentSchemas").(string)] = g.named(depth)
		case 22:
			m[g.pick("minimum", "maximum", "exclusiveMinimum", "multipleOf", "minLength", "maxLength", "minItems", "maxProperties", "uniqueItems").(string)] = g.value()
		case 23:
			m[g.pick("format", "pattern", "examples", "nullable", "deprecated").(string)] = g.pick("date-time", "uri", "int32", "^a", "(?=x)", true, []any{"a", 1.0}, nil)
		}
	}
	return m
}
