package adapters

import (
	"encoding/json"
	"maps"
	"slices"
)

// Bounds on the reading of a foreign schema: levels, and what is looked at in
// all. What is behind them is not certain, and so allowed.
const (
	maxSchemaDepth = 32
	maxSchemaSteps = 200_000
)

// A schemaReader says what is certain about the values that a schema admits.
// It errs on the side of admitting: keywords that it does not read and
// references that it cannot follow admit everything.
//
// It is not safe for concurrent use; the schema is only read.
type schemaReader struct {
	root  any
	steps int
}

// enter reports whether a schema may be read, and counts everything in it that
// may be gone through.
func (r *schemaReader) enter(s map[string]any, depth int) bool {
	r.steps++
	for _, keyword := range [...]string{"allOf", "anyOf", "oneOf", "enum", "required", "type"} {
		r.steps += len(list(s[keyword]))
	}
	properties, _ := s["properties"].(map[string]any)
	ref, _ := s["$ref"].(string)
	r.steps += len(properties) + len(ref)/16
	return depth < maxSchemaDepth && r.steps <= maxSchemaSteps
}

// types returns the types that a schema admits.
func (r *schemaReader) types(schema any, depth int) typeSet {
	s, ok := schema.(map[string]any)
	if !ok || !r.enter(s, depth) {
		return typeAny
	}
	set := typeAny
	if ref, ok := s["$ref"].(string); ok {
		// Before 2019-09 the neighbours of a $ref did not count.
		set = r.types(r.resolve(ref), depth+1)
	} else {
		set = namedTypes(s["type"]) & r.unionTypes(s["anyOf"], depth) & r.unionTypes(s["oneOf"], depth) & valueTypes(s)
		for _, part := range list(s["allOf"]) {
			set &= r.types(part, depth+1)
		}
	}
	if set == 0 { // the schema contradicts itself
		return typeAny
	}
	if mentionsNull(s) {
		set |= typeNull
	}
	return set
}

func (r *schemaReader) unionTypes(branches any, depth int) typeSet {
	var set typeSet
	for _, branch := range list(branches) {
		set |= r.types(branch, depth+1)
	}
	if set == 0 {
		return typeAny
	}
	return set
}

// namedTypes reads the value of "type": a name or a list of names.
func namedTypes(v any) typeSet {
	if name, ok := v.(string); ok {
		v = []any{name}
	}
	var set typeSet
	for _, name := range list(v) {
		name, _ := name.(string)
		t, known := typesByName[name]
		if !known {
			return typeAny
		}
		set |= t
	}
	if set == 0 {
		return typeAny
	}
	return set
}

// valueTypes returns the types of the values that enum or const lists, if the
// schema names no type itself.
func valueTypes(s map[string]any) typeSet {
	if _, ok := s["type"]; ok {
		return typeAny
	}
	values := list(s["enum"])
	if v, ok := s["const"]; ok {
		values = []any{v}
	}
	var set typeSet
	for _, v := range values {
		switch v.(type) {
		case float64, json.Number: // as the SDK decodes it, as others do
			set |= typeNumber
		default:
			set |= typeOf(v)
		}
	}
	if set == 0 {
		return typeAny
	}
	return set
}

// mentionsNull reports the ways of writing "or null" other than by a type:
// OpenAPI's nullable, and null among the values of an enum whose type forgot it.
func mentionsNull(s map[string]any) bool {
	if nullable, _ := s["nullable"].(bool); nullable {
		return true
	}
	return slices.Contains(list(s["enum"]), nil)
}

// object returns the properties that an object of a schema is certain to be
// held to, and which of them it must have. Properties with a default count as
// optional even if they are listed as required, since servers fill them in
// (schema generators list them all the same).
func (r *schemaReader) object(schema any) objectSchema {
	o := objectSchema{properties: map[string]any{}, required: map[string]int{}}
	r.addObject(&o, schema, 0)
	maps.DeleteFunc(o.required, func(name string, _ int) bool {
		property, declared := o.properties[name]
		if !declared {
			return true
		}
		_, filled := r.find(property, "default", 0)
		return filled
	})
	return o
}

type objectSchema struct {
	properties map[string]any
	required   map[string]int // to the place in the order of the schema
	open       bool           // there are unions, so that there may be other properties
}

func (r *schemaReader) addObject(o *objectSchema, schema any, depth int) {
	s, ok := schema.(map[string]any)
	if !ok || !r.enter(s, depth) {
		return
	}
	if ref, ok := s["$ref"].(string); ok {
		r.addObject(o, r.resolve(ref), depth+1)
		return
	}
	properties, _ := s["properties"].(map[string]any)
	for name, property := range properties {
		if other, ok := o.properties[name]; ok {
			property = map[string]any{"allOf": []any{other, property}}
		}
		o.properties[name] = property
	}
	for _, name := range list(s["required"]) {
		if name, ok := name.(string); ok {
			if _, repeated := o.required[name]; !repeated {
				o.required[name] = len(o.required)
			}
		}
	}
	for _, union := range []any{s["anyOf"], s["oneOf"]} {
		if _, ok := notNull(list(union)); !ok && union != nil {
			o.open = true
		}
	}
	for _, part := range r.parts(s) {
		r.addObject(o, part, depth+1)
	}
}

// find returns the value of a keyword of a schema, or of what it consists of:
// generators put a part of it behind a $ref, an allOf or a union with null.
func (r *schemaReader) find(schema any, keyword string, depth int) (any, bool) {
	s, ok := schema.(map[string]any)
	if !ok || !r.enter(s, depth) {
		return nil, false
	}
	if v, ok := s[keyword]; ok {
		return v, true
	}
	for _, part := range r.parts(s) {
		if v, ok := r.find(part, keyword, depth+1); ok {
			return v, true
		}
	}
	return nil, false
}

// parts returns the schemas that a value other than null must satisfy along
// with s.
func (r *schemaReader) parts(s map[string]any) []any {
	var parts []any
	if ref, ok := s["$ref"].(string); ok {
		parts = append(parts, r.resolve(ref))
	}
	parts = append(parts, list(s["allOf"])...)
	for _, union := range []any{s["anyOf"], s["oneOf"]} {
		if branch, ok := notNull(list(union)); ok {
			parts = append(parts, branch)
		}
	}
	return parts
}

// notNull returns the only branch of a union that is not {"type": "null"}.
func notNull(branches []any) (branch any, ok bool) {
	for _, b := range branches {
		if s, isMap := b.(map[string]any); isMap && s["type"] == "null" {
			continue
		}
		if ok {
			return nil, false
		}
		branch, ok = b, true
	}
	return branch, ok
}

// enum returns the values that an enum or a const limits a schema to, or nil.
func (r *schemaReader) enum(schema any) []any {
	if v, ok := r.find(schema, "const", 0); ok {
		return []any{v}
	}
	v, _ := r.find(schema, "enum", 0)
	return list(v)
}

// items returns the schema that all elements of an array are held to, or nil if
// there is no such schema.
func (r *schemaReader) items(schema any) any {
	if _, tuple := r.find(schema, "prefixItems", 0); tuple {
		return nil
	}
	v, _ := r.find(schema, "items", 0)
	return v
}

// resolve follows a reference within the document, or returns nil.
func (r *schemaReader) resolve(ref string) any { return pointedTo(r.root, ref) }

// list returns v if it is a JSON array, and nil otherwise.
func list(v any) []any {
	l, _ := v.([]any)
	return l
}
