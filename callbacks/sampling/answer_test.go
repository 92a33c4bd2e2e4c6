package sampling_test

import (
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tmc/langchaingo/llms"

	"github.com/langchaingo-mcp/mcpadapters/callbacks/sampling"
)

const offered = `{"tools":[{"name":"add"}],` + hi + `}`

func TestAnswers(t *testing.T) {
	t.Parallel()
	calls := func(calls ...llms.ToolCall) *llms.ContentChoice {
		return &llms.ContentChoice{ToolCalls: calls, StopReason: "tool_calls"}
	}
	for name, tt := range map[string]struct {
		answer   *llms.ContentResponse
		defaults llms.CallOptions
		params   string
		want     string // of the result, as JSON
	}{
		"text": {
			says("hello"), llms.CallOptions{}, `{` + hi + `}`,
			`{"content":{"type":"text","text":"hello"},"model":"unknown","role":"assistant","stopReason":"endTurn"}`,
		},
		"no text": {
			answer(&llms.ContentChoice{}), llms.CallOptions{}, `{` + hi + `}`,
			`{"content":{"type":"text","text":""},"model":"unknown","role":"assistant"}`,
		},
		"the model's own name for itself": {
			answer(&llms.ContentChoice{Content: "a", GenerationInfo: map[string]any{"model": "mistral-7"}}), llms.CallOptions{Model: "default"}, `{` + hi + `}`,
			`{"content":{"type":"text","text":"a"},"model":"mistral-7","role":"assistant"}`,
		},
		"the model's default": {
			answer(&llms.ContentChoice{Content: "a", GenerationInfo: map[string]any{"model": 7}}), llms.CallOptions{Model: "default"}, `{` + hi + `}`,
			`{"content":{"type":"text","text":"a"},"model":"default","role":"assistant"}`,
		},
		"blocks as choices": {
			answer(
				&llms.ContentChoice{StopReason: "tool_use", GenerationInfo: map[string]any{"InputTokens": 3, "OutputTokens": 4}},
				nil,
				&llms.ContentChoice{Content: "One.", StopReason: "tool_use", GenerationInfo: map[string]any{"InputTokens": 3, "OutputTokens": 4}},
				&llms.ContentChoice{Content: "Two.", StopReason: "tool_use"},
				&llms.ContentChoice{ToolCalls: []llms.ToolCall{toolCall("A", "add", `{"a":12345678901234567890,"b":{"c":1.50}}`)}},
			), llms.CallOptions{}, offered,
			`{"_meta":{"com.github.langchaingo-mcp/usage":{"inputTokens":3,"outputTokens":4,"totalTokens":7}},"content":[{"type":"text","text":"One.\nTwo."},` +
				`{"type":"tool_use","id":"A","name":"add","input":{"a":12345678901234567890,"b":{"c":1.50}}}],"model":"unknown","role":"assistant","stopReason":"toolUse"}`,
		},
		"alternatives": {
			answer(nil, &llms.ContentChoice{Content: "One."}, &llms.ContentChoice{Content: "Two."}), llms.CallOptions{N: 2}, `{` + hi + `}`,
			`{"content":{"type":"text","text":"One."},"model":"unknown","role":"assistant"}`,
		},
		"call without arguments": {
			answer(calls(toolCall("A", "add", " "))), llms.CallOptions{}, offered,
			`{"content":{"type":"tool_use","id":"A","name":"add","input":{}},"model":"unknown","role":"assistant","stopReason":"toolUse"}`,
		},
		"call with null": {
			answer(&llms.ContentChoice{StopReason: "stop", ToolCalls: []llms.ToolCall{toolCall("A", "subtract", "null")}}), llms.CallOptions{}, offered,
			`{"content":{"type":"tool_use","id":"A","name":"subtract","input":{}},"model":"unknown","role":"assistant","stopReason":"toolUse"}`,
		},
		"calls of nothing": {
			answer(&llms.ContentChoice{Content: "a", StopReason: "tool_calls", ToolCalls: []llms.ToolCall{{ID: "A"}, toolCall("B", "", "{}")}}), llms.CallOptions{}, offered,
			`{"content":{"type":"text","text":"a"},"model":"unknown","role":"assistant","stopReason":"endTurn"}`,
		},
		"call that was cut off": {
			answer(&llms.ContentChoice{Content: "a", StopReason: "length", ToolCalls: []llms.ToolCall{toolCall("A", "add", `{"a":`)}}), llms.CallOptions{}, offered,
			`{"content":{"type":"text","text":"a"},"model":"unknown","role":"assistant","stopReason":"maxTokens"}`,
		},
		"call that was not to be": {
			answer(&llms.ContentChoice{Content: "a", StopReason: "tool_use", ToolCalls: []llms.ToolCall{toolCall("A", "add", `{}`)}}), llms.CallOptions{}, `{` + hi + `}`,
			`{"content":{"type":"text","text":"a"},"model":"unknown","role":"assistant","stopReason":"endTurn"}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := &scriptedModel{answer: tt.answer, defaults: tt.defaults}
			res, err := sample(t, model, &sampling.Options{Tools: true}, tt.params)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, toJSON(res)); diff != "" {
				t.Errorf("result (-want +got)\n%s", diff)
			}
		})
	}
}

func TestToolUseIDs(t *testing.T) {
	t.Parallel()
	function := &llms.FunctionCall{Name: "add", Arguments: "{}"}
	for name, choice := range map[string]*llms.ContentChoice{
		"none":   {ToolCalls: []llms.ToolCall{{FunctionCall: function}, {FunctionCall: function}}},
		"same":   {ToolCalls: []llms.ToolCall{{ID: "A", FunctionCall: function}, {ID: "A", FunctionCall: function}}},
		"legacy": {FuncCall: function},
	} {
		res, err := sample(t, &scriptedModel{answer: answer(choice)}, &sampling.Options{Tools: true}, offered)
		if err != nil {
			t.Fatal(err)
		}
		// What the server makes of it has to pass as a history.
		history := `{"tools":[{"name":"add"}],"messages":[{"role":"assistant","content":` + toJSON(res.Content) + `},{"role":"user","content":[]}]}`
		_, err = sample(t, &scriptedModel{answer: says("ok")}, &sampling.Options{Tools: true}, history)
		if err == nil || err.Error() != "message 1: tool result missing in request" {
			t.Errorf("%s: %v for %s", name, err, history)
		}
	}
}

func TestStopReasons(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]string{
		"stop": "endTurn", "end_turn": "endTurn", "FinishReasonStop": "endTurn", "COMPLETE": "endTurn", "FINISH": "endTurn", "endoftext": "endTurn",
		"stop_sequence": "stopSequence", "STOP_CRITERIA_MET": "stopSequence",
		"length": "maxTokens", "max_tokens": "maxTokens", "FinishReasonMaxTokens": "maxTokens", "MAX_TOKENS": "maxTokens", "model_length": "maxTokens", "LENGTH": "maxTokens",
		"tool_calls": "endTurn", "function_call": "endTurn", "tool_use": "endTurn", // without any
		"": "", "null": "", "FinishReasonUnspecified": "",
		"content_filter": "content_filter", "FinishReasonSafety": "FinishReasonSafety", "refusal": "refusal",
	} {
		res, err := sample(t, &scriptedModel{answer: answer(&llms.ContentChoice{Content: "a", StopReason: reason})}, nil, `{`+hi+`}`)
		if err != nil || res.StopReason != want {
			t.Errorf("%q: got %v, %v, want %q", reason, res, err, want)
		}
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	type info = map[string]any
	for name, tt := range map[string]struct {
		info info
		want string
	}{
		"nothing":   {nil, `null`},
		"zeros":     {info{"PromptTokens": 0, "CompletionTokens": 0, "TotalTokens": 0}, `null`},
		"openai":    {info{"PromptTokens": 5, "CompletionTokens": 2, "TotalTokens": 7, "ThinkingContent": ""}, `{"inputTokens":5,"outputTokens":2,"totalTokens":7}`},
		"anthropic": {info{"InputTokens": 5, "OutputTokens": 0}, `{"inputTokens":5,"outputTokens":0,"totalTokens":5}`},
		"google":    {info{"input_tokens": int32(5), "output_tokens": int32(2), "total_tokens": int32(9)}, `{"inputTokens":5,"outputTokens":2,"totalTokens":9}`},
		"bedrock":   {info{"input_tokens": uint8(5)}, `{"inputTokens":5}`},
		"mistral": {info{"usage": struct {
			A int `json:"prompt_tokens"`
			B int `json:"completion_tokens"`
		}{5, 2}}, `{"inputTokens":5,"outputTokens":2,"totalTokens":7}`},
		"strange":      {info{"usage": math.NaN(), "InputTokens": "5", "OutputTokens": nil}, `null`},
		"more strange": {info{"usage": []int{1}, "TotalTokens": 5.0}, `{"totalTokens":5}`},
	} {
		res, err := sample(t, &scriptedModel{answer: answer(&llms.ContentChoice{Content: "a", GenerationInfo: tt.info})}, nil, `{`+hi+`}`)
		if err != nil {
			t.Fatal(err)
		}
		if got := toJSON(res.Meta[sampling.Usage]); got != tt.want {
			t.Errorf("%s: got %s, want %s", name, got, tt.want)
		}
	}
}

// A server learns that the model failed, and nothing of what it said.
func TestFailures(t *testing.T) {
	t.Parallel()
	const secret = "sk-secret"
	for name, tt := range map[string]struct {
		answer *llms.ContentResponse
		err    error
		params string
		want   string
	}{
		"key":          {nil, errors.New("API returned unexpected status code: 401: Incorrect API key provided: " + secret), offered, "the client's model failed"},
		"anything":     {nil, errors.New(secret), offered, "the client's model failed"},
		"rate limit":   {nil, errors.New("API returned unexpected status code: 429: Rate limit reached for " + secret), offered, "the client's model failed: rate_limit"},
		"own kind":     {nil, llms.NewError(llms.ErrCodeTokenLimit, secret, secret), offered, "the client's model failed: token_limit"},
		"unknown kind": {nil, llms.NewError(secret, secret, secret), offered, "the client's model failed"},
		"nothing":      {nil, nil, offered, "the client's model failed"},
		"no choice":    {answer(nil), nil, offered, "the client's model failed"},
		"bad call":     {answer(&llms.ContentChoice{ToolCalls: []llms.ToolCall{toolCall("A", secret, `[`)}}), nil, offered, "the client's model failed"},
		"two values":   {answer(&llms.ContentChoice{ToolCalls: []llms.ToolCall{toolCall("A", secret, `{}{}`)}}), nil, offered, "the client's model failed"},
		"a call alone": {answer(&llms.ContentChoice{ToolCalls: []llms.ToolCall{toolCall("A", secret, `{}`)}}), nil, `{` + hi + `}`, "the client's model failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			res, err := sample(t, &scriptedModel{answer: tt.answer, err: tt.err}, &sampling.Options{Tools: true}, tt.params)
			if res != nil || code(t, err) != -32603 || err.Error() != tt.want {
				t.Errorf("got %v, %v, want %s", res, err, tt.want)
			}
		})
	}
}
