package adapters

import (
	"encoding/json"
	"math"
	"slices"
)

// A node is a schema as NormalizeSchema understands it: references followed,
// allOf merged, const an enum, tuples widened, null apart. What a node does not
// say is allowed. The zero value allows everything.
//
// Nodes are shared, since a definition may be used many times. Only who made one
// changes it, and only until it is handed on.
type node struct {
	types    typeSet // without null; 0 when nothing is said
	nullable bool    // null is allowed, and said so
	never    bool    // nothing is allowed, as by the schema false
	spells   typeSet // the string stands for values of these types, as JSON; 0 if it stands for itself
	texts    []any   // with spells: the only strings among the values; nil if any may be

	title       string
	description string
	notes       []string // sentences for the end of the description

	properties map[string]*node
	required   []string
	closed     bool  // no properties but these
	open       bool  // other properties are invited, as by "additionalProperties": true
	additional *node // what the other properties are; nil when nothing is said
	items      *node
	tuple      bool // the items differ by their place

	enum       []any // nil when nothing is said, never empty
	fallback   any   // the default
	defaulted  bool
	nullAbsent bool // null means the same as leaving it out, as by "default": null
	examples   []any
	facets     facets
	alternates []*node // at least two when not nil: one of them holds, beside all the rest
}

// unconstrained reports whether n allows everything, whatever it tells about it.
func (n *node) unconstrained() bool {
	return n.types == 0 && !n.never && n.enum == nil && n.properties == nil && n.required == nil &&
		!n.closed && n.additional == nil && n.items == nil && n.facets == nil && n.alternates == nil
}

// onlyNull reports whether null is all that n allows. A node that allows everything
// is therefore never nullable: it does not say so.
func (n *node) onlyNull() bool { return n.nullable && n.unconstrained() }

// bareUnion reports whether n is nothing but its alternatives.
func (n *node) bareUnion() bool {
	if n.alternates == nil || n.description != "" || n.notes != nil || n.defaulted {
		return false
	}
	rest := *n
	rest.alternates = nil
	return rest.unconstrained()
}

// note adds a sentence, once.
func (n *node) note(sentence string) {
	if sentence != "" && !slices.Contains(n.notes, sentence) {
		n.notes = append(slices.Clip(n.notes), sentence)
	}
}

// told returns the lines of the description, the notes at the end of it.
func (n *node) told() []string {
	if n.description == "" {
		return n.notes
	}
	return append([]string{n.description}, n.notes...)
}

// require adds names to the required properties, each once, and keeps the order.
func (n *node) require(names ...string) {
	if len(names) == 0 {
		return
	}
	seen := make(map[string]bool, len(n.required)+len(names))
	var all []string
	for _, list := range [][]string{n.required, names} {
		for _, name := range list {
			if !seen[name] {
				seen[name] = true
				all = append(all, name)
			}
		}
	}
	n.required = all
}

// infer finds the type of a schema that does not say it from the keywords that
// make sense for one type only.
func (n *node) infer() {
	if n.types != 0 || n.alternates != nil {
		return
	}
	switch {
	case n.enum != nil:
		n.types = typesOf(n.enum)
	case n.properties != nil || n.required != nil || n.closed || n.additional != nil:
		n.types = typeObject
	case n.items != nil:
		n.types = typeArray
	default:
		for name, v := range n.facets {
			n.types |= facetTypes(name, v)
		}
		if len(typeList(n.types)) > 1 { // a minimum and a minLength, for one
			n.note(constraintsNote(n.facets.phrases()))
			n.types, n.facets = 0, nil
		}
	}
}

// trim drops the keywords that say nothing about values of the node's types.
func (n *node) trim() {
	if n.types == 0 {
		return
	}
	if n.types&typeObject == 0 {
		n.properties, n.required, n.closed, n.additional = nil, nil, false, nil
	}
	if n.types&typeArray == 0 {
		n.items = nil
	}
	n.facets = n.facets.of(n.types)
	if n.enum != nil && n.facets != nil {
		n.settleEnum()
	}
}

// settleEnum leaves the values of an enum that the facets admit, which say
// nothing more after that. If they admit none, the values are right.
func (n *node) settleEnum() {
	var admitted []any
	for _, v := range n.enum {
		if !slices.ContainsFunc(sortedKeys(n.facets), func(name string) bool { return !meets(name, n.facets[name], v) }) {
			admitted = append(admitted, v)
		}
	}
	if admitted != nil {
		n.enum = admitted
	}
	n.facets = nil
}

// typeList splits a set into the types that a schema can name, in the order of
// how much they can express.
func typeList(s typeSet) []typeSet {
	var list []typeSet
	for _, t := range []typeSet{typeObject, typeArray, typeString, typeNumber, typeBoolean} {
		if s&t != 0 {
			list = append(list, s&t)
		}
	}
	return list
}

// typeName returns the name of one type of typeList.
func typeName(t typeSet) string {
	switch {
	case t&typeFraction != 0:
		return "number"
	default:
		return t.String()
	}
}

// typesOf returns the types of values, null left out.
func typesOf(values []any) typeSet {
	var s typeSet
	for _, v := range values {
		s |= typeOfValue(v)
	}
	return s &^ typeNull
}

// typeOfValue is typeOf for plain values, which may hold a float64.
func typeOfValue(v any) typeSet {
	f, ok := v.(float64)
	switch {
	case !ok:
		return typeOf(v)
	case f == math.Trunc(f):
		return typeInteger
	default:
		return typeFraction
	}
}

// number returns a JSON number as a float64.
func number(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, true
	case json.Number:
		f, err := v.Float64()
		return f, err == nil
	}
	return 0, false
}

// valueKey is equal for values that JSON Schema calls equal: numbers by what
// they are and not by how they are written.
func valueKey(v any) string {
	if f, ok := number(v); ok {
		v = f
	}
	data, _ := json.Marshal(v) // plain values always marshal
	return string(data)
}
