package fakemodels

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Mistral starts an endpoint that plays Mistral's chat completions:
// https://docs.mistral.ai/api/#tag/chat. The order of messages is that of the
// validator that Mistral publishes (mistral-common, protocol/instruct/validator.py).
//
// It does without tool_call_id in tool messages, which langchaingo's package never
// sends: the reference has it nullable.
func Mistral(tb testing.TB, script ...Turn) *Endpoint {
	return start(tb, api{
		route: func(r *http.Request) (bool, error) {
			if r.Method != http.MethodPost || r.URL.Path != "/v1/chat/completions" {
				return false, refusal("no Route matched with those values: %s %s", r.Method, r.URL.Path)
			}
			if !strings.HasPrefix(r.Header.Get("Authorization"), "Bearer ") {
				return false, refusal("Unauthorized")
			}
			return false, nil
		},
		read:   readMistral,
		answer: answerMistral,
		refuse: func(w http.ResponseWriter, status int, message string) {
			w.WriteHeader(status)
			write(w, object{"object": "error", "message": message, "type": "invalid_request_message_order", "param": nil, "code": "3230"})
		},
		id: func(n int) string { return fmt.Sprintf("call%05d", n) },
	}, "", script)
}

var mistralID = regexp.MustCompile(`^[a-zA-Z0-9]{9}$`)

func readMistral(body map[string]any) (*Request, error) {
	r := &Request{}
	for _, tool := range list(body, "tools") {
		name := text(tool, "function", "name")
		if text(tool, "type") != "function" || !functionName.MatchString(name) {
			return nil, refusal("Function name was %s but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64.", name)
		}
		schema, err := openAISchema(name, at(tool, "function", "parameters"))
		if err != nil {
			return nil, err
		}
		if r.Tool(name) != nil {
			return nil, refusal("Duplicate function name %s", name)
		}
		r.Tools = append(r.Tools, Tool{name, text(tool, "function", "description"), schema})
	}
	follows := map[string][]string{ // role to roles that may come before it
		"system": {"", "system", "user"}, "user": {"", "system", "user", "assistant"},
		"assistant": {"system", "user", "assistant", "tool"}, "tool": {"assistant", "tool"},
	}
	before := ""
	var open []string // tools that were called
	for _, m := range list(body, "messages") {
		role := text(m, "role")
		if !slices.Contains(follows[role], before) {
			return nil, refusal("Unexpected role '%s' after role '%s'", role, before)
		}
		if role != "tool" && len(open) > 0 {
			return nil, refusal("Not the same number of function calls and responses")
		}
		content, isText := at(m, "content").(string)
		if !isText && at(m, "content") != nil {
			return nil, refusal("content: the client sends text only")
		}
		calls := list(m, "tool_calls")
		switch role {
		case "tool":
			if len(open) == 0 {
				return nil, refusal("Not the same number of function calls and responses")
			}
			r.Results = append(r.Results, Result{open[0], content})
			open = open[1:]
		case "assistant":
			if content == "" && calls == nil {
				return nil, refusal("Assistant message must have either content or tool_calls, but not none.")
			}
			for _, call := range calls {
				if !mistralID.MatchString(text(call, "id")) {
					return nil, refusal("Tool call id was %s but must be a-z, A-Z, 0-9, with a length of 9.", text(call, "id"))
				}
				if arguments := text(call, "function", "arguments"); !json.Valid([]byte(arguments)) {
					return nil, refusal("Function call arguments are no JSON: %s", arguments)
				}
				open = append(open, text(call, "function", "name"))
			}
		default:
			r.Texts = append(r.Texts, content)
		}
		before = role
	}
	if len(open) > 0 {
		return nil, refusal("Not the same number of function calls and responses")
	}
	if before != "user" && before != "tool" {
		return nil, refusal("Expected last role User or Tool (or Assistant with prefix True) for serving but got %s", before)
	}
	return r, nil
}

func answerMistral(w http.ResponseWriter, turn Turn, ids []string, stream bool) {
	usage := object{"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
	reason := "stop"
	var calls []any
	for i, call := range turn.Calls {
		reason = "tool_calls"
		calls = append(calls, object{"id": ids[i], "type": "function", "function": object{"name": call.Tool, "arguments": encode(arguments(call))}})
	}
	if !stream {
		message := object{"role": "assistant", "content": turn.Text, "tool_calls": calls}
		write(w, object{
			"id": "1", "object": "chat.completion", "model": "mistral", "created": 1, "usage": usage,
			"choices": []any{object{"index": 0, "finish_reason": reason, "message": message}},
		})
		return
	}
	chunk := func(delta object, finish any) any {
		return object{"id": "1", "object": "chat.completion.chunk", "model": "mistral", "created": 1, "usage": usage,
			"choices": []any{object{"index": 0, "delta": delta, "finish_reason": finish}}}
	}
	var all []any
	for _, piece := range pieces(turn.Text) {
		all = append(all, chunk(object{"role": "assistant", "content": piece}, nil))
	}
	all = append(all, chunk(object{"content": "", "tool_calls": calls}, reason), "[DONE]")
	events(w, nil, all...)
}
