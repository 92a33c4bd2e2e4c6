package adapters_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/llms"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

func TestPromptMessages(t *testing.T) {
	res := &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{
		{Role: "user", Content: text("hello\x00")},
		nil,
		{Role: "assistant", Content: text("hi")},
		{Role: "user", Content: &mcp.ImageContent{MIMEType: "image/png", Data: png}},
		{Role: "user", Content: &mcp.AudioContent{MIMEType: "audio/wav", Data: []byte{1}}},
		{Role: "user", Content: embedded(mcp.ResourceContents{URI: "u:1", MIMEType: "text/plain", Text: "text"})},
		{Role: "user", Content: embedded(mcp.ResourceContents{URI: "u:2", MIMEType: "application/pdf", Blob: []byte{1}})},
		{Role: "assistant", Content: &mcp.ResourceLink{URI: "u:3", Name: "n"}},
		{Role: "user", Content: nil},
	}}
	human, ai := llms.ChatMessageTypeHuman, llms.ChatMessageTypeAI
	tests := []struct {
		name string
		form adapters.ImageForm
		want []llms.MessageContent
	}{
		{"binary", adapters.ImagesAsBinary, []llms.MessageContent{
			llms.TextParts(human, "hello\uFFFD"),
			llms.TextParts(ai, "hi"),
			{Role: human, Parts: []llms.ContentPart{llms.BinaryPart("image/png", png)}},
			{Role: human, Parts: []llms.ContentPart{llms.BinaryPart("audio/wav", []byte{1})}},
			llms.TextParts(human, "[resource: u:1, text/plain]\ntext"),
			{Role: human, Parts: []llms.ContentPart{llms.BinaryPart("application/pdf", []byte{1})}},
			llms.TextParts(ai, "[resource: n (u:3)]"),
			llms.TextParts(human, ""),
		}},
		{"data URL", adapters.ImagesAsDataURL, []llms.MessageContent{
			llms.TextParts(human, "hello\uFFFD"),
			llms.TextParts(ai, "hi"),
			{Role: human, Parts: []llms.ContentPart{llms.ImageURLPart("data:image/png;base64,iVBORw0KGgowMDAw")}},
			llms.TextParts(human, "[audio: audio/wav, 1 byte]"),
			llms.TextParts(human, "[resource: u:1, text/plain]\ntext"),
			llms.TextParts(human, "[resource: u:2, application/pdf, 1 byte]"),
			llms.TextParts(ai, "[resource: n (u:3)]"),
			llms.TextParts(human, ""),
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := adapters.PromptMessages(res, test.form)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	if got, err := adapters.PromptMessages(nil, adapters.ImagesAsBinary); got != nil || err != nil {
		t.Errorf("nil result: %v, %v", got, err)
	}
}

func TestPromptMessagesErrors(t *testing.T) {
	var asks mcp.GetPromptResult
	if err := json.Unmarshal([]byte(`{"messages":[],"resultType":"input_required","requestState":"s"}`), &asks); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		res  *mcp.GetPromptResult
		want string
	}{
		{"role", &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{
			{Role: "user", Content: text("a")}, {Role: "system\n", Content: text("b")},
		}}, `message 1 of the prompt: role "system\n" is neither user nor assistant`},
		{"input required", &asks, "asks for more input"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := adapters.PromptMessages(test.res, adapters.ImagesAsBinary)
			if got != nil || !errors.Is(err, adapters.ErrConversion) {
				t.Fatalf("got %v, %v", got, err)
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("%q does not contain %q", err, test.want)
			}
		})
	}
}
