package adapters_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// checkStrict returns the rules of OpenAI's Structured Outputs that a schema
// breaks: "Supported schemas" of the guide, and what the API is known to answer.
func checkStrict(schema any) []string {
	c := strictChecker{}
	root, _ := schema.(map[string]any)
	if root["type"] != "object" {
		c.fail("", "the root must be an object and no union")
	}
	c.schema(schema, "", 1)
	if c.properties > 5000 {
		c.fail("", "%d properties", c.properties)
	}
	if c.text > 120_000 {
		c.fail("", "%d characters of names and values", c.text)
	}
	if c.values > 1000 {
		c.fail("", "%d values of enums", c.values)
	}
	return c.broken
}

type strictChecker struct {
	properties, values, text int
	broken                   []string
}

func (c *strictChecker) fail(path, format string, args ...any) {
	c.broken = append(c.broken, "strict: "+path+": "+fmt.Sprintf(format, args...))
}

// strictKeywords are those that the guide lists, by type.
var strictKeywords = map[string][]string{
	"any":     {"type", "title", "description", "enum", "anyOf"},
	"string":  {"pattern", "format"},
	"number":  {"multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"},
	"integer": {"multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"},
	"array":   {"items", "minItems", "maxItems"},
	"object":  {"properties", "required", "additionalProperties"},
	"boolean": nil, "null": nil,
}

func (c *strictChecker) schema(v any, path string, level int) {
	m, ok := v.(map[string]any)
	if !ok {
		c.fail(path, "a schema is a %T", v)
		return
	}
	if level > 10 {
		c.fail(path, "level %d", level)
	}
	types, _ := m["type"].([]any)
	if t, ok := m["type"].(string); ok {
		types = []any{t}
	} else if len(types) != 2 || types[1] != "null" {
		types = nil
	}
	allowed := slices.Clone(strictKeywords["any"])
	for _, t := range types {
		name, _ := t.(string)
		own, known := strictKeywords[name]
		if !known {
			c.fail(path, "type %v", t)
		}
		allowed = append(allowed, own...)
	}
	for keyword := range m {
		if !slices.Contains(allowed, keyword) {
			c.fail(path, "%q is not permitted with type %v", keyword, m["type"])
		}
	}
	for _, keyword := range []string{"title", "description"} {
		if s, ok := m[keyword].(string); m[keyword] != nil && (!ok || s == "") {
			c.fail(path, "%s is %#v", keyword, m[keyword])
		}
	}
	if p, ok := m["pattern"].(string); ok {
		if _, err := regexp.Compile(p); err != nil {
			c.fail(path, "pattern %q", p)
		}
	}
	if f, ok := m["format"]; ok && !slices.Contains([]any{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}, f) {
		c.fail(path, "format %v", f)
	}
	if union, ok := m["anyOf"].([]any); ok {
		c.union(union, m, path, level)
	} else if types == nil {
		c.fail(path, "a schema must have a 'type': %v", m["type"])
	}
	for _, t := range types {
		switch t {
		case "object":
			c.object(m, path, level)
		case "array":
			c.schema(m["items"], path+"[]", level+1)
		}
	}
	if enum, ok := m["enum"]; ok {
		c.enum(enum, types, path)
	}
}

func (c *strictChecker) object(m map[string]any, path string, level int) {
	properties, ok := m["properties"].(map[string]any)
	if !ok || m["additionalProperties"] != false {
		c.fail(path, "'additionalProperties' is required to be supplied and to be false")
	}
	var required []string
	list, ok := m["required"].([]any)
	for _, v := range list {
		name, _ := v.(string)
		required = append(required, name)
	}
	slices.Sort(required)
	if !ok || !slices.Equal(required, slices.Sorted(maps.Keys(properties))) {
		c.fail(path, "'required' is required to be supplied and to be an array including every key in properties")
	}
	for name, property := range properties {
		c.properties++
		c.text += len([]rune(name))
		c.schema(property, path+"."+name, level+1)
	}
}

func (c *strictChecker) union(list []any, m map[string]any, path string, level int) {
	if len(list) < 2 || m["type"] != nil || m["enum"] != nil {
		c.fail(path, "anyOf of %d next to %v", len(list), m)
	}
	var firsts []string
	for i, v := range list {
		c.schema(v, fmt.Sprintf("%s|%d", path, i), level+1)
		alternative, _ := v.(map[string]any)
		properties, isObject := alternative["properties"].(map[string]any)
		if !isObject {
			continue
		}
		// "Objects provided via 'anyOf' must not share identical first keys", unless
		// the values differ.
		first := ""
		if names := slices.Sorted(maps.Keys(properties)); len(names) > 0 {
			first = names[0]
		}
		values := []any{nil}
		if property, _ := properties[first].(map[string]any); property["enum"] != nil {
			values = property["enum"].([]any)
		}
		for _, value := range values {
			key, _ := json.Marshal([]any{first, value})
			if slices.Contains(firsts, string(key)) || slices.ContainsFunc(firsts, func(other string) bool {
				name, _ := json.Marshal(first)
				return strings.HasPrefix(other, "["+string(name)+",") && (value == nil || strings.HasSuffix(other, ",null]"))
			}) {
				c.fail(path, "objects share their first key %s", key)
			}
		}
		for _, value := range values {
			key, _ := json.Marshal([]any{first, value})
			firsts = append(firsts, string(key))
		}
	}
}

func (c *strictChecker) enum(v any, types []any, path string) {
	list, _ := v.([]any)
	if len(list) == 0 {
		c.fail(path, "enum is %v", v)
	}
	c.values += len(list)
	text := 0
	for _, value := range list {
		if s, ok := value.(string); ok {
			text += len([]rune(s))
		}
		if !slices.ContainsFunc(types, func(t any) bool { return isOfType(value, fmt.Sprint(t)) || value == nil && t == "null" }) {
			c.fail(path, "enum of %v has %#v", types, value)
		}
	}
	c.text += text
	if len(list) > 250 && text > 15_000 {
		c.fail(path, "enum of %d values with %d characters", len(list), text)
	}
}
