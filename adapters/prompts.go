package adapters

import (
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/llms"
)

// PromptMessages returns the messages of a prompt, one for one: the user's as
// human, the assistant's as AI messages, each with a single part, which is what
// every provider of langchaingo reads.
//
// Text becomes a text part; images, audio and embedded blobs become the parts
// that form says (see [ImageForm]), whatever the role, though few providers take
// anything but text from an assistant. Links and embedded texts, and what form
// has no part for, become the text that [ResultText] describes.
//
// A message with another role, and a result that asks for more input instead
// of giving messages, is an [*Error] of kind [ErrConversion]. A nil result has no
// messages.
func PromptMessages(res *mcp.GetPromptResult, form ImageForm) ([]llms.MessageContent, error) {
	if res == nil {
		return nil, nil
	}
	if res.NeedsInput() {
		return nil, &Error{Kind: ErrConversion, Err: errors.New("the prompt asks for more input before it can be given")}
	}
	messages := make([]llms.MessageContent, 0, len(res.Messages))
	for i, message := range res.Messages {
		if message == nil {
			continue
		}
		role, err := chatRole(message.Role)
		if err != nil {
			return nil, &Error{Kind: ErrConversion, Err: fmt.Errorf("message %d of the prompt: %w", i, err)}
		}
		messages = append(messages, llms.MessageContent{
			Role:  role,
			Parts: []llms.ContentPart{promptPart(message.Content, form)},
		})
	}
	return messages, nil
}

func chatRole(role mcp.Role) (llms.ChatMessageType, error) {
	switch role {
	case "user":
		return llms.ChatMessageTypeHuman, nil
	case "assistant":
		return llms.ChatMessageTypeAI, nil
	default:
		return "", fmt.Errorf("role %s is neither user nor assistant", quoted(string(role)))
	}
}

func promptPart(block mcp.Content, form ImageForm) llms.ContentPart {
	if part, ok := binaryPart(block, form); ok {
		return part
	}
	text, _ := blockText(block)
	return llms.TextPart(clean(text))
}
