package adapters

import (
	"fmt"
	"slices"

	"github.com/tmc/langchaingo/llms"
)

// history returns messages in the form that every provider of langchaingo takes:
//
//	AI{text, call A}, Tool{response A}, AI{call B}, Tool{response B}
//
// OpenAI wants one response a message; langchaingo's Anthropic provider keeps
// only the first part of a message, so that a call needs a message of its own;
// Gemini wants the responses of a turn together, which they are when each turn
// has one; ids, names and arguments must not be empty, and Anthropic wants ids
// unique over the whole history. Where the text goes depends on the dialect.
//
// A response belongs to the call of the same id; without ids, to the first call
// of the same name, or else to the first that has none yet, of the calls before
// it and after the last message of another kind. Calls without a response and
// responses without a call stay what they are: a provider will refuse them, and
// nothing true could be put in their place. Calls without a name go, since no
// answer about them can be told.
func (b *toolbox) history(messages []llms.MessageContent, d *dialect) []llms.MessageContent {
	if !slices.ContainsFunc(messages, isToolMessage) {
		return messages
	}
	h := &historian{box: b, dialect: d, ids: map[string]bool{}, used: map[string]bool{}}
	for _, message := range messages {
		for _, part := range message.Parts {
			if call, ok := part.(llms.ToolCall); ok {
				h.ids[call.ID] = true
			}
		}
	}
	for len(messages) > 0 {
		end := 0
		for end < len(messages) && isToolMessage(messages[end]) {
			end++
		}
		if end == 0 {
			h.out = append(h.out, messages[0])
			messages = messages[1:]
			continue
		}
		h.exchange(messages[:end])
		messages = messages[end:]
	}
	return h.out
}

// isToolMessage reports whether a message holds tool calls or their responses.
func isToolMessage(message llms.MessageContent) bool {
	return slices.ContainsFunc(message.Parts, func(part llms.ContentPart) bool {
		switch part.(type) {
		case llms.ToolCall:
			return message.Role == llms.ChatMessageTypeAI
		case llms.ToolCallResponse:
			return message.Role == llms.ChatMessageTypeTool || message.Role == llms.ChatMessageTypeFunction
		}
		return false
	})
}

// calledTools returns the names of the tools that a history calls, each once.
func calledTools(messages []llms.MessageContent) []string {
	var names []string
	for _, message := range messages {
		for _, part := range message.Parts {
			if call, ok := part.(llms.ToolCall); ok && call.FunctionCall != nil &&
				call.FunctionCall.Name != "" && !slices.Contains(names, call.FunctionCall.Name) {
				names = append(names, call.FunctionCall.Name)
			}
		}
	}
	return names
}

// A historian writes a history anew.
type historian struct {
	box     *toolbox
	dialect *dialect
	out     []llms.MessageContent
	ids     map[string]bool // all that occur
	used    map[string]bool // all that are written
	named   int             // ids made so far
}

// A pastCall is a tool call and, once found, its response.
type pastCall struct {
	message  int
	call     llms.ToolCall
	name     string
	text     string
	response *pastResponse
}

type pastResponse struct {
	message  int
	response llms.ToolCallResponse
	claimed  bool
}

// exchange writes calls and responses that follow each other.
func (h *historian) exchange(messages []llms.MessageContent) {
	var calls []*pastCall
	var responses []*pastResponse
	others := make([][]llms.ContentPart, len(messages))
	for i, message := range messages {
		for _, part := range message.Parts {
			switch part := part.(type) {
			case llms.ToolCall:
				call := &pastCall{message: i, call: part}
				if part.FunctionCall != nil {
					call.name, call.text = part.FunctionCall.Name, part.FunctionCall.Arguments
				}
				calls = append(calls, call)
			case llms.ToolCallResponse:
				responses = append(responses, &pastResponse{message: i, response: part})
			case llms.TextContent:
				if !blank(part.Text) { // Anthropic refuses empty text, and white space
					others[i] = append(others[i], part)
				}
			default:
				others[i] = append(others[i], part)
			}
		}
	}
	pair(calls, responses)
	for i, message := range messages {
		rest := others[i]
		for _, call := range calls {
			if call.message == i && h.write(call, rest) {
				rest = nil
			}
		}
		for _, r := range responses {
			if r.message == i && !r.claimed {
				h.add(llms.ChatMessageTypeTool, r.response)
			}
		}
		if len(rest) > 0 {
			h.add(message.Role, rest...)
		}
	}
}

// pair finds the response of each call.
func pair(calls []*pastCall, responses []*pastResponse) {
	match := func(same func(call *pastCall, r *pastResponse) bool) {
		for _, call := range calls {
			if call.response != nil {
				continue
			}
			for _, r := range responses {
				if !r.claimed && r.message > call.message && same(call, r) {
					call.response, r.claimed = r, true
					break
				}
			}
		}
	}
	match(func(call *pastCall, r *pastResponse) bool {
		return call.call.ID != "" && call.call.ID == r.response.ToolCallID
	})
	match(func(call *pastCall, r *pastResponse) bool {
		return (call.call.ID == "" || r.response.ToolCallID == "") && call.name != "" && call.name == r.response.Name
	})
	match(func(call *pastCall, r *pastResponse) bool {
		return (call.call.ID == "" || r.response.ToolCallID == "") && (call.name == "" || r.response.Name == "")
	})
}

// write writes a call, with what else its message says, and its response. It
// reports whether the call has a name.
func (h *historian) write(call *pastCall, rest []llms.ContentPart) bool {
	if call.name == "" && call.response != nil {
		call.name = call.response.response.Name
	}
	if call.name == "" {
		return false
	}
	id := call.call.ID
	if id == "" && call.response != nil {
		id = call.response.response.ToolCallID
	}
	if !h.dialect.legalID(id) || h.used[id] {
		id = h.newID()
	}
	h.used[id] = true
	h.addCall(llms.ToolCall{
		ID:           id,
		Type:         "function",
		FunctionCall: &llms.FunctionCall{Name: call.name, Arguments: h.box.arguments(call.name, call.text)},
	}, rest)
	if call.response != nil {
		h.add(llms.ChatMessageTypeTool, llms.ToolCallResponse{
			ToolCallID: id, Name: call.name, Content: call.response.response.Content,
		})
	}
	return true
}

// addCall writes a call and what its message says besides.
func (h *historian) addCall(call llms.ToolCall, rest []llms.ContentPart) {
	parts := append([]llms.ContentPart{call}, rest...)
	switch h.dialect.text {
	case textBefore:
		parts = append(slices.Clone(rest), call)
	case textApart:
		parts = parts[:1]
		for _, part := range rest { // Anthropic's package keeps one part a message
			h.add(llms.ChatMessageTypeAI, part)
		}
	}
	h.add(llms.ChatMessageTypeAI, parts...)
}

func (h *historian) add(role llms.ChatMessageType, parts ...llms.ContentPart) {
	h.out = append(h.out, llms.MessageContent{Role: role, Parts: parts})
}

// newID makes an id that is the same whenever the same history is written, so
// that providers can cache it.
func (h *historian) newID() string {
	for {
		h.named++
		if id := fmt.Sprintf("history%02d", h.named); !h.ids[id] {
			return id
		}
	}
}
