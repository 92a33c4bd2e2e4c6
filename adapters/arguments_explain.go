package adapters

import (
	"fmt"
	"slices"
	"strings"
)

// An inputError says what is wrong with the input of a call and what was
// expected, but not the input itself, which may hold secrets.
type inputError struct {
	unread   error // the input is no arguments at all
	mistakes []mistake
	expected string
}

func (e *inputError) Error() string { return e.say(mistake.String) }

// toModel returns the error with the values that came.
func (e *inputError) toModel() string { return e.say(mistake.toModel) }

func (e *inputError) say(how func(mistake) string) string {
	if e.unread != nil {
		return e.unread.Error() + ". " + e.expected
	}
	texts := make([]string, len(e.mistakes))
	for i, m := range e.mistakes {
		texts[i] = how(m)
	}
	return strings.Join(texts, ", ") + ". " + e.expected
}

// A mistake in the arguments of a call.
type mistake struct {
	text string // where it is and what was expected
	got  string // the value that came, which is for the model only: it may be a secret
}

func (m mistake) String() string { return m.text }

// toModel returns the mistake with the value.
func (m mistake) toModel() string { return m.text + m.got }

// An explainer finds the mistakes in a value that does not satisfy a node. It
// may find none, since a node does not hold all of a schema.
type explainer struct {
	left     budget
	mistakes []mistake
}

func (x *explainer) full() bool { return len(x.mistakes) >= maxProblems }

func (x *explainer) add(path, want, got string) {
	where := "the arguments"
	if path != "" {
		where = quoted(path)
	}
	x.mistakes = append(x.mistakes, mistake{where + " " + want, got})
}

// value explains v, which is at path.
func (x *explainer) value(path string, n *node, v any, depth int) {
	if x.full() || depth > maxDepth || !x.left.spend(1) {
		return
	}
	if v == nil && (n.nullable || n.acceptsAnyType()) {
		return
	}
	of := typeOf(v)
	switch {
	case n.never:
		x.add(path, "is not allowed", "")
	case n.types != 0 && of&n.types == 0:
		x.add(path, fmt.Sprintf("must be %s, not %s", describeNode(&node{types: n.types}), of), "")
	case n.enum != nil && !slices.ContainsFunc(n.enum, func(e any) bool { return valueKey(e) == valueKey(v) }):
		x.add(path, "must be "+describeNode(&node{enum: n.enum}), ", not "+briefText(v))
	default:
		x.facets(path, n, v)
		switch v := v.(type) {
		case map[string]any:
			x.object(path, n, v, depth)
		case []any:
			for i, e := range v {
				if n.items != nil && !n.tuple {
					x.value(fmt.Sprintf("%s[%d]", path, i), n.items, e, depth+1)
				}
			}
		}
		x.alternates(path, n, v, depth)
	}
}

func (x *explainer) object(path string, n *node, v map[string]any, depth int) {
	for _, name := range n.required {
		if _, given := v[name]; !given && !x.full() {
			x.add(pathOf(path, name), "is required but missing", "")
		}
	}
	for _, name := range sortedKeys(v) {
		property := n.properties[name]
		switch {
		case property != nil:
			x.value(pathOf(path, name), property, v[name], depth+1)
		case n.additional != nil:
			x.value(pathOf(path, name), n.additional, v[name], depth+1)
		case n.closed && !x.full():
			x.add(pathOf(path, name), "is not a property here: these are "+propertyList(n), "")
		}
	}
}

func propertyList(n *node) string {
	var names []string
	for _, name := range sortedKeys(n.properties) {
		if !n.properties[name].never {
			names = append(names, quoted(name))
		}
	}
	if len(names) == 0 {
		return "none"
	}
	return cutText(strings.Join(names, ", "), maxSentence)
}

// alternates explains why none of the alternatives holds: by the only one that
// is meant, if the types and the single values in the others rule them out.
func (x *explainer) alternates(path string, n *node, v any, depth int) {
	if n.alternates == nil {
		return
	}
	var meant []*node
	for _, alternate := range n.alternates {
		try := explainer{left: x.left}
		try.value(path, alternate, v, depth+1)
		x.left.spend(int(x.left - try.left))
		if try.mistakes == nil {
			return
		}
		if mayMean(alternate, v) {
			meant = append(meant, alternate)
		}
	}
	if len(meant) == 1 {
		x.value(path, meant[0], v, depth+1)
		return
	}
	x.add(path, "must be one of: "+describeNode(&node{alternates: n.alternates}), "")
}

// mayMean reports whether v is of the type of a node and has the values that
// tell its kind from others.
func mayMean(n *node, v any) bool {
	if n.types != 0 && typeOf(v)&n.types == 0 {
		return false
	}
	m, _ := v.(map[string]any)
	for name, property := range n.properties {
		if value, given := m[name]; given && len(property.enum) == 1 && valueKey(property.enum[0]) != valueKey(value) {
			return false
		}
	}
	return true
}

func (x *explainer) facets(path string, n *node, v any) {
	for _, name := range sortedKeys(n.facets) {
		if !x.full() && !meets(name, n.facets[name], v) {
			x.add(path, "must be "+facetTable[name].of.String()+" with: "+facetTable[name].say(n.facets[name]), ", not "+briefText(v))
		}
	}
}
