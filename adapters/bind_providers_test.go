package adapters_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

// A fakeProvider is an endpoint that refuses what the real one refuses, and else
// answers what it is given, in turn.
type fakeProvider struct {
	*httptest.Server
	mu      sync.Mutex
	check   func(request map[string]any) error
	answers []string
	last    map[string]any
}

func newFakeProvider(t *testing.T, check func(request map[string]any) error, answers ...string) *fakeProvider {
	t.Helper()
	p := &fakeProvider{check: check, answers: answers}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

func (p *fakeProvider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = nil
	err := json.NewDecoder(r.Body).Decode(&p.last)
	if err == nil {
		err = p.check(p.last)
	}
	if err == nil && len(p.answers) == 0 {
		err = fmt.Errorf("no answer left")
	}
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"type": "invalid_request_error", "message": err.Error()}})
		return
	}
	answer := p.answers[0]
	p.answers = p.answers[1:]
	if strings.HasPrefix(answer, "data:") {
		w.Header().Set("Content-Type", "text/event-stream")
	}
	_, _ = io.WriteString(w, answer)
}

func path(v any, steps ...string) any {
	for _, step := range steps {
		m, _ := v.(map[string]any)
		v = m[step]
	}
	return v
}

func elements(v any) []any {
	list, _ := v.([]any)
	return list
}

// openAIRules are those of chat completions: a tool message for each call, right
// behind it, and definitions that pass.
func openAIRules(request map[string]any) error {
	for _, tool := range elements(request["tools"]) {
		if broken := checkSchema(adapters.SchemaOpenAI, path(tool, "function", "parameters")); broken != nil {
			return fmt.Errorf("invalid schema for function %v: %s", path(tool, "function", "name"), broken)
		}
	}
	if _, ok := request["functions"]; ok {
		return fmt.Errorf("functions are deprecated")
	}
	open := map[string]bool{}
	for i, message := range elements(request["messages"]) {
		role, calls := path(message, "role"), elements(path(message, "tool_calls"))
		if role == "tool" {
			id, _ := path(message, "tool_call_id").(string)
			if !open[id] {
				return fmt.Errorf("messages[%d]: tool message for %q, which was not called", i, id)
			}
			delete(open, id)
			continue
		}
		if len(open) > 0 {
			return fmt.Errorf("messages[%d]: tool calls without a response: %v", i, open)
		}
		for _, call := range calls {
			id, _ := path(call, "id").(string)
			arguments, _ := path(call, "function", "arguments").(string)
			if id == "" || path(call, "type") != "function" || !strings.HasPrefix(arguments, "{") || !json.Valid([]byte(arguments)) {
				return fmt.Errorf("messages[%d]: bad tool call %v", i, call)
			}
			open[id] = true
		}
		if path(message, "content") == "" && calls == nil {
			return fmt.Errorf("messages[%d]: no content", i)
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("tool calls without a response: %v", open)
	}
	return nil
}

// anthropicRules are those of the messages API: every tool_use is answered in
// the next message, and tools are there if they are spoken of.
func anthropicRules(request map[string]any) error {
	tools := elements(request["tools"])
	for _, tool := range tools {
		if broken := checkSchema(adapters.SchemaAnthropic, path(tool, "input_schema")); broken != nil {
			return fmt.Errorf("tool %v: %s", path(tool, "name"), broken)
		}
	}
	open := map[string]bool{}
	for i, message := range elements(request["messages"]) {
		answered := open
		open = map[string]bool{}
		for _, block := range elements(path(message, "content")) {
			switch path(block, "type") {
			case "tool_use":
				id, _ := path(block, "id").(string)
				if _, ok := path(block, "input").(map[string]any); !ok || id == "" || len(tools) == 0 {
					return fmt.Errorf("messages.%d: bad tool_use %v", i, block)
				}
				open[id] = true
			case "tool_result":
				id, _ := path(block, "tool_use_id").(string)
				if !answered[id] {
					return fmt.Errorf("messages.%d: tool_result for %q, which is not in the message before", i, id)
				}
				delete(answered, id)
			case "text":
				if path(block, "text") == "" {
					return fmt.Errorf("messages.%d: text must not be empty", i)
				}
			}
		}
		if len(answered) > 0 {
			return fmt.Errorf("messages.%d: tool_use ids without tool_result: %v", i, answered)
		}
	}
	return nil
}

const final = "Bern has 3 degrees."

var openAIAnswers = []string{
	`{"choices":[{"finish_reason":"tool_calls","message":{"role":"assistant","content":"Both at once.","tool_calls":[
		{"id":"c1","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Bern\"}"}},
		{"id":"c2","type":"function","function":{"name":"add","arguments":"{\"a\":1,\"b\":2}"}}]}}],"usage":{"prompt_tokens":5,"total_tokens":7}}`,
	`{"choices":[{"finish_reason":"tool_calls","message":{"role":"assistant","content":"","tool_calls":[
		{"id":"c3","type":"function","function":{"name":"search","arguments":"{\"__arg1\":\"more\"}"}}]}}]}`,
	`{"choices":[{"finish_reason":"stop","message":{"role":"assistant","content":"` + final + `"}}]}`,
}

var anthropicAnswers = []string{
	`{"role":"assistant","stop_reason":"tool_use","usage":{"input_tokens":5},"content":[{"type":"text","text":"Both at once."},
		{"type":"tool_use","id":"t1","name":"weather","input":{"city":"Bern"}},{"type":"tool_use","id":"t2","name":"add","input":{"a":1,"b":2}}]}`,
	`{"role":"assistant","stop_reason":"tool_use","content":[{"type":"tool_use","id":"t3","name":"search","input":{"__arg1":"more"}}]}`,
	`{"role":"assistant","stop_reason":"end_turn","content":[{"type":"text","text":"` + final + `"}]}`,
}

func newOpenAI(t *testing.T, p *fakeProvider) llms.Model {
	t.Helper()
	model, err := openai.New(openai.WithToken("none"), openai.WithBaseURL(p.URL), openai.WithModel("gpt-4o"))
	if err != nil {
		t.Fatal(err)
	}
	return model
}

func newAnthropic(t *testing.T, p *fakeProvider) llms.Model {
	t.Helper()
	model, err := anthropic.New(anthropic.WithToken("none"), anthropic.WithBaseURL(p.URL), anthropic.WithModel("claude"))
	if err != nil {
		t.Fatal(err)
	}
	return model
}

// The functions agent on langchaingo's own providers, with tools called two at a
// time.
func TestBindToolsOnProviders(t *testing.T) {
	for name, tt := range map[string]struct {
		model   func(*testing.T, *fakeProvider) llms.Model
		rules   func(map[string]any) error
		answers []string
		schema  []string // where the schema of the first tool is
	}{
		"openai":    {newOpenAI, openAIRules, openAIAnswers, []string{"function", "parameters"}},
		"anthropic": {newAnthropic, anthropicRules, anthropicAnswers, []string{"input_schema"}},
	} {
		t.Run(name, func(t *testing.T) {
			list := append(boundTools(t), plainTool{"search"})
			provider := newFakeProvider(t, tt.rules, tt.answers...)
			got, err := runAgent(t.Context(), adapters.BindTools(tt.model(t, provider), list), list, "Well?")
			if got != final || err != nil {
				t.Fatalf("got %q, %v", got, err)
			}
			tools := elements(provider.last["tools"])
			if len(tools) != 3 {
				t.Fatalf("%d tools", len(tools))
			}
			if city := path(path(tools[0], tt.schema...), "properties", "city", "type"); city != "string" {
				t.Errorf("not the true schema: %s", toJSON(tools[0]))
			}
			if results := toJSON(provider.last["messages"]); !strings.Contains(results, `weather {\"city\":\"Bern\"}`) ||
				!strings.Contains(results, `add {\"a\":1,\"b\":2}`) || !strings.Contains(results, `plain more`) {
				t.Errorf("results are missing: %s", results)
			}
		})
	}
}

// Without BindTools the same endpoints refuse the agent, or get no tools: the
// fakes can fail.
func TestProvidersWithoutBindTools(t *testing.T) {
	list := boundTools(t)
	p := newFakeProvider(t, anthropicRules, anthropicAnswers...)
	if got, err := runAgent(t.Context(), newAnthropic(t, p), list, "Well?"); err == nil && p.last["tools"] != nil {
		t.Errorf("anthropic: got %q with tools", got)
	}
	p = newFakeProvider(t, openAIRules, openAIAnswers...)
	two := message(llms.ChatMessageTypeTool, llms.ToolCallResponse{ToolCallID: "c1"}, llms.ToolCallResponse{ToolCallID: "c2"})
	if _, err := newOpenAI(t, p).GenerateContent(t.Context(), []llms.MessageContent{two}); err == nil {
		t.Error("openai took two responses in a message")
	}
	if _, err := newOpenAI(t, p).GenerateContent(t.Context(), []llms.MessageContent{message(llms.ChatMessageTypeTool, llms.ToolCallResponse{ToolCallID: "c1"})}); err == nil {
		t.Error("openai took a response without a call")
	}
}

// A server that repeats the type in each piece of a call confuses langchaingo's
// reader; the pieces come together again.
func TestBindToolsOnOpenAIStream(t *testing.T) {
	event := func(delta string) string { return `data: {"choices":[{"index":0,"delta":` + delta + `}]}` + "\n\n" }
	stream := event(`{"role":"assistant","content":"So "}`) + event(`{"content":"be it."}`) +
		event(`{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"weather","arguments":""}}]}`) +
		event(`{"tool_calls":[{"index":0,"type":"function","function":{"arguments":"{\"ci"}}]}`) +
		event(`{"tool_calls":[{"index":0,"function":{"arguments":"ty\":"}}]}`) +
		event(`{"tool_calls":[{"index":0,"type":"function","function":{"arguments":"\"Bern\"}"}}]}`) +
		event(`{"tool_calls":[{"index":1,"id":"c2","type":"function","function":{"name":"add","arguments":"{\"a\":1,\"b\":2}"}}]}`) +
		"data: [DONE]\n\n"
	list := boundTools(t)
	provider := newFakeProvider(t, openAIRules, stream, event(`{"content":"`+final+`"}`)+"data: [DONE]\n\n")
	var chunks strings.Builder
	got, err := runAgent(t.Context(), adapters.BindTools(newOpenAI(t, provider), list), list, "Well?",
		llms.WithStreamingFunc(func(_ context.Context, chunk []byte) error {
			chunks.Write(chunk)
			return nil
		}))
	if got != final || err != nil {
		t.Fatalf("got %q, %v", got, err)
	}
	if !strings.HasPrefix(chunks.String(), "So be it.") || !strings.HasSuffix(chunks.String(), final) {
		t.Errorf("streamed %q", chunks.String())
	}
	if results := toJSON(provider.last["messages"]); !strings.Contains(results, `weather {\"city\":\"Bern\"}`) || !strings.Contains(results, `add {\"a\":1,\"b\":2}`) {
		t.Errorf("results are missing: %s", results)
	}
}

func TestBindToolsOnAnthropicStream(t *testing.T) {
	event := func(data string) string { return "data: " + data + "\n\n" }
	stream := event(`{"type":"message_start","message":{"id":"m","role":"assistant","type":"message","model":"claude","usage":{"input_tokens":5}}}`) +
		event(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`) +
		event(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"So be it."}}`) +
		event(`{"type":"content_block_stop","index":0}`) +
		event(`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t1","name":"weather","input":{}}}`) +
		event(`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"city\":\"Bern\"}"}}`) +
		event(`{"type":"content_block_stop","index":1}`) +
		event(`{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":9}}`) +
		event(`{"type":"message_stop"}`)
	provider := newFakeProvider(t, anthropicRules, stream)
	var chunks strings.Builder
	response := generate(t, adapters.BindTools(newAnthropic(t, provider), boundTools(t)), llms.WithStreamingFunc(func(_ context.Context, chunk []byte) error {
		chunks.Write(chunk)
		return nil
	}))
	if len(response.Choices) != 1 {
		t.Fatalf("%d choices", len(response.Choices))
	}
	choice := response.Choices[0]
	if choice.Content != "So be it." || len(choice.ToolCalls) != 1 || choice.ToolCalls[0].FunctionCall.Arguments != `{"city":"Bern"}` || choice.StopReason != "tool_use" {
		t.Errorf("got %s", toJSON(choice))
	}
	if !strings.HasPrefix(chunks.String(), "So be it.") {
		t.Errorf("streamed %q", chunks.String())
	}
}
