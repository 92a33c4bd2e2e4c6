package adapters_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

// nest returns a schema of the given depth, made by wrap from the inside out.
func nest(depth int, inner map[string]any, wrap func(map[string]any) map[string]any) map[string]any {
	for range depth {
		inner = wrap(inner)
	}
	return inner
}

func under(s map[string]any) map[string]any {
	return map[string]any{"type": "object", "properties": map[string]any{"p": s}}
}

func str(keysAndValues ...any) map[string]any {
	m := map[string]any{"type": "string"}
	for i := 0; i < len(keysAndValues); i += 2 {
		m[keysAndValues[i].(string)] = keysAndValues[i+1]
	}
	return m
}

// hostileSchemas are small to send and large to spell out.
func hostileSchemas() map[string]map[string]any {
	schemas := map[string]map[string]any{
		"deep properties":  nest(5000, str(), under),
		"just deep enough": nest(64, str(), under),
		"deep items": under(nest(3000, str(), func(s map[string]any) map[string]any {
			return map[string]any{"type": "array", "items": s}
		})),
		"deep unions": under(nest(400, str(), func(s map[string]any) map[string]any {
			return map[string]any{"anyOf": []any{s, map[string]any{"type": "integer", "minimum": 1}}}
		})),
		"deep allOf": under(nest(400, str(), func(s map[string]any) map[string]any {
			return map[string]any{"allOf": []any{s, map[string]any{"description": "x"}}}
		})),
		"deep additional": under(nest(400, str(), func(s map[string]any) map[string]any {
			return map[string]any{"type": "object", "additionalProperties": s}
		})),
		// Each level holds a union whose alternatives both change the next.
		"unions in unions": nest(40, str(), func(s map[string]any) map[string]any {
			return map[string]any{"type": "object", "properties": map[string]any{"p": s}, "anyOf": []any{
				under(map[string]any{"title": "a"}), under(map[string]any{"title": "b"}),
			}}
		}),
		"wide":     wide(35_000),
		"required": {"type": "object", "required": manyNames(10_000), "properties": map[string]any{"n1": str()}},
		"variants": under(map[string]any{"anyOf": many(10_000, func(i int) any { return str("minLength", float64(i+1)) })}),
		"values":   under(str("enum", manyNames(10_000))),
		"tuple":    under(map[string]any{"type": "array", "prefixItems": many(10_000, func(i int) any { return str("maxLength", float64(i)) })}),
	}
	for name, at := range map[string]func(ref map[string]any) map[string]any{
		"bomb of properties": func(r map[string]any) map[string]any {
			return map[string]any{"type": "object", "properties": map[string]any{"a": r, "b": r, "c": r, "d": r, "e": r, "f": r, "g": r, "h": r}}
		},
		"bomb of unions": func(r map[string]any) map[string]any {
			return map[string]any{"anyOf": []any{r, under(r), under(r)}}
		},
		"bomb of allOf": func(r map[string]any) map[string]any { return map[string]any{"allOf": []any{r, r, r, under(r)}} },
		"bomb of arrays": func(r map[string]any) map[string]any {
			return map[string]any{"type": "array", "prefixItems": []any{r, r, r}, "items": r}
		},
	} {
		defs := map[string]any{}
		for i := range 60 {
			defs[fmt.Sprint(i)] = at(map[string]any{"$ref": fmt.Sprintf("#/$defs/%d", i+1)})
		}
		defs["60"] = str("description", strings.Repeat("x", 100_000), "title", strings.Repeat("y", 1000),
			"enum", manyNames(1000), "default", strings.Repeat("z", 1000))
		schemas[name] = map[string]any{"$defs": defs, "type": "object", "properties": map[string]any{"p": map[string]any{"$ref": "#/$defs/0"}}}
	}
	chain := map[string]any{}
	for i := range 5000 {
		chain[fmt.Sprint(i)] = map[string]any{"$ref": fmt.Sprintf("#/$defs/%d", i+1)}
	}
	schemas["chain of references"] = map[string]any{"$defs": chain, "$ref": "#/$defs/0"}
	heavy := str("enum", []any{strings.Repeat("v", 1<<20)}, "default", strings.Repeat("d", 1<<20), "description", strings.Repeat("t", 1<<20))
	schemas["heavy base"] = under(map[string]any{"allOf": []any{heavy}, "anyOf": many(2000, func(i int) any { return str("enum", []any{"v", fmt.Sprint(i)}) })})
	schemas["heavy leaf"] = map[string]any{"$defs": map[string]any{"h": heavy}, "type": "object", "properties": func() map[string]any {
		m := map[string]any{}
		for i := range 2000 {
			m[fmt.Sprint("n", i)] = map[string]any{"$ref": "#/$defs/h"}
		}
		return m
	}()}
	return schemas
}

func wide(n int) map[string]any {
	properties := map[string]any{}
	for i := range n {
		properties[fmt.Sprint("n", i)] = map[string]any{"type": "array"}
	}
	return map[string]any{"type": "object", "properties": properties}
}

func many(n int, f func(i int) any) []any {
	list := make([]any, n)
	for i := range list {
		list[i] = f(i)
	}
	return list
}

func manyNames(n int) []any { return many(n, func(i int) any { return fmt.Sprint("n", i) }) }

func TestNormalizeSchemaIsBounded(t *testing.T) {
	for name, schema := range hostileSchemas() {
		t.Run(name, func(t *testing.T) {
			for _, profile := range []adapters.SchemaProfile{adapters.SchemaPortable, adapters.SchemaOpenAI} {
				got := adapters.NormalizeSchema(schema, profile)
				if broken := checkSchema(profile, got); broken != nil {
					t.Errorf("%s: %d rules broken, such as %s", profile, len(broken), broken[0])
				}
				data, err := json.Marshal(got)
				if err != nil {
					t.Fatal(err)
				}
				if len(data) > 4<<20 {
					t.Errorf("%s: %d bytes", profile, len(data))
				}
				again, err := json.Marshal(adapters.NormalizeSchema(got, profile))
				if err != nil || string(again) != string(data) {
					t.Errorf("%s: not idempotent: %d bytes, then %d", profile, len(data), len(again))
				}
			}
		})
	}
}

func TestNormalizeSchemaDepth(t *testing.T) {
	got := adapters.NormalizeSchema(nest(64, str(), under), "")
	if leaf := at(t, got, strings.Repeat("p ", 64)); leaf["type"] != "string" {
		t.Errorf("64 levels: %v", leaf)
	}
	got = adapters.NormalizeSchema(nest(65, str(), under), "")
	leaf := at(t, got, strings.Repeat("p ", 64))
	if leaf["type"] != "object" || len(leaf["properties"].(map[string]any)) != 0 {
		t.Errorf("65 levels: %v", leaf)
	}
}
