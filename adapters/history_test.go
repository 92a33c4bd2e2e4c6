package adapters_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tmc/langchaingo/llms"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

func TestBindToolsHistory(t *testing.T) {
	type messages = []llms.MessageContent
	const ai, tool, human, function = llms.ChatMessageTypeAI, llms.ChatMessageTypeTool, llms.ChatMessageTypeHuman, llms.ChatMessageTypeFunction
	response := func(id, name, text string) llms.ToolCallResponse {
		return llms.ToolCallResponse{ToolCallID: id, Name: name, Content: text}
	}
	text := func(s string) llms.ContentPart { return llms.TextPart(s) }
	image := llms.BinaryPart("image/png", []byte("x"))
	for name, tt := range map[string]struct{ given, want messages }{
		"no calls": {
			messages{message(human, text("a"), text("")), message(ai, text("b"))},
			messages{message(human, text("a"), text("")), message(ai, text("b"))},
		},
		"parallel": {
			messages{
				message(human, text("q")),
				message(ai, text("Both."), call("A", "add", `{"a":1}`), call("B", "weather", `{}`), image),
				message(tool, response("B", "", "b"), response("A", "", "a")),
				message(ai, text("So.")),
			},
			messages{
				message(human, text("q")),
				message(ai, call("A", "add", `{"a":1}`), text("Both."), image),
				message(tool, response("A", "add", "a")),
				message(ai, call("B", "weather", `{}`)),
				message(tool, response("B", "weather", "b")),
				message(ai, text("So.")),
			},
		},
		"parallel, a message each": {
			messages{
				message(ai, call("A", "add", `{}`)), message(ai, call("B", "add", `{}`)),
				message(tool, response("A", "", "a")), message(tool, response("B", "", "b")),
			},
			messages{
				message(ai, call("A", "add", `{}`)), message(tool, response("A", "add", "a")),
				message(ai, call("B", "add", `{}`)), message(tool, response("B", "add", "b")),
			},
		},
		"same id in every turn": {
			messages{
				message(ai, call("call_0", "add", `{}`)), message(tool, response("call_0", "", "1")),
				message(ai, call("call_0", "weather", `{}`)), message(tool, response("call_0", "", "2")),
			},
			messages{
				message(ai, call("call_0", "add", `{}`)), message(tool, response("call_0", "add", "1")),
				message(ai, call("history01", "weather", `{}`)), message(tool, response("history01", "weather", "2")),
			},
		},
		"ids that no provider takes": {
			messages{
				message(ai, call("a b", "add", `{}`), call(strings.Repeat("x", 41), "add", `{}`)),
				message(tool, response(strings.Repeat("x", 41), "", "2"), response("a b", "", "1")),
			},
			messages{
				message(ai, call("history01", "add", `{}`)), message(tool, response("history01", "add", "1")),
				message(ai, call("history02", "add", `{}`)), message(tool, response("history02", "add", "2")),
			},
		},
		"no ids": {
			messages{
				message(ai, call("", "add", ""), call("", "weather", "null"), call("", "other", " {} ")),
				message(tool, response("", "weather", "w")), message(tool, response("", "", "1")), message(tool, response("", "", "2")),
				message(ai, call("history02", "add", "{}")),
			},
			messages{
				message(ai, call("history01", "add", "{}")), message(tool, response("history01", "add", "1")),
				message(ai, call("history03", "weather", "{}")), message(tool, response("history03", "weather", "w")),
				message(ai, call("history04", "other", " {} ")), message(tool, response("history04", "other", "2")),
				message(ai, call("history02", "add", "{}")),
			},
		},
		"id on one side": {
			messages{
				message(ai, call("A", "add", "{}"), call("", "weather", "{}")),
				message(tool, response("W", "weather", "w"), response("", "", "a")),
			},
			messages{
				message(ai, call("A", "add", "{}")), message(tool, response("A", "add", "a")),
				message(ai, call("W", "weather", "{}")), message(tool, response("W", "weather", "w")),
			},
		},
		"functions of old": {
			messages{message(ai, call("", "add", "{}")), message(function, response("", "add", "3"))},
			messages{message(ai, call("history01", "add", "{}")), message(tool, response("history01", "add", "3"))},
		},
		"arguments that are no object": {
			messages{
				message(ai, call("1", "weather", "Bern"), call("2", "weather", `{"city": "Be`), call("3", "weather", `["Bern"]`),
					call("4", "add", "1 + 1"), call("5", "unknown", "x"), call("6", "weather", `{"city":"Bern"} ok`), call("7", "weather", `"Bern"`)),
			},
			messages{
				message(ai, call("1", "weather", `{"city":"Bern"}`)),
				message(ai, call("2", "weather", `{"__arg1":"{\"city\": \"Be"}`)),
				message(ai, call("3", "weather", `{"__arg1":"[\"Bern\"]"}`)),
				message(ai, call("4", "add", `{"__arg1":"1 + 1"}`)),
				message(ai, call("5", "unknown", `{"__arg1":"x"}`)),
				message(ai, call("6", "weather", `{"__arg1":"{\"city\":\"Bern\"} ok"}`)),
				message(ai, call("7", "weather", `{"city":"\"Bern\""}`)),
			},
		},
		"no names": {
			messages{
				message(ai, text("t"), call("A", "", "{}"), llms.ToolCall{ID: "B"}, llms.ToolCall{ID: "C"}),
				message(tool, response("A", "", "a"), response("B", "add", "b")),
			},
			messages{
				message(ai, call("B", "add", "{}"), text("t")), message(tool, response("B", "add", "b")),
			},
		},
		"nothing left but text": {
			messages{message(ai, text("t"), llms.ToolCall{ID: "A"}), message(human, text("h"))},
			messages{message(ai, text("t")), message(human, text("h"))},
		},
		"one-sided": {
			messages{
				message(ai, call("A", "add", "{}")), message(human, text("?")), message(tool, response("A", "add", "a"), text("more")),
				message(human, response("X", "x", "x")),
			},
			messages{
				message(ai, call("A", "add", "{}")), message(human, text("?")), message(tool, response("A", "add", "a")), message(tool, text("more")),
				message(human, response("X", "x", "x")),
			},
		},
		"empty text": {
			messages{message(ai, text(""), call("A", "add", "{}")), message(tool, response("A", "add", ""))},
			messages{message(ai, call("A", "add", "{}")), message(tool, response("A", "add", ""))},
		},
	} {
		t.Run(name, func(t *testing.T) {
			before := make(messages, len(tt.given))
			for i, m := range tt.given {
				before[i] = message(m.Role, append([]llms.ContentPart{}, m.Parts...)...)
			}
			model := &scriptedModel{answers: []*llms.ContentResponse{says("1"), says("2")}}
			bound := adapters.BindTools(model, boundTools(t))
			for range 2 {
				if _, err := bound.GenerateContent(t.Context(), tt.given); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(tt.want, model.messages[0]); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(model.messages[0], model.messages[1]); diff != "" {
				t.Errorf("another time it differs:\n%s", diff)
			}
			if diff := cmp.Diff(before, tt.given); diff != "" {
				t.Errorf("the messages were changed:\n%s", diff)
			}
		})
	}
}
