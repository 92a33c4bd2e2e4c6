package adapters

import (
	"encoding/base64"
	"mime"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/llms"
)

// An ImageForm says which langchaingo part carries an image. langchaingo's
// providers do not agree on one, and each fails on the form of the other.
type ImageForm int

const (
	// ImagesAsBinary: [llms.BinaryContent], for Anthropic, Google AI, Vertex,
	// Bedrock and Ollama.
	ImagesAsBinary ImageForm = iota

	// ImagesAsDataURL: [llms.ImageURLContent] with a data: URL, for OpenAI and
	// whatever is reached through langchaingo's openai package. No part of that
	// package carries anything but images: audio and other blobs are left out.
	ImagesAsDataURL
)

// ResultParts returns the images, the audio and the blobs of a result, in
// order, or nil if there are none. The data is shared with the result.
//
// langchaingo's tool messages hold text only, so a model gets to see an image
// in a message after the one with [ResultText]:
//
//	history = append(history, llms.MessageContent{
//		Role:  llms.ChatMessageTypeHuman,
//		Parts: adapters.ResultParts(res, adapters.ImagesAsBinary),
//	})
//
// The media type is the server's, without parameters. Where it is missing, no
// media type or application/octet-stream, the one that the data looks like is
// taken. Blocks without data are left out.
func ResultParts(res *mcp.CallToolResult, form ImageForm) []llms.ContentPart {
	if res == nil {
		return nil
	}
	var parts []llms.ContentPart
	for _, block := range res.Content {
		if part, ok := binaryPart(block, form); ok {
			parts = append(parts, part)
		}
	}
	return parts
}

// binaryPart returns the part for a block that holds bytes, and false for a
// block that does not or that form has no part for.
func binaryPart(block mcp.Content, form ImageForm) (llms.ContentPart, bool) {
	declared, data := blockData(block)
	if len(data) == 0 {
		return nil, false
	}
	media := mediaType(declared, data)
	if form != ImagesAsDataURL {
		return llms.BinaryPart(media, data), true
	}
	if !strings.HasPrefix(media, "image/") {
		return nil, false
	}
	return llms.ImageURLPart("data:" + media + ";base64," + base64.StdEncoding.EncodeToString(data)), true
}

func blockData(block mcp.Content) (mimeType string, data []byte) {
	switch c := block.(type) {
	case *mcp.ImageContent:
		if c != nil {
			return c.MIMEType, c.Data
		}
	case *mcp.AudioContent:
		if c != nil {
			return c.MIMEType, c.Data
		}
	case *mcp.EmbeddedResource:
		if c != nil && c.Resource != nil {
			return c.Resource.MIMEType, c.Resource.Blob
		}
	}
	return "", nil
}

// mediaType returns the type that the server declared for data, or what data
// looks like when that says nothing. A foreign string never goes into a data:
// URL or a provider's request as it came.
func mediaType(declared string, data []byte) string {
	const unknown = "application/octet-stream"
	media, _, err := mime.ParseMediaType(declared)
	if err == nil && strings.Contains(media, "/") && media != unknown {
		return media
	}
	if len(data) == 0 {
		return unknown
	}
	media, _, _ = mime.ParseMediaType(http.DetectContentType(data))
	return media
}
