package adapters_test

import (
	"encoding/base64"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/llms"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

func TestResultParts(t *testing.T) {
	jpeg := []byte("\xff\xd8\xff\xe0")
	res := content(
		text("a"),
		&mcp.ImageContent{MIMEType: "IMAGE/PNG; q=1", Data: png},
		&mcp.AudioContent{MIMEType: "audio/wav", Data: []byte{1}},
		embedded(mcp.ResourceContents{URI: "u:1", Blob: jpeg}),
		embedded(mcp.ResourceContents{URI: "u:2", MIMEType: "application/octet-stream", Blob: []byte{0, 1, 2}}),
		embedded(mcp.ResourceContents{URI: "u:3", Text: "text"}),
		&mcp.ResourceLink{URI: "u:4", MIMEType: "image/png"},
		&mcp.ImageContent{MIMEType: "image/png"},
		&mcp.ImageContent{MIMEType: "image/png;base64,AAAA", Data: jpeg},
		nil, (*mcp.ImageContent)(nil), (*mcp.AudioContent)(nil), (*mcp.EmbeddedResource)(nil), &mcp.EmbeddedResource{},
	)
	url := func(media string, data []byte) llms.ContentPart {
		return llms.ImageURLContent{URL: "data:" + media + ";base64," + base64.StdEncoding.EncodeToString(data)}
	}
	tests := []struct {
		name string
		form adapters.ImageForm
		want []llms.ContentPart
	}{
		{"binary", adapters.ImagesAsBinary, []llms.ContentPart{
			llms.BinaryContent{MIMEType: "image/png", Data: png},
			llms.BinaryContent{MIMEType: "audio/wav", Data: []byte{1}},
			llms.BinaryContent{MIMEType: "image/jpeg", Data: jpeg},
			llms.BinaryContent{MIMEType: "application/octet-stream", Data: []byte{0, 1, 2}},
			llms.BinaryContent{MIMEType: "image/jpeg", Data: jpeg},
		}},
		{"data URL", adapters.ImagesAsDataURL, []llms.ContentPart{
			url("image/png", png), url("image/jpeg", jpeg), url("image/jpeg", jpeg),
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, adapters.ResultParts(res, test.form)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
	if parts := adapters.ResultParts(nil, adapters.ImagesAsBinary); parts != nil {
		t.Errorf("nil result: %v", parts)
	}
	if parts := adapters.ResultParts(content(text("a")), adapters.ImagesAsBinary); parts != nil {
		t.Errorf("text only: %v", parts)
	}
}
