package adapters

import (
	"maps"
	"reflect"
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
	if n.examples == nil {
		n.examples = b.examples
	}
	m.intersectObjects(&n, b)
	n.items = m.intersectOptional(a.items, b.items)
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
		*n = *m.intersect(n, m.widen(&node{alternates: b.alternates}))
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
		c.nullable = n.nullable
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

// union returns a node that allows at least what any of the variants allows,
// provided that they are of one type and have no alternates.
func (m merger) union(variants []*node) *node {
	n := *variants[0]
	if len(variants) > 1 {
		n.notes = nil
	}
	for _, v := range variants[1:] {
		if !m.work.spend(1) {
			return &node{types: n.types}
		}
		n.types |= v.types
		n.nullable = n.nullable || v.nullable
		n.closed = n.closed && v.closed
		n.facets = n.facets.loosen(v.facets)
		n.examples = slices.Concat(n.examples, v.examples)
		if n.title != v.title {
			n.title = ""
		}
		if n.description != v.description {
			n.description = ""
		}
		if !n.defaulted || !v.defaulted || !reflect.DeepEqual(n.fallback, v.fallback) {
			n.fallback, n.defaulted = nil, false
		}
		if n.enum == nil || v.enum == nil {
			n.enum = nil
		} else {
			wide := &node{types: n.types}
			wide.setEnum(slices.Concat(n.enum, v.enum), m.work)
			n.enum = wide.enum
		}
	}
	m.unionObjects(&n, variants)
	n.items = m.unionOptional(variants, func(v *node) (*node, bool) { return v.items, v.items != nil })
	n.trim()
	return &n
}

func (m merger) unionObjects(n *node, variants []*node) {
	named := map[string][]*node{}
	required := map[string]int{}
	for _, v := range variants {
		for _, name := range v.required { // each once
			required[name]++
		}
		for name, property := range v.properties {
			named[name] = append(named[name], property)
		}
	}
	n.required = slices.DeleteFunc(slices.Clone(n.required), func(name string) bool { return required[name] < len(variants) })
	n.properties = nil
	for _, name := range sortedKeys(named) {
		if n.properties == nil {
			n.properties = make(map[string]*node, len(named))
		}
		if !m.work.spend(1) {
			return
		}
		n.properties[name] = m.oneOf(named[name])
	}
	n.additional = m.unionOptional(variants, func(v *node) (*node, bool) { return v.additional, v.additional != nil || v.closed })
}

// unionOptional returns the union of a part of the variants, or nil when one
// of them does not restrict it.
func (m merger) unionOptional(variants []*node, part func(*node) (part *node, restricted bool)) *node {
	var parts []*node
	for _, v := range variants {
		p, restricted := part(v)
		if !restricted {
			return nil
		}
		if p != nil {
			parts = append(parts, p)
		}
	}
	if parts == nil {
		return nil
	}
	return m.oneOf(parts)
}

// widen returns a node without alternates that has one type, or none when
// anything is allowed. What it had to leave out, it tells in a note.
func (m merger) widen(n *node) *node {
	if n.alternates == nil && len(typeList(n.types)) <= 1 {
		return n
	}
	whole := m.variants(n)
	if len(whole) == 0 { // all is allowed, or the alternatives contradict the rest
		c := *n
		c.alternates = nil
		if whole = splitTypes(&c); len(whole) == 0 {
			return &c
		}
	}
	var types typeSet
	for _, v := range whole {
		types |= v.types
	}
	best := typeList(types)[0]
	var same []*node
	for _, v := range whole {
		if v.types&best != 0 {
			same = append(same, v)
		}
	}
	w := m.union(same)
	w.nullable = w.nullable || n.nullable
	w.title, w.description = firstText(n.title, w.title), firstText(n.description, w.description)
	notes := w.notes
	w.notes = n.notes
	for _, note := range notes {
		w.note(note)
	}
	if n.defaulted {
		w.fallback, w.defaulted = n.fallback, true
	}
	w.note(alternativesNote(n))
	return w
}

// variants returns what n allows as nodes of one type each, without alternates.
// It returns none when n allows everything.
func (m merger) variants(n *node) []*node {
	if n.alternates == nil {
		return splitTypes(n)
	}
	base := *n
	base.alternates, base.title, base.description, base.notes = nil, "", "", nil
	var all []*node
	for _, alternate := range n.alternates {
		if !m.work.spend(1) {
			break
		}
		if alternate.types != 0 && base.types != 0 && alternate.types&base.types == 0 {
			continue // cannot hold beside the rest
		}
		v := m.intersect(alternate, &base)
		if v.never {
			continue
		}
		parts := m.variants(v)
		if parts == nil {
			return splitTypes(&base)
		}
		all = append(all, parts...)
	}
	return all
}

// splitTypes returns a node for each type of n, with the values of that type.
func splitTypes(n *node) []*node {
	types := typeList(n.types)
	if len(types) <= 1 {
		if len(types) == 0 {
			return nil
		}
		return []*node{n}
	}
	var parts []*node
	for _, t := range types {
		c := *n
		c.types = t
		c.trim()
		if n.enum != nil {
			c.enum = slices.DeleteFunc(slices.Clone(n.enum), func(v any) bool { return typeOfValue(v)&t == 0 })
			if len(c.enum) == 0 {
				continue
			}
		}
		parts = append(parts, &c)
	}
	return parts
}
