package adapters

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
)

const definitionsAt = "#/$defs/"

// keepReferents copies what is referred to outside of the definitions, as
// zod-to-json-schema has it ("#/properties/from"), into the definitions. What is
// hidden at its place is then still there for those that refer to it.
func keepReferents(root map[string]any) {
	definitions, _ := root["$defs"].(map[string]any)
	kept := map[string]string{} // new references, by old ones
	taken := map[string]bool{}
	free := func(name string) string {
		name = strings.NewReplacer("~", "", "/", "", "%", "").Replace(name)
		for i, base := 2, name; taken[name] || definitions[name] != nil; i++ {
			name = base + "_" + strconv.Itoa(i)
		}
		taken[name] = true
		return name
	}
	eachReference(root, func(schema map[string]any, ref string) {
		if ref != "#" && !strings.HasPrefix(ref, "#/") || strings.HasPrefix(ref, definitionsAt) || strings.HasPrefix(ref, "#/definitions/") {
			return
		}
		if kept[ref] == "" {
			kept[ref] = definitionsAt + free(cmp.Or(refName(ref), "whole"))
		}
		schema["$ref"] = kept[ref]
	})
	copies := map[string]any{}
	for ref, to := range kept {
		target := pointedTo(root, ref)
		if ref == "#" {
			whole := maps.Clone(root)
			delete(whole, "$defs")
			delete(whole, "definitions")
			target = whole
		}
		copies[strings.TrimPrefix(to, definitionsAt)] = cloneJSON(target)
	}
	if len(copies) == 0 {
		return
	}
	if definitions == nil {
		definitions = map[string]any{}
		root["$defs"] = definitions
	}
	maps.Copy(definitions, copies)
}

// references counts the schemas that refer to the same.
func references(root any, ref string) (n int) {
	eachReference(root, func(_ map[string]any, other string) {
		if other == ref {
			n++
		}
	})
	return n
}

// eachReference calls f with the schemas that refer to something, in a fixed
// order.
func eachReference(v any, f func(schema map[string]any, ref string)) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			eachReference(e, f)
		}
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok {
			f(v, ref)
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			eachReference(v[key], f)
		}
	}
}
