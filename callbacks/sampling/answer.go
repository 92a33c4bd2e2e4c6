package sampling

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/llms"
)

// result translates an answer. used are the options that the model went by.
func (p *prompt) result(response *llms.ContentResponse, used *llms.CallOptions) (*mcp.CreateMessageWithToolsResult, error) {
	choices := choicesOf(response, max(used.N, used.CandidateCount) > 1)
	if len(choices) == 0 {
		return nil, errors.New("the model gave no answer")
	}
	var texts []string
	var calls []llms.ToolCall
	reason, model := "", used.Model
	info := map[string]any{}
	for _, choice := range choices {
		if choice.Content != "" {
			texts = append(texts, choice.Content)
		}
		if choice.StopReason != "" && reason == "" {
			reason = choice.StopReason
		}
		for key, v := range choice.GenerationInfo {
			if _, ok := info[key]; !ok {
				info[key] = v
			}
		}
		if len(choice.ToolCalls) == 0 && choice.FuncCall != nil {
			calls = append(calls, llms.ToolCall{FunctionCall: choice.FuncCall})
		}
		calls = append(calls, choice.ToolCalls...)
	}
	if name, ok := info["model"].(string); ok && name != "" {
		model = name
	}
	if model == "" {
		model = "unknown"
	}

	res := &mcp.CreateMessageWithToolsResult{Role: "assistant", Model: model, StopReason: stopReason(reason)}
	if usage := usageOf(info); usage != nil {
		res.Meta = mcp.Meta{Usage: usage}
	}
	uses, err := p.toolUses(calls, res.StopReason == maxTokens)
	if err != nil {
		return nil, err
	}
	if !p.mayCall && len(uses) > 0 {
		if len(texts) == 0 {
			return nil, errors.New("the model called a tool, which it was not to do")
		}
		uses = nil
	}
	if text := strings.Join(texts, "\n"); text != "" || len(uses) == 0 {
		res.Content = append(res.Content, &mcp.TextContent{Text: text})
	}
	res.Content = append(res.Content, uses...)
	switch {
	case len(uses) > 0:
		res.StopReason = toolUse
	case res.StopReason == toolUse:
		res.StopReason = endTurn
	}
	return res, nil
}

// choicesOf returns the choices that make up the answer. Some providers make
// each block a choice, so that all count, unless they are alternatives.
func choicesOf(response *llms.ContentResponse, alternatives bool) []*llms.ContentChoice {
	if response == nil {
		return nil
	}
	var choices []*llms.ContentChoice
	for _, choice := range response.Choices {
		if choice != nil {
			choices = append(choices, choice)
		}
	}
	if alternatives && len(choices) > 1 {
		return choices[:1]
	}
	return choices
}

// toolUses translates tool calls. Those that an answer was cut off in go.
func (p *prompt) toolUses(calls []llms.ToolCall, cutOff bool) ([]mcp.Content, error) {
	var uses []mcp.Content
	ids := map[string]bool{}
	for _, call := range calls {
		if call.FunctionCall == nil || call.FunctionCall.Name == "" {
			continue // there is nothing to call
		}
		input, err := object(call.FunctionCall.Arguments)
		if err != nil {
			if cutOff {
				continue
			}
			return nil, fmt.Errorf("the model called the tool %q with arguments that are no JSON object: %w", call.FunctionCall.Name, err)
		}
		for call.ID == "" || ids[call.ID] { // Gemini gives none
			call.ID = rand.Text()[:9] // a form that Mistral takes too
		}
		ids[call.ID] = true
		uses = append(uses, &mcp.ToolUseContent{ID: call.ID, Name: p.names.server(call.FunctionCall.Name), Input: input})
	}
	return uses, nil
}

// object parses a JSON object. Its numbers stay as they are written.
func object(text string) (map[string]any, error) {
	object := map[string]any{}
	if strings.TrimSpace(text) == "" {
		return object, nil
	}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&object); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errors.New("something follows it")
	}
	if object == nil { // null
		object = map[string]any{}
	}
	return object, nil
}
