package adapters_test

import (
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tmc/langchaingo/llms"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

func TestBindToolsMergesChoices(t *testing.T) {
	type choice = llms.ContentChoice
	func1 := &llms.FunctionCall{Name: "add", Arguments: "{}"}
	piece := func(id, name, arguments string) llms.ToolCall {
		return llms.ToolCall{ID: id, FunctionCall: &llms.FunctionCall{Name: name, Arguments: arguments}}
	}
	for name, tt := range map[string]struct {
		given, want *llms.ContentResponse
		options     []llms.CallOption
	}{
		"text": {says("hello"), says("hello"), nil},
		"none": {answer(), answer(), nil},
		"nil":  {answer(nil, nil), answer(nil, nil), nil},
		"blocks": {
			answer(
				&choice{StopReason: "tool_use", GenerationInfo: map[string]any{"ThinkingContent": "Hm", "ThinkingSignature": "s", "InputTokens": 3}},
				&choice{Content: "One", StopReason: "tool_use", ReasoningContent: "r1", GenerationInfo: map[string]any{"ThinkingContent": "", "OutputContent": "One", "InputTokens": 3, "CacheReadInputTokens": 0}},
				nil,
				&choice{ToolCalls: []llms.ToolCall{piece("A", "add", `{"a":1}`)}, StopReason: "tool_use"},
				&choice{Content: "Two", ReasoningContent: "r2", GenerationInfo: map[string]any{"ThinkingContent": "Aha", "OutputContent": "Two", "InputTokens": 4, "CacheReadInputTokens": 5}},
				&choice{ToolCalls: []llms.ToolCall{piece("B", "weather", "")}},
			),
			answer(&choice{
				Content: "One\nTwo", StopReason: "tool_use", ReasoningContent: "r1\nr2",
				GenerationInfo: map[string]any{"ThinkingContent": "Hm\nAha", "ThinkingSignature": "s", "OutputContent": "One\nTwo", "InputTokens": 3, "CacheReadInputTokens": 5},
				FuncCall:       &llms.FunctionCall{Name: "add", Arguments: `{"a":1}`},
				ToolCalls:      []llms.ToolCall{call("A", "add", `{"a":1}`), call("B", "weather", "{}")},
			}),
			nil,
		},
		"candidates": {
			answer(&choice{Content: "1", FuncCall: func1, ToolCalls: []llms.ToolCall{piece("A", "add", "{}")}}, nil, &choice{Content: "2"}),
			answer(&choice{Content: "1", FuncCall: func1, ToolCalls: []llms.ToolCall{call("A", "add", "{}")}}, &choice{Content: "2"}),
			[]llms.CallOption{llms.WithN(2)},
		},
		"gemini candidates": {
			answer(&choice{Content: "1"}, &choice{Content: "2"}), answer(&choice{Content: "1"}, &choice{Content: "2"}),
			[]llms.CallOption{llms.WithCandidateCount(2)},
		},
		"function call of old": {
			answer(&choice{FuncCall: func1}),
			answer(&choice{FuncCall: func1, ToolCalls: []llms.ToolCall{call("*", "add", "{}")}}), nil,
		},
		"no ids, no arguments": {
			answer(&choice{ToolCalls: []llms.ToolCall{piece("", "add", "null"), piece("", "add", ""), piece("", "add", "{}")}}),
			answer(&choice{FuncCall: func1, ToolCalls: []llms.ToolCall{call("*", "add", "{}"), call("*", "add", "{}"), call("*", "add", "{}")}}), nil,
		},
		"the same id twice": {
			answer(&choice{ToolCalls: []llms.ToolCall{piece("A", "add", "{}"), piece("A", "weather", "{}")}}),
			answer(&choice{FuncCall: func1, ToolCalls: []llms.ToolCall{call("A", "add", "{}"), call("*", "weather", "{}")}}), nil,
		},
		"phantoms": {
			answer(&choice{ToolCalls: []llms.ToolCall{piece("", "", "{}"), piece("A", "add", "{}"), piece("", "", ""), {ID: "B"}, {}}}),
			answer(&choice{FuncCall: func1, ToolCalls: []llms.ToolCall{call("A", "add", "{}")}}), nil,
		},
		"a call in pieces": {
			answer(&choice{ToolCalls: []llms.ToolCall{piece("A", "add", ""), piece("", "", `{"a":`), piece("A", "", "1"), piece("A", "add", "}"), piece("B", "weather", ""), piece("", "", "{}")}}),
			answer(&choice{FuncCall: &llms.FunctionCall{Name: "add", Arguments: `{"a":1}`}, ToolCalls: []llms.ToolCall{call("A", "add", `{"a":1}`), call("B", "weather", "{}")}}), nil,
		},
		"broken arguments": {
			answer(&choice{ToolCalls: []llms.ToolCall{piece("A", "add", `{"a":1}{"b":2}`), piece("B", "add", `{"a"`)}}),
			answer(&choice{FuncCall: &llms.FunctionCall{Name: "add", Arguments: `{"a":1}{"b":2}`}, ToolCalls: []llms.ToolCall{call("A", "add", `{"a":1}{"b":2}`), call("B", "add", `{"a"`)}}), nil,
		},
		"nothing but phantoms": {answer(&choice{ToolCalls: []llms.ToolCall{{}}}), answer(&choice{}), nil},
	} {
		t.Run(name, func(t *testing.T) {
			before := toJSON(tt.given)
			model := &scriptedModel{answers: []*llms.ContentResponse{tt.given}}
			got := generate(t, adapters.BindTools(model, nil), tt.options...)
			seen := map[string]bool{}
			for _, c := range got.Choices {
				if c == nil {
					continue
				}
				for i := range c.ToolCalls {
					id := c.ToolCalls[i].ID
					if seen[id] {
						t.Errorf("id %q twice", id)
					}
					if seen[id] = true; regexp.MustCompile(`^[A-Z0-9]{9}$`).MatchString(id) {
						c.ToolCalls[i].ID = "*"
					}
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if after := toJSON(tt.given); after != before {
				t.Errorf("the answer was changed: %s, then %s", before, after)
			}
		})
	}
}
