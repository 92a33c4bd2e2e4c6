package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

const (
	// maxShownDepth is how deep objects in the parameters are shown.
	maxShownDepth = 2
	// maxShownValues is how many values of an enumeration are shown.
	maxShownValues = 8
	// maxName is how many characters of a name are shown.
	maxName = 64
	// maxShownValue is how many characters of a value are shown.
	maxShownValue = 24
)

// signature returns what a call of a tool looks like, such as
//
//	edit_file(path: string, edits: {oldText: string}[], dryRun?: boolean = false)
//
// in the pieces between which lines should break.
func signature(name string, schema map[string]any) []string {
	pieces := properties(schema, 0)
	if len(pieces) == 0 {
		pieces = []string{""}
	}
	pieces[0] = cell(name, noLimit) + "(" + pieces[0]
	for i := range pieces[:len(pieces)-1] {
		pieces[i] += ","
	}
	pieces[len(pieces)-1] += ")"
	return pieces
}

// properties lists the required ones first, in the server's order, then the
// others by name, as JSON decoded to maps keeps no order.
func properties(schema map[string]any, depth int) []string {
	all, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	rank := func(name string) int {
		if i := slices.Index(required, any(name)); i >= 0 {
			return i
		}
		return len(required)
	}
	names := slices.SortedFunc(maps.Keys(all), func(a, b string) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
	var list []string
	for _, name := range names {
		property, _ := all[name].(map[string]any)
		s := cell(name, maxName)
		if rank(name) == len(required) {
			s += "?"
		}
		s += ": " + typeName(property, depth+1)
		if value, ok := property["default"]; ok {
			s += " = " + compact(value)
		}
		list = append(list, s)
	}
	return list
}

func typeName(schema map[string]any, depth int) string {
	if values, ok := schema["enum"].([]any); ok {
		return alternatives(values, func(v any) string { return compact(v) })
	}
	for _, union := range []string{"anyOf", "oneOf"} {
		if members, ok := schema[union].([]any); ok {
			return alternatives(members, func(m any) string {
				member, _ := m.(map[string]any)
				return typeName(member, depth)
			})
		}
	}
	switch name := schema["type"].(type) {
	case string:
		return typed(name, schema, depth)
	case []any:
		return alternatives(name, func(v any) string { return typed(fmt.Sprint(v), schema, depth) })
	}
	return "any"
}

func typed(name string, schema map[string]any, depth int) string {
	switch {
	case name == "array":
		items, _ := schema["items"].(map[string]any)
		item := typeName(items, depth)
		if strings.Contains(item, " | ") {
			item = "(" + item + ")"
		}
		return item + "[]"
	case name == "object" && depth <= maxShownDepth:
		if list := properties(schema, depth); len(list) > 0 {
			return "{" + strings.Join(list, ", ") + "}"
		}
	}
	return cell(name, maxName)
}

// alternatives joins what show makes of the values, each once.
func alternatives(values []any, show func(any) string) string {
	var shown []string
	for _, v := range values {
		s := show(v)
		if slices.Contains(shown, s) {
			continue
		}
		if len(shown) == maxShownValues {
			shown = append(shown, "…")
			break
		}
		shown = append(shown, s)
	}
	return strings.Join(shown, " | ")
}

// compact returns a value as short JSON.
func compact(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "…"
	}
	return cell(b.String(), maxShownValue)
}
