package adapters

import (
	"math"
	"regexp"
	"slices"
	"strings"
)

// applicators are the keywords that hold schemas.
var applicators = map[string]struct{ one, list, named bool }{
	"not": {one: true}, "if": {one: true}, "then": {one: true}, "else": {one: true},
	"additionalProperties": {one: true}, "unevaluatedProperties": {one: true}, "propertyNames": {one: true},
	"items": {one: true}, "unevaluatedItems": {one: true}, "contains": {one: true},
	"allOf": {list: true}, "anyOf": {list: true}, "oneOf": {list: true}, "prefixItems": {list: true},
	"properties": {named: true}, "patternProperties": {named: true}, "dependentSchemas": {named: true},
	"$defs": {named: true}, "definitions": {named: true},
}

// assertions are the other keywords that are judged by, and what their values
// must be. The rest of a schema does not matter.
var assertions = map[string]func(v any) bool{
	"minimum": isNumber, "maximum": isNumber, "exclusiveMinimum": isNumber, "exclusiveMaximum": isNumber, "multipleOf": isWhole,
	"minLength": isCount, "maxLength": isCount, "minItems": isCount, "maxItems": isCount, "minContains": isCount, "maxContains": isCount,
	"minProperties": isCount, "maxProperties": isCount, "uniqueItems": isTrue, "required": isNames,
	"pattern": func(v any) bool { return isText(v) && compiles(v.(string)) },
	"const":   func(any) bool { return true },
	"enum":    func(v any) bool { return len(anyList(v)) > 0 },
	"$ref":    isText,
}

func isNumber(v any) bool { _, ok := number(v); return ok }

// isWhole holds for the steps that jsonschema-go can judge: with others, such as
// 0.01, it divides floats and refuses most of the multiples.
func isWhole(v any) bool {
	f, ok := number(v)
	return ok && isPositive(v) && f == math.Trunc(f)
}

func isNames(v any) bool {
	list, ok := v.([]any)
	return ok && !slices.ContainsFunc(list, func(e any) bool { _, ok := e.(string); return !ok })
}

func compiles(pattern string) bool {
	_, err := regexp.Compile(pattern)
	return err == nil && len(pattern) <= 10*maxSentence
}

// judgeable returns a schema in the form of JSON Schema 2020-12 that judges as
// the one of a server does, whatever draft that is of. What is malformed
// restricts nothing. It reports false where that would not be fair: for
// references to anything but JSON pointers, which other rules resolve, and for
// names of properties by patterns that Go does not have.
func judgeable(schema map[string]any) (map[string]any, bool) {
	if schema == nil {
		return nil, false
	}
	dialect, _ := schema["$schema"].(string)
	j := judge{left: maxWork, old: strings.Contains(dialect, "draft-0"), fair: true}
	out, _ := j.schema(schema, 0).(map[string]any)
	for _, loosen := range j.loosen {
		loosen()
	}
	return out, out != nil && j.fair && j.left > 0
}

type judge struct {
	left budget
	old  bool // before 2019-09 the neighbours of a $ref did not count
	fair bool

	vague  int      // assertions left out so far
	refs   int      // references so far
	loosen []func() // what is to be done in the end
}

// within reads a part of a schema under a keyword that refuses more if the part
// admits more. If it does, since an assertion was left out there (or anywhere, if
// it refers to something), loosen is called in the end.
func (j *judge) within(read, loosen func()) {
	vague, refs := j.vague, j.refs
	read()
	direct, refers := j.vague > vague, j.refs > refs
	j.loosen = append(j.loosen, func() {
		if direct || refers && j.vague > 0 {
			loosen()
		}
	})
}

func (j *judge) schema(v any, depth int) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v != false // what is no schema restricts nothing
	}
	if depth > maxDepth || !j.left.spend(1+len(m)) {
		j.fair = false
		return true
	}
	for _, keyword := range []string{"$dynamicRef", "$recursiveRef"} {
		j.fair = j.fair && m[keyword] == nil
	}
	for _, keyword := range []string{"$id", "id"} {
		_, named := m[keyword].(string)
		j.fair = j.fair && (!named || depth == 0)
	}
	out := map[string]any{}
	ref, isRef := m["$ref"].(string)
	if isRef {
		j.refs++
	}
	if isRef && ref != "#" && !strings.HasPrefix(ref, "#/") {
		j.fair = false
	}
	for keyword, v := range m {
		if j.old && isRef && !slices.Contains([]string{"$ref", "$defs", "definitions"}, keyword) {
			continue
		}
		switch holds := applicators[keyword]; {
		case v == nil && keyword != "const":
		case keyword == "items" && anyList(v) != nil:
			out["prefixItems"] = j.list(v, depth)
			if rest, ok := m["additionalItems"]; ok {
				out["items"] = j.schema(rest, depth+1)
			}
		case keyword == "not", keyword == "if", keyword == "contains":
			j.within(func() { out[keyword] = j.schema(v, depth+1) }, func() {
				if keyword == "contains" {
					keyword = "maxContains"
				}
				delete(out, keyword)
			})
		case keyword == "oneOf":
			var list []any
			j.within(func() { list = j.list(v, depth) }, func() {
				if delete(out, "oneOf"); len(list) > 0 {
					all, _ := out["allOf"].([]any)
					out["allOf"] = append(all, map[string]any{"anyOf": list})
				}
			})
			if len(list) > 0 {
				out["oneOf"] = list
			}
		case holds.one:
			out[keyword] = j.schema(v, depth+1)
		case holds.list:
			if list := j.list(v, depth); len(list) > 0 {
				out[keyword] = list
			}
		case holds.named:
			out[keyword] = j.named(keyword, v, depth)
		case keyword == "dependencies":
			j.dependencies(out, v, depth)
		case assertions[keyword] != nil && assertions[keyword](v):
			out[keyword] = v
		case assertions[keyword] != nil, keyword == "format":
			j.vague++
		}
	}
	if m["type"] != nil && namedTypes(m["type"]) == typeAny {
		j.vague++
	}
	j.types(out, m)
	return out
}

func (j *judge) list(v any, depth int) []any {
	var list []any
	for _, e := range anyList(v) {
		list = append(list, j.schema(e, depth+1))
	}
	return list
}

func (j *judge) named(keyword string, v any, depth int) map[string]any {
	m, _ := v.(map[string]any)
	out := make(map[string]any, len(m))
	for name, e := range m {
		if keyword == "patternProperties" && !compiles(name) {
			j.fair = false
		}
		out[name] = j.schema(e, depth+1)
	}
	return out
}

// dependencies splits what 2019-09 has two keywords for.
func (j *judge) dependencies(out map[string]any, v any, depth int) {
	m, _ := v.(map[string]any)
	required, schemas := map[string]any{}, map[string]any{}
	for name, e := range m {
		if list, ok := e.([]any); !ok {
			schemas[name] = j.schema(e, depth+1)
		} else if isNames(list) {
			required[name] = list
		}
	}
	out["dependentRequired"] = required
	if len(schemas) > 0 && out["dependentSchemas"] == nil {
		out["dependentSchemas"] = schemas
	}
}

// types writes type, with null as OpenAPI 3.0 says it, and the exclusive bounds
// of draft 4.
func (j *judge) types(out, m map[string]any) {
	if namedTypes(m["type"]) != typeAny {
		names := anyList(m["type"])
		if name, ok := m["type"].(string); ok {
			names = []any{name}
		}
		if m["nullable"] == true && !slices.Contains(names, any("null")) {
			names = append(slices.Clone(names), "null")
			if enum := anyList(out["enum"]); enum != nil && !slices.Contains(enum, nil) {
				out["enum"] = append(slices.Clone(enum), nil)
			}
		}
		out["type"] = names
	}
	if bounds := readFacets(m); bounds != nil {
		for _, pair := range [][2]string{{"minimum", "exclusiveMinimum"}, {"maximum", "exclusiveMaximum"}} {
			if m[pair[1]] == true {
				delete(out, pair[0])
				if v, ok := bounds[pair[1]]; ok {
					out[pair[1]] = v
				}
			}
		}
	}
}
