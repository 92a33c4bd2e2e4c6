package sampling

import (
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// check refuses what the specification forbids and what exceeds the bounds
// (2025-11-25, client/sampling: message content constraints).
func (s *sampler) check(req *mcp.CreateMessageWithToolsRequest) error {
	if req == nil || req.Params == nil || len(req.Params.Messages) == 0 {
		return invalid("there are no messages")
	}
	p := req.Params
	if p.MaxTokens < 0 {
		return invalid("maxTokens is negative: %d", p.MaxTokens)
	}
	if p.Temperature < 0 {
		return invalid("temperature is negative: %v", p.Temperature)
	}
	if !s.Tools && (len(p.Tools) > 0 || p.ToolChoice != nil) {
		return invalid("tools: this client has not declared sampling.tools")
	}
	if err := checkTools(p); err != nil {
		return err
	}
	var open map[string]bool // tool uses of the last message
	for i, message := range p.Messages {
		if message == nil {
			return invalid("message %d is null", i)
		}
		var err error
		switch message.Role {
		case "assistant":
			if len(open) > 0 {
				return invalid("message %d: tool result missing in request", i)
			}
			open, err = s.checkAssistant(message.Content)
		case "user":
			err = s.checkUser(message.Content, open)
			open = nil
		default:
			err = fmt.Errorf("role %s is neither user nor assistant", quote(string(message.Role)))
		}
		if err != nil {
			return invalid("message %d: %v", i, err)
		}
	}
	if len(open) > 0 {
		return invalid("tool result missing in request")
	}
	size, err := json.Marshal(p)
	if err != nil {
		return invalid("the request is no JSON")
	}
	if len(size) > s.MaxBytes {
		return invalid("the request has %d bytes, more than the %d that this client takes", len(size), s.MaxBytes)
	}
	return nil
}

func checkTools(p *mcp.CreateMessageWithToolsParams) error {
	names := map[string]bool{}
	for i, tool := range p.Tools {
		switch {
		case tool == nil || tool.Name == "":
			return invalid("tool %d has no name", i)
		case names[tool.Name]:
			return invalid("there are two tools %s", quote(tool.Name))
		}
		names[tool.Name] = true
	}
	if p.ToolChoice != nil {
		switch p.ToolChoice.Mode {
		case "", "auto", "required", "none":
		default:
			return invalid("tool choice: mode %s is none of auto, required and none", quote(p.ToolChoice.Mode))
		}
	}
	return nil
}

// checkAssistant returns the ids of the tool uses.
func (s *sampler) checkAssistant(content []mcp.Content) (map[string]bool, error) {
	uses := map[string]bool{}
	for _, block := range content {
		switch block := block.(type) {
		case *mcp.TextContent, *mcp.ImageContent, *mcp.AudioContent:
		case *mcp.ToolUseContent:
			switch {
			case !s.Tools:
				return nil, fmt.Errorf("tool use: this client has not declared sampling.tools")
			case block.ID == "" || block.Name == "":
				return nil, fmt.Errorf("a tool use has no id or no name")
			case uses[block.ID]:
				return nil, fmt.Errorf("two tool uses have the id %s", quote(block.ID))
			}
			uses[block.ID] = true
		default:
			return nil, fmt.Errorf("an assistant message cannot hold %s", kind(block))
		}
	}
	return uses, nil
}

// checkUser holds a message against the tool uses that it has to answer.
func (s *sampler) checkUser(content []mcp.Content, open map[string]bool) error {
	results := map[string]bool{}
	for _, block := range content {
		switch block := block.(type) {
		case *mcp.TextContent:
		case *mcp.ImageContent:
			if !isImage(mediaType(block.MIMEType, block.Data)) || len(block.Data) == 0 {
				return fmt.Errorf("the image has no data, or its media type %s is none of an image", quote(block.MIMEType))
			}
		case *mcp.AudioContent:
			if !s.Audio || len(block.Data) == 0 {
				return fmt.Errorf("the audio has no data, or this client's model takes no audio")
			}
		case *mcp.ToolResultContent:
			switch {
			case !open[block.ToolUseID]:
				return fmt.Errorf("tool result for %s, which is no tool use of the message before", quote(block.ToolUseID))
			case results[block.ToolUseID]:
				return fmt.Errorf("two tool results for %s", quote(block.ToolUseID))
			}
			results[block.ToolUseID] = true
		default:
			return fmt.Errorf("a user message cannot hold %s", kind(block))
		}
	}
	switch {
	case len(results) < len(open):
		return fmt.Errorf("tool result missing in request")
	case len(results) > 0 && len(content) > len(results):
		return fmt.Errorf("tool results mixed with other content")
	}
	return nil
}

// quote is for the texts of servers: no control character, no endless line.
func quote(s string) string {
	const limit = 80
	if r := []rune(s); len(r) > limit {
		s = string(r[:limit]) + "…"
	}
	return fmt.Sprintf("%q", s)
}

func kind(block mcp.Content) string {
	switch block.(type) {
	case nil:
		return "null"
	case *mcp.ToolUseContent:
		return "a tool use"
	case *mcp.ToolResultContent:
		return "a tool result"
	default:
		return "content of this type"
	}
}
