package script

import (
	"context"
	"fmt"
	"strings"

	"github.com/tmc/langchaingo/llms"
)

// Model is an [llms.Model] that answers [Question]. It finds out by tool calls
// what it says; where a tool fails, the answer tells.
//
// It holds no state: what was called and what came of it is read from the
// messages.
type Model struct{}

// GenerateContent implements [llms.Model]. It calls all tools at once whose
// arguments it knows, and answers when there is nothing left to call.
func (Model) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var opts llms.CallOptions
	for _, option := range options {
		option(&opts)
	}
	question, observations := read(messages)
	if question != Question {
		return says("I am a script and know one question only: " + Question), nil
	}

	var calls []llms.ToolCall
	var answer []string
	matches := map[string][]string{} // of the steps that are done
	waiting := map[string]bool{}     // steps that are not done yet
	for _, s := range plan() {
		if observation, done := observations[s.tool]; done {
			if matches[s.tool] = s.expect.FindStringSubmatch(observation); matches[s.tool] == nil {
				answer = append(answer, fmt.Sprintf("The tool %s says: %s", s.tool, observation))
				continue
			}
			answer = append(answer, s.expect.ReplaceAllString(observation, s.sentence))
			continue
		}
		if s.waits(waiting) {
			waiting[s.tool] = true
			continue
		}
		call, err := s.call(opts.Tools, matches)
		if err != nil {
			answer = append(answer, fmt.Sprintf("I cannot use %s: %v.", s.tool, err))
			continue
		}
		calls = append(calls, call)
		waiting[s.tool] = true
	}
	if len(calls) > 0 {
		return &llms.ContentResponse{Choices: []*llms.ContentChoice{{ToolCalls: calls, StopReason: "tool_calls"}}}, nil
	}
	return says(strings.Join(answer, "\n")), nil
}

// Call implements [llms.Model].
func (m Model) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

func says(text string) *llms.ContentResponse {
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: text, StopReason: "stop"}}}
}

// read returns the last question and what the tools have said since, by the
// name of their step, which is the id of the call.
func read(messages []llms.MessageContent) (question string, observations map[string]string) {
	for _, message := range messages {
		for _, part := range message.Parts {
			switch part := part.(type) {
			case llms.TextContent:
				if message.Role == llms.ChatMessageTypeHuman {
					question, observations = part.Text, map[string]string{}
				}
			case llms.ToolCallResponse:
				observations[part.ToolCallID] = part.Content
			}
		}
	}
	return question, observations
}
