package adapters

import (
	"encoding/json"
	"reflect"
	"strings"
)

// maxJudgement bounds the work of judging arguments by a schema, in visits of a
// part of the schema by a part of the arguments; long parts count more often.
const (
	maxJudgement = 100_000
	tooLarge     = maxJudgement * textUnit
)

// A weigher foresees that work. jsonschema-go has no bound of its own: a schema
// of a few lines can make it run for ever, or refer to itself until the stack
// overflows.
type weigher struct {
	doc   map[string]any
	seen  map[visit]int // 0 for a visit that has not ended
	steps int
}

type visit struct {
	schema uintptr
	value  *weighedValue
}

// A weighedValue is a value with its size in bytes, more or less.
type weighedValue struct {
	size     int
	members  map[string]*weighedValue
	elements []*weighedValue
}

func weighed(v any, depth int) *weighedValue {
	w := &weighedValue{size: 1}
	switch v := v.(type) {
	case string:
		w.size += len(v)
	case json.Number:
		w.size += len(v)
		if f, err := v.Float64(); err != nil || f == 0 && strings.ContainsAny(string(v), "eE") {
			w.size = tooLarge // 1e1000000 has a million digits
		}
	case map[string]any:
		w.members = make(map[string]*weighedValue, len(v))
		for name, e := range v {
			member := weighed(e, depth+1)
			w.members[name] = member
			w.size += len(name) + member.size
		}
	case []any:
		for _, e := range v {
			element := weighed(e, depth+1)
			w.elements = append(w.elements, element)
			w.size += element.size
		}
	}
	if depth > maxDepth {
		w.size = tooLarge
	}
	return w
}

func (w *weigher) weight(schema any, v *weighedValue) int {
	m, ok := schema.(map[string]any)
	if !ok {
		return 1
	}
	key := visit{reflect.ValueOf(m).Pointer(), v}
	if known, ok := w.seen[key]; ok {
		if known == 0 {
			return tooLarge // it refers to itself, about the same value
		}
		return known
	}
	if w.steps++; w.steps > maxJudgement {
		return tooLarge
	}
	w.seen[key] = 0
	total := 1 + v.size/textUnit + len(anyList(m["enum"])) + len(anyList(m["required"]))
	add := func(schema any, v *weighedValue) {
		if total <= maxJudgement {
			total += w.weight(schema, v)
		}
	}
	if ref, ok := m["$ref"].(string); ok {
		target := (&schemaReader{root: w.doc}).resolve(ref)
		if target == nil {
			total = tooLarge
		}
		add(target, v)
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		for _, part := range anyList(m[keyword]) {
			add(part, v)
		}
	}
	for _, keyword := range []string{"not", "if", "then", "else"} {
		add(m[keyword], v)
	}
	dependent, _ := m["dependentSchemas"].(map[string]any)
	for _, part := range dependent {
		add(part, v)
	}
	properties, _ := m["properties"].(map[string]any)
	patterns, _ := m["patternProperties"].(map[string]any)
	for name, member := range v.members {
		add(properties[name], member)
		for _, part := range patterns {
			add(part, member)
		}
		add(m["additionalProperties"], member)
		add(m["unevaluatedProperties"], member)
		add(m["propertyNames"], member)
	}
	prefix := anyList(m["prefixItems"])
	for i, element := range v.elements {
		if i < len(prefix) {
			add(prefix[i], element)
		}
		add(m["items"], element)
		add(m["unevaluatedItems"], element)
		add(m["contains"], element)
	}
	w.seen[key] = total
	return total
}

// pathOf appends a member to a path: a.b, a["b c"].
func pathOf(path, name string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-$"
	switch {
	case name == "" || strings.Trim(name, plain) != "":
		return path + "[" + quoted(name) + "]"
	case path == "":
		return name
	default:
		return path + "." + name
	}
}
