package fakemodels

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// OpenAI starts an endpoint that plays OpenAI's chat completions:
// https://platform.openai.com/docs/api-reference/chat/create.
func OpenAI(tb testing.TB, script ...Turn) *Endpoint {
	return start(tb, api{
		route: func(r *http.Request) (bool, error) {
			if r.Method != http.MethodPost || r.URL.Path != "/v1/chat/completions" {
				return false, refusal("Invalid URL (%s %s)", r.Method, r.URL.Path)
			}
			if !strings.HasPrefix(r.Header.Get("Authorization"), "Bearer ") {
				return false, refusal("You didn't provide an API key")
			}
			return false, nil
		},
		read:   readOpenAI,
		answer: answerOpenAI,
		refuse: func(w http.ResponseWriter, status int, message string) {
			w.WriteHeader(status)
			write(w, object{"error": object{"message": message, "type": "invalid_request_error", "param": nil, "code": nil}})
		},
		id: func(n int) string { return fmt.Sprintf("call_%024d", n) },
	}, "/v1", script)
}

// functionName is what the API reference says of function.name.
var functionName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func readOpenAI(body map[string]any) (*Request, error) {
	if text(body, "model") == "" {
		return nil, refusal("you must provide a model parameter")
	}
	if _, ok := body["functions"]; ok {
		return nil, refusal("functions is deprecated, use tools")
	}
	r := &Request{}
	names := map[string]bool{}
	for i, tool := range list(body, "tools") {
		name := text(tool, "function", "name")
		if text(tool, "type") != "function" || !functionName.MatchString(name) {
			return nil, refusal("Invalid 'tools[%d].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.", i)
		}
		if names[name] {
			return nil, refusal("tools[%d].function.name: %q is not unique", i, name)
		}
		names[name] = true
		if len(text(tool, "function", "description")) > 1<<20 {
			return nil, refusal("Invalid 'tools[%d].function.description': string too long", i)
		}
		schema, err := openAISchema(name, at(tool, "function", "parameters"))
		if err != nil {
			return nil, err
		}
		r.Tools = append(r.Tools, Tool{name, text(tool, "function", "description"), schema})
	}
	if choice := body["tool_choice"]; choice != nil && len(r.Tools) == 0 {
		return nil, refusal("'tool_choice' is only allowed when 'tools' are specified.")
	}
	if len(list(body, "messages")) == 0 {
		return nil, refusal("Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.")
	}
	return r, openAIMessages(r, list(body, "messages"))
}

// openAIMessages holds the messages against the rules of
// https://platform.openai.com/docs/guides/function-calling: every tool call is
// answered by one tool message, before any other message.
func openAIMessages(r *Request, messages []any) error {
	open := map[string]string{} // id to tool
	for i, m := range messages {
		role := text(m, "role")
		if role != "tool" && len(open) > 0 {
			return refusal("An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: %v (messages[%d])", open, i)
		}
		switch role {
		case "system", "developer", "user":
			if err := openAIContent(r, i, role, at(m, "content")); err != nil {
				return err
			}
		case "assistant":
			calls := list(m, "tool_calls")
			if at(m, "content") == nil && calls == nil || at(m, "content") == "" && calls == nil {
				return refusal("Invalid value for 'content': expected a string, got null. (messages[%d])", i)
			}
			for j, call := range calls {
				id, name, arguments := text(call, "id"), text(call, "function", "name"), text(call, "function", "arguments")
				if id == "" || len(id) > 40 || text(call, "type") != "function" || !functionName.MatchString(name) {
					return refusal("Invalid 'messages[%d].tool_calls[%d]': %s", i, j, encode(call))
				}
				if !json.Valid([]byte(arguments)) || !strings.HasPrefix(strings.TrimSpace(arguments), "{") {
					return refusal("messages[%d].tool_calls[%d].function.arguments is not a JSON object: %q", i, j, arguments)
				}
				if open[id] != "" {
					return refusal("messages[%d].tool_calls[%d].id: duplicate", i, j)
				}
				open[id] = name
			}
		case "tool":
			id := text(m, "tool_call_id")
			if open[id] == "" {
				return refusal("messages with role 'tool' must be a response to a preceeding message with 'tool_calls'. (messages[%d], id %q)", i, id)
			}
			content, ok := at(m, "content").(string)
			if !ok {
				return refusal("messages[%d].content: tool messages hold text", i)
			}
			r.Results = append(r.Results, Result{open[id], content})
			delete(open, id)
		default:
			return refusal("Invalid value: %q. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.", role)
		}
	}
	if len(open) > 0 {
		return refusal("tool_call_ids did not have response messages: %v", open)
	}
	return nil
}

// openAIContent reads text, or a list of text and images in the forms of
// https://platform.openai.com/docs/guides/images-vision.
func openAIContent(r *Request, i int, role string, content any) error {
	if s, ok := content.(string); ok {
		r.Texts = append(r.Texts, s)
		return nil
	}
	parts, ok := content.([]any)
	if !ok || len(parts) == 0 {
		return refusal("Invalid value for 'messages[%d].content'", i)
	}
	for j, part := range parts {
		switch kind := text(part, "type"); {
		case kind == "text":
			r.Texts = append(r.Texts, text(part, "text"))
		case kind == "image_url" && role == "user":
			image, err := openAIImage(text(part, "image_url", "url"))
			if err != nil {
				return err
			}
			r.Images = append(r.Images, image)
		default:
			return refusal("Invalid value: '%s'. Supported values are: 'text', 'image_url', 'input_audio', 'refusal', and 'file'. (messages[%d].content[%d])", kind, i, j)
		}
	}
	return nil
}
