package adapters_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

func TestNormalizeSchemaObeysProviders(t *testing.T) {
	for _, file := range schemaFiles(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			verifySchema(t, readSchema(t, file))
		})
	}
}

// The checker must be able to fail: what servers send breaks its rules.
func TestCheckerFindsFaults(t *testing.T) {
	clean, files := 0, schemaFiles(t)
	for _, file := range files {
		if len(checkSchema(adapters.SchemaPortable, readSchema(t, file))) == 0 {
			clean++
		}
	}
	if clean > len(files)/10 {
		t.Errorf("%d schemas are no test for NormalizeSchema", clean)
	}
	for _, schema := range []string{
		`{"type":"object"}`, `{"type":"object","properties":{"a":true}}`, `{"type":"object","properties":{"a":{"type":["string","null"]}}}`,
		`{"type":"object","properties":{"a":{"type":"array"}}}`, `{"type":"object","properties":{"a":{}}}`,
		`{"type":"object","properties":{},"required":null}`, `{"type":"object","properties":{},"required":["a"]}`,
		`{"type":"object","properties":{"a":{"$ref":"#/x"}}}`, `{"type":"object","properties":{"a b":{"type":"string"}}}`,
		`{"type":"object","properties":{"a":{"type":"integer","enum":[1]}}}`, `{"type":"object","properties":{"a":{"type":"string","format":"uri"}}}`,
	} {
		var v any
		if err := json.Unmarshal([]byte(schema), &v); err != nil {
			t.Fatal(err)
		}
		if checkSchema(adapters.SchemaPortable, v) == nil {
			t.Errorf("no fault found in %s", schema)
		}
	}
}

// at walks a result by names of properties; "[]" is the items and "*" the
// additional properties.
func at(t *testing.T, schema map[string]any, path string) map[string]any {
	t.Helper()
	v := any(schema)
	for step := range strings.FieldsSeq(path) {
		m, _ := v.(map[string]any)
		switch step {
		case "[]":
			v = m["items"]
		case "*":
			v = m["additionalProperties"]
		default:
			properties, _ := m["properties"].(map[string]any)
			v = properties[step]
		}
	}
	m, ok := v.(map[string]any)
	if !ok {
		t.Fatalf("nothing at %q of %s", path, toJSON(schema))
	}
	return m
}

func TestNormalizeSchema(t *testing.T) {
	for _, tt := range []struct {
		file    string
		profile adapters.SchemaProfile
		at      string
		want    string
	}{
		{"no_arguments", "", "", `{"type":"object","properties":{}}`},
		{"empty", "no such profile", "", `{"type":"object","properties":{}}`},
		{"other_root", "", "", `{"type":"object","properties":{},"description":"Not an object."}`},

		// null
		{"go_struct", "", "", `{"type":"object","required":["limit","tags"],"properties":{
			"limit":{"type":"integer","description":"May be null."},
			"tags":{"type":"array","items":{"type":"string"},"description":"May be null."}}}`},
		{"go_struct", adapters.SchemaGemini, "limit", `{"type":"integer","nullable":true}`},
		{"go_struct", adapters.SchemaOpenAI, "", `{"type":"object","required":["limit","tags"],"additionalProperties":false,"properties":{
			"limit":{"type":["integer","null"]},
			"tags":{"type":["array","null"],"items":{"type":"string"}}}}`},
		{"null_types", "", "only", `{"type":"string","description":"Always null."}`},
		{"null_types", "", "union", `{"type":"string","description":"Always null."}`},
		{"null_types", "", "openapi", `{"type":"string","description":"May be null."}`},
		{"null_types", adapters.SchemaOpenAI, "anything", `{"description":"D."}`},
		{"null_types", adapters.SchemaOpenAI, "anything_openapi", `{"description":"D."}`},
		{"null_types", "", "anything_openapi", `{"type":"string","description":"D.\nAny JSON value."}`},
		{"null_types", adapters.SchemaOpenAI, "anything_or", `{"description":"Described elsewhere: \"elsewhere\"."}`},
		{"null_types", adapters.SchemaOpenAI, "anything_ambiguous", `{"description":"Constraints: minimum length 2, at least 1."}`},
		{"null_types", adapters.SchemaAnthropic, "const", `{"description":"Always null."}`},

		// references
		{"pydantic", "", "range", `{"type":"object","title":"Range","description":"When.","required":["to"],"properties":{
			"from":{"type":"string","description":"Constraints: format \"date\"."},"to":{"type":"string","description":"Constraints: format \"date\"."}}}`},
		{"pydantic", adapters.SchemaAnthropic, "ranges [] to", `{"type":"string","format":"date"}`},
		{"zod_siblings", "", "c", `{"type":"string","enum":["x","y"]}`},
		{"zod_siblings", adapters.SchemaOpenAI, "h", `{"type":"boolean"}`},
		{"zod_siblings", "", "i", `{"type":"string","enum":["x","y"]}`},
		{"recursive", "", "children []", `{"type":"object","properties":{},"description":"The same again as \"Node\"."}`},
		{"recursive", adapters.SchemaGemini, "parent", `{"type":"object","properties":{},"nullable":true,"description":"The same again as \"Node\"."}`},
		{"self_reference", adapters.SchemaOpenAI, "all", `{"type":"object","properties":{},"description":"The same again as the whole."}`},
		{"self_reference", adapters.SchemaOpenAI, "me", `{"description":"The same again as \"me\"."}`},
		{"self_reference", adapters.SchemaOpenAI, "a", `{"description":"The same again as \"a\"."}`},
		{"broken_references", adapters.SchemaOpenAI, "far", `{"description":"Described elsewhere: \"https://example.com/schema.json#/x\"."}`},
		{"broken_references", "", "gone", `{"type":"string","description":"Gone.\nNot described: the schema refers to \"#/$defs/gone\", which it does not hold.\nAny JSON value."}`},
		{"broken_references", adapters.SchemaOpenAI, "deep", `{"type":"integer"}`},
		{"broken_references", adapters.SchemaOpenAI, "list", `{"description":"Not described: the schema refers to \"#/$defs/list/7\", which it does not hold."}`},
		{"broken_references", adapters.SchemaOpenAI, "number", `{}`},
		{"anchors", "", "a", `{"type":"integer"}`},
		{"anchors", "", "b", `{"type":"object","properties":{"z":{"type":"boolean"}}}`},
		{"anchors", "", "c", `{"type":"integer"}`},
		{"anchors", "", "d", `{"type":"boolean"}`},
		{"anchors", adapters.SchemaOpenAI, "e", `{"type":"string"}`},

		// names
		{"keyword_names", "", "properties", `{"type":"object","properties":{"items":{"type":"integer"}}}`},
		{"keyword_names", "", "$ref", `{"type":"string","description":"A git reference."}`},
		{"keyword_names", "", "items []", `{"type":"object","properties":{"enum":{"type":"string"},"$defs":{"type":"string"},"$ref":{"type":"string"}}}`},
		{"odd_names", "", "", `{"type":"object","properties":{"nested":{"type":"object","properties":{"$vectorSearch":{"type":"object","properties":{}}}}},
			"description":"Also takes these properties: \"\" (string); \"$top\" (integer, required); \"Account Number\" (string); \"filter[id]\" (string) Only this one.; \"` + strings.Repeat("x", 70) + `\" (string)."}`},

		// unions
		{"discriminated", "", "shape", `{"type":"object","description":"What to draw\nOne of: {kind: \"circle\", radius: number} | {kind: \"box\", width: number, height: number}.",
			"required":["kind"],"properties":{"kind":{"type":"string","enum":["circle","box"]},"height":{"type":"number"},"width":{"type":"number"},
			"radius":{"type":"number","description":"Constraints: greater than 0."}}}`},
		{"discriminated", adapters.SchemaAnthropic, "shape", `{"description":"What to draw","anyOf":[
			{"type":"object","additionalProperties":false,"required":["kind","radius"],"properties":{"kind":{"type":"string","enum":["circle"]},"radius":{"type":"number","exclusiveMinimum":0}}},
			{"type":"object","additionalProperties":false,"required":["kind","width","height"],"properties":{"kind":{"type":"string","enum":["box"]},"width":{"type":"number"},"height":{"type":"number"}}}]}`},
		{"union_root", adapters.SchemaOpenAI, "", `{"type":"object","required":["action"],"description":"One of: {action: \"read\", path: string} | {action: \"list\", depth?: integer}.",
			"properties":{"action":{"type":"string","enum":["read","list"]},"path":{"type":"string"},"depth":{"type":"integer"}}}`},
		{"unions", "", "id", `{"type":"string","description":"One of: string | integer."}`},
		{"unions", adapters.SchemaOpenAI, "id", `{"type":["string","integer"]}`},
		{"unions", "", "one_or_many", `{"type":"string","description":"One of: string | array of (string).\nGiven as a string: what is no string is written as JSON."}`},
		{"unions", adapters.SchemaGemini, "one_or_many", `{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}`},
		{"unions", adapters.SchemaGemini, "id", `{"anyOf":[{"type":"string"},{"type":"integer"}]}`},
		{"unions", adapters.SchemaGemini, "level", `{"type":"integer","description":"1: low; 2: high\nOne of: 1 | 2."}`},
		{"unions", adapters.SchemaGemini, "nested", `{"anyOf":[{"type":"string","description":"Constraints: format \"uri\"."},{"type":"boolean"},{"type":"integer"}]}`},
		{"discriminated", adapters.SchemaGemini, "shape", `{"anyOf":[
			{"type":"object","description":"What to draw","required":["kind","radius"],"properties":{"kind":{"type":"string","enum":["circle"]},"radius":{"type":"number","description":"Constraints: greater than 0."}}},
			{"type":"object","required":["kind","width","height"],"properties":{"kind":{"type":"string","enum":["box"]},"width":{"type":"number"},"height":{"type":"number"}}}]}`},
		{"values", adapters.SchemaGemini, "mixed", `{"anyOf":[{"type":"string","enum":["a"],"nullable":true},{"type":"integer","description":"Always 1."},{"type":"boolean","description":"Always true."}]}`},
		{"tuples", adapters.SchemaGemini, "new []", `{"type":"number"}`},
		{"widening", "", "wide_item", `{"type":"string","description":"One of: array of ({a?: {b?: object}}) | boolean.\nGiven as a string that holds the JSON."}`},
		{"unions", "", "number", `{"type":"number","description":"One of: integer | number."}`},
		{"unions", "", "level", `{"type":"integer","description":"1: low; 2: high\nOne of: 1 | 2."}`},
		{"unions", adapters.SchemaOpenAI, "level", `{"type":"integer","enum":[1,2],"description":"1: low; 2: high"}`},
		{"unions", "", "color", `{"type":"string","enum":["red","blue"]}`},
		{"unions", "", "optional", `{"type":"string","minLength":1}`},
		{"unions", adapters.SchemaOpenAI, "free", `{}`},
		{"unions", adapters.SchemaOpenAI, "values *", `{"anyOf":[{"type":"string"},{"type":"number"}]}`},
		{"unions", "", "values", `{"type":"object","properties":{},"description":"Values of other properties: string | number."}`},
		{"unions", "", "same", `{"type":"string"}`},
		{"unions", "", "nested", `{"type":"string","description":"One of: string | boolean | integer.\nConstraints: format \"uri\"."}`},

		// allOf
		{"all_of", "", "a", `{"type":"string","minLength":2,"maxLength":5,"description":"The a."}`},
		{"all_of", "", "b", `{"type":"integer","maximum":9}`},
		{"all_of", "", "c", `{"type":"string","enum":["y"]}`},
		{"all_of", "", "d", `{"type":"string"}`},

		// booleans, tuples, arrays
		{"booleans", "", "", `{"type":"object","required":["any"],"properties":{"any":{"type":"string","description":"Any JSON value."},
			"list":{"type":"array","items":{"type":"string","description":"Any JSON value."}},"empty_list":{"type":"array","items":{"type":"string","description":"Any JSON value."}},
			"map":{"type":"object","properties":{}}}}`},
		{"booleans", adapters.SchemaOpenAI, "list", `{"type":"array","items":{}}`},
		{"tuples", "", "draft7", `{"type":"array","minItems":2,"maxItems":2,"items":{"type":"string","description":"One of: number | string."},"description":"Items in this order: number, string."}`},
		{"tuples", adapters.SchemaOpenAI, "rest", `{"type":"array","items":{"anyOf":[{"type":"number"},{"type":"boolean"}]},"description":"Items in this order: number."}`},
		{"tuples", "", "unnamed", `{"type":"array","minItems":1,"items":{"type":"string"}}`},
		{"tuples", adapters.SchemaGemini, "of_arrays []", `{"type":"array","items":{"type":"string","description":"Any JSON value."}}`},

		// values
		{"values", "", "mixed", `{"type":"string","description":"One of: \"a\" | 1 | true."}`},
		{"values", adapters.SchemaOpenAI, "mixed", `{"type":["string","integer","boolean"],"enum":["a",1,true]}`},
		{"values", "", "empty_string", `{"type":"string","enum":["asc","desc"],"description":"May also be the empty string."}`},
		{"values", "", "only_empty", `{"type":"string","description":"Always \"\"."}`},
		{"values", "", "fixed", `{"type":"integer","description":"Always 7."}`},
		{"values", adapters.SchemaOpenAI, "fixed", `{"type":"integer","enum":[7]}`},
		{"values", "", "objects", `{"type":"object","properties":{},"description":"One of: {\"a\":1} | {\"b\":2}."}`},
		{"values", "", "default_list", `{"type":"array","items":{"type":"string"},"default":["a"]}`},
		{"values", "", "default_object", `{"type":"object","properties":{},"default":{"a":[1]},"description":"Any JSON value."}`},
		{"values", "", "wrong_default", `{"type":"integer","description":"Default: \"five\"."}`},
		{"values", "", "examples", `{"type":"string","description":"Examples: \"a\" | \"b\"."}`},
		{"values", adapters.SchemaAnthropic, "example", `{"type":"string","examples":["e"]}`},
		{"malformed", "", "j", `{"type":"integer","description":"One of: 1 | 2."}`},
		{"malformed", adapters.SchemaOpenAI, "type", `{}`},
		{"malformed", adapters.SchemaOpenAI, "g", `{"type":"string"}`},

		// facets
		{"facets", "", "uri", `{"type":"string","maxLength":2048,"description":"Constraints: format \"uri\"."}`},
		{"facets", "", "untyped_when", `{"type":"string","format":"date-time"}`},
		{"facets", "", "plain", `{"type":"string","pattern":"^[a-z]+$"}`},
		{"facets", adapters.SchemaOpenAI, "look", `{"type":"string","description":"Constraints: matching the regular expression \"^(?!undefined$)\"."}`},
		{"facets", "", "positive", `{"type":"integer","minimum":1}`},
		{"facets", "", "open", `{"type":"number","description":"Constraints: less than 1, greater than 0."}`},
		{"facets", adapters.SchemaOpenAI, "draft4", `{"type":"number","exclusiveMinimum":0}`},
		{"facets", adapters.SchemaGemini, "even", `{"type":"integer","format":"int32","description":"Constraints: a multiple of 2."}`},
		{"facets", adapters.SchemaOpenAI, "ambiguous", `{"description":"Constraints: minimum length 3, at least 3."}`},
		{"facets", "", "set", `{"type":"array","items":{"type":"string"},"minItems":1,"description":"Constraints: without duplicates."}`},
		{"facets", "", "blob", `{"type":"string","description":"Constraints: encoded as \"base64\", media type \"image/png\"."}`},

		// maps
		{"maps", "", "labels", `{"type":"object","properties":{},"description":"Values of other properties: string."}`},
		{"maps", adapters.SchemaOpenAI, "labels", `{"type":"object","properties":{},"additionalProperties":{"type":"string"}}`},
		{"maps", adapters.SchemaOpenAI, "patterns", `{"type":"object","properties":{},"additionalProperties":{"anyOf":[{"type":"string"},{"type":"integer"}]},
			"description":"Properties with names like \"^x-\": string.\nProperties with names like \"^y-\": integer."}`},
		{"maps", adapters.SchemaOpenAI, "record", `{"type":"object","properties":{},"description":"Names of properties: string, matching the regular expression \"^[A-Z]+$\"."}`},
		{"maps", adapters.SchemaOpenAI, "closed", `{"type":"object","properties":{},"additionalProperties":false}`},

		// what a widened schema still says
		{"widening", "", "length", `{"type":"string","minLength":1,"maxLength":9,"description":"One of: string (A) | string (B).\nConstraints: format \"uri\"."}`},
		{"widening", "", "range", `{"type":"integer","minimum":1}`},
		{"widening", "", "some_values", `{"type":"string","enum":["a","b","c"]}`},
		{"widening", "", "value_or_free", `{"type":"string","description":"One of: \"a\" | string."}`},
		{"widening", "", "lists", `{"type":"array","default":["x"],"items":{"type":"string","description":"One of: string | integer."},
			"description":"One of: array of (string) | array of (integer)."}`},
		{"widening", "", "free_list", `{"type":"array","items":{"type":"string","description":"Any JSON value."},"description":"One of: array of (string) | array."}`},
		{"widening", "", "maps", `{"type":"object","properties":{},"description":"One of: object with values (string) | {q}.\nValues of other properties: string | integer."}`},
		{"widening", "", "closed", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"description":"One of: {a?: string} | {a?: string, b?: string}."}`},
		{"widening", "", "same_property", `{"type":"object","required":["v"],"properties":{"v":{"type":"string","description":"One of: string | integer."}},
			"default":{"v":"x"},"description":"One of: {v: string} | {v: integer}."}`},
		{"widening", adapters.SchemaOpenAI, "need_one", `{"type":"object","properties":{"id":{"type":"string"},"name":{"type":"string"}},"anyOf":[
			{"type":"object","properties":{"id":{}},"required":["id"]},{"type":"object","properties":{"name":{}},"required":["name"]}]}`},
		{"widening", "", "need_one", `{"type":"object","properties":{"id":{"type":"string"},"name":{"type":"string"}},"description":"One of: {id} | {name}."}`},
		{"widening", "", "impossible", `{"type":"string","minLength":4,"description":"One of: {} | string."}`},
		{"widening", "", "mixed_enum", `{"type":"string","enum":["a","b"]}`},
		{"widening", "", "deep_default", `{"type":"integer","description":"Default: {\"a\":{\"b\":{\"c\":{\"d\":\"…\"}}}}."}`},
		{"widening", "", "wide_default", `{"type":"integer","description":"Default: \"…\"."}`},
		{"widening", "", "not_format", `{"type":"integer","maximum":9,"description":"Constraints: format \"uint8\"."}`},
		{"widening", adapters.SchemaGemini, "number_format", `{"type":"number","format":"double"}`},
		{"widening", adapters.SchemaGemini, "int_format", `{"type":"integer","format":"int64"}`},
		{"widening", adapters.SchemaOpenAI, "meanings", `{"type":"string","enum":["a","b","c","d"],"description":"\"b\": The b. Indeed."}`},
		{"widening", "", "shallow list", `{"type":"array","items":{"type":"array","items":{"type":"string","description":"Any JSON value."},"description":"The same again as \"list\"."}}`},
		{"widening", "", "shallow bare x", `{"type":"object","properties":{},"description":"The same again as \"bare\"."}`},

		{"conditions", adapters.SchemaOpenAI, "", `{"type":"object","properties":{"kind":{"type":"string","enum":["a","b"]},"x":{"type":"string"},"y":{"type":"integer"},"z":{}}}`},
		{"deprecated", "", "old", `{"type":"string","description":"Deprecated."}`},
		{"control", "", "a", `{"type":"string","title":"\ufffd","description":"nul \ufffd here"}`},
	} {
		t.Run(tt.file+"/"+string(tt.profile)+"/"+tt.at, func(t *testing.T) {
			schema := readSchema(t, "testdata/schemas/"+tt.file+".json")
			got := at(t, adapters.NormalizeSchema(schema, tt.profile), tt.at)
			var want map[string]any
			if err := json.Unmarshal([]byte(tt.want), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
