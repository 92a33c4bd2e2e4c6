package fakemodels

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Anthropic starts an endpoint that plays Anthropic's messages:
// https://docs.anthropic.com/en/api/messages.
func Anthropic(tb testing.TB, script ...Turn) *Endpoint {
	return start(tb, api{
		route: func(r *http.Request) (bool, error) {
			switch {
			case r.Method != http.MethodPost || r.URL.Path != "/v1/messages":
				return false, refusal("Not found: %s %s", r.Method, r.URL.Path)
			case r.Header.Get("x-api-key") == "":
				return false, refusal("x-api-key header is required")
			case r.Header.Get("anthropic-version") == "":
				return false, refusal("anthropic-version: header is required")
			}
			return false, nil
		},
		read: func(body map[string]any) (*Request, error) {
			if text(body, "model") == "" {
				return nil, refusal("model: Field required")
			}
			return readAnthropic(body)
		},
		answer: answerAnthropic,
		refuse: func(w http.ResponseWriter, status int, message string) {
			w.WriteHeader(status)
			write(w, object{"type": "error", "error": object{"type": "invalid_request_error", "message": message}})
		},
		id: func(n int) string { return fmt.Sprintf("toolu_%024d", n) },
	}, "/v1", script)
}

var (
	anthropicName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`)
	anthropicID   = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)
)

func readAnthropic(body map[string]any) (*Request, error) {
	if n, _ := at(body, "max_tokens").(float64); n < 1 {
		return nil, refusal("max_tokens: Field required")
	}
	r := &Request{}
	if system := text(body, "system"); system != "" {
		r.Texts = append(r.Texts, system)
	}
	names := map[string]bool{}
	for i, tool := range list(body, "tools") {
		name := text(tool, "name")
		if !anthropicName.MatchString(name) {
			return nil, refusal("tools.%d.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'", i)
		}
		if names[name] {
			return nil, refusal("tools: Tool names must be unique.")
		}
		names[name] = true
		if err := onlyKeys(tool, fmt.Sprintf("tools.%d.custom", i), "name", "description", "input_schema", "type", "cache_control"); err != nil {
			return nil, err
		}
		schema, err := anthropicSchema(i, at(tool, "input_schema"))
		if err != nil {
			return nil, err
		}
		r.Tools = append(r.Tools, Tool{name, text(tool, "description"), schema})
	}
	messages := mergeTurns(list(body, "messages"))
	if len(messages) == 0 {
		return nil, refusal("messages: at least one message is required")
	}
	if messages[0].role != "user" {
		return nil, refusal("messages: first message must use the \"user\" role")
	}
	c := &anthropicConversation{request: r, ids: map[string]string{}}
	for i, m := range messages {
		if err := c.message(i, m); err != nil {
			return nil, err
		}
	}
	if len(c.open) > 0 {
		return nil, c.unanswered(len(messages) - 1)
	}
	if len(c.ids) > 0 && len(r.Tools) == 0 {
		return nil, refusal("Requests which include `tool_use` or `tool_result` blocks must define tools.")
	}
	return r, nil
}

type anthropicMessage struct {
	role   string
	blocks []any
}

// mergeTurns does what the API reference says of messages: consecutive ones of
// the same role are combined into one turn.
func mergeTurns(messages []any) []anthropicMessage {
	var merged []anthropicMessage
	for _, m := range messages {
		blocks := list(m, "content")
		if s, ok := at(m, "content").(string); ok {
			blocks = []any{object{"type": "text", "text": s}}
		}
		if blocks == nil {
			blocks = []any{object{"type": "text", "text": ""}}
		}
		role := text(m, "role")
		if n := len(merged); n > 0 && merged[n-1].role == role {
			merged[n-1].blocks = append(merged[n-1].blocks, blocks...)
			continue
		}
		merged = append(merged, anthropicMessage{role, append([]any(nil), blocks...)})
	}
	return merged
}

// An anthropicConversation holds messages against
// https://docs.anthropic.com/en/docs/agents-and-tools/tool-use/implement-tool-use:
// results come right after their calls, at the beginning of the next message.
type anthropicConversation struct {
	request *Request
	ids     map[string]string // id to tool, of all calls
	open    []string          // ids of the calls of the message before
}

func (c *anthropicConversation) unanswered(i int) error {
	return refusal("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s. Each `tool_use` block must have a corresponding `tool_result` block in the next message.", i, strings.Join(c.open, ", "))
}

func (c *anthropicConversation) message(i int, m anthropicMessage) error {
	answered := map[string]bool{}
	expected := c.open
	c.open = nil
	for j, block := range m.blocks {
		where := fmt.Sprintf("messages.%d.content.%d", i, j)
		kind := text(block, "type")
		if m.role == "user" && len(answered) < len(expected) && kind != "tool_result" {
			c.open = expected
			return c.unanswered(i - 1)
		}
		if m.role == "assistant" && len(c.open) > 0 && kind != "tool_use" {
			return c.unanswered(i) // the API takes text behind a call for an answer that is none
		}
		switch {
		case kind == "text":
			if strings.TrimSpace(text(block, "text")) == "" {
				return refusal("messages: text content blocks must be non-empty (%s)", where)
			}
			if m.role == "user" {
				c.request.Texts = append(c.request.Texts, text(block, "text"))
			}
		case kind == "image" && m.role == "user":
			if text(block, "source", "type") != "base64" {
				return refusal("%s.source: base64 is what the client sends", where)
			}
			image, err := imageOf(text(block, "source", "media_type"), text(block, "source", "data"))
			if err != nil {
				return refusal("%s: %w", where, err)
			}
			c.request.Images = append(c.request.Images, image)
		case kind == "tool_use" && m.role == "assistant":
			id, name := text(block, "id"), text(block, "name")
			if _, ok := at(block, "input").(object); !ok {
				return refusal("%s.tool_use.input: Input should be a valid dictionary", where)
			}
			if !anthropicID.MatchString(id) || !anthropicName.MatchString(name) {
				return refusal("%s.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'", where)
			}
			if c.ids[id] != "" {
				return refusal("messages: `tool_use` ids must be unique")
			}
			c.ids[id] = name
			c.open = append(c.open, id)
		case kind == "tool_result" && m.role == "user":
			id := text(block, "tool_use_id")
			if !slices.Contains(expected, id) || answered[id] {
				return refusal("%s: unexpected `tool_use_id` found in `tool_result` blocks: %s. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.", where, id)
			}
			answered[id] = true
			c.request.Results = append(c.request.Results, Result{c.ids[id], text(block, "content")})
		default:
			return refusal("%s: Input tag '%s' found using 'type' does not match any of the expected tags for the role %s", where, kind, m.role)
		}
	}
	if len(answered) < len(expected) {
		c.open = expected
		return c.unanswered(i - 1)
	}
	return nil
}
