package adapters_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

func TestCoercion(t *testing.T) {
	list := func(items string) string { return property(`{"type":"array","items":` + items + `}`) }
	for _, tt := range []struct{ name, schema, input, want string }{
		{"integer", property(`{"type":"integer"}`), `{"v":" 5 "}`, `{"v":5}`},
		{"every digit", property(`{"type":"integer"}`), `{"v":"123456789012345678901234567890"}`, `{"v":123456789012345678901234567890}`},
		{"number", property(`{"type":"number"}`), `{"v":"-1.50e3"}`, `{"v":-1.50e3}`},
		{"fraction for an integer", property(`{"type":"integer"}`), `{"v":"5.0"}`, `{"v":"5.0"}`},
		{"no JSON number", property(`{"type":"integer"}`), `{"v":"0x10"}`, `{"v":"0x10"}`},
		{"truth", property(`{"type":"boolean"}`), `{"v":"True"}`, `{"v":true}`},
		{"untruth", property(`{"type":["boolean","null"]}`), `{"v":"false"}`, `{"v":false}`},
		{"perhaps", property(`{"type":"boolean"}`), `{"v":"yes"}`, `{"v":"yes"}`},
		{"string", property(`{"type":"string"}`), `{"v":"5"}`, `{"v":"5"}`},
		{"string or integer", property(`{"type":["integer","string"]}`), `{"v":"5"}`, `{"v":"5"}`},
		{"anything", property(`{}`), `{"v":"5"}`, `{"v":"5"}`},
		{"null is none", property(`{"type":["integer","null"]}`), `{"v":"null"}`, `{"v":"null"}`},
		{"object in a string", property(`{"type":"object","properties":{"n":{"type":"integer"},"o":{"type":"integer"}}}`), `{"v":"{\"n\":\"7\",\"o\":null}"}`, `{"v":{"n":7}}`},
		{"array in a string", list(`{"type":"integer"}`), `{"v":"[1, \"2\"]"}`, `{"v":[1,2]}`},
		{"single value", list(`{"type":"string"}`), `{"v":"a"}`, `{"v":["a"]}`},
		{"single number in a string", list(`{"type":"integer"}`), `{"v":"5"}`, `{"v":[5]}`},
		{"single object", list(`{"$ref":"#/properties/v/items/properties/self","properties":{"self":{"type":"object"}}}`), `{"v":{"a":1}}`, `{"v":[{"a":1}]}`},
		{"single value of another type", list(`{"type":"integer"}`), `{"v":"x"}`, `{"v":"x"}`},
		{"null for an array", property(`{"type":["array","null"]}`), `{"v":null}`, `{"v":null}`},
		{"deep", property(`{"type":"array","items":{"type":"object","properties":{"on":{"type":"boolean"}}}}`), `{"v":[{"on":"true"},{"on":false},{"off":"true"}]}`, `{"v":[{"on":true},{"on":false},{"off":"true"}]}`},
		{"behind a reference", property(`{"$ref":"#/$defs/N"}`), `{"v":"5"}`, `{"v":5}`},
		{"unknown", property(`{"type":"integer"}`), `{"w":"5"}`, `{"w":"5"}`},
		{"within a union", property(`{"anyOf":[{"properties":{"n":{"type":"integer"}}},{"properties":{"n":{"type":"string"}}}]}`), `{"v":{"n":"5"}}`, `{"v":{"n":"5"}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, check := range []adapters.ArgumentCheck{adapters.CheckCertain, adapters.CheckOff} {
				if check == adapters.CheckOff && strings.Contains(tt.input, "null") {
					continue
				}
				tool := newEcho(t, tt.schema, adapters.ToolOptions{CoerceArguments: true, ArgumentCheck: check})
				text, err := tool.Call(t.Context(), tt.input)
				if err != nil {
					t.Fatal(err)
				}
				if !tool.called { // what is left alone may be a mistake
					if check == adapters.CheckOff || tt.want != tt.input {
						t.Fatalf("not called: %s", text)
					}
					continue
				}
				if diff := cmp.Diff(tt.want, toJSON(tool.args)); diff != "" {
					t.Errorf("arguments (-want +got)\n%s", diff)
				}
			}
		})
	}
	tool := newEcho(t, property(`{"type":"integer"}`), adapters.ToolOptions{})
	if _, err := tool.Call(t.Context(), `{"v":"5"}`); err != nil || toJSON(tool.args) != `{"v":"5"}` {
		t.Errorf("without the option: %v, %v", tool.args, err)
	}
}

func TestCoercionThenFullCheck(t *testing.T) {
	tool := newEcho(t, `{"properties":{"n":{"type":"integer","maximum":9}}}`, adapters.ToolOptions{CoerceArguments: true, ArgumentCheck: adapters.CheckFull})
	if text, err := tool.Call(t.Context(), `{"n":"5"}`); err != nil || !tool.called {
		t.Errorf("%s, %v", text, err)
	}
	if text, err := tool.Call(t.Context(), `{"n":"50"}`); err != nil || !strings.Contains(text, `"n" must be number with: at most 9, not 50`) {
		t.Errorf("%s, %v", text, err)
	}
}
