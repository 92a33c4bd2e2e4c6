package adapters

import (
	"maps"
	"math"
	"strconv"
)

// facets are the keywords that restrict values of one type by a scalar, such as
// minimum and pattern. Their values are those of the schema.
type facets map[string]any

// A facet is one such keyword.
type facet struct {
	of     typeSet
	valid  func(v any) bool
	bound  int    // +1: a lower bound, -1: an upper bound, 0: no bound
	phrase string // how a model is told when the provider does not know the keyword
}

var facetTable = map[string]facet{
	"minimum":          {typeNumber, isBound, +1, "at least "},
	"maximum":          {typeNumber, isBound, -1, "at most "},
	"exclusiveMinimum": {typeNumber, isBound, +1, "greater than "},
	"exclusiveMaximum": {typeNumber, isBound, -1, "less than "},
	"multipleOf":       {typeNumber, isPositive, 0, "a multiple of "},
	"minLength":        {typeString, isCount, +1, "minimum length "},
	"maxLength":        {typeString, isCount, -1, "maximum length "},
	"pattern":          {typeString, isText, 0, "matching the regular expression "},
	"format":           {typeString | typeNumber, isText, 0, "format "},
	"contentEncoding":  {typeString, isText, 0, "encoded as "},
	"contentMediaType": {typeString, isText, 0, "media type "},
	"minItems":         {typeArray, isCount, +1, "minimum number of items "},
	"maxItems":         {typeArray, isCount, -1, "maximum number of items "},
	"uniqueItems":      {typeArray, isTrue, 0, "without duplicates"},
	"minProperties":    {typeObject, isCount, +1, "minimum number of properties "},
	"maxProperties":    {typeObject, isCount, -1, "maximum number of properties "},
}

// facetTypes returns the types that a facet is for.
func facetTypes(name string, v any) typeSet {
	if name != "format" {
		return facetTable[name].of
	}
	switch v {
	case "int32", "int64", "uint32", "uint64":
		return typeInteger
	case "float", "double":
		return typeNumber
	default:
		return typeString
	}
}

// maxSafeInteger is the largest integer that a JavaScript number holds exactly.
const maxSafeInteger = 1<<53 - 1

// isBound holds for the numbers that restrict anything. Generators write the
// bounds of a JavaScript integer or of an int64 for "an integer", and some
// providers refuse numbers of that size.
func isBound(v any) bool {
	f, ok := number(v)
	return ok && math.Abs(f) < maxSafeInteger
}

func isPositive(v any) bool {
	f, ok := number(v)
	return ok && f > 0 && f < maxSafeInteger
}

func isCount(v any) bool {
	f, ok := number(v)
	return ok && f >= 0 && f < math.MaxInt32 && f == math.Trunc(f)
}

func isText(v any) bool {
	s, ok := v.(string)
	return ok && s != ""
}

func isTrue(v any) bool { return v == true }

// readFacets reads the facets of a schema. What is malformed is left out.
func readFacets(m map[string]any) facets {
	var fs facets
	set := func(name string, v any) {
		if fs == nil {
			fs = facets{}
		}
		fs[name] = v
	}
	for name, f := range facetTable {
		if v, ok := m[name]; ok && f.valid(v) {
			set(name, v)
		}
	}
	// Draft 4: "exclusiveMinimum": true makes the minimum exclusive.
	for _, bound := range []struct{ inclusive, exclusive string }{{"minimum", "exclusiveMinimum"}, {"maximum", "exclusiveMaximum"}} {
		if v, ok := fs[bound.inclusive]; ok && m[bound.exclusive] == true {
			set(bound.exclusive, v)
			delete(fs, bound.inclusive)
		}
	}
	return fs
}

// of returns the facets that say something about values of some types.
func (a facets) of(types typeSet) facets {
	fitting := 0
	for name := range a {
		if facetTable[name].of&types != 0 {
			fitting++
		}
	}
	switch fitting {
	case len(a):
		return a
	case 0:
		return nil
	}
	b := facets{}
	for name, v := range a {
		if facetTable[name].of&types != 0 {
			b[name] = v
		}
	}
	return b
}

// tighten returns the facets of values that satisfy both a and b. Where two
// cannot be combined, that of a stays.
func (a facets) tighten(b facets) facets {
	if len(b) == 0 {
		return a
	}
	both := maps.Clone(b)
	for name, v := range a {
		if other, ok := b[name]; !ok || !stricter(name, other, v) {
			both[name] = v
		}
	}
	return both
}

// loosen returns the facets of values that satisfy a or b.
func (a facets) loosen(b facets) facets {
	var either facets
	for name, v := range a {
		other, ok := b[name]
		if !ok {
			continue
		}
		if stricter(name, v, other) {
			v, other = other, v
		}
		if facetTable[name].bound == 0 && v != other {
			continue
		}
		if either == nil {
			either = facets{}
		}
		either[name] = v
	}
	return either
}

// inclusive returns the facets of an integer without exclusive bounds.
func (a facets) inclusive() facets {
	b := facets{}
	for name, v := range a {
		f, _ := number(v)
		switch name {
		case "exclusiveMinimum":
			b = b.tighten(facets{"minimum": math.Floor(f) + 1})
		case "exclusiveMaximum":
			b = b.tighten(facets{"maximum": math.Ceil(f) - 1})
		default:
			b = b.tighten(facets{name: v})
		}
	}
	return b
}

// stricter reports whether the bound v excludes more than the bound than.
func stricter(name string, v, than any) bool {
	a, _ := number(v)
	b, _ := number(than)
	switch facetTable[name].bound {
	case +1:
		return a > b
	case -1:
		return a < b
	default:
		return false
	}
}

// say puts a facet into words.
func (f facet) say(v any) string {
	switch v := v.(type) {
	case bool:
		return f.phrase
	case float64:
		return f.phrase + strconv.FormatFloat(v, 'f', -1, 64)
	default:
		return f.phrase + briefText(v)
	}
}
