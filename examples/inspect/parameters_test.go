package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

func TestSignature(t *testing.T) {
	for _, test := range []struct{ name, schema, want string }{
		{"none", `{}`, "f()"},
		{"required come first, in order", `{"properties": {"a": {"type": "string"}, "z": {"type": "null"}, "b": {"type": "number"}}, "required": ["z", "b"]}`,
			"f(z: null, b: number, a?: string)"},
		{"default", `{"properties": {"a": {"type": "integer", "default": 3}, "b": {"default": "<x>"}}}`, `f(a?: integer = 3, b?: any = "<x>")`},
		{"long default", `{"properties": {"a": {"default": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}}}`, `f(a?: any = "aaaaaaaaaaaaaaaaaaaaaa…)`},
		{"enum", `{"properties": {"a": {"enum": ["x", 1, null, "x"]}}}`, `f(a?: "x" | 1 | null)`},
		{"long enum", `{"properties": {"a": {"enum": [1,2,3,4,5,6,7,8,9,10]}}}`, `f(a?: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | …)`},
		{"union", `{"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "number"}, {"type": "string"}]}}}`, `f(a?: string | number)`},
		{"types", `{"properties": {"a": {"type": ["string", "array"], "items": {"type": "number"}}}}`, `f(a?: string | number[])`},
		{"array", `{"properties": {"a": {"type": "array", "items": {"enum": [1, 2]}}, "b": {"type": "array"}}}`, `f(a?: (1 | 2)[], b?: any[])`},
		{"object", `{"properties": {"a": {"type": "object", "properties": {"b": {"type": "string"}, "c": {"type": "object"}}, "required": ["b"]}}}`,
			`f(a?: {b: string, c?: object})`},
		{"deep object", `{"properties": {"a": {"type": "object", "properties": {"b": {"type": "array", "items": {"type": "object", "properties":
			{"c": {"type": "object", "properties": {"d": {"type": "string"}}}}}}}}}}`, `f(a?: {b?: {c?: object}[]})`},
		{"nonsense", `{"properties": {"a": 1, "b": {"type": 2, "enum": 3, "anyOf": 4}, "c": {"type": "array", "items": true}}, "required": [{}]}`,
			`f(a?: any, b?: any, c?: any[])`},
	} {
		var schema map[string]any
		if err := json.Unmarshal([]byte(test.schema), &schema); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, strings.Join(signature("f", schema), " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func FuzzSignature(f *testing.F) {
	f.Add(`{"properties": {"a": {"type": "array", "items": {"$ref": "#"}}}, "required": ["a", 1]}`)
	f.Add(`{"properties": {"\u001b": {"enum": ["\u009b"], "default": "\u0007"}}}`)
	f.Fuzz(func(t *testing.T, s string) {
		var schema any
		if json.Unmarshal([]byte(s), &schema) != nil {
			return
		}
		for _, profile := range []adapters.SchemaProfile{adapters.SchemaPortable, adapters.SchemaRaw} {
			for _, piece := range signature("f", adapters.NormalizeSchema(schema, profile)) {
				if clean(piece) != piece || strings.ContainsAny(piece, "\n\t") {
					t.Errorf("%q is not fit for a line", piece)
				}
			}
		}
	})
}
