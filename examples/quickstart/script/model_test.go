package script_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tmc/langchaingo/llms"

	"github.com/langchaingo-mcp/mcpadapters/examples/quickstart/script"
)

// tools are what the servers of the quickstart offer, as far as it matters.
func tools() []llms.Tool {
	object := func(properties map[string]any, required ...any) map[string]any {
		return map[string]any{"type": "object", "properties": properties, "required": required}
	}
	number, text := map[string]any{"type": "number"}, map[string]any{"type": "string"}
	var list []llms.Tool
	for name, parameters := range map[string]any{
		"collect_user_info": object(nil),
		"issue_card":        object(nil),
		"client_features":   object(nil),
		"long_running_task": object(map[string]any{"steps": number}),
		"handy_add":         object(map[string]any{"a": number, "b": number}, "a", "b"),
		"multiply":          object(map[string]any{"a": text, "b": number}, "a", "b"),
		"weather":           object(map[string]any{"city": text}, "city"),
	} {
		list = append(list, llms.Tool{Type: "function", Function: &llms.FunctionDefinition{Name: name, Parameters: parameters}})
	}
	return list
}

// run lets the tools say what they are given to say, until there is an answer.
// It returns the calls too.
func run(t *testing.T, tools []llms.Tool, said map[string]string) (calls []string, answer string) {
	t.Helper()
	messages := []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, script.Question)}
	for range 5 {
		res, err := script.Model{}.GenerateContent(t.Context(), messages, llms.WithTools(tools))
		if err != nil {
			t.Fatal(err)
		}
		choice := res.Choices[0]
		if len(choice.ToolCalls) == 0 {
			return calls, choice.Content
		}
		for _, c := range choice.ToolCalls {
			calls = append(calls, c.FunctionCall.Name+" "+c.FunctionCall.Arguments)
			messages = append(messages,
				llms.MessageContent{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{c}},
				llms.MessageContent{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{
					llms.ToolCallResponse{ToolCallID: c.ID, Name: c.FunctionCall.Name, Content: said[c.FunctionCall.Name]},
				}})
		}
	}
	t.Fatal("there is no answer")
	return nil, ""
}

func said() map[string]string {
	return map[string]string{
		"collect_user_info": "Hello Ada, you are 36 years old.",
		"issue_card":        "Card issued to Ada.",
		"client_features":   `{"result":["elicitation"]}`,
		"long_running_task": "5",
		"handy_add":         "46",
		"multiply":          "552",
		"weather":           "Lisbon: 23 °C, sunny",
	}
}

const allGood = `You are Ada, 36 years old.
Card issued to Ada.
The long task is done, all 5 steps of it.
In ten years you will be 46.
That is 552 months.
In Lisbon it is 23 °C and sunny.
This client offers to servers: elicitation.`

func TestModelCallsToolsAsTheirSchemasSay(t *testing.T) {
	calls, answer := run(t, tools(), said())
	if diff := cmp.Diff([]string{
		"collect_user_info {}", "issue_card {}", `long_running_task {"steps":5}`, `weather {"city":"Lisbon"}`,
		"client_features {}", `handy_add {"a":36,"b":10}`, `multiply {"a":"46","b":12}`,
	}, calls); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(allGood, answer); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
}

func TestModelTellsWhatFails(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(tools map[string]*llms.FunctionDefinition, said map[string]string)
		want   string
	}{
		{"a tool fails", func(_ map[string]*llms.FunctionDefinition, said map[string]string) {
			said["weather"] = "Error: the sky fell"
		}, "The tool weather says: Error: the sky fell"},
		{"what others need fails", func(_ map[string]*llms.FunctionDefinition, said map[string]string) {
			said["collect_user_info"] = "Information not provided"
		}, "I cannot use add: collect_user_info did not tell what is needed.\nI cannot use multiply: add did not tell what is needed."},
		{"no tool", func(tools map[string]*llms.FunctionDefinition, _ map[string]string) {
			tools["issue_card"].Name = "other"
		}, "I cannot use issue_card: there is no such tool."},
		{"no argument", func(tools map[string]*llms.FunctionDefinition, _ map[string]string) {
			delete(tools["weather"].Parameters.(map[string]any)["properties"].(map[string]any), "city")
		}, `I cannot use weather: its schema has no "city".`},
		{"another argument", func(tools map[string]*llms.FunctionDefinition, _ map[string]string) {
			tools["weather"].Parameters.(map[string]any)["required"] = []any{"city", "day"}
		}, `I cannot use weather: its schema requires "day".`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			list, said, byName := tools(), said(), map[string]*llms.FunctionDefinition{}
			for _, tool := range list {
				byName[tool.Function.Name] = tool.Function
			}
			tt.change(byName, said)
			if _, answer := run(t, list, said); !strings.Contains(answer, tt.want) {
				t.Errorf("the answer lacks %q:\n%s", tt.want, answer)
			}
		})
	}
}

func TestModelKnowsOneQuestion(t *testing.T) {
	answer, err := script.Model{}.Call(t.Context(), "Who are you?")
	if err != nil || !strings.Contains(answer, script.Question) {
		t.Errorf("answer %q, %v", answer, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (script.Model{}).Call(ctx, script.Question); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v of a cancelled context", err)
	}
}
