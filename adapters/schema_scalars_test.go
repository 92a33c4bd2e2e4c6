package adapters_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

// Where a property has one type only, values of the other types of a union must
// be possible to spell.
func TestStringThatStandsForOtherTypes(t *testing.T) {
	for _, property := range []string{
		`{"anyOf":[{"type":"integer"},{"type":"string","enum":["all"]}]}`,
		`{"oneOf":[{"type":"string","const":"auto"},{"type":"number","minimum":1}]}`,
		`{"enum":["all",1,2]}`,
		`{"type":["string","boolean"],"enum":["all",true]}`,
		`{"anyOf":[{"type":"string","format":"date-time"},{"type":"integer"}]}`,
		`{"type":["string","number"],"pattern":"^a","minLength":3}`,
	} {
		var schema map[string]any
		if err := json.Unmarshal([]byte(`{"type":"object","properties":{"v":`+property+`}}`), &schema); err != nil {
			t.Fatal(err)
		}
		v := adapters.NormalizeSchema(schema, adapters.SchemaPortable)["properties"].(map[string]any)["v"].(map[string]any)
		for key := range v {
			if key != "type" && key != "description" {
				t.Errorf("%s: %s is left: %v", property, key, v)
			}
		}
		if v["type"] != "string" || v["description"] == "" {
			t.Errorf("%s: %v", property, v)
		}
	}
}

// Of two unions that both hold, each keeps its types.
func TestTwoUnionsKeepTheirTypes(t *testing.T) {
	const property = `{"anyOf":[{"type":"integer"},{"type":"string"}],"oneOf":[{"type":"integer","minimum":1},{"type":"string","minLength":1}]}`
	var schema map[string]any
	if err := json.Unmarshal([]byte(`{"type":"object","properties":{"v":`+property+`},"required":["v"],"additionalProperties":false}`), &schema); err != nil {
		t.Fatal(err)
	}
	for _, profile := range []adapters.SchemaProfile{adapters.SchemaOpenAI, adapters.SchemaOpenAIStrict, adapters.SchemaAnthropic} {
		v := adapters.NormalizeSchema(schema, profile)["properties"].(map[string]any)["v"].(map[string]any)
		if list, _ := v["anyOf"].([]any); len(list) != 2 || v["type"] != nil {
			t.Errorf("%s: %v", profile, v)
		}
	}
}

func TestPortableArguments(t *testing.T) {
	schema := map[string]any{"type": "object", "properties": map[string]any{
		"flag": map[string]any{"type": []any{"boolean", "number"}},
		"list": map[string]any{"type": "array", "items": map[string]any{"anyOf": []any{map[string]any{"type": "string"}, map[string]any{"type": "object"}}}},
		"all":  map[string]any{"anyOf": []any{map[string]any{"const": "all"}, map[string]any{"type": "integer"}}},
		"text": map[string]any{"type": "string"},
		"none": map[string]any{"type": []any{"object", "number", "null"}},
		"rows": map[string]any{"type": "array", "items": map[string]any{"enum": []any{"a", 1, nil}}},
		"free": map[string]any{"type": []any{"object", "string", "null"}},
	}}
	for written, want := range map[string]string{
		`{"flag":"true","text":"true"}`:     `{"flag":true,"text":"true"}`,
		`{"flag":" 12345678901234567890 "}`: `{"flag":12345678901234567890}`,
		`{"flag":"maybe","all":"none"}`:     `{"all":"none","flag":"maybe"}`,
		`{"flag":false,"all":7}`:            `{"all":7,"flag":false}`,
		`{"all":"all"}`:                     `{"all":"all"}`,
		`{"all":"5"}`:                       `{"all":5}`,
		`{"list":["a","{\"b\":1}","\"{\\\"b\\\":1}\"","5","\"c\""]}`: `{"list":["a",{"b":1},"{\"b\":1}","5","\"c\""]}`,
		`{"list":"no array"}`: `{"list":"no array"}`,
		`{"flag":"null","none":" null ","rows":["a","1","null",null],"free":"null"}`: `{"flag":"null","free":"null","none":null,"rows":["a",1,null,null]}`,
	} {
		var arguments map[string]any
		decoder := json.NewDecoder(strings.NewReader(written))
		decoder.UseNumber()
		if err := decoder.Decode(&arguments); err != nil {
			t.Fatal(err)
		}
		adapters.PortableArguments(schema, arguments)
		if got := toJSON(arguments); got != want {
			t.Errorf("%s became %s, want %s", written, got, want)
		}
	}
}
