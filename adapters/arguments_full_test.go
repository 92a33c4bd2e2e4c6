package adapters_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

func TestFullCheck(t *testing.T) {
	const nested = `{"type":"object","additionalProperties":false,"required":["query"],"properties":{
		"query":{"type":"string","minLength":2,"maxLength":5,"pattern":"^[a-z]+$"},
		"limit":{"type":"integer","minimum":1,"maximum":100},
		"share":{"type":"number","exclusiveMinimum":0,"exclusiveMaximum":1},
		"even":{"type":"integer","multipleOf":2},
		"filters":{"type":"array","minItems":1,"items":{"type":"object","required":["op"],"properties":{"op":{"enum":["eq","ne"]},"a b":{"type":"boolean"}}}},
		"shape":{"oneOf":[
			{"properties":{"kind":{"const":"circle"},"radius":{"type":"number"}},"required":["kind","radius"]},
			{"properties":{"kind":{"const":"box"},"width":{"type":"number"}},"required":["kind","width"]}]},
		"map":{"type":"object","additionalProperties":{"type":"integer"}},
		"set":{"type":"array","uniqueItems":true},
		"pair":{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}]},
		"id":{"anyOf":[{"type":"string"},{"type":"integer"}]},
		"no":{"not":{"const":"x"}}}}`
	big := `{"type":"object","properties":{"n":{"type":"integer","maximum":9007199254740992}}}`
	for _, tt := range []struct {
		name, schema, input string
		want                string // what the model is told, or nothing for a call
	}{
		{"right", nested, `{"query":"abc","limit":100,"filters":[{"op":"eq"}],"shape":{"kind":"box","width":1},"map":{"a":1},"set":[1,2],"id":5,"no":"y"}`, ""},
		{"string bounds", nested, `{"query":"a"}`, `"query" must be string with: minimum length 2, not "a"`},
		{"pattern", nested, `{"query":"ABC"}`, `"query" must be string with: matching the regular expression "^[a-z]+$", not "ABC"`},
		{"number bounds", nested, `{"query":"ab","limit":250}`, `"limit" must be number with: at most 100, not 250`},
		{"exclusive bounds", nested, `{"query":"ab","share":0}`, `"share" must be number with: greater than 0, not 0`},
		{"multiple", nested, `{"query":"ab","even":3}`, `"even" must be number with: a multiple of 2, not 3`},
		{"unknown property", nested, `{"query":"ab","limt":5}`, `"limt" is not a property here: these are "even", "filters", "id", "limit",`},
		{"in an array", nested, `{"query":"ab","filters":[{"op":"eq"},{"op":"gt"},{"a b":"x"}]}`, `"filters[1].op" must be "eq" | "ne", not "gt", "filters[2].op" is required but missing, "filters[2][\"a b\"]" must be boolean, not string`},
		{"array bounds", nested, `{"query":"ab","filters":[]}`, `"filters" must be array with: minimum number of items 1, not []`},
		{"alternative that is meant", nested, `{"query":"ab","shape":{"kind":"box","width":"x"}}`, `"shape.width" must be number, not string`},
		{"no alternative", nested, `{"query":"ab","shape":{"kind":"line"}}`, `"shape" must be one of: {kind: "circle", radius: number} | {kind: "box", width: number}`},
		{"no type", nested, `{"query":"ab","id":true}`, `"id" must be string or integer, not boolean`},
		{"value of a map", nested, `{"query":"ab","map":{"k":"v"}}`, `"map.k" must be integer, not string`},
		{"twice", nested, `{"query":"ab","set":[1,1.0]}`, `the arguments do not satisfy "uniqueItems" in the schema`},
		{"tuple", nested, `{"query":"ab","pair":[1,"x"]}`, `the arguments do not satisfy`},
		{"not", nested, `{"query":"ab","no":"x"}`, `the arguments do not satisfy "not" in the schema`},
		{"nulls are left out", nested, `{"query":"ab","limit":null}`, ""},

		// What is not judged must not make the rest refuse.
		{"cents", property(`{"type":"number","multipleOf":0.01}`), `{"v":19.99}`, ""},
		{"formats that differ", property(`{"oneOf":[{"type":"string","format":"ipv4"},{"type":"string","format":"ipv6"}]}`), `{"v":"1.2.3.4"}`, ""},
		{"formats that differ, elsewhere", `{"properties":{"v":{"oneOf":[{"$ref":"#/$defs/a"},{"$ref":"#/$defs/b"}]}},"$defs":{"a":{"type":"string","format":"ipv4"},"b":{"type":"string","format":"ipv6"}}}`, `{"v":"1.2.3.4"}`, ""},
		{"formats that differ, of no string", property(`{"oneOf":[{"type":"string","format":"ipv4"},{"type":"string","format":"ipv6"}]}`), `{"v":4}`, `"v" must be`},
		{"not a format", property(`{"type":"string","not":{"format":"email"}}`), `{"v":"x"}`, ""},
		{"not a pattern that Go does not have", property(`{"type":"string","not":{"pattern":"^(?!x)"}}`), `{"v":"x"}`, ""},
		{"if a pattern that Go does not have", `{"properties":{"v":{"type":"string"}},"if":{"properties":{"v":{"pattern":"^(?!x)"}}},"then":{"required":["w"]}}`, `{"v":"x"}`, ""},
		{"at most one of a format", property(`{"type":"array","contains":{"format":"email"},"maxContains":1}`), `{"v":["a@b.c","x"]}`, ""},

		{"big integer", big, `{"n":9007199254740992}`, ""},
		{"bigger integer", big, `{"n":9007199254740993}`, `the arguments do not satisfy`},
		{"enormous exponent", big, `{"n":1e999999}`, ""},
		{"vanishing exponent", big, `{"n":1e-999999}`, ""},

		{"draft 4 bound", property(`{"type":"number","minimum":0,"exclusiveMinimum":true}`), `{"v":0}`, `"v" must be number with: greater than 0`},
		{"draft 7 tuple", property(`{"type":"array","items":[{"type":"string"}],"additionalItems":false}`), `{"v":["a",1]}`, `the arguments do not satisfy`},
		{"draft 7 neighbours of a reference", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"v":{"$ref":"#/definitions/S","maxLength":1}},"definitions":{"S":{"type":"string"}}}`, `{"v":"abc"}`, ""},
		{"neighbours of a reference", property(`{"$ref":"#/$defs/N","maximum":3}`), `{"v":5}`, `"v" must be number with: at most 3`},
		{"dependencies", `{"properties":{"a":{},"b":{}},"dependencies":{"a":["b"]}}`, `{"a":1}`, `the arguments do not satisfy "dependentRequired" in the schema`},
		{"nullable", property(`{"type":"string","nullable":true,"enum":["a"]}`), `{"v":null}`, ""},
		{"pattern of another language", property(`{"type":"string","pattern":"^(?!x)"}`), `{"v":"x"}`, ""},
		{"malformed keywords", property(`{"type":"string","minLength":"1","required":true,"properties":null,"enum":"x","items":7}`), `{"v":"x"}`, ""},
		{"format is not judged", property(`{"type":"string","format":"date"}`), `{"v":"x"}`, ""},
		{"foreign reference", property(`{"$ref":"https://127.0.0.1:1/s.json"}`), `{"v":5}`, ""},
		{"lost reference", property(`{"$ref":"#/nowhere"}`), `{"v":5}`, ""},
		{"anchor", `{"properties":{"v":{"$ref":"#a"}},"$defs":{"A":{"$anchor":"a","type":"string"}}}`, `{"v":5}`, ""},
		{"dynamic reference", property(`{"$dynamicRef":"#a"}`), `{"v":5}`, ""},
		{"names by patterns of another language", property(`{"patternProperties":{"(?=x)":{"type":"string"}}}`), `{"v":{"x":1}}`, ""},
		{"schema that accepts nothing", property(`{"type":"object","additionalProperties":false,"propertyNames":{"pattern":"^x"}}`), `{"v":{"xa":1}}`, `the arguments do not satisfy`},
		{"no schema", `null`, `{"v":5}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tool := newEcho(t, tt.schema, adapters.ToolOptions{ArgumentCheck: adapters.CheckFull})
			got, err := tool.Call(t.Context(), tt.input)
			if err != nil {
				t.Fatal(err)
			}
			if tool.called != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("called: %v\ngot  %s\nwant %s", tool.called, got, tt.want)
			}
		})
	}
}

// A secret in the arguments is shown to the model, which wrote it, and not to
// whoever reads errors.
func TestFullCheckKeepsValuesOutOfErrors(t *testing.T) {
	for _, schema := range []string{
		`{"properties":{"password":{"enum":["a","b"]}}}`, `{"properties":{"password":{"type":"string","maxLength":3}}}`,
		`{"properties":{"password":{"type":"integer"}}}`, `{"properties":{"password":{"not":{}}}}`, `{"not":{}}`,
		`{"properties":{"password":{"anyOf":[{"type":"integer"},{"type":"string","maxLength":3},{"type":"object"}]}}}`,
	} {
		tool := newEcho(t, schema, adapters.ToolOptions{ArgumentCheck: adapters.CheckFull, ToolErrors: adapters.ErrorsAsErrors})
		_, err := tool.Call(t.Context(), `{"password":"hunter2"}`)
		if !errors.Is(err, adapters.ErrBadArguments) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", schema, err)
		}
	}
}

// Whatever a schema says, a check ends, and never refuses what is certain of
// nothing.
func FuzzFullCheck(f *testing.F) {
	f.Add([]byte("\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a"), `{"a":{"b":[1,"x",null]},"b":5}`)
	f.Add([]byte("\x05\x0d\x01\x0c\x02\x0b\x03\x09\x08"), `{"a":1e400,"b":{"type":true}}`)
	f.Fuzz(func(t *testing.T, data []byte, input string) {
		g := schemaMaker{data: data}
		schema := map[string]any{"type": "object", "properties": map[string]any{"a": g.schema(0), "b": g.schema(0)},
			"anyOf": g.list(0), "$defs": map[string]any{"a": g.schema(0), "b": g.schema(0)}}
		for _, profile := range []adapters.SchemaProfile{"", adapters.SchemaOpenAIStrict} {
			tool := newEcho(t, toJSON(schema), adapters.ToolOptions{
				SchemaProfile: profile, ArgumentCheck: adapters.CheckFull, CoerceArguments: true, SchemaInDescription: true,
			})
			if text, err := tool.Call(t.Context(), input); err != nil || len(text) > 50_000 || len(tool.Description()) > 12_000 {
				t.Errorf("%s: %d bytes, %v", toJSON(schema), len(text), err)
			}
		}
	})
}

func TestHostileSchemasInFull(t *testing.T) {
	for name, schema := range hostileSchemas() {
		if len(toJSON(schema)) > 200_000 {
			continue // large to send as well
		}
		tool := newTool(t, schema, adapters.ToolOptions{SchemaProfile: adapters.SchemaOpenAIStrict, ArgumentCheck: adapters.CheckFull, CoerceArguments: true}, returns(content(), nil))
		for _, input := range []string{`{}`, `{"p":{"p":{"p":["x",{"a":{"b":null}}]},"a":"5"},"n0":[],"v":null}`, `{"p":"x"}`} {
			if text, err := tool.Call(t.Context(), input); err != nil || len(text) > 50_000 {
				t.Errorf("%s: %d bytes, %v", name, len(text), err)
			}
		}
	}
}

func TestFullCheckIsBounded(t *testing.T) {
	deep := strings.Repeat(`{"v":`, 3000) + "1" + strings.Repeat("}", 3000)
	bomb := `{"type":"string"}`
	for range 12 {
		bomb = `{"anyOf":[{"properties":{"v":` + bomb + `}},{"properties":{"v":` + `{"$ref":"#/$defs/D"}` + `}}]}`
	}
	doubling := `{"$defs":{"30":{"type":"string"}`
	for i := range 30 {
		doubling += fmt.Sprintf(`,"%d":{"anyOf":[{"$ref":"#/$defs/%d"},{"$ref":"#/$defs/%d"}]}`, i, i+1, i+1)
	}
	doubling += `},"properties":{"v":{"$ref":"#/$defs/0"}}}`
	for name, tt := range map[string]struct{ schema, input string }{
		"itself":                  {`{"$ref":"#"}`, `{"v":1}`},
		"itself, by parts":        {`{"allOf":[{"$ref":"#"}]}`, `{"v":1}`},
		"itself, by each other":   {`{"properties":{"v":{"$ref":"#/$defs/A"}},"$defs":{"A":{"not":{"$ref":"#/$defs/B"}},"B":{"anyOf":[{},{"$ref":"#/$defs/A"}]}}}`, `{"v":1}`},
		"itself, by what follows": {`{"if":true,"then":{"dependentSchemas":{"v":{"$ref":"#"}}}}`, `{"v":1}`},
		"deep arguments":          {`{"properties":{"v":{"$ref":"#"}},"additionalProperties":false}`, deep},
		"branches in branches":    {bomb, `{"v":{"v":{"v":{"v":1}}}}`},
		"branches that double":    {doubling, `{"v":1}`},
		"long lists":              {`{"properties":{"v":{"items":{"enum":[` + strings.TrimSuffix(strings.Repeat(`"a",`, 5000), ",") + `]}}}}`, `{"v":[` + strings.TrimSuffix(strings.Repeat(`1,`, 20_000), ",") + `]}`},
		"long numbers":            {`{"properties":{"v":{"items":{"minimum":0}}}}`, `{"v":[` + strings.TrimSuffix(strings.Repeat(`-1e999999,`, 20_000), ",") + `]}`},
		"large values":            {`{"properties":{"v":{"anyOf":[` + strings.TrimSuffix(strings.Repeat(`{"type":"integer"},`, 5000), ",") + `]}}}`, `{"v":["` + strings.Repeat("x", 1<<20) + `"]}`},
	} {
		t.Run(name, func(t *testing.T) {
			tool := newEcho(t, tt.schema, adapters.ToolOptions{ArgumentCheck: adapters.CheckFull})
			got, err := tool.Call(t.Context(), tt.input)
			if err != nil || len(got) > 20_000 {
				t.Errorf("%d bytes, %v", len(got), err)
			}
		})
	}
}
