package agent_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/memory"
	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/tools"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/adapters/agent"
)

// scripted answers in turn, and keeps what it was asked.
type scripted struct {
	answers  []*llms.ContentResponse
	messages [][]llms.MessageContent
	options  []llms.CallOptions
}

func (m *scripted) GenerateContent(_ context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var co llms.CallOptions
	for _, option := range options {
		option(&co)
	}
	m.messages, m.options = append(m.messages, messages), append(m.options, co)
	if len(m.answers) == 0 {
		return nil, errors.New("no answer left")
	}
	answer := m.answers[0]
	m.answers = m.answers[1:]
	return answer, nil
}

func (m *scripted) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

func answer(text string, calls ...llms.ToolCall) *llms.ContentResponse {
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: text, ToolCalls: calls}}}
}

func call(id, tool, arguments string) llms.ToolCall {
	return llms.ToolCall{ID: id, Type: "function", FunctionCall: &llms.FunctionCall{Name: tool, Arguments: arguments}}
}

func message(role llms.ChatMessageType, parts ...llms.ContentPart) llms.MessageContent {
	return llms.MessageContent{Role: role, Parts: parts}
}

func text(s string) llms.ContentPart { return llms.TextPart(s) }

type tool struct {
	name string
	call func(input string) (string, error)
}

func (t tool) Name() string                                         { return t.name }
func (t tool) Description() string                                  { return "It does." }
func (t tool) Call(_ context.Context, input string) (string, error) { return t.call(input) }

func echo(input string) (string, error) { return "echo " + input, nil }

// run has an executor answer a question.
func run(a agents.Agent, options ...agents.Option) (string, error) {
	return chains.Run(context.Background(), agents.NewExecutor(a, options...), "Well?")
}

// What the model reads is what it wrote, each answer with its calls and text,
// also when two answers are the same to the letter.
func TestAgentConversation(t *testing.T) {
	model := &scripted{answers: []*llms.ContentResponse{
		answer("Both\nat once.", call("0", "echo", `{"__arg1":"a"}`), call("1", "echo", "plain")),
		answer("", call("0", "echo", `{"x":1}`)),
		answer("", call("0", "echo", `{"x":1}`), call("1", "nix", "{}")),
		answer("Done."),
	}}
	var typed *adapters.Tool
	a := agent.New(model, []tools.Tool{tool{"echo", echo}, nil, typed}, &agent.Options{
		SystemMessage: "Be brief.",
		Messages:      []llms.MessageContent{message(llms.ChatMessageTypeHuman, text("Hi.")), message(llms.ChatMessageTypeAI, text("Hello."))},
	})
	got, err := run(a)
	if got != "Done." || err != nil {
		t.Fatalf("got %q, %v", got, err)
	}
	ai, role := llms.ChatMessageTypeAI, llms.ChatMessageTypeTool
	reply := func(id, name, s string) llms.MessageContent {
		return message(role, llms.ToolCallResponse{ToolCallID: id, Name: name, Content: s})
	}
	want := []llms.MessageContent{
		message(llms.ChatMessageTypeSystem, text("Be brief.")),
		message(llms.ChatMessageTypeHuman, text("Hi.")), message(ai, text("Hello.")), message(llms.ChatMessageTypeHuman, text("Well?")),
		message(ai, call("0", "echo", `{"__arg1":"a"}`), text("Both\nat once.")), reply("0", "echo", "echo a"),
		message(ai, call("1", "echo", `{"__arg1":"plain"}`)), reply("1", "echo", "echo plain"),
		message(ai, call("history01", "echo", `{"x":1}`)), reply("history01", "echo", `echo {"x":1}`),
		message(ai, call("history02", "echo", `{"x":1}`)), reply("history02", "echo", `echo {"x":1}`),
		message(ai, call("history03", "nix", `{}`)), reply("history03", "nix", "nix is not a valid tool, try another one"),
	}
	if diff := cmp.Diff(want, model.messages[3]); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if n := len(a.GetTools()); n != 1 {
		t.Errorf("%d tools", n)
	}
}

func TestAgentFailures(t *testing.T) {
	gone := errors.New("gone")
	list := []tools.Tool{
		tool{"lost", func(string) (string, error) { return "", gone }},
		tool{"panics", func(string) (string, error) { panic(gone) }},
	}
	for _, name := range []string{"lost", "panics"} {
		script := func() *scripted {
			return &scripted{answers: []*llms.ContentResponse{answer("", call("1", name, "{}")), answer("ok")}}
		}
		if _, err := run(agent.New(script(), list, nil)); !errors.Is(err, adapters.ErrCallFailed) || !errors.Is(err, gone) {
			t.Errorf("%s: got %v", name, err)
		}
		model := script()
		got, err := run(agent.New(model, list, &agent.Options{TransportErrors: adapters.ErrorsAsText}))
		if got != "ok" || err != nil {
			t.Errorf("%s: got %q, %v", name, got, err)
		}
		if said := fmt.Sprint(model.messages[1]); !strings.Contains(said, "gone") {
			t.Errorf("%s: the model reads %s", name, said)
		}
	}
	for _, empty := range []*llms.ContentResponse{nil, {}} {
		if _, err := run(agent.New(&scripted{answers: []*llms.ContentResponse{empty}}, nil, nil)); err == nil {
			t.Error("an empty answer is one")
		}
	}
	if _, err := run(agent.New(&scripted{}, nil, nil)); err == nil {
		t.Error("the model's error is lost")
	}
}

func TestAgentOptionsAndMemory(t *testing.T) {
	var streamed []string
	stream := func(name string) func(context.Context, []byte) error {
		return func(context.Context, []byte) error { streamed = append(streamed, name); return nil }
	}
	model := &scripted{answers: []*llms.ContentResponse{answer("one"), answer("two"), answer("three")}}
	a := agent.New(model, nil, &agent.Options{ModelOptions: []llms.CallOption{llms.WithMaxTokens(7), llms.WithStreamingFunc(stream("own"))}})
	executor := agents.NewExecutor(a, agents.WithMemory(memory.NewConversationBuffer()))
	for _, question := range []string{"first", "second"} {
		if _, err := chains.Run(t.Context(), executor, question, chains.WithTemperature(0.5)); err != nil {
			t.Fatal(err)
		}
	}
	system := fmt.Sprint(model.messages[1][0].Parts[0])
	if len(model.messages[0]) != 1 || !strings.Contains(system, "first") || !strings.Contains(system, "one") {
		t.Errorf("the memory is told as %s", system)
	}
	if co := model.options[0]; co.MaxTokens != 7 || co.Temperature != 0.5 || co.StreamingFunc == nil {
		t.Errorf("options %+v", co)
	}
	if _, err := chains.Run(t.Context(), executor, "third", chains.WithStreamingFunc(stream("chain"))); err != nil {
		t.Fatal(err)
	}
	for _, co := range model.options {
		_ = co.StreamingFunc(t.Context(), nil)
	}
	if diff := cmp.Diff([]string{"own", "own", "chain"}, streamed); diff != "" {
		t.Error(diff)
	}
}

// What an error handler of the executor says reaches the model.
func TestAgentHandlesSteps(t *testing.T) {
	model := &scripted{answers: []*llms.ContentResponse{answer("ok")}}
	steps := []schema.AgentStep{{Observation: "try again"}, {Observation: "and again"}}
	if _, finish, err := agent.New(model, nil, nil).Plan(t.Context(), steps, map[string]string{"input": "Well?"}); err != nil || finish.Log != "ok" {
		t.Fatalf("got %v, %v", finish, err)
	}
	human := llms.ChatMessageTypeHuman
	want := []llms.MessageContent{message(human, text("Well?")), message(human, text("try again")), message(human, text("and again"))}
	if diff := cmp.Diff(want, model.messages[0]); diff != "" {
		t.Error(diff)
	}
}

func ExampleNew() {
	add := tool{"add", func(input string) (string, error) { return "3", nil }}
	model := &scripted{answers: []*llms.ContentResponse{answer("", call("1", "add", `{"a":1,"b":2}`)), answer("It is 3.")}}

	a := agent.New(model, []tools.Tool{add}, &agent.Options{SystemMessage: "Be brief."})
	executor := agents.NewExecutor(a, agents.WithMaxIterations(20))
	fmt.Println(chains.Run(context.Background(), executor, "What is 1 and 2?"))
	// Output: It is 3. <nil>
}
