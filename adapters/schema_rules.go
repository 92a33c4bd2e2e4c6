package adapters

import (
	"regexp"
	"strings"
)

// schemaRules say what a provider accepts in the schema of a tool's arguments,
// beyond what holds for all:
//
//   - The root is an object that has properties and none of anyOf, oneOf, allOf,
//     enum, not. (OpenAI: "object schema missing properties", "schema must have
//     type 'object' and not have 'oneOf'/... at the top level"; Anthropic:
//     "input_schema does not support oneOf, allOf, or anyOf at the top level".)
//   - Arrays have items that are one schema (OpenAI: "array schema missing
//     items"; Gemini: "items: missing field"). A list of schemas there is not
//     JSON Schema 2020-12, which Anthropic and OpenAI check against.
//   - required is a list of names among the properties of the same object, and
//     absent rather than null or empty (OpenAI: "None is not of type 'array'";
//     Gemini: "required: property is not defined").
//   - A property's schema is an object (langchaingo's Google converter fails
//     on true and false, and on a type that is not a string).
//   - The values of an enum are of the type beside it, and there is at least
//     one (OpenAI: "enum value ... does not validate against ..."; Gemini).
//   - Nothing refers to anything: Gemini and langchaingo's converters do not
//     follow $ref.
//   - A pattern has no lookaround and no back references (OpenAI: "regex
//     lookaround is not supported"): it must be one that Go's regexp takes.
type schemaRules struct {
	// typed: every schema has a type, which is one name, or else is an anyOf of
	// such and nothing beside it. (Gemini's Schema: type "can only be undefined
	// when using anyOf"; Vertex: "When using any_of, it must be the only field
	// set", also through endpoints that speak OpenAI's API.)
	typed bool

	// noUnions: there is no anyOf either. langchaingo's converters for Google
	// lose it, which leaves a schema with no type, and that the API refuses.
	noUnions bool

	// stringEnums: an enum is for strings only, and its values are not empty.
	// (Gemini: "enum: only allowed for STRING type", "enum[0]: cannot be
	// empty".)
	stringEnums bool

	// nullable: null is said by "nullable": true, as in OpenAPI 3.0.
	nullable bool

	// nullType: null is a type like others.
	nullType bool

	// additional: additionalProperties is known. (Gemini: "Unknown name
	// "additionalProperties"".)
	additional bool

	// examples: examples is known.
	examples bool

	// facets are the keywords of facetTable that are known. Gemini's Schema is
	// a message of protocol buffers: each other keyword fails the request.
	facets map[string]bool

	// formats are the values of format that are known. (Gemini: "only 'enum'
	// and 'date-time' are supported for STRING type"; OpenAI knows a list
	// when a function is strict.)
	formats map[string]bool

	// propertyName reports whether the root may have a property of this name.
	// Nil means any. Names further down are not restricted by any provider.
	propertyName func(name string) bool
}

var (
	portableRules = schemaRules{
		typed: true, noUnions: true, stringEnums: true,
		facets:       commonFacets,
		formats:      set("date-time"),
		propertyName: geminiOrKeyword, // whose rule is the narrower one
	}

	// passedOnRules are those of the portable profile where it is known that
	// langchaingo's package sends a schema as it is.
	passedOnRules = func() schemaRules {
		rules := portableRules
		rules.noUnions, rules.propertyName = false, anthropicOrKeyword
		return rules
	}()

	openAIRules = schemaRules{
		additional: true, examples: true, nullType: true,
		facets:  allFacets,
		formats: jsonFormats,
	}
	anthropicRules = schemaRules{
		additional: true, examples: true, nullType: true,
		facets:       allFacets,
		formats:      jsonFormats,
		propertyName: anthropicPropertyName,
	}
	geminiRules = schemaRules{
		typed: true, stringEnums: true, nullable: true,
		facets:       commonFacets,
		formats:      set("date-time", "int32", "int64", "float", "double"),
		propertyName: geminiOrKeyword,
	}

	// commonFacets are those of Gemini's Schema, which JSON Schema has as well.
	commonFacets = set("minimum", "maximum", "minLength", "maxLength", "pattern", "format",
		"minItems", "maxItems", "minProperties", "maxProperties")

	allFacets = func() map[string]bool {
		all := map[string]bool{}
		for name := range facetTable {
			all[name] = true
		}
		return all
	}()

	// jsonFormats are those that OpenAI lists.
	jsonFormats = set("date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid")
)

func rulesFor(profile SchemaProfile) *schemaRules {
	switch profile {
	case SchemaOpenAI:
		return &openAIRules
	case SchemaAnthropic:
		return &anthropicRules
	case SchemaGemini:
		return &geminiRules
	default:
		return &portableRules
	}
}

// keeps reports whether the provider knows a facet and takes its value, on a
// schema of type t.
func (r *schemaRules) keeps(name string, v any, t typeSet) bool {
	if !r.facets[name] {
		return false
	}
	s, _ := v.(string)
	switch name {
	case "format":
		return r.formats[s] && facetTypes(name, v)&t != 0
	case "pattern":
		_, err := regexp.Compile(s)
		return err == nil && len(s) <= maxSentence
	default:
		return true
	}
}

// anthropicPropertyName is Anthropic's rule for the properties of the root:
// "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'".
func anthropicPropertyName(name string) bool {
	const alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"
	return name != "" && len(name) <= 64 && strings.Trim(name, alphabet) == ""
}

// geminiPropertyName is what Vertex AI documents of FunctionDeclaration.parameters:
// "Parameter names must start with a letter or an underscore and must only contain
// chars a-z, A-Z, 0-9, or underscores with a maximum length of 64."
func geminiPropertyName(name string) bool {
	return len(name) <= 64 && consistsOf(name, "_") && (name[0] < '0' || name[0] > '9')
}

// geminiOrKeyword and anthropicOrKeyword are those rules but for the keywords of
// JSON Schema, which stay when they are names of properties. A tool with such a
// parameter needs SchemaAnthropic for Anthropic.
func geminiOrKeyword(name string) bool { return geminiPropertyName(name) || keywordNames[name] }

func anthropicOrKeyword(name string) bool { return anthropicPropertyName(name) || keywordNames[name] }

var keywordNames = set("$ref", "$schema", "$id", "$anchor", "$defs", "$comment", "$vocabulary",
	"$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor")

func set(names ...string) map[string]bool {
	m := make(map[string]bool, len(names))
	for _, name := range names {
		m[name] = true
	}
	return m
}
