package sampling_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/llms"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/callbacks/sampling"
)

const hi = `"messages":[{"role":"user","content":{"type":"text","text":"hi"}}]`

func TestCallOptions(t *testing.T) {
	t.Parallel()
	mine := []llms.CallOption{llms.WithModel("mine"), llms.WithTemperature(0.7), llms.WithMaxTokens(1), llms.WithTopP(0.5)}
	last := func(callbacks.CallbackContext, *mcp.ModelPreferences) llms.CallOption { return llms.WithTemperature(1) }
	for name, tt := range map[string]struct {
		opts   *sampling.Options
		params string
		want   llms.CallOptions
	}{
		"nothing said":         {nil, `{` + hi + `}`, llms.CallOptions{MaxTokens: 4096}},
		"as asked":             {nil, `{"maxTokens":100,"temperature":0.2,"stopSequences":["a","","b"],` + hi + `}`, llms.CallOptions{MaxTokens: 100, Temperature: 0.2, StopWords: []string{"a", "b"}}},
		"no stop sequences":    {nil, `{"maxTokens":100,"stopSequences":[""],` + hi + `}`, llms.CallOptions{MaxTokens: 100}},
		"too many tokens":      {nil, `{"maxTokens":5000,` + hi + `}`, llms.CallOptions{MaxTokens: 4096}},
		"bound of mine":        {&sampling.Options{MaxTokens: 10}, `{"maxTokens":100,` + hi + `}`, llms.CallOptions{MaxTokens: 10}},
		"no bound":             {&sampling.Options{MaxTokens: -1}, `{"maxTokens":9000000000,` + hi + `}`, llms.CallOptions{MaxTokens: 2147483647}},
		"no bound, none asked": {&sampling.Options{MaxTokens: -1}, `{` + hi + `}`, llms.CallOptions{}},
		"options of mine":      {&sampling.Options{CallOptions: mine}, `{"maxTokens":100,` + hi + `}`, llms.CallOptions{Model: "mine", MaxTokens: 100, Temperature: 0.7, TopP: 0.5}},
		"the request counts":   {&sampling.Options{CallOptions: mine}, `{"maxTokens":100,"temperature":0.2,` + hi + `}`, llms.CallOptions{Model: "mine", MaxTokens: 100, Temperature: 0.2, TopP: 0.5}},
		"the choice counts":    {&sampling.Options{ChooseModel: last}, `{"maxTokens":100,"temperature":0.2,` + hi + `}`, llms.CallOptions{MaxTokens: 100, Temperature: 1}},
		"what is ignored":      {nil, `{"maxTokens":100,"includeContext":"allServers","metadata":{"openai:use_legacy_max_tokens":true},` + hi + `}`, llms.CallOptions{MaxTokens: 100}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := &scriptedModel{answer: says("ok")}
			if _, err := sample(t, model, tt.opts, tt.params); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, model.options, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("options (-want +got)\n%s", diff)
			}
		})
	}
}

func TestByHint(t *testing.T) {
	t.Parallel()
	models := []string{"gpt-4o", "Claude-Sonnet-4", "gpt-4o-mini"}
	choose := sampling.ByHint(models...)
	models[0] = "spoiled"
	for prefs, want := range map[string]string{
		`{}`:                                  "default",
		`{"hints":[]}`:                        "default",
		`{"hints":[{"name":"gemini"}]}`:       "default",
		`{"hints":[null,{},{"name":"mini"}]}`: "gpt-4o-mini",
		`{"hints":[{"name":"GPT-4o"}]}`:       "gpt-4o",
		`{"hints":[{"name":"gemini"},{"name":"sonnet"},{"name":"gpt"}]}`: "Claude-Sonnet-4",
	} {
		model := &scriptedModel{answer: says("ok"), defaults: llms.CallOptions{Model: "default"}}
		res, err := sample(t, model, &sampling.Options{ChooseModel: choose}, `{"modelPreferences":`+prefs+`,`+hi+`}`)
		if err != nil || res.Model != want || model.options.Model != want {
			t.Errorf("%s: got %v, %v, want %s", prefs, res, err, want)
		}
	}
}

func TestChooseModelIsTold(t *testing.T) {
	t.Parallel()
	asked := 0
	choose := func(cc callbacks.CallbackContext, prefs *mcp.ModelPreferences) llms.CallOption {
		if asked++; cc.String() != "files/summarise" || asked == 1 && prefs.CostPriority != 0.5 {
			t.Errorf("got %v, %+v", cc, prefs)
		}
		return nil
	}
	for _, params := range []string{`{"modelPreferences":{"costPriority":0.5},` + hi + `}`, `{` + hi + `}`} {
		if _, err := sample(t, &scriptedModel{answer: says("ok")}, &sampling.Options{ChooseModel: choose}, params); err != nil {
			t.Error(err)
		}
	}
}

func TestTools(t *testing.T) {
	t.Parallel()
	const offered = `"tools":[{"name":"time","description":"The\u0000time."},
		{"name":"weather","inputSchema":{"properties":{"city":{"type":"string"}},"required":["city"],"type":["object","null"]}}]`
	const used = `"messages":[{"role":"assistant","content":{"type":"tool_use","id":"1","name":"time"}},
		{"role":"user","content":{"type":"tool_result","toolUseId":"1","content":[]}}]`
	definitions := []llms.Tool{
		{Type: "function", Function: &llms.FunctionDefinition{Name: "time", Description: "The\uFFFDtime.", Parameters: map[string]any{"type": "object", "properties": map[string]any{}}}},
		{Type: "function", Function: &llms.FunctionDefinition{Name: "weather", Parameters: map[string]any{
			"type": "object", "properties": map[string]any{"city": map[string]any{"type": "string"}}, "required": []any{"city"},
		}}},
	}
	for name, tt := range map[string]struct {
		params string
		tools  []llms.Tool
		choice any
	}{
		"no tools":       {`{` + hi + `}`, nil, nil},
		"choice of none": {`{"toolChoice":{"mode":"required"},` + hi + `}`, nil, nil},
		"tools":          {`{` + offered + `,` + hi + `}`, definitions, nil},
		"empty":          {`{` + offered + `,"toolChoice":{},` + hi + `}`, definitions, nil},
		"auto":           {`{` + offered + `,"toolChoice":{"mode":"auto"},` + hi + `}`, definitions, nil},
		"required":       {`{` + offered + `,"toolChoice":{"mode":"required"},` + hi + `}`, definitions, "required"},
		"none":           {`{` + offered + `,"toolChoice":{"mode":"none"},` + hi + `}`, nil, nil},
		"none any more":  {`{` + offered + `,"toolChoice":{"mode":"none"},` + used + `}`, definitions, "none"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := &scriptedModel{answer: says("ok")}
			if _, err := sample(t, model, &sampling.Options{Tools: true}, tt.params); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.tools, model.options.Tools); diff != "" {
				t.Errorf("tools (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(tt.choice, model.options.ToolChoice); diff != "" {
				t.Errorf("choice (-want +got)\n%s", diff)
			}
		})
	}
}

func TestSchemaOption(t *testing.T) {
	t.Parallel()
	schema := func(schema any) map[string]any { return map[string]any{"was": schema} }
	model := &scriptedModel{answer: says("ok")}
	_, err := sample(t, model, &sampling.Options{Tools: true, Schema: schema}, `{"tools":[{"name":"x","inputSchema":true}],`+hi+`}`)
	if err != nil || toJSON(model.options.Tools[0].Function.Parameters) != `{"was":true}` {
		t.Errorf("got %s, %v", toJSON(model.options.Tools), err)
	}
}

// Names that providers refuse go there and come back, and no two become one.
func TestNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 128)
	names := []string{"fine", "a.b", "a_b", "a/b", "1st", "-", "ü", long, long + "y", "gone.by"}
	var tools []string
	for _, name := range names[:len(names)-1] {
		tools = append(tools, `{"name":"`+name+`"}`)
	}
	var calls []llms.ToolCall
	model := &scriptedModel{answer: says("ok")}
	params := `{"tools":[` + strings.Join(tools, ",") + `],"messages":[
		{"role":"assistant","content":{"type":"tool_use","id":"1","name":"gone.by"}},
		{"role":"user","content":{"type":"tool_result","toolUseId":"1","content":[]}}]}`
	opts := &sampling.Options{Tools: true}
	if _, err := sample(t, model, opts, params); err != nil {
		t.Fatal(err)
	}
	legal := regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`)
	seen := map[string]bool{}
	past := model.messages[0].Parts[0].(llms.ToolCall).FunctionCall.Name
	if model.messages[1].Parts[0].(llms.ToolCallResponse).Name != past {
		t.Errorf("the result has another name than the call")
	}
	add := func(name string) {
		if !legal.MatchString(name) || seen[name] {
			t.Errorf("bad name %q", name)
		}
		seen[name] = true
		calls = append(calls, toolCall("", name, ""))
	}
	for _, tool := range model.options.Tools {
		add(tool.Function.Name)
	}
	add(past)
	if model.options.Tools[0].Function.Name != "fine" || model.options.Tools[2].Function.Name != "a_b" {
		t.Errorf("legal names were changed: %v", seen)
	}
	model.answer = answer(&llms.ContentChoice{ToolCalls: calls})
	res, err := sample(t, model, opts, params)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, block := range res.Content {
		got = append(got, block.(*mcp.ToolUseContent).Name)
	}
	if diff := cmp.Diff(names, got); diff != "" {
		t.Errorf("names that came back (-want +got)\n%s", diff)
	}
}

// A name that looks like what another becomes does not take its place.
func TestNamesContrived(t *testing.T) {
	t.Parallel()
	model := &scriptedModel{answer: says("ok")}
	opts := &sampling.Options{Tools: true}
	if _, err := sample(t, model, opts, `{"tools":[{"name":"a.b"}],`+hi+`}`); err != nil {
		t.Fatal(err)
	}
	taken := model.options.Tools[0].Function.Name
	if _, err := sample(t, model, opts, `{"tools":[{"name":"a.b"},{"name":"`+taken+`"}],`+hi+`}`); err != nil {
		t.Fatal(err)
	}
	if got := model.options.Tools; got[1].Function.Name != taken || got[0].Function.Name == taken {
		t.Errorf("got %s", toJSON(got))
	}
}

func TestDeclared(t *testing.T) {
	t.Parallel()
	model := &scriptedModel{}
	for want, opts := range map[string]*sampling.Options{`{}`: nil, `{"tools":{}}`: {Tools: true}} {
		if got := toJSON(sampling.New(model, opts).Sampling); got != want {
			t.Errorf("declared %s, want %s", got, want)
		}
	}
}

func TestNewWithoutModel(t *testing.T) {
	t.Parallel()
	defer func() {
		if v := recover(); v != "sampling: the model is nil" {
			t.Errorf("recovered %v", v)
		}
	}()
	sampling.New(nil, nil)
}
