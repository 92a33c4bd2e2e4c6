package adapters

import (
	"maps"
	"slices"
	"strings"
)

// An emitter writes nodes as schemas that obey the rules. Everything it writes
// is paid for first, at a price that depends only on what is written: a result
// read again costs no more and comes out whole.
type emitter struct {
	rules  *schemaRules
	merger merger
	left   budget
	depth  int       // of the schemas inside the one that is being written
	spells *spelling // of the schema that is being written; nil if nobody wants to know
}

// root writes the schema of a tool's arguments.
func (e *emitter) root(n *node) map[string]any {
	n = e.merger.arguments(n)
	e.renounce(n)
	e.left.spend(1)
	return e.node(n)
}

// arguments returns a new node for the object that the arguments of a tool are,
// whatever their schema says.
func (m merger) arguments(n *node) *node {
	c := *m.widen(n)
	c.types = typeObject
	c.trim()
	c.enum, c.nullable, c.fallback, c.defaulted = nil, false, nil, false
	return &c
}

// renounce takes the properties out of the root whose names the provider
// refuses, and tells about them.
func (e *emitter) renounce(n *node) {
	if e.rules.propertyName == nil {
		return
	}
	var texts []string
	allowed := make(map[string]*node, len(n.properties))
	for _, name := range sortedKeys(n.properties) {
		property := n.properties[name]
		switch {
		case e.rules.propertyName(name):
			allowed[name] = property
		case !property.never && len(texts) < 4*maxSamples:
			text := quoteText(name) + " (" + describeNode(property)
			if slices.Contains(n.required, name) {
				text += ", required"
			}
			text += ")"
			if about := firstText(property.description, property.title); about != "" {
				text += " " + oneLine(cutText(about, maxPhrase))
			}
			texts = append(texts, text)
		}
	}
	if texts != nil {
		n.properties, n.closed = allowed, false
		n.note("Also takes these properties: " + cutText(strings.Join(texts, "; "), 4*maxSentence) + ".")
	}
}

const noteOnlyNull = "Always null."

// settle returns a node in the shape that the rules want, for the place inside
// the schema that is being written.
func (e *emitter) settle(n *node) *node {
	if e.depth >= maxDepth {
		n = e.cut(n)
	}
	if !e.rules.typed {
		return n
	}
	n = e.oneTypeOrUnion(n)
	if n.types != 0 || n.alternates != nil {
		return n
	}
	c := *n
	// A string can spell any value; a default shows a better type.
	c.types = typeString
	if t := typesOf(append(slices.Clip(n.examples), n.fallback)); len(typeList(t)) == 1 {
		c.types = t
	}
	if n.onlyNull() {
		c.note(noteOnlyNull)
		c.nullable = e.rules.nullable
	} else {
		c.note("Any JSON value.")
	}
	c.trim()
	return &c
}

// cut returns what [shallow] would read of a node that is deeper in the result
// than in the schema: unions of unions and of items have levels of their own.
func (e *emitter) cut(n *node) *node {
	c := &node{types: n.types, description: n.description, notes: n.notes, never: n.never}
	if e.rules.typed && len(typeList(c.types)) > 1 || c.types == typeAny&^typeNull {
		c.types = 0
	}
	return c
}

// price is what the smallest schema of a settled node costs: an array has items,
// and a union that must not be empty its alternatives.
func (e *emitter) price(n *node) int {
	switch {
	case n.types&typeArray != 0:
		return 2
	case e.rules.typed && n.alternates != nil:
		total := 0
		for _, v := range n.alternates {
			total += e.price(v)
		}
		return total
	default:
		return 1
	}
}

// node writes a settled node. Its price is paid.
func (e *emitter) node(n *node) map[string]any {
	if e.rules.typed && n.alternates != nil {
		return e.union(n)
	}
	e.depth++
	defer func() { e.depth-- }()
	e.spells.note(n)
	out := map[string]any{}
	w := *n // takes the notes of what cannot be written
	var names []any
	for _, t := range typeList(n.types) {
		names = append(names, typeName(t))
	}
	if names != nil && e.keepsNull(n) {
		names = append(names, "null")
	}
	switch len(names) {
	case 0:
	case 1:
		out["type"] = names[0]
	default:
		out["type"] = names
	}
	if n.onlyNull() {
		w.note(noteOnlyNull)
	}
	if n.types&typeObject != 0 {
		e.object(out, &w)
	}
	if n.types&typeArray != 0 {
		out["items"] = e.items(n)
	}
	e.alternates(out, n)
	e.values(out, &w)
	e.facets(out, &w)
	if n.nullable && e.rules.nullable {
		out["nullable"] = true
	}
	e.texts(out, &w)
	return out
}

// keepsNull reports whether null is written among what n allows.
func (e *emitter) keepsNull(n *node) bool { return e.rules.nullType && n.nullable && !n.onlyNull() }

const noteMayBeNull = "May be null."

// null returns n in the way that null is dealt with at its place: where it
// means "not given" it is nothing of its own, elsewhere it is told if it cannot
// be written.
func (e *emitter) null(n *node, optional bool) *node {
	switch {
	case !n.nullable || n.onlyNull() || e.rules.nullable:
		return n
	case optional:
		c := *n
		c.nullable = false
		return &c
	case e.rules.nullType:
		return n
	default:
		c := *n
		c.note(noteMayBeNull)
		return &c
	}
}

func (e *emitter) object(out map[string]any, n *node) {
	properties := map[string]any{}
	for _, name := range sortedKeys(n.properties) {
		property := e.settle(n.properties[name])
		if property.never {
			continue
		}
		if !e.left.spend(1 + len(name)/textUnit + e.price(property)) {
			break
		}
		leave := e.enterSpelling((*spelling).property, name)
		properties[name] = e.node(e.null(property, !slices.Contains(n.required, name)))
		leave()
	}
	out["properties"] = properties
	var required []any
	for _, name := range n.required {
		if properties[name] != nil {
			required = append(required, name)
		}
	}
	if required != nil {
		out["required"] = required
	}
	e.additional(out, n)
}

func (e *emitter) additional(out map[string]any, n *node) {
	others := n.additional
	switch {
	case n.closed || others != nil && others.never:
		if e.rules.additional && e.left.spend(1) {
			out["additionalProperties"] = false
		}
	case others == nil || others.unconstrained():
	case !e.rules.additional:
		n.note("Values of other properties: " + describeNode(others) + ".")
	default:
		if others = e.settle(others); e.left.spend(e.price(others)) {
			out["additionalProperties"] = e.node(e.null(others, false))
		}
	}
}

// items writes the items of an array, of which the smallest is paid with the
// array.
func (e *emitter) items(n *node) map[string]any {
	defer e.enterSpelling((*spelling).element, "")()
	items := &node{}
	if n.items != nil && !n.items.never {
		items = n.items
	}
	if items = e.settle(items); e.left.spend(e.price(items) - 1) {
		return e.node(e.null(items, false))
	}
	return e.node(e.settle(&node{}))
}

// alternates writes anyOf beside all else, where the rules know that.
func (e *emitter) alternates(out map[string]any, n *node) {
	total := 0
	for _, v := range n.alternates {
		total += e.price(v)
	}
	if e.keepsNull(n) {
		total++
	}
	if n.alternates == nil || !e.left.spend(total) {
		return
	}
	list := make([]any, len(n.alternates))
	for i, v := range n.alternates {
		// An alternative may require what is a property of the whole only.
		c := *v
		for _, name := range v.required {
			if n.properties[name] != nil && c.properties[name] == nil {
				if c.properties = maps.Clone(c.properties); c.properties == nil {
					c.properties = map[string]*node{}
				}
				c.properties[name] = &node{}
			}
		}
		if e.depth >= maxDepth {
			c = *e.cut(&c)
		}
		list[i] = e.node(&c)
	}
	if e.keepsNull(n) {
		list = append(list, map[string]any{"type": "null"})
	}
	out["anyOf"] = list
}

// texts writes title and description, the notes at the end of it.
func (e *emitter) texts(out map[string]any, n *node) {
	if n.title != "" && e.left.spend(len(n.title)/textUnit) {
		out["title"] = plain(n.title)
	}
	if text := strings.Join(n.told(), "\n"); text != "" && e.left.spend(len(text)/textUnit) {
		out["description"] = plain(text)
	}
}
