package adapters_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

// property is a schema with one optional property.
func property(schema string) string {
	return fmt.Sprintf(`{"type":"object","properties":{"v":%s},"$defs":{"N":{"type":"integer"},"Loop":{"$ref":"#/$defs/Loop"},"a/b":[{"type":"integer"}]}}`, schema)
}

func TestCertainMistakes(t *testing.T) {
	tests := []struct {
		name, schema, input string
		want                string // what the model is told, or nothing for a call
	}{
		{"required", oneRequired, `{}`, `"city" is required but missing`},
		{"required null", oneRequired, `{"city":null}`, `"city" must be string, not null`},
		{"several", twoRequired, `{"a":"x"}`, `"a" must be number, not string, "b" is required but missing`},
		{"order of the schema", `{"properties":{"a":{},"b":{},"c":{}},"required":["c","a","c"]}`, `{}`, `"c" is required but missing, "a" is required but missing. Send a JSON object with "c"`},
		{"required but undeclared", `{"properties":{},"required":["ghost"]}`, `{}`, ""},
		{"required with a default", `{"properties":{"a":{"type":"string","default":"x"}},"required":["a"]}`, `{}`, ""},
		{"required with a default behind a reference", `{"properties":{"a":{"$ref":"#/$defs/A"}},"required":["a"],"$defs":{"A":{"type":"string","default":"x"}}}`, `{}`, ""},
		{"required by allOf", `{"allOf":[{"properties":{"a":{}}},{"required":["a"]}]}`, `{}`, `"a" is required but missing`},
		{"required by reference", `{"$ref":"#/$defs/A","$defs":{"A":{"properties":{"a":{}},"required":["a"]}}}`, `{}`, `"a" is required but missing`},
		{"required in one branch of two", `{"anyOf":[{"properties":{"a":{}},"required":["a"]},{"properties":{"b":{}}}]}`, `{}`, ""},
		{"required in the branch that is not null", `{"anyOf":[{"properties":{"a":{}},"required":["a"]},{"type":"null"}]}`, `{}`, `"a" is required but missing`},
		{"neighbours of a reference", `{"$ref":"#/$defs/A","required":["a"],"properties":{"a":{}},"$defs":{"A":{}}}`, `{}`, ""},
		{"required as a boolean, as in draft 3", `{"properties":{"a":{"required":true}},"required":true}`, `{}`, ""},

		{"number for a string", property(`{"type":"string"}`), `{"v":5}`, `"v" must be string, not integer`},
		{"fraction for an integer", property(`{"type":"integer"}`), `{"v":1.5}`, `"v" must be integer, not number`},
		{"whole fraction for an integer", property(`{"type":"integer"}`), `{"v":1.0}`, ""},
		{"exponent for an integer", property(`{"type":"integer"}`), `{"v":1e3}`, ""},
		{"huge exponent for an integer", property(`{"type":"integer"}`), `{"v":1e999999999}`, ""},
		{"integer for a number", property(`{"type":"number"}`), `{"v":1}`, ""},
		{"word for a number", property(`{"type":"number"}`), `{"v":"much"}`, `"v" must be number, not string`},
		{"spelled integer", property(`{"type":"integer"}`), `{"v":"5"}`, ""},
		{"spelled fraction for an integer", property(`{"type":"integer"}`), `{"v":"5.5"}`, `"v" must be integer, not string`},
		{"spelled array", property(`{"type":"array"}`), `{"v":"[1, 2]"}`, ""},
		{"spelled object", property(`{"type":"object"}`), `{"v":" {\"a\":1}"}`, ""},
		{"spelled object for an array", property(`{"type":"array"}`), `{"v":"{}"}`, `"v" must be array, not string`},
		{"spelled null", property(`{"type":["null","array"]}`), `{"v":"null"}`, ""},
		{"yes", property(`{"type":"boolean"}`), `{"v":"Yes"}`, ""},
		{"maybe", property(`{"type":"boolean"}`), `{"v":"maybe"}`, `"v" must be boolean, not string`},
		{"one for true", property(`{"type":"boolean"}`), `{"v":1}`, ""},
		{"two for true", property(`{"type":"boolean"}`), `{"v":2}`, `"v" must be boolean, not integer`},
		{"true for an integer", property(`{"type":"integer"}`), `{"v":true}`, `"v" must be integer, not boolean`},
		{"string for an array", property(`{"type":"array"}`), `{"v":"a"}`, `"v" must be array, not string`},
		{"array for a string", property(`{"type":"string"}`), `{"v":["a"]}`, `"v" must be string, not array`},
		{"object for a string", property(`{"type":"string"}`), `{"v":{}}`, `"v" must be string, not object`},

		{"one of several types", property(`{"type":["string","integer"]}`), `{"v":1}`, ""},
		{"none of several types", property(`{"type":["string","integer","null"]}`), `{"v":[]}`, `"v" must be string or integer, not array`},
		{"unknown type", property(`{"type":"file"}`), `{"v":1}`, ""},
		{"unknown type among others", property(`{"type":["string","file"]}`), `{"v":1}`, ""},
		{"no type", property(`{}`), `{"v":1}`, ""},
		{"boolean schema", property(`false`), `{"v":1}`, ""},
		{"a branch fits", property(`{"anyOf":[{"type":"string"},{"$ref":"#/$defs/N"}]}`), `{"v":1}`, ""},
		{"no branch fits", property(`{"oneOf":[{"type":"string"},{"$ref":"#/$defs/N"}]}`), `{"v":true}`, `"v" must be string or integer, not boolean`},
		{"a branch admits all", property(`{"anyOf":[{"type":"string"},{"minimum":1}]}`), `{"v":1}`, ""},
		{"all parts", property(`{"allOf":[{"type":["string","integer"]},{"type":["integer","boolean"]}]}`), `{"v":"x"}`, `"v" must be integer, not string`},
		{"contradiction", property(`{"allOf":[{"type":"string"},{"type":"integer"}]}`), `{"v":true}`, ""},
		{"reference", property(`{"$ref":"#/$defs/N"}`), `{"v":"x"}`, `"v" must be integer, not string`},
		{"escaped reference into an array", property(`{"$ref":"#/%24defs/a~1b/0"}`), `{"v":"x"}`, `"v" must be integer, not string`},
		{"reference to the root", property(`{"$ref":"#"}`), `{"v":"x"}`, `"v" must be object, not string`},
		{"reference to nothing", property(`{"$ref":"#/$defs/Nope"}`), `{"v":"x"}`, ""},
		{"reference past an array", property(`{"$ref":"#/$defs/a~1b/7"}`), `{"v":"x"}`, ""},
		{"reference into a string", property(`{"$ref":"#/type/x"}`), `{"v":"x"}`, ""},
		{"reference to an anchor", property(`{"$ref":"#anchor"}`), `{"v":"x"}`, ""},
		{"broken reference", property(`{"$ref":"#/%zz"}`), `{"v":"x"}`, ""},
		{"foreign reference", property(`{"$ref":"https://example.com/s.json"}`), `{"v":"x"}`, ""},
		{"endless reference", property(`{"$ref":"#/$defs/Loop"}`), `{"v":"x"}`, ""},
		{"enum of strings", property(`{"enum":["a","b"]}`), `{"v":1}`, `"v" must be string, not integer`},
		{"value that the enum lacks", property(`{"type":"string","enum":["a","b"]}`), `{"v":"c"}`, ""},
		{"number const", property(`{"const":1.5}`), `{"v":"x"}`, `"v" must be number, not string`},
		{"property of two parts", `{"properties":{"v":{"type":["string","integer"]}},"allOf":[{"properties":{"v":{"type":["string","boolean"]}}}]}`, `{"v":1}`, `"v" must be string, not integer`},
		{"nested values are the server's to judge", property(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["m"]}`), `{"v":{"n":"x"}}`, ""},
		{"schema that accepts nothing", `{"type":"object","additionalProperties":false,"propertyNames":{"pattern":"^x"}}`, `{"a":1}`, ""},
		{"no schema", `null`, `{"a":1}`, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tool := newEcho(t, test.schema, adapters.ToolOptions{})
			got, err := tool.Call(t.Context(), test.input)
			if err != nil {
				t.Fatal(err)
			}
			if tool.called != (test.want == "") || !strings.Contains(got, test.want) {
				t.Errorf("called: %v, text %q, want %q", tool.called, got, test.want)
			}
			unchecked := newEcho(t, test.schema, adapters.ToolOptions{ArgumentCheck: adapters.CheckOff})
			if got, err := unchecked.Call(t.Context(), test.input); err != nil || !unchecked.called {
				t.Errorf("with the check off: %q, %v", got, err)
			}
		})
	}
}

func TestNullArguments(t *testing.T) {
	tests := []struct {
		name, schema, input, want string
	}{
		{"optional", property(`{"type":"integer"}`), `{"v":null}`, `{}`},
		{"optional with a null default", property(`{"type":"integer","default":null}`), `{"v":null}`, `{}`},
		{"required with a default", `{"properties":{"v":{"type":"integer","default":1}},"required":["v"]}`, `{"v":null}`, `{}`},
		{"nullable type", property(`{"type":["integer","null"]}`), `{"v":null}`, `{"v":null}`},
		{"nullable union", property(`{"anyOf":[{"type":"integer"},{"type":"null"}]}`), `{"v":null}`, `{"v":null}`},
		{"OpenAPI's nullable", property(`{"type":"integer","nullable":true}`), `{"v":null}`, `{"v":null}`},
		{"nullable reference", property(`{"$ref":"#/$defs/N","nullable":true}`), `{"v":null}`, `{"v":null}`},
		{"null in the enum", property(`{"type":"string","enum":["a",null]}`), `{"v":null}`, `{"v":null}`},
		{"const null", property(`{"const":null}`), `{"v":null}`, `{"v":null}`},
		{"no type", property(`{}`), `{"v":null}`, `{"v":null}`},
		{"undeclared", property(`{}`), `{"w":null}`, `{"w":null}`},
		{"nested", property(`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["b"]}`), `{"v":{"a":null,"b":null,"c":null}}`, `{"v":{"b":null,"c":null}}`},
		{"in an optional object", property(`{"anyOf":[{"type":"object","properties":{"a":{"type":"string"}}},{"type":"null"}]}`), `{"v":{"a":null}}`, `{"v":{}}`},
		{"in a union of objects", property(`{"anyOf":[{"type":"object","properties":{"a":{"type":"string"}}},{"type":"object"}]}`), `{"v":{"a":null}}`, `{"v":{"a":null}}`},
		{"in an array", property(`{"type":"array","items":{"type":"object","properties":{"a":{"type":"string"}}}}`), `{"v":[{"a":null},null,{"a":null,"b":1}]}`, `{"v":[{},null,{"b":1}]}`},
		{"in a tuple", property(`{"prefixItems":[{}],"items":{"properties":{"a":{"type":"string"}}}}`), `{"v":[{"a":null}]}`, `{"v":[{"a":null}]}`},
		{"in an array of anything", property(`{"type":"array"}`), `{"v":[{"a":null}]}`, `{"v":[{"a":null}]}`},
		{"recursive", `{"properties":{"kids":{"type":"array","items":{"$ref":"#"}},"n":{"type":"integer"}}}`, `{"kids":[{"n":null,"kids":[{"n":null,"kids":null}]}]}`, `{"kids":[{"kids":[{}]}]}`},
		{"names that look like paths", `{"properties":{"a":{"properties":{"[]":{"properties":{"x":{"type":"string"}}}}},"a/[]":{"properties":{"x":{"type":["string","null"]}}}}}`, `{"a":{"[]":{"x":null}},"a/[]":{"x":null}}`, `{"a":{"[]":{}},"a/[]":{"x":null}}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for check, want := range map[adapters.ArgumentCheck]string{adapters.CheckCertain: test.want, adapters.CheckOff: test.input} {
				tool := newEcho(t, test.schema, adapters.ToolOptions{ArgumentCheck: check})
				if text, err := tool.Call(t.Context(), test.input); err != nil || !tool.called {
					t.Fatalf("%q, %v", text, err)
				}
				got, err := json.Marshal(tool.args)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(canonical(t, want), canonical(t, string(got))); diff != "" {
					t.Errorf("check %d: arguments (-want +got)\n%s", check, diff)
				}
			}
		})
	}
}

// canonical decodes JSON, for comparison without regard to the order of keys.
func canonical(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// A foreign schema must not make a call slow or large, whatever it says.
func TestHostileSchemas(t *testing.T) {
	branches := func(n int) string {
		return strings.TrimSuffix(strings.Repeat(`{"$ref":"#/$defs/B"},`, n), ",")
	}
	wide := make([]string, 3_000)
	for i := range wide {
		wide[i] = fmt.Sprintf(`%q:{"type":"string"}`, fmt.Sprintf("p%d%s", i, strings.Repeat("x", 200)))
	}
	tests := []struct{ name, schema, input string }{
		{"references that multiply", `{"properties":{"v":{"$ref":"#/$defs/B"}},"required":["v"],"$defs":{"B":{"anyOf":[` + branches(50) + `]}}}`, `{"v":1}`},
		{"objects that multiply", `{"allOf":[` + branches(50) + `],"$defs":{"B":{"properties":{"v":{"type":"string"}},"allOf":[` + branches(50) + `]}}}`, `{"v":null}`},
		{"deep arguments", `{"properties":{"v":{"$ref":"#"}}}`, strings.Repeat(`{"v":`, 5000) + "null" + strings.Repeat("}", 5000)},
		{"long references", `{"properties":{"v":{"$ref":"#/` + strings.Repeat("a/", 200_000) + `"},"w":{"allOf":[` + strings.TrimSuffix(strings.Repeat(`{"$ref":"#/properties/v"},`, 5_000), ",") + `]}}}`, `{"w":null}`},
		{"many required", `{"properties":{` + strings.Join(wide, ",") + `},"required":[` + strings.ReplaceAll(strings.Join(wide, ","), `:{"type":"string"}`, "") + `]}`, `{"p0":null}`},
		{"thousands of parameters", `{"properties":{` + strings.Join(wide, ",") + `}}`, `none`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tool := newEcho(t, test.schema, adapters.ToolOptions{})
			got, err := tool.Call(t.Context(), test.input)
			if err != nil {
				t.Fatal(err)
			}
			if len(got) > 10_000 {
				t.Errorf("%d bytes of text", len(got))
			}
		})
	}
}

func TestExpectation(t *testing.T) {
	tests := []struct{ name, schema, want string }{
		{"enum", `{"properties":{"unit":{"type":"string","enum":["C","F"]}}}`, `"unit" (string, "C" or "F").`},
		{"const", `{"properties":{"kind":{"const":"a"}},"required":["kind"]}`, `"kind" (string, "a", required).`},
		{"long enum", `{"properties":{"v":{"type":"integer","enum":[1,2,3,4,5,6,7,8,9]}}}`, `"v" (integer).`},
		{"enum of long values", `{"properties":{"v":{"enum":["` + strings.Repeat("x", 100) + `","b"]}}}`, `"v" (string).`},
		{"nullable", `{"properties":{"v":{"type":["null","boolean"]}}}`, `"v" (boolean).`},
		{"union at the root", `{"anyOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"b":{"type":"object"}}}]}`, `"a" (string), "b" (object).`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tool := newEcho(t, test.schema, adapters.ToolOptions{})
			got, err := tool.Call(t.Context(), "[]")
			if err != nil {
				t.Fatal(err)
			}
			if want := "Send a JSON object with " + test.want + "\nReceived: []"; !strings.Contains(got, want) {
				t.Errorf("got  %q\nwant %q", got, want)
			}
		})
	}

	hostile := newEcho(t, `{"properties":{"a\nb":{"type":"array"}}}`, adapters.ToolOptions{SchemaProfile: adapters.SchemaRaw})
	if got, _ := hostile.Call(t.Context(), "[]"); !strings.Contains(got, `"a\nb" (array).`) {
		t.Errorf("hostile name: %q", got)
	}

	many := make([]string, 50)
	for i := range many {
		many[i] = fmt.Sprintf(`"p%02d":{"type":"string"}`, i)
	}
	tool := newEcho(t, `{"properties":{`+strings.Join(many, ",")+`}}`, adapters.ToolOptions{})
	if got, _ := tool.Call(t.Context(), "[]"); !strings.Contains(got, `"p39" (string), and 10 more.`) {
		t.Errorf("many parameters: %q", got)
	}
}

func TestManyMistakes(t *testing.T) {
	names := make([]string, 30)
	for i := range names {
		names[i] = fmt.Sprintf(`"p%02d"`, i)
	}
	schema := `{"properties":{` + strings.Join(names, ":{},") + `:{}},"required":[` + strings.Join(names, ",") + `]}`
	tool := newEcho(t, schema, adapters.ToolOptions{ToolErrors: adapters.ErrorsAsErrors})
	_, err := tool.Call(t.Context(), "{}")
	if !errors.Is(err, adapters.ErrBadArguments) || strings.Count(err.Error(), "is required but missing") != 10 {
		t.Errorf("got %v", err)
	}
}
