package adapters

import (
	"slices"
)

// maxHideDepth bounds how deep combined schemas and references are followed.
const maxHideDepth = 16

// hideArgument takes the property that path leads to out of schema, wherever
// the schema speaks of it, and reports whether it was there or, since the
// schema has no properties, could be.
func hideArgument(schema map[string]any, path []string) bool {
	h := hider{root: schema}
	h.hide(schema, path, 0)
	return h.found || !h.listed
}

// A hider removes a property. What the schema combines (allOf, anyOf, oneOf,
// then, else, not, if, dependentSchemas) and what it refers to is changed along
// with it: a definition that others use too loses the property there as well,
// which shows a model less, never more.
type hider struct {
	root   map[string]any
	found  bool
	listed bool // some schema on the way has properties
}

func (h *hider) hide(schema map[string]any, path []string, depth int) {
	if depth > maxHideDepth {
		return
	}
	name := path[0]
	properties, _ := schema["properties"].(map[string]any)
	h.listed = h.listed || len(properties) > 0
	if _, ok := properties[name]; ok {
		if len(path) == 1 {
			h.found = true
			delete(properties, name)
		} else if inner, ok := properties[name].(map[string]any); ok {
			h.hide(inner, path[1:], depth+1)
		}
	}
	if len(path) == 1 {
		forget(schema, name)
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		branches, _ := schema[key].([]any)
		for _, branch := range branches {
			h.hideIn(branch, path, depth)
		}
	}
	for _, key := range []string{"if", "then", "else", "not"} {
		h.hideIn(schema[key], path, depth)
	}
	for _, key := range []string{"dependentSchemas", "dependencies"} {
		dependent, _ := schema[key].(map[string]any)
		for _, branch := range dependent {
			h.hideIn(branch, path, depth)
		}
	}
	if ref, ok := schema["$ref"].(string); ok {
		h.hideIn(pointedTo(h.root, ref), path, depth)
	}
}

func (h *hider) hideIn(v any, path []string, depth int) {
	if schema, ok := v.(map[string]any); ok {
		h.hide(schema, path, depth+1)
	}
}

// forget removes a name from the lists of names of a schema.
func forget(schema map[string]any, name string) {
	without := func(v any) (any, bool) {
		list, ok := v.([]any)
		if !ok {
			return v, true
		}
		list = slices.DeleteFunc(slices.Clone(list), func(e any) bool { return e == name })
		return list, len(list) > 0
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
		delete(dependent, name)
		for other, list := range dependent {
			if dependent[other], ok = without(list); !ok {
				delete(dependent, other)
			}
		}
	}
}
