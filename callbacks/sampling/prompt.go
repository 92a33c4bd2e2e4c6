package sampling

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/llms"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

// A prompt is a request as langchaingo takes it.
type prompt struct {
	messages []llms.MessageContent
	options  []llms.CallOption
	names    names
	mayCall  bool // the model may call tools

	sampler *sampler
	pending []*mcp.ToolUseContent // of the last message
	text    string                // of the last message, if it has tool uses
}

// newPrompt translates a request that has passed check.
func (s *sampler) newPrompt(cc callbacks.CallbackContext, params *mcp.CreateMessageWithToolsParams) (*prompt, error) {
	p := &prompt{sampler: s, options: slices.Clone(s.CallOptions), names: namesOf(params)}
	if text := clean(params.SystemPrompt); strings.TrimSpace(text) != "" {
		p.add(llms.ChatMessageTypeSystem, llms.TextPart(text))
	}
	system := len(p.messages)
	for _, message := range params.Messages {
		switch {
		case message.Role == "assistant":
			p.assistant(message.Content)
		case len(p.pending) > 0:
			p.results(message.Content)
		default:
			p.user(message.Content)
		}
	}
	if len(p.messages) == system {
		return nil, invalid("there is nothing in the messages")
	}

	limit := params.MaxTokens
	if most := int64(s.MaxTokens); most > 0 && (limit == 0 || limit > most) {
		limit = most
	}
	if limit > 0 {
		p.options = append(p.options, llms.WithMaxTokens(int(min(limit, math.MaxInt32))))
	}
	if params.Temperature > 0 {
		p.options = append(p.options, llms.WithTemperature(params.Temperature))
	}
	// Providers refuse empty ones.
	if stops := slices.DeleteFunc(slices.Clone(params.StopSequences), func(s string) bool { return s == "" }); len(stops) > 0 {
		p.options = append(p.options, llms.WithStopWords(stops))
	}
	p.offer(params)
	if s.ChooseModel != nil {
		prefs := params.ModelPreferences
		if prefs == nil {
			prefs = &mcp.ModelPreferences{}
		}
		if option := s.ChooseModel(cc, prefs); option != nil {
			p.options = append(p.options, option)
		}
	}
	return p, nil
}

func (p *prompt) add(role llms.ChatMessageType, parts ...llms.ContentPart) {
	p.messages = append(p.messages, llms.MessageContent{Role: role, Parts: parts})
}

// assistant adds a message of the model. One with tool uses waits for their
// results, since each of them needs a message of its own.
func (p *prompt) assistant(content []mcp.Content) {
	var texts []string
	for _, block := range content {
		switch block := block.(type) {
		case *mcp.TextContent:
			if block.Text != "" {
				texts = append(texts, block.Text)
			}
		case *mcp.ImageContent:
			texts = append(texts, placeholder("image", block.MIMEType, block.Data))
		case *mcp.AudioContent:
			texts = append(texts, placeholder("audio", block.MIMEType, block.Data))
		case *mcp.ToolUseContent:
			p.pending = append(p.pending, block)
		}
	}
	// In one part, since langchaingo's Anthropic provider takes no more.
	text := clean(strings.Join(texts, "\n"))
	switch {
	case len(p.pending) > 0:
		p.text = text
	case text != "":
		p.add(llms.ChatMessageTypeAI, llms.TextPart(text))
	}
}

// results adds the tool uses of the last message, each followed by its result.
func (p *prompt) results(content []mcp.Content) {
	byUse := map[string]*mcp.ToolResultContent{}
	for _, block := range content {
		if result, ok := block.(*mcp.ToolResultContent); ok {
			byUse[result.ToolUseID] = result
		}
	}
	var attached []llms.ContentPart
	number := 0
	attach := func(block mcp.Content) string {
		part, what, text := p.attachment(block)
		if part == nil {
			return text
		}
		number++
		attached = append(attached, llms.TextPart(fmt.Sprintf("Attachment %d:", number)), part)
		return fmt.Sprintf("[%s, attached below as attachment %d]", what, number)
	}
	for i, use := range p.pending {
		parts := []llms.ContentPart{llms.ToolCall{
			ID:           use.ID,
			Type:         "function",
			FunctionCall: &llms.FunctionCall{Name: p.names.legal(use.Name), Arguments: arguments(use.Input)},
		}}
		if i == 0 && p.text != "" {
			parts = append(parts, llms.TextPart(p.text))
		}
		p.add(llms.ChatMessageTypeAI, parts...)
		p.add(llms.ChatMessageTypeTool, llms.ToolCallResponse{
			ToolCallID: use.ID,
			Name:       p.names.legal(use.Name),
			Content:    resultText(byUse[use.ID], attach),
		})
	}
	if attached != nil {
		p.add(llms.ChatMessageTypeHuman, attached...)
	}
	p.pending, p.text = nil, ""
}

// arguments returns the arguments of a tool use; providers refuse none at all.
func arguments(input map[string]any) string {
	if input == nil {
		return "{}"
	}
	return compactJSON(input)
}

// attachment returns the part for an image or audio in a tool's result and
// what to call it, or no part and a text in its place.
func (p *prompt) attachment(block mcp.Content) (part llms.ContentPart, what, text string) {
	switch block := block.(type) {
	case *mcp.ImageContent:
		media := mediaType(block.MIMEType, block.Data)
		if isImage(media) && len(block.Data) > 0 {
			return p.sampler.Images.part(media, block.Data), "image", ""
		}
		return nil, "", placeholder("image", block.MIMEType, block.Data)
	case *mcp.AudioContent:
		if p.sampler.Audio && len(block.Data) > 0 {
			return llms.BinaryPart(mediaType(block.MIMEType, block.Data), block.Data), "audio", ""
		}
		return nil, "", placeholder("audio", block.MIMEType, block.Data)
	}
	return nil, "", ""
}

// user adds a message of the user that holds no tool results.
func (p *prompt) user(content []mcp.Content) {
	var parts []llms.ContentPart
	for _, block := range content {
		switch block := block.(type) {
		case *mcp.TextContent:
			text := clean(block.Text)
			if text == "" { // which Anthropic refuses
				continue
			}
			// Ollama's provider takes a single text.
			if n := len(parts); n > 0 {
				if before, ok := parts[n-1].(llms.TextContent); ok {
					parts[n-1] = llms.TextPart(before.Text + "\n" + text)
					continue
				}
			}
			parts = append(parts, llms.TextPart(text))
		case *mcp.ImageContent:
			parts = append(parts, p.sampler.Images.part(mediaType(block.MIMEType, block.Data), block.Data))
		case *mcp.AudioContent:
			parts = append(parts, llms.BinaryPart(mediaType(block.MIMEType, block.Data), block.Data))
		}
	}
	if parts != nil {
		p.add(llms.ChatMessageTypeHuman, parts...)
	}
}
