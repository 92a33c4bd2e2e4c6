package adapters

import "slices"

// values writes enum, default and examples.
func (e *emitter) values(out map[string]any, n *node) {
	if enum := e.enum(n); enum != nil {
		if e.keepsNull(n) {
			enum = append(slices.Clip(enum), nil)
		}
		if list, ok := e.value(enum); ok {
			out["enum"] = list
		}
	}
	if n.defaulted {
		if n.types != 0 && typeOfValue(n.fallback)&n.types == 0 {
			n.note("Default: " + briefText(n.fallback) + ".")
		} else if v, ok := e.value(n.fallback); ok {
			out["default"] = v
		}
	}
	if n.examples == nil {
		return
	}
	if !e.rules.examples {
		n.note("Examples: " + describeNode(&node{enum: n.examples}) + ".")
	} else if list, ok := e.value(n.examples); ok {
		out["examples"] = list
	}
}

// enum returns the values of n that the provider takes, and tells the others.
func (e *emitter) enum(n *node) []any {
	if n.enum == nil || !e.rules.stringEnums {
		return n.enum
	}
	texts := slices.DeleteFunc(slices.Clone(n.enum), func(v any) bool { return !isText(v) })
	if len(texts) == 0 || n.types != typeString {
		n.note(valuesNote(n.enum))
		return nil
	}
	if len(texts) < len(n.enum) {
		n.note(`May also be the empty string.`)
	}
	return texts
}

// value copies a plain value if it can be paid.
func (e *emitter) value(v any) (any, bool) {
	switch v := v.(type) {
	case string:
		return v, e.left.spend(1 + len(v)/textUnit)
	case []any:
		list := make([]any, 0, min(len(v), maxEmitted))
		for _, element := range v {
			c, ok := e.value(element)
			if !ok {
				return nil, false
			}
			list = append(list, c)
		}
		return list, e.left.spend(1)
	case map[string]any:
		m := make(map[string]any, min(len(v), maxEmitted))
		for _, name := range sortedKeys(v) {
			c, ok := e.value(v[name])
			if !ok || !e.left.spend(1+len(name)/textUnit) {
				return nil, false
			}
			m[name] = c
		}
		return m, e.left.spend(1)
	default:
		return v, e.left.spend(1)
	}
}

// facets writes the facets that the provider knows and tells the others.
func (e *emitter) facets(out map[string]any, n *node) {
	var told []string
	fs := n.facets
	if !e.rules.facets["exclusiveMinimum"] && n.types == typeInteger {
		fs = fs.inclusive()
	}
	for _, name := range sortedKeys(fs) {
		v := fs[name]
		switch {
		case !e.rules.keeps(name, v, n.types):
			told = append(told, facetTable[name].say(v))
		default:
			if c, ok := e.value(v); ok {
				out[name] = c
			}
		}
	}
	if told != nil {
		n.note(constraintsNote(told))
	}
}
