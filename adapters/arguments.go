package adapters

import (
	"fmt"
	"maps"
	"slices"
)

// An ArgumentCheck says how the arguments that a model wrote are treated before
// they are sent.
type ArgumentCheck int

const (
	// CheckCertain, the default, answers what is certainly a mistake without
	// asking the server: a required argument that is missing and has no default,
	// and an argument of the top level of a type that its schema does not admit
	// (5 for a string, "tomorrow" for an integer; not "5" for an integer, nor
	// 1.0, since many servers take those). Everything else is the server's to
	// judge: real servers ship schemas that refuse their own valid input.
	//
	// It also leaves out arguments that are null, at any depth, where the schema
	// makes them optional and has no null: models write null for "not given",
	// and servers refuse it.
	CheckCertain ArgumentCheck = iota

	// CheckOff sends the arguments as the model wrote them, but for the nulls
	// that a strict schema made it write, see [StrictSchema], and the JSON in
	// strings that a portable one asked for, see [NormalizeSchema].
	CheckOff

	// CheckFull answers whatever breaks the schema, as JSON Schema 2020-12 has it
	// (formats apart), with all that CheckCertain does. It is for servers whose
	// schemas are known to be right and whose own answers are poor.
	//
	// Schemas that cannot judge, and those that would take too long, are left at
	// CheckCertain: those that refer to other documents (nothing is fetched), to
	// anchors, or to themselves without end, and names of properties by patterns
	// that Go's regexp does not take. Where it does not take the pattern of a
	// value, the pattern is not checked.
	CheckFull
)

// maxProblems is how many mistakes a model is told at once.
const maxProblems = 10

// parameters is what a tool takes, as far as its input schema is certain. It is
// not changed after newParameters and safe for concurrent use.
type parameters struct {
	schema any
	list   []parameter // the required ones in the order of the schema, then the others by name
	open   bool        // there may be other parameters than those of list
}

type parameter struct {
	name     string
	required bool
	types    typeSet
	values   []any // what an enum admits
}

func newParameters(schema any) *parameters {
	r := schemaReader{root: schema}
	o := r.object(schema)
	p := &parameters{schema: schema, open: o.open}
	for _, name := range slices.Sorted(maps.Keys(o.properties)) {
		_, required := o.required[name]
		p.list = append(p.list, parameter{
			name:     name,
			required: required,
			types:    r.types(o.properties[name], 0),
			values:   r.enum(o.properties[name]),
		})
	}
	slices.SortStableFunc(p.list, func(a, b parameter) int {
		switch {
		case a.required && b.required:
			return o.required[a.name] - o.required[b.name]
		case a.required:
			return -1
		case b.required:
			return 1
		}
		return 0
	})
	return p
}

func (p *parameters) has(name string) bool {
	return slices.ContainsFunc(p.list, func(param parameter) bool { return param.name == name })
}

// sole returns the parameter that text without a name is meant for: the only
// required one, or the only one at all, if it takes a string for certain.
func (p *parameters) sole() (string, bool) {
	if len(p.list) == 0 || p.open && !p.list[0].required {
		return "", false
	}
	first := p.list[0]
	if len(p.list) > 1 && (!first.required || p.list[1].required) {
		return "", false
	}
	return first.name, first.types != typeAny && first.types&typeString != 0
}

// mistakes returns the certain mistakes in args, none if there are none.
func (p *parameters) mistakes(args map[string]any) []mistake {
	var problems []mistake
	for _, param := range p.list {
		if len(problems) == maxProblems {
			break
		}
		value, given := args[param.name]
		switch {
		case !given && param.required:
			problems = append(problems, mistake{text: quoted(param.name) + " is required but missing"})
		case given && typeOf(value)&param.types == 0 && !mayBecome(value, param.types):
			problems = append(problems, mistake{text: fmt.Sprintf("%s must be %s, not %s", quoted(param.name), param.types, typeOf(value))})
		}
	}
	return problems
}
