package adapters_test

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

// The rules below are written from what the providers document and answer, and
// from langchaingo's converters, apart from the code under test.

var profiles = []adapters.SchemaProfile{
	adapters.SchemaPortable, adapters.SchemaOpenAI, adapters.SchemaOpenAIStrict, adapters.SchemaAnthropic, adapters.SchemaGemini,
}

// checkSchema returns the provider rules that a schema breaks.
func checkSchema(profile adapters.SchemaProfile, schema any) []string {
	c := checker{profile: profile}
	switch profile {
	case adapters.SchemaPortable:
		// Whatever any of them demands, and what langchaingo's converters leave of it.
		c.single, c.gemini, c.openAI = true, true, true
		c.rootNames(schema, geminiName, true)
		if err := googleAIConverts(schema, ""); err != nil {
			c.fail("", "langchaingo's Google converter: %v", err)
		}
	case adapters.SchemaGemini:
		c.gemini = true
		c.rootNames(schema, geminiName, true)
	case adapters.SchemaOpenAIStrict:
		if root, _ := schema.(map[string]any); root["minProperties"] == nil {
			return checkStrict(schema)
		}
		c.openAI = true
	case adapters.SchemaOpenAI:
		c.openAI = true
	case adapters.SchemaAnthropic:
		c.openAI = true
		c.rootNames(schema, anthropicName, false)
	}
	root, ok := schema.(map[string]any)
	if !ok {
		return []string{fmt.Sprintf("root is a %T", schema)}
	}
	if root["type"] != "object" {
		c.fail("", "root has type %v", root["type"])
	}
	if _, ok := root["properties"].(map[string]any); !ok {
		c.fail("", "root has no properties")
	}
	// OpenAI and Anthropic: nothing of this at the top level.
	for _, keyword := range []string{"oneOf", "anyOf", "allOf", "enum", "not"} {
		if _, ok := root[keyword]; ok {
			c.fail("", "%s at the top level", keyword)
		}
	}
	c.schema(schema, "", 0)
	return c.broken
}

type checker struct {
	profile                adapters.SchemaProfile
	single, gemini, openAI bool
	broken                 []string
}

func (c *checker) fail(path, format string, args ...any) {
	c.broken = append(c.broken, path+": "+fmt.Sprintf(format, args...))
}

var (
	keywordName   = regexp.MustCompile(`^\$[a-zA-Z]+$`)
	anthropicName = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)
	geminiName    = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_]{0,63}$`)
)

// rootNames is a provider's rule for the names of properties: Anthropic's
// ("Property keys should match pattern ...") or Vertex AI's ("Parameter names must
// start with a letter or an underscore ..."). Portable and Gemini leave names that
// are keywords of JSON Schema alone.
func (c *checker) rootNames(schema any, legal *regexp.Regexp, keywords bool) {
	root, _ := schema.(map[string]any)
	properties, _ := root["properties"].(map[string]any)
	for name := range properties {
		if keywords && keywordName.MatchString(name) {
			continue
		}
		if !legal.MatchString(name) {
			c.fail("", "name of a property: %q", name)
		}
	}
}

// keywords are what a provider's schema may hold. Gemini's are the fields of the
// Schema message (ai.google.dev/api/caching#Schema); any other is an "Unknown
// name" (Vertex AI knows more: additionalProperties, defs and ref). The rest
// accept JSON Schema 2020-12, of which this is the part that needs no references:
// Anthropic "rejects reference keywords such as $ref anywhere in a custom tool's
// input_schema".
func (c *checker) keywords() []string {
	all := []string{
		"type", "title", "description", "enum", "items", "properties", "required", "default", "pattern", "format",
		"minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties",
	}
	switch c.profile {
	case adapters.SchemaPortable:
		return all
	case adapters.SchemaGemini:
		return append(all, "nullable", "anyOf")
	default:
		return append(all, "anyOf", "additionalProperties", "examples", "exclusiveMinimum", "exclusiveMaximum",
			"multipleOf", "uniqueItems", "contentEncoding", "contentMediaType")
	}
}

func (c *checker) schema(v any, path string, depth int) {
	m, ok := v.(map[string]any)
	if !ok || m == nil {
		c.fail(path, "a schema is a %T", v)
		return
	}
	if depth > 65 { // 64, and the items of an array there
		c.fail(path, "too deep")
		return
	}
	allowed := c.keywords()
	for keyword := range m {
		if !slices.Contains(allowed, keyword) {
			c.fail(path, "unknown keyword %q", keyword)
		}
	}
	types := c.types(m, path)
	for _, keyword := range []string{"title", "description", "pattern", "format"} {
		if v, ok := m[keyword]; ok {
			if s, ok := v.(string); !ok || s == "" || !utf8.ValidString(s) || strings.Contains(s, "\x00") {
				c.fail(path, "%s is %#v", keyword, v)
			}
		}
	}
	if p, ok := m["pattern"].(string); ok {
		// OpenAI refuses lookaround; RE2 has none.
		if _, err := regexp.Compile(p); err != nil {
			c.fail(path, "pattern %q", p)
		}
	}
	c.format(m, types, path)
	c.numbers(m, path)
	c.object(m, types, path, depth)
	if slices.Contains(types, "array") {
		// OpenAI: "array schema missing items"; Gemini: "items: missing field".
		c.schema(m["items"], path+"[]", depth+1)
	} else if _, ok := m["items"]; ok {
		c.fail(path, "items without an array")
	}
	c.enum(m, types, path)
	if v, ok := m["anyOf"]; ok {
		list, _ := v.([]any)
		if len(list) < 2 {
			c.fail(path, "anyOf is %v", v)
		}
		if c.gemini && len(m) > 1 {
			// Vertex AI: "schema specified other fields alongside any_of. When using
			// any_of, it must be the only field set."
			c.fail(path, "fields beside anyOf: %v", m)
		}
		for i, e := range list {
			c.schema(e, fmt.Sprintf("%s|%d", path, i), depth+1)
		}
	}
	if v, ok := m["default"]; ok && v == nil {
		c.fail(path, "default is null")
	}
}

func (c *checker) types(m map[string]any, path string) []string {
	var types []string
	switch v := m["type"].(type) {
	case nil:
		// Gemini's type "can only be undefined when using anyOf schemas".
		if _, ok := m["type"]; ok || c.gemini && m["anyOf"] == nil {
			c.fail(path, "no type")
		}
	case string:
		types = []string{v}
	case []any:
		for _, e := range v {
			s, _ := e.(string)
			types = append(types, s)
		}
		if c.gemini || len(types) < 2 {
			c.fail(path, "type is %v", v)
		}
	default:
		c.fail(path, "type is a %T", v)
	}
	for _, t := range types {
		if !slices.Contains([]string{"object", "array", "string", "number", "integer", "boolean"}, t) && (t != "null" || c.gemini) {
			c.fail(path, "type %q", t)
		}
	}
	return types
}

func (c *checker) format(m map[string]any, types []string, path string) {
	format, _ := m["format"].(string)
	if format == "" {
		return
	}
	openAI := []string{"date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"}
	gemini := map[string][]string{"string": {"date-time"}, "integer": {"int32", "int64"}, "number": {"float", "double", "int32", "int64"}}
	if c.openAI && !slices.Contains(openAI, format) {
		c.fail(path, "format %q", format)
	}
	if c.gemini && (len(types) != 1 || !slices.Contains(gemini[types[0]], format)) {
		c.fail(path, "format %q of %v", format, types)
	}
}

func (c *checker) numbers(m map[string]any, path string) {
	for _, keyword := range []string{"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"} {
		if v, ok := m[keyword]; ok {
			if f, ok := asFloat(v); !ok || f < 0 || f != math.Trunc(f) || f > math.MaxInt32 {
				c.fail(path, "%s is %v", keyword, v)
			}
		}
	}
	for _, keyword := range []string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"} {
		if v, ok := m[keyword]; ok {
			if _, ok := asFloat(v); !ok {
				c.fail(path, "%s is %v", keyword, v)
			}
		}
	}
}

func (c *checker) object(m map[string]any, types []string, path string, depth int) {
	properties, ok := m["properties"].(map[string]any)
	if ok != slices.Contains(types, "object") {
		c.fail(path, "type %v with properties %v", types, m["properties"])
	}
	for name, property := range properties {
		c.schema(property, path+"."+name, depth+1)
	}
	if v, ok := m["required"]; ok {
		// OpenAI: null is not an array; Gemini: each must be defined.
		list, _ := v.([]any)
		if len(list) == 0 {
			c.fail(path, "required is %v", v)
		}
		seen := map[string]bool{}
		for _, e := range list {
			name, ok := e.(string)
			if !ok || properties[name] == nil || seen[name] {
				c.fail(path, "required %v", e)
			}
			seen[name] = true
		}
	}
	if v, ok := m["additionalProperties"]; ok && v != false {
		c.schema(v, path+".*", depth+1)
	}
}

func (c *checker) enum(m map[string]any, types []string, path string) {
	v, ok := m["enum"]
	if !ok {
		return
	}
	list, _ := v.([]any)
	if len(list) == 0 {
		c.fail(path, "enum is %v", v)
	}
	seen := map[string]bool{}
	for _, e := range list {
		key, _ := json.Marshal(e)
		if seen[string(key)] {
			c.fail(path, "enum has %s twice", key)
		}
		seen[string(key)] = true
		if c.gemini && (e == "" || !slices.Equal(types, []string{"string"})) {
			c.fail(path, "enum of %v has %#v", types, e)
		}
		// OpenAI: "enum value ... does not validate against {'type': ...}".
		if !slices.ContainsFunc(types, func(t string) bool { return isOfType(e, t) }) {
			c.fail(path, "enum of %v has %#v", types, e)
		}
	}
}

func isOfType(v any, name string) bool {
	switch v := v.(type) {
	case nil:
		return name == "null"
	case string:
		return name == "string"
	case bool:
		return name == "boolean"
	case []any:
		return name == "array"
	case map[string]any:
		return name == "object"
	default:
		f, ok := asFloat(v)
		if !ok { // out of range
			return name == "number" || name == "integer"
		}
		return name == "number" || name == "integer" && f == math.Trunc(f)
	}
}

func asFloat(v any) (float64, bool) {
	switch v := v.(type) {
	case float64:
		return v, !math.IsNaN(v) && !math.IsInf(v, 0)
	case json.Number:
		f, err := v.Float64()
		return f, err == nil
	}
	return 0, false
}
