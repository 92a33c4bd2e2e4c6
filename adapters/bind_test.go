package adapters_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/tools"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
)

func generate(t *testing.T, model llms.Model, options ...llms.CallOption) *llms.ContentResponse {
	t.Helper()
	question := []llms.MessageContent{message(llms.ChatMessageTypeHuman, llms.TextPart("?"))}
	response, err := model.GenerateContent(t.Context(), question, options...)
	if err != nil {
		t.Fatal(err)
	}
	return response
}

func toolNames(list []llms.Tool) []string {
	var names []string
	for _, tool := range list {
		names = append(names, tool.Function.Name)
	}
	return names
}

func TestBindToolsOffersTools(t *testing.T) {
	list := append(boundTools(t), plainTool{"search"}, nil)
	argument := map[string]any{"type": "object", "properties": map[string]map[string]string{"__arg1": {"type": "string"}}}
	function := func(name string) llms.FunctionDefinition {
		return llms.FunctionDefinition{Name: name, Description: "from the agent", Parameters: argument}
	}
	given := llms.Tool{Type: "function", Function: &llms.FunctionDefinition{Name: "add", Description: "given"}}
	for name, tt := range map[string]struct {
		options []llms.CallOption
		want    []string
		choice  any
	}{
		"nothing said":          {nil, []string{"weather", "add", "search"}, nil},
		"choice alone":          {[]llms.CallOption{llms.WithToolChoice("auto")}, []string{"weather", "add", "search"}, "auto"},
		"functions":             {[]llms.CallOption{llms.WithFunctions([]llms.FunctionDefinition{function("add"), function("calc")})}, []string{"add", "calc"}, nil},
		"a function twice":      {[]llms.CallOption{llms.WithFunctions([]llms.FunctionDefinition{function("add"), function("add")})}, []string{"add"}, nil},
		"tools":                 {[]llms.CallOption{llms.WithTools([]llms.Tool{given})}, []string{"add"}, nil},
		"tools and functions":   {[]llms.CallOption{llms.WithTools([]llms.Tool{given}), llms.WithFunctions([]llms.FunctionDefinition{function("weather"), function("add")})}, []string{"add", "weather"}, nil},
		"no tools":              {[]llms.CallOption{llms.WithTools([]llms.Tool{}), llms.WithToolChoice("auto")}, nil, nil},
		"no functions":          {[]llms.CallOption{llms.WithFunctions([]llms.FunctionDefinition{})}, nil, nil},
		"choice none":           {[]llms.CallOption{llms.WithToolChoice("none")}, nil, nil},
		"choice none, typed":    {[]llms.CallOption{llms.WithToolChoice(llms.FunctionCallBehaviorNone)}, nil, nil},
		"choice none, struct":   {[]llms.CallOption{llms.WithToolChoice(llms.ToolChoice{Type: "none"})}, nil, nil},
		"choice none, pointer":  {[]llms.CallOption{llms.WithToolChoice(&llms.ToolChoice{Type: "none"})}, nil, nil},
		"choice none and tools": {[]llms.CallOption{llms.WithToolChoice("none"), llms.WithTools([]llms.Tool{given})}, []string{"add"}, "none"},
		"behavior none":         {[]llms.CallOption{llms.WithFunctionCallBehavior(llms.FunctionCallBehaviorNone)}, nil, nil},
		"behavior auto":         {[]llms.CallOption{llms.WithFunctionCallBehavior(llms.FunctionCallBehaviorAuto)}, []string{"weather", "add", "search"}, "auto"},
		"behavior with a name": {
			[]llms.CallOption{llms.WithFunctionCallBehavior(`{"name": "add"}`)}, []string{"weather", "add", "search"},
			llms.ToolChoice{Type: "function", Function: &llms.FunctionReference{Name: "add"}},
		},
		"choice before behavior": {
			[]llms.CallOption{llms.WithToolChoice("required"), llms.WithFunctionCallBehavior("auto")}, []string{"weather", "add", "search"}, "required",
		},
	} {
		t.Run(name, func(t *testing.T) {
			model := &scriptedModel{answers: []*llms.ContentResponse{says("ok")}, defaults: llms.CallOptions{Model: "m", Temperature: 0.3}}
			generate(t, adapters.BindTools(model, list), append(tt.options, llms.WithMaxTokens(7))...)
			co := model.options[0]
			if diff := cmp.Diff(tt.want, toolNames(co.Tools)); diff != "" {
				t.Errorf("tools (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(tt.choice, co.ToolChoice); diff != "" {
				t.Errorf("choice (-want +got)\n%s", diff)
			}
			if co.Functions != nil || co.FunctionCallBehavior != "" {
				t.Errorf("functions remain: %+v", co)
			}
			if co.MaxTokens != 7 || co.Model != "m" || co.Temperature != 0.3 {
				t.Errorf("options are lost: %+v", co)
			}
			for _, tool := range co.Tools {
				switch tool.Function.Name {
				case "weather":
					if diff := cmp.Diff(list[0].(*adapters.Tool).Definition(), tool); diff != "" {
						t.Errorf("not the tool's own definition:\n%s", diff)
					}
				case "add":
					if isGiven := strings.HasPrefix(name, "tools") || strings.HasSuffix(name, "and tools"); isGiven != (tool.Function.Description == "given") {
						t.Errorf("got %+v", tool.Function)
					}
				case "search", "calc":
					if broken := checkSchema(adapters.SchemaPortable, tool.Function.Parameters); broken != nil {
						t.Errorf("%s: %s", tool.Function.Name, broken)
					}
				}
			}
		})
	}
}

// What a provider does to a request must not reach the next one.
func TestBindToolsIsolatesRequests(t *testing.T) {
	model := &scriptedModel{answers: []*llms.ContentResponse{says("1"), says("2")}}
	bound := adapters.BindTools(model, boundTools(t))
	generate(t, bound)
	model.options[0].Tools[0].Function.Name = "spoiled"
	model.options[0].Tools[0].Function.Strict = true
	model.options[0].Tools = append(model.options[0].Tools[:0], llms.Tool{})
	generate(t, bound)
	if diff := cmp.Diff([]string{"weather", "add"}, toolNames(model.options[1].Tools)); diff != "" {
		t.Error(diff)
	}
}

// wrapped is a tool around another, as users make them.
type wrapped struct{ tools.Tool }

func (w wrapped) Definition() llms.Tool {
	d := w.Tool.(interface{ Definition() llms.Tool }).Definition()
	d.Function.Description = "wrapped"
	return d
}

type undefined struct{ plainTool }

func (undefined) Definition() llms.Tool { return llms.Tool{} }

func TestBindToolsDefinitions(t *testing.T) {
	list := boundTools(t)
	model := &scriptedModel{answers: []*llms.ContentResponse{says("ok")}}
	generate(t, adapters.BindTools(model, []tools.Tool{list[0], undefined{plainTool{"u"}}, wrapped{list[0]}}))
	got := model.options[0].Tools
	if len(got) != 2 || got[0].Function.Description != "wrapped" || got[1].Function.Name != "u" {
		t.Errorf("got %v", toJSON(got))
	}
}

func TestBindToolsWithoutModel(t *testing.T) {
	defer func() {
		if got := fmt.Sprint(recover()); got != "adapters: BindTools: model is nil" {
			t.Errorf("got %s", got)
		}
	}()
	adapters.BindTools(nil, nil)
}

func TestBindToolsCall(t *testing.T) {
	model := &scriptedModel{answers: []*llms.ContentResponse{says("hi")}}
	var bound interface {
		Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error)
	} = adapters.BindTools(model, boundTools(t))
	if got, err := bound.Call(t.Context(), "hello", llms.WithMaxTokens(7)); got != "hi" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	if co := model.options[0]; co.Tools != nil || co.MaxTokens != 7 {
		t.Errorf("got %+v", co)
	}
}

func TestBindToolsPassesErrors(t *testing.T) {
	bound := adapters.BindTools(&scriptedModel{answers: []*llms.ContentResponse{nil}}, nil)
	if response, err := bound.GenerateContent(t.Context(), nil); response != nil || err != nil {
		t.Errorf("got %v, %v", response, err)
	}
	if _, err := bound.GenerateContent(t.Context(), nil); err == nil || err.Error() != "no answer left" {
		t.Errorf("got %v", err)
	}
}

type reasoningModel struct{ *scriptedModel }

func (reasoningModel) SupportsReasoning() bool { return true }

func TestBindToolsReasoning(t *testing.T) {
	bound := adapters.BindTools(reasoningModel{&scriptedModel{answers: []*llms.ContentResponse{says("ok")}}}, nil)
	if r, ok := bound.(llms.ReasoningModel); !ok || !r.SupportsReasoning() {
		t.Error("reasoning is lost")
	}
	if got := generate(t, bound).Choices[0].Content; got != "ok" {
		t.Errorf("got %q", got)
	}
	if _, ok := adapters.BindTools(&scriptedModel{}, nil).(llms.ReasoningModel); ok {
		t.Error("reasoning is made up")
	}
}

// The agent's whole way with a model that calls two tools at once, one of them
// in the agent's own form.
func TestBindToolsAgent(t *testing.T) {
	list := append(boundTools(t), plainTool{"search"})
	model := &scriptedModel{answers: []*llms.ContentResponse{
		answer( // as Anthropic's provider gives it: a choice a block
			&llms.ContentChoice{Content: "Let me see.", GenerationInfo: map[string]any{"InputTokens": 3}},
			&llms.ContentChoice{ToolCalls: []llms.ToolCall{{ID: "A", FunctionCall: &llms.FunctionCall{Name: "add", Arguments: `{"a":1,"b":2}`}}}},
			&llms.ContentChoice{ToolCalls: []llms.ToolCall{{ID: "B", FunctionCall: &llms.FunctionCall{Name: "weather", Arguments: `{"__arg1":"Bern"}`}}}},
		),
		answer(&llms.ContentChoice{ToolCalls: []llms.ToolCall{{FunctionCall: &llms.FunctionCall{Name: "search", Arguments: `{"__arg1":"x & y"}`}}}}),
		says("done"),
	}}
	got, err := runAgent(t.Context(), adapters.BindTools(model, list), list, "Well?")
	if got != "done" || err != nil {
		t.Fatalf("got %q, %v", got, err)
	}
	last := model.messages[2]
	id := last[6].Parts[0].(llms.ToolCall).ID
	want := []llms.MessageContent{
		message(llms.ChatMessageTypeSystem, llms.TextPart("You are a helpful AI assistant.")),
		message(llms.ChatMessageTypeHuman, llms.TextPart("Well?")),
		message(llms.ChatMessageTypeAI, call("A", "add", `{"a":1,"b":2}`)),
		message(llms.ChatMessageTypeTool, llms.ToolCallResponse{ToolCallID: "A", Name: "add", Content: `add {"a":1,"b":2}`}),
		message(llms.ChatMessageTypeAI, call("B", "weather", `{"city":"Bern"}`)),
		message(llms.ChatMessageTypeTool, llms.ToolCallResponse{ToolCallID: "B", Name: "weather", Content: `weather {"city":"Bern"}`}),
		message(llms.ChatMessageTypeAI, call(id, "search", `{"__arg1":"x & y"}`)),
		message(llms.ChatMessageTypeTool, llms.ToolCallResponse{ToolCallID: id, Name: "search", Content: `plain x & y`}),
	}
	if diff := cmp.Diff(want, last); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if len(id) != 9 {
		t.Errorf("id %q", id)
	}
	if diff := cmp.Diff([]string{"weather", "add", "search"}, toolNames(model.options[2].Tools)); diff != "" {
		t.Error(diff)
	}
}

func TestBindToolsConcurrently(t *testing.T) {
	list := boundTools(t)
	model := &scriptedModel{}
	for range 32 {
		model.answers = append(model.answers, says("ok"))
	}
	bound := adapters.BindTools(model, list)
	history := []llms.MessageContent{
		message(llms.ChatMessageTypeAI, call("", "add", ""), llms.TextPart("t")),
		message(llms.ChatMessageTypeTool, llms.ToolCallResponse{Content: "3"}),
	}
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			if _, err := bound.GenerateContent(context.Background(), history); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// printer is a model that prints what it is offered.
type printer struct{ llms.Model }

func (printer) GenerateContent(_ context.Context, _ []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var co llms.CallOptions
	for _, option := range options {
		option(&co)
	}
	for _, tool := range co.Tools {
		fmt.Println(tool.Function.Name, toJSON(tool.Function.Parameters))
	}
	return says("done"), nil
}

func ExampleBindTools() {
	tool, err := adapters.NewTool(adapters.ToolConfig{
		Name: "weather",
		Tool: &mcp.Tool{Name: "weather", InputSchema: map[string]any{
			"type": "object", "properties": map[string]any{"city": map[string]any{"type": "string"}}, "required": []any{"city"},
		}},
		Handler: func(context.Context, *interceptors.Request) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{}, nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	model := adapters.BindTools(printer{}, []tools.Tool{tool})

	// What langchaingo's functions agent sends: every tool takes one string.
	_, err = model.GenerateContent(context.Background(), nil, llms.WithFunctions([]llms.FunctionDefinition{{
		Name:       "weather",
		Parameters: map[string]any{"type": "object", "properties": map[string]any{"__arg1": map[string]string{"type": "string"}}},
	}}))
	fmt.Println(err)
	// Output:
	// weather {"properties":{"city":{"type":"string"}},"required":["city"],"type":"object"}
	// <nil>
}

var errStop = errors.New("stop")

func TestBindToolsStreaming(t *testing.T) {
	model := &scriptedModel{answers: []*llms.ContentResponse{says("ok")}}
	generate(t, adapters.BindTools(model, boundTools(t)), llms.WithStreamingFunc(func(context.Context, []byte) error { return errStop }))
	if f := model.options[0].StreamingFunc; f == nil || !errors.Is(f(t.Context(), nil), errStop) {
		t.Error("the streaming function is lost")
	}
}
