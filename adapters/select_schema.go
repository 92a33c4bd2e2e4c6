package adapters

import (
	"slices"
)

// maxHideDepth bounds how deep combined schemas and references are followed.
const maxHideDepth = 16

// maxHideCopies bounds how many definitions are copied.
const maxHideCopies = 64

// hideArgument takes the property that path leads to out of schema, wherever
// the schema speaks of it, and reports whether it was there or, since the
// schema has no properties, could be.
//
// Beside are, for each name of the path, the names of all properties that the
// schema has at its place.
func hideArgument(schema map[string]any, path []string) (hidden bool, beside []map[string]bool) {
	keepReferents(schema)
	h := hider{root: schema, copies: maxHideCopies, beside: make([]map[string]bool, len(path))}
	h.hide(schema, path, 0)
	return h.found || !h.listed, h.beside
}

// A hider removes a property. What the schema combines (allOf, anyOf, oneOf,
// then, else, not, if, dependentSchemas) is changed along with it, and so is what
// it refers to, of which others that refer to it too keep the original.
//
// What would be judged differently without the property does not judge any
// more: a condition on it goes, and of alternatives that it told apart several
// may hold.
type hider struct {
	root   map[string]any
	copies int
	found  bool
	listed bool // some schema on the way has properties
	beside []map[string]bool
}

// hide reports whether it has changed the schema.
func (h *hider) hide(schema map[string]any, path []string, depth int) (changed bool) {
	if depth > maxHideDepth {
		return false
	}
	if ref, ok := schema["$ref"].(string); ok {
		changed = h.hideReferent(schema, ref, path, depth)
	}
	name := path[0]
	properties, _ := schema["properties"].(map[string]any)
	h.listed = h.listed || len(properties) > 0
	level := len(h.beside) - len(path)
	for other := range properties {
		if h.beside[level] == nil {
			h.beside[level] = map[string]bool{}
		}
		h.beside[level][other] = true
	}
	if _, ok := properties[name]; ok {
		if len(path) == 1 {
			h.found, changed = true, true
			delete(properties, name)
		} else {
			inner, _ := properties[name].(map[string]any)
			changed = inner != nil && h.hide(inner, path[1:], depth+1) || changed
		}
	}
	if len(path) == 1 {
		changed = forget(schema, name) || changed
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		branches, _ := schema[key].([]any)
		within := false
		for _, branch := range branches {
			within = h.hideIn(branch, path, depth) || within
		}
		if within && key == "oneOf" {
			delete(schema, key)
			addPart(schema, map[string]any{"anyOf": branches})
		}
		changed = within || changed
	}
	for _, key := range []string{"if", "not", "then", "else"} {
		if h.hideIn(schema[key], path, depth) {
			changed = true
			if key == "if" || key == "not" {
				delete(schema, key)
			}
		}
	}
	for _, key := range []string{"dependentSchemas", "dependencies"} {
		dependent, _ := schema[key].(map[string]any)
		for _, branch := range dependent {
			changed = h.hideIn(branch, path, depth) || changed
		}
	}
	return changed
}

func (h *hider) hideIn(v any, path []string, depth int) bool {
	schema, ok := v.(map[string]any)
	return ok && h.hide(schema, path, depth+1)
}

// hideReferent hides in what schema refers to: in place, or if others refer to
// it too, in a copy that takes the place of the reference.
func (h *hider) hideReferent(schema map[string]any, ref string, path []string, depth int) bool {
	target, ok := pointedTo(h.root, ref).(map[string]any)
	if !ok {
		return false
	}
	if h.copies > 0 && references(h.root, ref) > 1 {
		h.copies--
		delete(schema, "$ref")
		addPart(schema, cloneJSON(target))
		return false // the parts come next
	}
	return h.hide(target, path, depth+1)
}

func addPart(schema map[string]any, part any) {
	parts, _ := schema["allOf"].([]any)
	schema["allOf"] = append(slices.Clip(parts), part)
}

// forget removes a name from the lists of names of a schema, and reports whether
// it was there.
func forget(schema map[string]any, name string) (changed bool) {
	without := func(v any) (any, bool) {
		list, ok := v.([]any)
		if !ok {
			return v, true
		}
		rest := slices.DeleteFunc(slices.Clone(list), func(e any) bool { return e == name })
		changed = changed || len(rest) < len(list)
		return rest, len(rest) > 0
	}
	if least, ok := number(schema["minProperties"]); ok {
		if delete(schema, "minProperties"); least > 1 {
			schema["minProperties"] = least - 1 // the hidden one is put in
		}
	}
	if required, ok := schema["required"]; ok {
		if schema["required"], ok = without(required); !ok {
			delete(schema, "required")
		}
	}
	for _, key := range []string{"dependentRequired", "dependencies", "dependentSchemas"} {
		dependent, ok := schema[key].(map[string]any)
		if !ok {
			continue
		}
		if _, ok := dependent[name]; ok {
			changed = true
			delete(dependent, name)
		}
		for other, list := range dependent {
			if dependent[other], ok = without(list); !ok {
				delete(dependent, other)
			}
		}
	}
	return changed
}
