package adapters_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

// strictProperty is the schema of an object with the property v and nothing else.
func strictProperty(schema string) string {
	return `{"type":"object","additionalProperties":false,"properties":{"v":` + schema + `}}`
}

func TestStrictSchema(t *testing.T) {
	for _, tt := range []struct{ name, schema, want string }{
		{"nothing", `{"type":"object","properties":{},"additionalProperties":false}`,
			`{"type":"object","properties":{},"required":[],"additionalProperties":false}`},
		{"required and optional", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer","description":"B."}},"required":["a"]}`,
			`{"type":"object","required":["a","b"],"additionalProperties":false,"properties":{
				"a":{"type":"string"},"b":{"type":["integer","null"],"description":"B.\nNull leaves it out."}}}`},
		{"default", strictProperty(`{"type":"integer","default":5}`), `{"type":["integer","null"],"description":"Null leaves it out.\nDefault: 5."}`},
		{"nullable with a null default", strictProperty(`{"anyOf":[{"type":"string"},{"type":"null"}],"default":null}`), `{"type":["string","null"]}`},
		{"nullable with a default", strictProperty(`{"type":["string","null"],"default":"x"}`), `{"type":["string","null"],"description":"Default: \"x\"."}`},
		{"enum", strictProperty(`{"enum":["a","b"]}`), `{"type":["string","null"],"enum":["a","b",null],"description":"Null leaves it out."}`},
		{"keywords that are not permitted", strictProperty(`{"type":"string","minLength":1,"format":"uri","pattern":"^h","examples":["x"],"contentEncoding":"base64"}`),
			`{"type":["string","null"],"pattern":"^h","description":"Null leaves it out.\nConstraints: encoded as \"base64\", format \"uri\", minimum length 1.\nExamples: \"x\"."}`},
		{"keywords that are", strictProperty(`{"type":"number","minimum":1,"exclusiveMaximum":9,"multipleOf":0.5,"title":"N"}`),
			`{"type":["number","null"],"minimum":1,"exclusiveMaximum":9,"multipleOf":0.5,"title":"N","description":"Null leaves it out."}`},
		{"array", strictProperty(`{"type":"array","items":{"type":["string","null"]},"minItems":1,"uniqueItems":true}`),
			`{"description":"Null leaves it out.\nConstraints: without duplicates.","anyOf":[{"type":"array","items":{"type":["string","null"]},"minItems":1},{"type":"null"}]}`},
		{"object", strictProperty(`{"type":"object","title":"O","properties":{"a":{"type":"boolean"}}}`),
			`{"title":"O","description":"Null leaves it out.","anyOf":[{"type":"object","additionalProperties":false,"required":["a"],
				"properties":{"a":{"type":["boolean","null"],"description":"Null leaves it out."}}},{"type":"null"}]}`},
		{"types", strictProperty(`{"type":["string","integer"],"description":"D.","minimum":1}`),
			`{"description":"D.\nNull leaves it out.","anyOf":[{"type":"string"},{"type":"integer","minimum":1},{"type":"null"}]}`},
		{"union", strictProperty(`{"oneOf":[{"properties":{"kind":{"const":"a"}},"required":["kind"]},{"properties":{"kind":{"const":"b"},"x":{"type":"number"}},"required":["kind"]}],"properties":{"kind":{"type":"string"}}}`),
			`{"description":"Null leaves it out.","anyOf":[
				{"type":"object","additionalProperties":false,"required":["kind"],"properties":{"kind":{"type":"string","enum":["a"]}}},
				{"type":"object","additionalProperties":false,"required":["kind","x"],"properties":{"kind":{"type":"string","enum":["b"]},"x":{"type":["number","null"],"description":"Null leaves it out."}}},
				{"type":"null"}]}`},
		{"alternatives of the same value", strictProperty(`{"anyOf":[{"required":["b"],"type":"string"},{"type":"string"}],"const":"a"}`),
			`{"type":["string","null"],"enum":["a",null],"description":"Null leaves it out."}`},
		{"reference", `{"type":"object","properties":{"v":{"$ref":"#/$defs/D"}},"required":["v"],"$defs":{"D":{"type":"integer"}}}`,
			`{"type":"object","additionalProperties":false,"required":["v"],"properties":{"v":{"type":"integer"}}}`},
		{"union of the arguments", `{"oneOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"string"}},"required":["b"]}]}`,
			`{"type":"object","additionalProperties":false,"required":["a","b"],"description":"One of: {a: string} | {b: string}.","properties":{
				"a":{"type":["string","null"],"description":"Null leaves it out."},"b":{"type":["string","null"],"description":"Null leaves it out."}}}`},
		{"what is never allowed", `{"type":"object","properties":{"a":false,"b":{"type":"null"}},"required":["b"]}`,
			`{"type":"object","additionalProperties":false,"required":["b"],"properties":{"b":{"type":"null"}}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			schema := schemaOf(t, tt.schema)
			got, strict := adapters.StrictSchema(schema)
			if !strict {
				t.Fatalf("not strict: %s", toJSON(got))
			}
			if broken := checkStrict(got); broken != nil {
				t.Error(broken)
			}
			want := schemaOf(t, tt.want).(map[string]any)
			if strings.HasPrefix(tt.schema, strictProperty("")[:60]) && want["properties"] == nil {
				got = at(t, got, "v")
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			verifySchema(t, schema)
		})
	}
}

func TestStrictSchemaIsNotForAll(t *testing.T) {
	deep := `{"type":"string"}`
	for range 9 {
		deep = `{"type":"object","properties":{"p":` + deep + `},"required":["p"]}`
	}
	enum := func(n, length int) string {
		values := make([]string, n)
		for i := range values {
			values[i] = fmt.Sprintf(`"%0*d"`, length, i)
		}
		return `{"enum":[` + strings.Join(values, ",") + `]}`
	}
	many := func(n, length int) string {
		properties := make([]string, n)
		for i := range properties {
			properties[i] = fmt.Sprintf(`"%0*d":{"type":"string"}`, length, i)
		}
		return `{"type":"object","properties":{` + strings.Join(properties, ",") + `}}`
	}
	for _, tt := range []struct {
		name, schema string
		strict       bool
	}{
		{"no property", `{"type":"object"}`, false},
		{"any property", `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":true}`, false},
		{"any property, as a schema", `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":{}}`, false},
		{"map", strictProperty(`{"type":"object","additionalProperties":{"type":"string"}}`), false},
		{"free object", strictProperty(`{"type":"object"}`), false},
		{"patterns", strictProperty(`{"type":"object","properties":{"a":{"type":"string"}},"patternProperties":{"^x":{"type":"string"}}}`), false},
		{"property that is not named", `{"type":"object","properties":{"a":{"type":"string"}},"required":["b"]}`, false},
		{"any value", strictProperty(`{}`), false},
		{"any items", strictProperty(`{"type":"array"}`), false},
		{"no items", strictProperty(`{"type":"array","items":false}`), false},
		{"an alternative is any", strictProperty(`{"anyOf":[{"type":"string"},{}]}`), false},
		{"circle", `{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#"}}}}`, false},
		{"lost reference", strictProperty(`{"$ref":"#/nowhere"}`), false},
		{"null or nothing", strictProperty(`{"type":["string","null"]}`), false},
		{"null or nothing, in an alternative", strictProperty(`{"anyOf":[{"type":"string"},{"properties":{"a":{"type":["string","null"]}}}]}`), false},
		{"null, required", `{"type":"object","properties":{"a":{"type":["string","null"]}},"required":["a"]}`, true},
		{"at least one property", `{"type":"object","minProperties":1,"properties":{"a":{"type":"string"}}}`, false},
		{"objects that look the same", strictProperty(`{"anyOf":[{"properties":{"a":{"type":"string"},"b":{"type":"string"}}},{"properties":{"a":{"type":"string"},"c":{"type":"string"}}}]}`), false},
		{"ten levels", deep, true},
		{"eleven levels", `{"type":"object","properties":{"p":` + deep + `},"required":["p"]}`, false},
		{"many values", strictProperty(enum(999, 4)), true},
		{"too many values", strictProperty(enum(1001, 4)), false},
		{"long enum", strictProperty(enum(300, 51)), false},
		{"short enum of long values", strictProperty(enum(200, 500)), true},
		{"long values", strictProperty(enum(240, 501)), false},
		{"long names", many(120, 1001), false},
		{"many properties", many(2000, 4), true},
		{"too many properties", many(5001, 4), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			schema := schemaOf(t, tt.schema)
			got, strict := adapters.StrictSchema(schema)
			if strict != tt.strict {
				t.Fatalf("strict is %v: %.2000s", strict, toJSON(got))
			}
			if broken := checkSchema(adapters.SchemaOpenAIStrict, got); broken != nil {
				t.Error(broken)
			}
			if len(tt.schema) < 10_000 {
				verifySchema(t, schema)
			}
			if strict {
				return
			}
			if _, again := adapters.StrictSchema(got); again {
				t.Error("strict at the second time")
			}
			if got["minProperties"] == 0.0 {
				delete(got, "minProperties")
			}
			if diff := difference(adapters.NormalizeSchema(schema, adapters.SchemaOpenAI), got); diff != "" {
				t.Errorf("not as with SchemaOpenAI (-want +got)\n%s", diff)
			}
		})
	}
}
