package adapters

import (
	"encoding/json"
	"reflect"
	"strings"
)

// coerce changes args where a value is not of the type that the schema admits
// and spells one that is.
func (p *parameters) coerce(args map[string]any) {
	c := coercer{schemaReader{root: p.schema}, map[uintptr]*wanted{}}
	c.object(args, p.schema, 0)
}

// A coercer remembers what it read of a schema, since the elements of a long
// array share theirs.
type coercer struct {
	reader schemaReader
	seen   map[uintptr]*wanted
}

type wanted struct {
	types      typeSet
	properties map[string]any
	items      any
}

func (c *coercer) wanted(schema any) *wanted {
	m, ok := schema.(map[string]any)
	if !ok {
		return &wanted{types: typeAny}
	}
	key := reflect.ValueOf(m).Pointer()
	w, ok := c.seen[key]
	if !ok {
		w = &wanted{c.reader.types(m, 0), c.reader.object(m).properties, c.reader.items(m)}
		c.seen[key] = w
	}
	return w
}

func (c *coercer) object(v map[string]any, schema any, depth int) {
	if depth == maxSchemaDepth {
		return
	}
	properties := c.wanted(schema).properties
	for name, value := range v {
		if property, declared := properties[name]; declared {
			v[name] = c.value(value, property, depth+1)
		}
	}
}

// value returns v as the schema wants it.
func (c *coercer) value(v, schema any, depth int) any {
	if depth >= maxSchemaDepth || v == nil {
		return v
	}
	want := c.wanted(schema)
	types := want.types
	if typeOf(v)&types == 0 {
		if s, ok := v.(string); ok {
			v = spelled(s, types)
		}
		if typeOf(v)&types == 0 && types&^typeNull == typeArray {
			if e := c.value(v, want.items, depth+1); typeOf(e)&c.wanted(want.items).types != 0 {
				return []any{e}
			}
		}
	}
	switch v := v.(type) {
	case map[string]any:
		c.object(v, schema, depth)
	case []any:
		for i, e := range v {
			v[i] = c.value(e, want.items, depth+1)
		}
	}
	return v
}

// spelled returns the value of one of types that s spells, or s.
func spelled(s string, types typeSet) any {
	text := strings.TrimSpace(s)
	if types&typeBoolean != 0 {
		switch strings.ToLower(text) { // as Python writes them, too
		case "true":
			return true
		case "false":
			return false
		}
	}
	v, rest, err := decodeFirst(text)
	if err != nil || rest != "" || v == nil || typeOf(v)&types == 0 {
		return s
	}
	if n, ok := v.(json.Number); ok && types&typeFraction == 0 && strings.ContainsAny(string(n), ".eE") {
		return s // 1.0 is an integer to JSON Schema and not to many servers
	}
	return v
}
