package fakemodels

import (
	"regexp"
)

// openAISchema holds the schema of a function's parameters against
// https://platform.openai.com/docs/guides/function-calling and the errors that
// the API is known for: an object with properties, and items in arrays.
func openAISchema(name string, v any) (map[string]any, error) {
	if err := rootSchema(v); err != nil {
		return nil, refusal("Invalid schema for function '%s': %w", name, err)
	}
	return v.(object), nil
}

// rootSchema holds what all providers demand.
func rootSchema(v any) error {
	root, ok := v.(object)
	if !ok {
		return refusal("schema must be a JSON Schema of 'type: \"object\"', got %s", encode(v))
	}
	if root["type"] != "object" {
		return refusal("schema must be a JSON Schema of 'type: \"object\"', got 'type: %v'", root["type"])
	}
	for _, key := range []string{"oneOf", "anyOf", "allOf", "enum", "not"} {
		if _, ok := root[key]; ok {
			return refusal("schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level")
		}
	}
	if _, ok := root["properties"].(object); !ok {
		return refusal("object schema missing properties")
	}
	return walkSchema(root, "")
}

var schemaTypes = map[any]bool{
	"object": true, "array": true, "string": true, "number": true, "integer": true, "boolean": true, "null": true,
}

func walkSchema(v any, where string) error {
	schema, ok := v.(object)
	if !ok {
		if _, isBool := v.(bool); isBool {
			return nil
		}
		return refusal("%s: %s is not of type 'object', 'boolean'", where, encode(v))
	}
	switch kind := schema["type"].(type) {
	case nil:
	case string:
		if !schemaTypes[kind] {
			return refusal("%s: '%s' is not valid under any of the given schemas", where, kind)
		}
	case []any:
		for _, one := range kind {
			if !schemaTypes[one] {
				return refusal("%s: %v is no type", where, one)
			}
		}
	default:
		return refusal("%s: type is %s", where, encode(kind))
	}
	if _, ok := schema["items"]; schema["type"] == "array" && !ok {
		return refusal("%s: array schema missing items", where)
	}
	if required, there := schema["required"]; there {
		names, ok := required.([]any)
		for _, name := range names {
			if _, isText := name.(string); !isText {
				ok = false
			}
		}
		if !ok {
			return refusal("%s: required is %s", where, encode(required))
		}
	}
	if enum, there := schema["enum"]; there && len(list(enum)) == 0 {
		return refusal("%s: enum must not be empty", where)
	}
	properties, _ := schema["properties"].(object)
	for name, property := range properties {
		if err := walkSchema(property, where+"."+name); err != nil {
			return err
		}
	}
	if items, ok := schema["items"]; ok {
		if err := walkSchema(items, where+"[]"); err != nil {
			return err
		}
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		for _, one := range list(schema, key) {
			if err := walkSchema(one, where+"."+key); err != nil {
				return err
			}
		}
	}
	return nil
}

// propertyName is what Anthropic's API says of the names of properties when it
// refuses one.
var propertyName = regexp.MustCompile(`^[a-zA-Z0-9_.-]{1,64}$`)

func anthropicSchema(i int, v any) (map[string]any, error) {
	if err := rootSchema(v); err != nil {
		return nil, refusal("tools.%d.custom.input_schema: %w", i, err)
	}
	for name := range v.(object)["properties"].(object) {
		if !propertyName.MatchString(name) {
			return nil, refusal("tools.%d.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'", i)
		}
	}
	return v.(object), nil
}
