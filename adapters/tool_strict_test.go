package adapters_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

const strictTool = `{"type":"object","additionalProperties":false,"required":["q"],"properties":{
	"q":{"type":"string"},
	"limit":{"type":"integer","default":10},
	"parent":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null},
	"near":{"type":"object","properties":{"lat":{"type":"number"},"label":{"type":"string"}},"required":["lat"]},
	"filters":{"type":"array","items":{"anyOf":[
		{"type":"object","properties":{"is":{"const":"name"},"match":{"type":"string"},"max":{"type":"integer"}},"required":["is"]},
		{"type":"object","properties":{"is":{"const":"age"},"min":{"type":"integer"},"max":{"anyOf":[{"type":"integer"},{"type":"null"}],"default":null}},"required":["is"]}]}}},
	"if":{"required":["near"]},"then":{"properties":{"radius":{"type":"number"}}}}`

func TestStrictTool(t *testing.T) {
	for _, tt := range []struct{ name, input, want string }{
		{"not given", `{"q":"x","limit":null,"near":null,"filters":null,"radius":null}`, `{"q":"x"}`},
		{"null that is a value", `{"q":"x","parent":null}`, `{"q":"x","parent":null}`},
		{"given", `{"q":"x","limit":5,"radius":1.5}`, `{"q":"x","limit":5,"radius":1.5}`},
		{"nested", `{"q":"x","near":{"lat":1,"label":null}}`, `{"q":"x","near":{"lat":1}}`},
		{"in a union", `{"q":"x","filters":[{"is":"name","match":null},{"is":"age","min":null,"max":null}]}`, `{"q":"x","filters":[{"is":"name"},{"is":"age","max":null}]}`},
		{"null that is a value in another alternative", `{"q":"x","filters":[{"is":"name","match":"a","max":null},{"is":"age","min":1,"max":null}]}`, `{"q":"x","filters":[{"is":"name","match":"a"},{"is":"age","min":1,"max":null}]}`},
		{"unknown", `{"q":"x","other":null}`, `{"q":"x","other":null}`},
		{"no object where one belongs", `{"q":"x","near":[{"label":null}],"filters":{"match":null}}`, `{"q":"x","near":[{"label":null}],"filters":{"match":null}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tool := newEcho(t, strictTool, adapters.ToolOptions{SchemaProfile: adapters.SchemaOpenAIStrict, ArgumentCheck: adapters.CheckOff})
			if f := tool.Definition().Function; !f.Strict || checkStrict(f.Parameters) != nil {
				t.Fatalf("strict is %v: %s", f.Strict, toJSON(f.Parameters))
			}
			if text, err := tool.Call(t.Context(), tt.input); err != nil || !tool.called {
				t.Fatalf("%q, %v", text, err)
			}
			if diff := cmp.Diff(canonical(t, tt.want), canonical(t, toJSON(tool.args))); diff != "" {
				t.Errorf("arguments (-want +got)\n%s", diff)
			}
		})
	}

	missing := newEcho(t, strictTool, adapters.ToolOptions{SchemaProfile: adapters.SchemaOpenAIStrict})
	if _, err := missing.Call(t.Context(), `{"q":null}`); err != nil || missing.called {
		t.Errorf("required null: called with %v, %v", missing.args, err)
	}
	for profile, want := range map[adapters.SchemaProfile]bool{"": false, adapters.SchemaOpenAI: false, adapters.SchemaOpenAIStrict: true} {
		if got := newEcho(t, strictTool, adapters.ToolOptions{SchemaProfile: profile}).Definition().Function.Strict; got != want {
			t.Errorf("profile %q: strict is %v", profile, got)
		}
	}
	if newEcho(t, noParameters, adapters.ToolOptions{SchemaProfile: adapters.SchemaOpenAIStrict}).Definition().Function.Strict {
		t.Error("a schema that allows any property became strict")
	}
}
