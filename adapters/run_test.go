package adapters_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/tools"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

const roleAI, roleHuman = llms.ChatMessageTypeAI, llms.ChatMessageTypeHuman

func TestRun(t *testing.T) {
	list := append(boundTools(t), plainTool{"search"}, nil, (*adapters.Tool)(nil))
	model := script(
		answer(
			&llms.ContentChoice{Content: "Let me see.", GenerationInfo: map[string]any{"InputTokens": 3, "OutputTokens": 1}},
			&llms.ContentChoice{ToolCalls: []llms.ToolCall{call("A", "add", `{"a":1,"b":2}`)}},
			&llms.ContentChoice{ToolCalls: []llms.ToolCall{call("B", "weather", `{"city":"Bern"}`), call("C", "search", `{"__arg1":"x & y"}`)}},
		),
		answer(&llms.ContentChoice{Content: "Done.", GenerationInfo: map[string]any{"InputTokens": 7, "OutputTokens": 2}}),
	)
	given := append(ask("Well?"), llms.MessageContent{})[:1]
	got, err := adapters.Run(t.Context(), model, given, list, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := &adapters.RunResult{
		Answer: "Done.", Steps: 2, Usage: adapters.Usage{InputTokens: 10, OutputTokens: 3},
		Messages: []llms.MessageContent{
			given[0],
			message(roleAI, llms.TextPart("Let me see."), call("A", "add", `{"a":1,"b":2}`), call("B", "weather", `{"city":"Bern"}`), call("C", "search", `{"__arg1":"x & y"}`)),
			reply("A", "add", `add {"a":1,"b":2}`), reply("B", "weather", `weather {"city":"Bern"}`), reply("C", "search", "plain x & y"),
			message(roleAI, llms.TextPart("Done.")),
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if spare := given[:2][1]; spare.Role != "" {
		t.Errorf("the caller's messages were written to: %v", spare)
	}
	if diff := cmp.Diff([]string{"weather", "add", "search"}, toolNames(model.options[0].Tools)); diff != "" {
		t.Error(diff)
	}
	if n := len(model.messages[1]); n != 7 {
		t.Errorf("the model got %d messages, not the linear form", n)
	}
}

func TestRunEventsTell(t *testing.T) {
	model := script(answer(&llms.ContentChoice{Content: "So.", ToolCalls: []llms.ToolCall{call("A", "add", `{"a":1,"b":2}`), call("B", "nix", "{}")}}), says("Done."))
	all, err := allEvents(t, model, boundTools(t), &adapters.RunOptions{MaxConcurrent: 1})
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, e := range all {
		line := string(e.Kind) + " " + e.Text
		if e.Call != nil {
			line += " " + e.Call.ID + " " + e.Call.Arguments
		}
		told = append(told, line)
	}
	want := []string{
		"answer So.", `called  A {"a":1,"b":2}`, `reply add {"a":1,"b":2} A {"a":1,"b":2}`, "called  B {}",
		`reply Error: there is no tool "nix". The tools are: weather, add. B {}`, "answer Done.", "end ",
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if r := all[2].Call.Result; r == nil || len(r.Content) != 1 || all[2].Call.Err != nil {
		t.Errorf("the result is lost: %+v", all[2].Call)
	}
	if !errors.Is(all[4].Call.Err, adapters.ErrUnknownTool) {
		t.Errorf("got %v", all[4].Call.Err)
	}
	if last := all[6]; last.Result.Answer != "Done." || last.Step != 2 {
		t.Errorf("got %+v", last)
	}
}

// What a model does wrong it is told, and the run goes on.
func TestRunTellsTheModel(t *testing.T) {
	add, plain := `Error: bad arguments for the tool "add"`, `Error: bad arguments for the tool "search"`
	for name, tt := range map[string]struct {
		tool, arguments string
		want            string // the beginning
	}{
		"no JSON":              {"add", `{"a":1,"b":`, add},
		"two objects":          {"add", `{"a":1}{"b":2}`, add},
		"an argument missing":  {"add", `{"a":1}`, add},
		"an array":             {"add", `[1,2]`, add},
		"plain: cut off":       {"search", `{"__arg1":"x`, plain},
		"plain: two objects":   {"search", `{"__arg1":"x"} {}`, plain},
		"plain: text":          {"search", `1 + 1`, "plain 1 + 1"},
		"plain: other names":   {"search", `{"query":"x"}`, `plain {"query":"x"}`},
		"plain: a number":      {"search", `{"__arg1":5}`, "plain 5"},
		"plain: nothing":       {"search", ``, "plain {}"},
		"defined: text":        {"defined", `x`, `Error: bad arguments for the tool "defined"`},
		"defined: its own":     {"defined", `{"__arg1":"x"}`, `plain {"__arg1":"x"}`},
		"another case":         {"Add", "{}", `Error: there is no tool "Add". Did you mean add?`},
		"a prefix forgotten":   {"files", "{}", `Error: there is no tool "files". Did you mean fs_list_files?`},
		"a prefix too much":    {"functions.add", "{}", `Error: there is no tool "functions.add". Did you mean add?`},
		"a letter wrong":       {"wether", "{}", `Error: there is no tool "wether". Did you mean weather?`},
		"nothing near":         {"zzz", "{}", `Error: there is no tool "zzz". The tools are: weather, add, `},
		"control characters":   {"a\n\x00", "{}", `Error: there is no tool "a\n\x00". `},
		"a very long name":     {strings.Repeat("x", 1e6), "{}", `Error: there is no tool "xxxxxxxxxxxx`},
		"no letters in a name": {"--", "{}", `Error: there is no tool "--". The tools are`},
	} {
		t.Run(name, func(t *testing.T) {
			list := append(boundTools(t), plainTool{"search"}, definedTool{plainTool{"defined"}}, plainTool{"fs_list_files"})
			got, err := adapters.Run(t.Context(), script(calls(call("A", tt.tool, tt.arguments)), says("ok")), ask("?"), list, nil)
			if err != nil || got.Answer != "ok" {
				t.Fatalf("got %v, %v", got, err)
			}
			text := got.Messages[2].Parts[0].(llms.ToolCallResponse).Content
			if !strings.HasPrefix(text, tt.want) || len(text) > 2000 {
				t.Errorf("the model reads %q", text)
			}
		})
	}
}

type definedTool struct{ plainTool }

func (d definedTool) Definition() llms.Tool {
	return llms.Tool{Type: "function", Function: &llms.FunctionDefinition{Name: d.name, Parameters: map[string]any{"type": "object", "properties": map[string]any{}}}}
}

func TestRunWithoutAnythingToRun(t *testing.T) {
	var typed *scriptedModel
	for name, run := range map[string]func() (*adapters.RunResult, error){
		"no model":    func() (*adapters.RunResult, error) { return adapters.Run(t.Context(), nil, ask("?"), nil, nil) },
		"nil pointer": func() (*adapters.RunResult, error) { return adapters.Run(t.Context(), typed, ask("?"), nil, nil) },
		"no messages": func() (*adapters.RunResult, error) { return adapters.Run(t.Context(), script(), nil, nil, nil) },
		"system only": func() (*adapters.RunResult, error) {
			return adapters.Run(t.Context(), script(), []llms.MessageContent{message(llms.ChatMessageTypeSystem, llms.TextPart("x"))}, nil, nil)
		},
	} {
		if got, err := run(); got == nil || !errors.Is(err, adapters.ErrBadOption) {
			t.Errorf("%s: got %v, %v", name, got, err)
		}
	}
}

// A model that is bound already is not bound twice, and servers that count their
// ids anew in each answer do not confuse the conversation.
func TestRunWithBoundModel(t *testing.T) {
	list := boundTools(t)
	model := script(calls(call("0", "add", `{"a":1,"b":2}`)), calls(call("0", "weather", `{"city":"Bern"}`)), says("ok"))
	got, err := adapters.Run(t.Context(), adapters.BindTools(model, list), ask("?"), list, nil)
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]int{}
	for _, m := range got.Messages {
		for _, part := range m.Parts {
			if r, ok := part.(llms.ToolCallResponse); ok {
				ids[r.ToolCallID]++
			}
		}
	}
	if len(ids) != 2 {
		t.Errorf("ids %v", ids)
	}
}

func TestRunModelFails(t *testing.T) {
	bad := errors.New("502")
	for name, model := range map[string]llms.Model{
		"error":      failingModel{func() (*llms.ContentResponse, error) { return nil, bad }},
		"nothing":    failingModel{func() (*llms.ContentResponse, error) { return nil, nil }},
		"no choice":  failingModel{func() (*llms.ContentResponse, error) { return answer(), nil }},
		"nil choice": failingModel{func() (*llms.ContentResponse, error) { return answer(nil), nil }},
		"panic":      failingModel{func() (*llms.ContentResponse, error) { panic(bad) }},
	} {
		got, err := adapters.Run(t.Context(), model, ask("?"), nil, nil)
		if !errors.Is(err, adapters.ErrModelFailed) || len(got.Messages) != 1 || got.Steps != 1 {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
		if is := errors.Is(err, bad); is != (name == "error" || name == "panic") {
			t.Errorf("%s: the cause is %v", name, err)
		}
	}
}

type failingModel struct {
	generate func() (*llms.ContentResponse, error)
}

func (m failingModel) GenerateContent(context.Context, []llms.MessageContent, ...llms.CallOption) (*llms.ContentResponse, error) {
	return m.generate()
}
func (failingModel) Call(context.Context, string, ...llms.CallOption) (string, error) { return "", nil }

func TestRunStops(t *testing.T) {
	list := append(boundTools(t), tools.Tool(plainTool{"submit"}))
	model := script(calls(call("A", "add", `{"a":1,"b":2}`)), calls(call("B", "submit", `{"__arg1":"x"}`)))
	var steps []*adapters.RunStep
	got, err := adapters.Run(t.Context(), model, ask("?"), list, &adapters.RunOptions{Stop: func(step *adapters.RunStep) bool {
		steps = append(steps, step)
		return step.Calls[0].Tool == "submit"
	}})
	if err != nil || !got.Stopped || got.Steps != 2 || len(got.Messages) != 5 {
		t.Errorf("got %+v, %v", got, err)
	}
	if len(steps) != 2 || steps[1].Number != 2 || steps[1].Calls[0].Text != "plain x" || steps[1].Answer == nil {
		t.Errorf("steps %+v", steps)
	}
}
