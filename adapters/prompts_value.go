package adapters

import (
	"strings"

	"github.com/tmc/langchaingo/llms"
)

// A PromptValue is the messages of a prompt, as [PromptMessages] returns them,
// where langchaingo wants an [llms.PromptValue]: chains and templates take it.
type PromptValue []llms.MessageContent

var _ llms.PromptValue = PromptValue(nil)

// String returns the texts, a line "Human: ..." or "AI: ..." for each message.
func (v PromptValue) String() string {
	text, err := llms.GetBufferString(v.Messages(), "Human", "AI")
	if err != nil {
		return "" // there is no message of a kind that it does not know
	}
	return text
}

// Messages returns one message for each. They hold text only, as langchaingo's
// do: images and audio are left out, except that a message with nothing else
// says what it held.
func (v PromptValue) Messages() []llms.ChatMessage {
	messages := make([]llms.ChatMessage, 0, len(v))
	for _, m := range v {
		var texts []string
		for _, part := range m.Parts {
			if text := partText(part); text != "" {
				texts = append(texts, text)
			}
		}
		text := strings.Join(texts, "\n")
		if m.Role == llms.ChatMessageTypeAI {
			messages = append(messages, llms.AIChatMessage{Content: text})
		} else {
			messages = append(messages, llms.HumanChatMessage{Content: text})
		}
	}
	return messages
}

func partText(part llms.ContentPart) string {
	switch p := part.(type) {
	case llms.TextContent:
		return p.Text
	case llms.BinaryContent:
		return placeholder("content", p.MIMEType, byteCount(len(p.Data)))
	case llms.ImageURLContent:
		return placeholder("image")
	}
	return ""
}
