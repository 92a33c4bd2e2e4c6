package adapters

import "strings"

// readTypes reads a type, or a list of them. Names that are none are passed over.
func (n *node) readTypes(v any) {
	names := anyList(v)
	if name, ok := v.(string); ok {
		names = []any{name}
	}
	for _, name := range names {
		s, _ := name.(string)
		switch t := typesByName[strings.ToLower(s)]; t {
		case typeNull:
			n.nullable = true
		default:
			n.types |= t
		}
	}
}

// readValues reads enum, const, default and examples.
func (p *parser) readValues(n *node, m map[string]any) {
	values := anyList(m["enum"])
	if v, ok := m["const"]; ok {
		values = []any{v}
	}
	n.setEnum(values, p.work)
	if v, ok := m["default"]; ok {
		n.fallback, n.defaulted, n.nullAbsent = v, v != nil, v == nil
	}
	n.examples = anyList(m["examples"])
	n.examples = n.examples[:min(len(n.examples), maxSamples)]
	if v, ok := m["example"]; ok && n.examples == nil { // OpenAPI 3.0
		n.examples = []any{v}
	}
	if m["deprecated"] == true {
		n.note("Deprecated.")
	}
}

// setEnum restricts n to values, each once. Null among them makes it nullable.
// Values that are not of the node's type go, unless all do: then the values are
// right and the type is wrong.
func (n *node) setEnum(values []any, work *budget) {
	var enum, fitting []any
	seen := map[string]bool{}
	for _, v := range values {
		if v == nil {
			n.nullable = true
			continue
		}
		key := valueKey(v)
		if !work.spend(1 + len(key)/textUnit) {
			n.nullable = n.nullable && !n.unconstrained()
			return
		}
		if seen[key] {
			continue
		}
		seen[key] = true
		enum = append(enum, v)
		if typeOfValue(v)&n.types != 0 {
			fitting = append(fitting, v)
		}
	}
	switch {
	case len(enum) == 0:
	case n.types == 0:
		n.enum = enum
	case len(fitting) > 0:
		n.enum = fitting
	default:
		n.enum, n.types = enum, typesOf(enum)
	}
}
