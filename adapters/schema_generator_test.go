package adapters_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
)

// A generator makes schemas of those keywords that a profile keeps, so that
// nothing about them is widened, and values for schemas.
type generator struct {
	*rand.Rand
	unions     bool // of types and of alternatives
	mixedEnums bool // enums of anything but strings
	closing    bool // additionalProperties
	nulls      bool // null is allowed for required properties, and not for optional ones
	bounds     map[string][]string
	defs       map[string]any
}

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

func one[T any](g *generator, list ...T) T { return list[g.IntN(len(list))] }

// tool makes the schema of a tool.
func (g *generator) tool() object {
	g.defs = object{}
	for i := range g.IntN(3) {
		g.defs[fmt.Sprint("D", i)] = g.schema(2)
	}
	root := g.object(0)
	if len(g.defs) > 0 {
		root["$defs"] = g.defs
	}
	return root
}

func (g *generator) schema(depth int) object {
	kinds := []func(int) object{g.scalar, g.scalar, g.scalar, g.enum}
	if depth < 4 {
		kinds = append(kinds, g.object, g.array, g.object, g.allOf)
	}
	if len(g.defs) > 0 {
		kinds = append(kinds, func(int) object {
			return object{"$ref": "#/$defs/" + one(g, sorted(g.defs)...)}
		})
	}
	if g.unions && depth < 3 {
		kinds = append(kinds, g.union)
	}
	s := one(g, kinds...)(depth)
	if g.chance(20) {
		s["description"] = one(g, "Some.", "Other.")
	}
	return s
}

func (g *generator) scalar(int) object {
	t := one(g, "string", "integer", "number", "boolean")
	s := object{"type": t}
	for _, bound := range g.bounds[t] {
		if g.chance(25) {
			s[bound] = g.bound(bound)
		}
	}
	return s
}

func (g *generator) bound(keyword string) any {
	switch keyword {
	case "pattern":
		return one(g, "^a", "b$", "[a-c]")
	case "multipleOf":
		return one(g, 1.0, 2.0, 0.5)
	case "maximum", "exclusiveMaximum", "maxLength", "maxItems":
		return float64(2 + g.IntN(4))
	case "uniqueItems":
		return true
	default:
		return float64(g.IntN(3))
	}
}

func (g *generator) enum(int) object {
	values := []any{"a", "b", "abc"}
	if g.mixedEnums {
		values = append(values, 1.0, 2.5, true)
	}
	g.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
	if g.chance(30) {
		return object{"const": values[0]}
	}
	return object{"enum": values[:1+g.IntN(len(values))]}
}

func (g *generator) array(depth int) object {
	s := object{"type": "array", "items": g.schema(depth + 1)}
	for _, bound := range g.bounds["array"] {
		if g.chance(25) {
			s[bound] = g.bound(bound)
		}
	}
	return s
}

func (g *generator) object(depth int) object {
	properties := object{}
	required := []any{}
	for _, name := range []string{"a", "b", "type", "items"}[:1+g.IntN(4)] {
		p := g.schema(depth + 1)
		optional := g.chance(50)
		if !optional {
			required = append(required, name)
		}
		if g.chance(25) && optional != g.nulls {
			p = one(g, object{"anyOf": []any{p, object{"type": "null"}}}, object{"oneOf": []any{object{"type": "null"}, p}})
			p["default"] = nil
		}
		properties[name] = p
	}
	s := object{"type": "object", "properties": properties}
	if len(required) > 0 || g.chance(20) {
		s["required"] = required
	}
	if g.closing && g.chance(50) {
		s["additionalProperties"] = one[any](g, false, g.scalar(0))
	}
	return s
}

func (g *generator) allOf(depth int) object {
	part := g.object(depth + 1)
	delete(part, "additionalProperties") // it would close the whole
	return object{"allOf": []any{part, object{"properties": object{"c": g.schema(depth + 1)}}}}
}

func (g *generator) union(depth int) object {
	if g.chance(30) {
		types := []any{"string", "integer", "boolean", "number"}
		g.Shuffle(len(types), func(i, j int) { types[i], types[j] = types[j], types[i] })
		return object{"type": types[:2+g.IntN(2)]}
	}
	var list []any
	for range 2 + g.IntN(2) {
		list = append(list, g.schema(depth+1))
	}
	return object{"anyOf": list}
}

// value makes a value that is often valid for a schema of the document root.
func (g *generator) value(schema any, root object, depth int) any {
	s, _ := schema.(object)
	if ref, ok := s["$ref"].(string); ok {
		return g.value(root["$defs"].(object)[ref[len("#/$defs/"):]], root, depth)
	}
	if parts, ok := s["allOf"].([]any); ok {
		whole := object{}
		for _, part := range parts {
			if v, ok := g.value(part, root, depth).(object); ok {
				maps.Copy(whole, v)
			}
		}
		return whole
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if list, ok := s[keyword].([]any); ok {
			return g.value(one(g, list...), root, depth)
		}
	}
	if enum, ok := s["enum"].([]any); ok {
		return one(g, enum...)
	}
	if v, ok := s["const"]; ok {
		return v
	}
	types, ok := s["type"].([]any)
	if !ok {
		types = []any{s["type"]}
	}
	switch one(g, types...) {
	case "null":
		return nil
	case "string":
		return one(g, "", "a", "b", "ab", "abc", "acb", "zzzzzz")
	case "integer":
		return float64(g.IntN(9) - 1)
	case "number":
		return float64(g.IntN(16)-2) / 2
	case "boolean":
		return g.chance(50)
	case "array":
		list := []any{}
		for range g.IntN(4) {
			list = append(list, g.value(s["items"], root, depth+1))
		}
		return list
	}
	members := object{}
	properties, _ := s["properties"].(object)
	required, _ := s["required"].([]any)
	for _, name := range sorted(properties) {
		if slices.Contains(required, any(name)) || g.chance(40) {
			members[name] = g.value(properties[name], root, depth+1)
		}
	}
	if g.closing && g.chance(10) {
		members["extra"] = one[any](g, "a", 1.0, true)
	}
	return members
}

func sorted(m object) []string {
	var names []string
	for name := range m {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
