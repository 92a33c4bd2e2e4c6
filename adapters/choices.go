package adapters

import (
	"crypto/rand"
	"encoding/json"
	"maps"
	"reflect"
	"strings"

	"github.com/tmc/langchaingo/llms"
)

// oneChoice merges the choices of an answer. The answer is not changed; one
// without choices stays as it is.
func oneChoice(response *llms.ContentResponse) *llms.ContentResponse {
	merged := &llms.ContentChoice{}
	var texts, thoughts []string
	found := false
	for _, choice := range response.Choices {
		if choice == nil {
			continue
		}
		found = true
		texts = appendText(texts, choice.Content)
		thoughts = appendText(thoughts, choice.ReasoningContent)
		if merged.StopReason == "" {
			merged.StopReason = choice.StopReason
		}
		merged.GenerationInfo = mergeInfo(merged.GenerationInfo, choice.GenerationInfo)
		merged.ToolCalls = append(merged.ToolCalls, callsOf(choice)...)
	}
	if !found {
		return response
	}
	merged.Content, merged.ReasoningContent = strings.Join(texts, "\n"), strings.Join(thoughts, "\n")
	completeCalls(merged)
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{merged}}
}

// eachChoice does for each choice what oneChoice does for all. With accumulated
// set, a choice begins with the calls of the one before it, which go.
func eachChoice(response *llms.ContentResponse, accumulated bool) *llms.ContentResponse {
	each := &llms.ContentResponse{}
	before := 0
	for _, choice := range response.Choices {
		if choice == nil {
			continue
		}
		if n := len(choice.ToolCalls); accumulated && before <= n {
			own := *choice
			own.ToolCalls = own.ToolCalls[before:]
			choice, before = &own, n
		}
		one := oneChoice(&llms.ContentResponse{Choices: []*llms.ContentChoice{choice}})
		each.Choices = append(each.Choices, one.Choices...)
	}
	return each
}

func appendText(texts []string, text string) []string {
	if text == "" {
		return texts
	}
	return append(texts, text)
}

// callsOf returns the tool calls of a choice, or its function call as one.
func callsOf(choice *llms.ContentChoice) []llms.ToolCall {
	if len(choice.ToolCalls) == 0 && choice.FuncCall != nil {
		return []llms.ToolCall{{FunctionCall: choice.FuncCall}}
	}
	return choice.ToolCalls
}

// completeCalls fills in what tool calls lack, and drops those without a name.
func completeCalls(choice *llms.ContentChoice) {
	var calls []llms.ToolCall
	ids := map[string]bool{}
	id := "" // of the call before, as it came
	for _, call := range choice.ToolCalls {
		function := llms.FunctionCall{}
		if call.FunctionCall != nil {
			function = *call.FunctionCall
		}
		if n := len(calls); n > 0 && continues(calls[n-1].FunctionCall, id, call.ID, function.Name) {
			calls[n-1].FunctionCall.Arguments += function.Arguments
			continue
		}
		if function.Name == "" {
			continue
		}
		id = call.ID
		for call.ID == "" || ids[call.ID] {
			call.ID = newCallID()
		}
		ids[call.ID] = true
		call.Type, call.FunctionCall = "function", &function
		calls = append(calls, call)
	}
	for _, call := range calls {
		if text := strings.TrimSpace(call.FunctionCall.Arguments); text == "" || text == "null" {
			call.FunctionCall.Arguments = "{}"
		}
	}
	if choice.ToolCalls = calls; calls != nil {
		first := *calls[0].FunctionCall
		choice.FuncCall = &first
	}
}

// continues reports whether a call is a piece of the one before it. langchaingo's
// OpenAI stream reader takes the pieces of a call for calls of their own if a
// server repeats the type, or the id, on each.
func continues(before *llms.FunctionCall, idBefore, id, name string) bool {
	same := id != "" && id == idBefore || id == "" && name == ""
	return same && (name == "" || name == before.Name) && !json.Valid([]byte(before.Arguments))
}

// newCallID returns an id of a form that all providers take: nine letters and
// digits, which is what Mistral demands.
func newCallID() string { return rand.Text()[:9] }

// mergeInfo adds what b tells to a. Blocks of one answer tell the same usage;
// where they differ, what is told first counts, and text is joined.
func mergeInfo(a, b map[string]any) map[string]any {
	if len(b) == 0 {
		return a
	}
	merged := maps.Clone(a)
	if merged == nil {
		merged = make(map[string]any, len(b))
	}
	for key, v := range b {
		old, ok := merged[key]
		switch {
		case !ok || isZero(old):
			merged[key] = v
		case key == "ThinkingContent" || key == "OutputContent":
			s, _ := old.(string)
			if t, _ := v.(string); s != "" && t != "" && s != t {
				merged[key] = s + "\n" + t
			}
		}
	}
	return merged
}

func isZero(v any) bool {
	r := reflect.ValueOf(v)
	return !r.IsValid() || r.IsZero()
}
