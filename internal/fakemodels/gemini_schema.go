package fakemodels

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// geminiTypes are the types of https://ai.google.dev/api/caching#Type by the
// numbers that their JSON form may have, as that of any protocol buffer.
var geminiTypes = []string{"TYPE_UNSPECIFIED", "STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT"}

func geminiType(v any) string {
	if n, ok := v.(float64); ok && int(n) < len(geminiTypes) {
		return geminiTypes[int(n)]
	}
	s, _ := v.(string)
	return s
}

// geminiSchema holds a schema against https://ai.google.dev/api/caching#Schema,
// which is a subset of OpenAPI's, and the errors that the API is known for.
func geminiSchema(where string, schema map[string]any) error {
	for key := range schema {
		if !slices.Contains([]string{
			"type", "format", "title", "description", "nullable", "enum", "maxItems", "minItems", "properties", "required",
			"minProperties", "maxProperties", "minLength", "maxLength", "pattern", "example", "anyOf", "propertyOrdering",
			"default", "items", "minimum", "maximum",
		}, key) {
			return refusal("Invalid JSON payload received. Unknown name %q at '%s': Cannot find field.", key, where)
		}
	}
	if alternatives := list(schema, "anyOf"); alternatives != nil {
		if len(schema) > 1 {
			return refusal("%s: schema specified other fields alongside any_of. When using any_of, it must be the only field set.", where)
		}
		for i, v := range alternatives {
			alternative, _ := v.(object)
			if err := geminiSchema(fmt.Sprintf("%s.any_of[%d]", where, i), alternative); err != nil {
				return err
			}
		}
		return nil
	}
	kind := geminiType(schema["type"])
	if kind == "" || kind == "TYPE_UNSPECIFIED" {
		return refusal("* %s.type: must be specified", where)
	}
	if !slices.Contains(geminiTypes, kind) {
		return refusal("Invalid value at '%s.type': %v", where, schema["type"])
	}
	if kind == "ARRAY" {
		items, ok := schema["items"].(object)
		if !ok {
			return refusal("* %s.items: missing field.", where)
		}
		if err := geminiSchema(where+".items", items); err != nil {
			return err
		}
	}
	properties, _ := schema["properties"].(object)
	for _, name := range list(schema, "required") {
		if s, _ := name.(string); properties[s] == nil {
			return refusal("* %s.required: property is not defined: %v", where, name)
		}
	}
	for name, property := range properties {
		p, _ := property.(object)
		if err := geminiSchema(where+".properties["+name+"]", p); err != nil {
			return err
		}
	}
	return nil
}

func answerGemini(w http.ResponseWriter, turn Turn, _ []string, stream bool) {
	usage := object{"promptTokenCount": 10, "candidatesTokenCount": 5, "totalTokenCount": 15}
	response := func(parts []any, finish any) object {
		candidate := object{"index": 0, "content": object{"role": "model", "parts": parts}}
		if finish != nil {
			candidate["finishReason"] = finish
		}
		return object{"candidates": []any{candidate}, "usageMetadata": usage}
	}
	var calls []any
	for _, call := range turn.Calls {
		calls = append(calls, object{"functionCall": object{"name": call.Tool, "args": arguments(call)}})
	}
	if !stream {
		parts := calls
		if turn.Text != "" {
			parts = append([]any{object{"text": turn.Text}}, calls...)
		}
		write(w, response(parts, "STOP"))
		return
	}
	// Without alt=sse the stream is one JSON array.
	var all []string
	for _, piece := range pieces(turn.Text) {
		all = append(all, encode(response([]any{object{"text": piece}}, nil)))
	}
	if calls != nil || len(all) == 0 {
		all = append(all, encode(response(calls, "STOP")))
	}
	fmt.Fprintf(w, "[%s]", strings.Join(all, ",\r\n"))
}
