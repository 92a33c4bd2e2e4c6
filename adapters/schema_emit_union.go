package adapters

import (
	"reflect"
	"slices"
	"strings"
)

// oneTypeOrUnion returns a node that has one type, or is alternatives of one type
// each and nothing else but text, or allows everything.
func (e *emitter) oneTypeOrUnion(n *node) *node {
	if n.alternates == nil && len(typeList(n.types)) <= 1 {
		return n
	}
	whole := e.merger.variants(n)
	var types typeSet
	for _, v := range whole {
		types |= v.types
	}
	kinds := typeList(types)
	switch {
	case len(kinds) <= 1 && (e.rules.noUnions || !n.bareAlternates()):
		return e.merger.widen(n)
	case !e.rules.noUnions:
		return e.toldApart(e.merger.alternatives(n, whole))
	case types&(typeObject|typeArray) == 0 && types&typeString != 0:
		w := *e.merger.widen(n) // to the string
		if w.texts = textsOf(whole); w.texts != nil {
			w.spells = types | nullOf(&w)
		}
		return &w
	default:
		return asText(n, whole, types)
	}
}

// bareAlternates reports whether n restricts nothing beside its alternatives.
func (n *node) bareAlternates() bool {
	rest := *n
	rest.alternates = nil
	return n.alternates != nil && rest.unconstrained()
}

// alternatives returns n with its variants, of one type each, as alternates.
// Those of a type are one if n restricts more than they do: its properties would
// be repeated in each.
func (m merger) alternatives(n *node, whole []*node) *node {
	c := aboutWhole(n, whole)
	var list []*node
	byType := map[typeSet][]*node{}
	for _, v := range whole {
		own := *v
		own.nullable = false
		if n.alternates == nil { // what the whole tells need not be told by each
			own.title, own.description, own.notes = "", "", nil
		}
		if n.defaulted {
			own.fallback, own.defaulted = nil, false
		}
		if n.examples != nil {
			own.examples = nil
		}
		if v.isScalar() && slices.ContainsFunc(list, func(other *node) bool { return reflect.DeepEqual(other, &own) }) {
			continue
		}
		list = append(list, &own)
		byType[wideType(v.types)] = append(byType[wideType(v.types)], &own)
	}
	if !n.bareAlternates() && len(byType) < len(list) {
		list = nil
		for _, kind := range typeList(typeAny) {
			if same := byType[kind]; same != nil {
				list = append(list, m.union(same))
			}
		}
		c.note(alternativesNote(n))
	}
	if len(byType) == 1 { // strings may be one enum, as they are read again
		if u := m.oneOf(list); u.alternates == nil {
			return mergeTexts(c, u)
		}
	}
	c.alternates = list
	return c
}

// toldApart returns a union without the alternatives that are written as another
// is: by union the first takes the texts of the whole, by which it may become the
// same, and notes become part of a description.
func (e *emitter) toldApart(n *node) *node {
	if n.alternates == nil {
		return n
	}
	var kept, written []*node
	for i, v := range n.alternates {
		c := *v
		lines := v.told()
		if i == 0 {
			lines, c.title = e.aboutUnion(n, v), ""
		}
		c.description, c.notes, c.nullable = strings.Join(lines, "\n"), nil, false
		if c.isScalar() && slices.ContainsFunc(written, func(other *node) bool { return reflect.DeepEqual(other, &c) }) {
			continue
		}
		kept, written = append(kept, v), append(written, &c)
	}
	whole := *n
	if whole.alternates = kept; len(kept) == 1 {
		whole.alternates = nil
		return mergeTexts(&whole, kept[0])
	}
	return &whole
}

// isScalar reports whether n is of one type that has no parts.
func (n *node) isScalar() bool { return n.types&(typeObject|typeArray) == 0 && n.alternates == nil }

// wideType returns the type of typeList(typeAny) that the only type of a node
// belongs to.
func wideType(t typeSet) typeSet {
	if t&typeNumber != 0 {
		return typeNumber
	}
	return t
}

// aboutWhole returns a node that says of values what n does, but not which.
func aboutWhole(n *node, variants []*node) *node {
	c := &node{
		title: n.title, description: n.description, notes: n.notes, nullable: n.nullable, nullAbsent: n.nullAbsent,
		fallback: n.fallback, defaulted: n.defaulted, examples: n.examples,
	}
	for _, v := range variants {
		c.nullable = c.nullable || v.nullable
	}
	return c
}

// mergeTexts returns one with what whole, made by aboutWhole, says of it.
func mergeTexts(whole, one *node) *node {
	n := *one
	n.title, n.description = firstText(whole.title, n.title), firstText(whole.description, n.description)
	n.notes = whole.notes
	for _, note := range one.notes {
		n.note(note)
	}
	n.nullable, n.nullAbsent = n.nullable || whole.nullable, n.nullAbsent || whole.nullAbsent
	if whole.defaulted {
		n.fallback, n.defaulted = whole.fallback, true
	}
	if whole.examples != nil {
		n.examples = whole.examples
	}
	return &n
}

// asText returns a string that stands for values of several types, of which those
// that are no strings are written as JSON.
func asText(n *node, whole []*node, types typeSet) *node {
	c := aboutWhole(n, whole)
	c.types, c.spells, c.texts = typeString, types|nullOf(c), textsOf(whole)
	c.note(alternativesNote(n))
	if types&typeString != 0 {
		c.note("Given as a string: what is no string is written as JSON.")
	} else {
		c.note("Given as a string that holds the JSON.")
	}
	return c
}

// nullOf returns the type of null if n admits it.
func nullOf(n *node) typeSet {
	if n.nullable {
		return typeNull
	}
	return 0
}

// textsOf returns the strings that variants admit if there are only some.
func textsOf(variants []*node) []any {
	var texts []any
	for _, v := range variants {
		if v.types&typeString != 0 {
			if v.enum == nil {
				return nil
			}
			texts = append(texts, v.enum...)
		}
	}
	return texts
}

// union writes a node that is nothing but alternatives, whose price is paid. The
// first of them takes the texts and what else may not stand beside anyOf.
func (e *emitter) union(n *node) map[string]any {
	e.depth++
	defer func() { e.depth-- }()
	list := make([]any, len(n.alternates))
	for i, v := range n.alternates {
		c := *v
		if i == 0 {
			c.nullable = n.nullable && e.rules.nullable
			c.description = strings.Join(e.aboutUnion(n, v), "\n")
			c.title, c.notes = "", nil
		}
		if e.depth >= maxDepth {
			c = *e.cut(&c)
		}
		list[i] = e.node(&c)
	}
	return map[string]any{"anyOf": list}
}

// aboutUnion returns what there is to say about a union and its first
// alternative.
func (e *emitter) aboutUnion(n, first *node) []string {
	told := *n
	if n.defaulted {
		told.note("Default: " + briefText(n.fallback) + ".")
	}
	if n.examples != nil {
		told.note("Examples: " + describeNode(&node{enum: n.examples}) + ".")
	}
	lines := told.notes
	if about := firstText(told.description, told.title); about != "" {
		lines = append([]string{about}, lines...)
	}
	if about := firstText(first.description, first.title); about != "" {
		lines = append(lines[:len(lines):len(lines)], about)
	}
	return append(lines[:len(lines):len(lines)], first.notes...)
}
