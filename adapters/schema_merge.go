package adapters

import (
	"maps"
	"slices"
	"strings"
)

// A merger combines nodes. It changes none of them; out of budget it leaves out
// restrictions.
type merger struct{ work *budget }

// intersect returns what both a and b allow. Where they contradict each other,
// and in what they tell, a wins. The result is a new node.
func (m merger) intersect(a, b *node) *node {
	n := *a
	n.never = a.never || b.never
	n.nullable = a.nullable && (b.nullable || b.acceptsAnyType()) || b.nullable && a.acceptsAnyType()
	if !m.work.spend(1 + len(b.properties) + len(b.required) + len(b.enum)) {
		n.closed = false // the properties of b are missing
		return &n
	}
	n.title, n.description = firstText(a.title, b.title), firstText(a.description, b.description)
	for _, note := range b.notes {
		n.note(note)
	}
	if n.types = a.types & b.types; n.types == 0 {
		n.types = a.types
		if n.types == 0 {
			n.types = b.types
		}
	}
	if values := m.commonValues(a.enum, b.enum); values != nil {
		n.enum = nil
		n.setEnum(values, m.work)
	}
	n.facets = a.facets.tighten(b.facets)
	if !n.defaulted {
		n.fallback, n.defaulted = b.fallback, b.defaulted
	}
	n.nullAbsent = a.nullAbsent || b.nullAbsent
	if n.examples == nil {
		n.examples = b.examples
	}
	m.intersectObjects(&n, b)
	n.items = m.intersectOptional(a.items, b.items)
	n.tuple = a.tuple || b.tuple
	m.intersectUnions(&n, b)
	n.trim()
	return &n
}

func (m merger) intersectObjects(n, b *node) {
	if len(b.properties) > 0 {
		properties := maps.Clone(n.properties)
		if properties == nil {
			properties = make(map[string]*node, len(b.properties))
		}
		for _, name := range sortedKeys(b.properties) {
			properties[name] = m.intersectOptional(properties[name], b.properties[name])
		}
		n.properties = properties
	} else if n.properties == nil {
		n.properties = b.properties
	}
	n.require(b.required...)
	n.closed = n.closed || b.closed
	n.open = n.open || b.open
	if n.additional = m.intersectOptional(n.additional, b.additional); n.closed {
		n.additional = nil
	}
}

func (m merger) intersectUnions(n, b *node) {
	switch {
	case b.alternates == nil:
	case n.alternates == nil:
		n.alternates = b.alternates
	default:
		// Each of these with each of those would multiply.
		union := &node{alternates: b.alternates}
		var types typeSet
		for _, v := range m.variants(union) {
			types |= v.types
		}
		wide := m.widen(union)
		if types&^wide.types != 0 { // it would rule out all but one of the types
			n.note(alternativesNote(union))
			return
		}
		*n = *m.intersect(n, wide)
	}
}

// intersectOptional is intersect for nodes that may be nil, which restrict
// nothing. Its result may be a or b itself.
func (m merger) intersectOptional(a, b *node) *node {
	switch {
	case a == nil || a == b:
		return b
	case b == nil:
		return a
	default:
		return m.intersect(a, b)
	}
}

// acceptsAnyType reports whether n says nothing about types, so that null is
// allowed without being mentioned.
func (n *node) acceptsAnyType() bool { return n.types == 0 && n.enum == nil && n.alternates == nil }

func firstText(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// commonValues returns the values of both enums; nil is no restriction, and so
// are two enums that have nothing in common: the first one wins.
func (m merger) commonValues(a, b []any) []any {
	if a == nil || b == nil {
		return slices.Concat(a, b)
	}
	keys := map[string]bool{}
	for _, v := range b {
		key := valueKey(v)
		if !m.work.spend(len(key) / textUnit) {
			return a
		}
		keys[key] = true
	}
	var common []any
	for _, v := range a {
		key := valueKey(v)
		if !m.work.spend(len(key) / textUnit) {
			return a
		}
		if keys[key] {
			common = append(common, v)
		}
	}
	if common == nil {
		return a
	}
	return common
}

// oneOf returns a node that allows what any of the variants allows, in the form
// that says it best: without null and what is impossible, unions of unions
// flat, single values as an enum, a single variant as itself.
func (m merger) oneOf(variants []*node) *node {
	n := &node{}
	var list []*node
	for _, v := range variants {
		if v.bareUnion() {
			list = append(list, v.alternates...)
			n.nullable = n.nullable || v.nullable
		} else {
			list = append(list, v)
		}
	}
	var kept []*node
	seen := map[*node]bool{}
	free := &node{}
	for _, v := range list {
		if v.never || seen[v] {
			continue
		}
		seen[v] = true
		n.nullable = n.nullable || v.nullable
		switch {
		case !v.unconstrained():
			if v.nullable {
				c := *v
				c.nullable = false
				v = &c
			}
		case v.nullable: // and nothing else
			continue
		default:
			free.description = firstText(free.description, v.description)
			free.note(strings.Join(v.notes, " "))
		}
		kept = append(kept, v)
	}
	switch {
	case len(kept) == 0:
		n.never = !n.nullable
		return n
	case len(kept) == 1:
		c := *kept[0]
		c.nullable = n.nullable && !c.unconstrained() // it would be null only
		return &c
	case slices.ContainsFunc(kept, (*node).unconstrained): // everything, whatever else
		return free
	}
	if values := enumOf(kept); values != nil {
		n.setEnum(values, m.work)
		n.types = typesOf(n.enum)
		n.note(valueMeanings(kept))
		return n
	}
	n.alternates = kept
	return n
}

// enumOf returns the values of variants that are nothing but values, or nil.
func enumOf(variants []*node) []any {
	var values []any
	for _, v := range variants {
		if v.enum == nil || v.properties != nil || v.items != nil || v.facets != nil || v.alternates != nil ||
			v.types&(typeObject|typeArray) != 0 {
			return nil
		}
		values = append(values, v.enum...)
	}
	return values
}
