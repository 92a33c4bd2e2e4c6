package adapters

import (
	"reflect"
	"slices"
)

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
		n.open = n.open || v.open
		n.nullAbsent = n.nullAbsent && v.nullAbsent
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
			n.closed = false // properties are missing
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
			c.nullable = c.nullable && !c.unconstrained()
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
	w.nullAbsent = w.nullAbsent || n.nullAbsent
	w.note(alternativesNote(n))
	if best == typeString && types&^typeString != 0 {
		// A string can spell the values of the other types, unless it is restricted
		// to some: of 5 or "all", 5 must not become impossible.
		if w.facets != nil {
			w.note(constraintsNote(w.facets.phrases()))
		}
		w.enum, w.facets = nil, nil
	}
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
