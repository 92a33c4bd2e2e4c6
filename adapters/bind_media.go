package adapters

import (
	"encoding/base64"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"
)

// fitMedia returns messages with their images in the form that the provider
// takes. Nothing is lost by that: bytes become a data: URL, or the other way
// round. The messages given are not changed.
func (d *dialect) fitMedia(messages []llms.MessageContent) []llms.MessageContent {
	if !d.known {
		return messages
	}
	copied := false
	for i, message := range messages {
		for j, part := range message.Parts {
			fitted, changed := d.fitPart(part)
			if !changed {
				continue
			}
			if !copied {
				messages, copied = slices.Clone(messages), true
			}
			if &messages[i].Parts[0] == &message.Parts[0] {
				messages[i].Parts = slices.Clone(message.Parts)
			}
			messages[i].Parts[j] = fitted
		}
	}
	return messages
}

func (d *dialect) fitPart(part llms.ContentPart) (llms.ContentPart, bool) {
	switch part := part.(type) {
	case llms.BinaryContent:
		if d.imageForm == ImagesAsDataURL && strings.HasPrefix(part.MIMEType, "image/") {
			return llms.ImageURLPart(dataURL(part.MIMEType, part.Data)), true
		}
	case llms.ImageURLContent:
		if media, data, ok := parseDataURL(part.URL); ok && d.imageForm == ImagesAsBinary {
			return llms.BinaryPart(media, data), true
		}
	}
	return part, false
}

func dataURL(mediaType string, data []byte) string {
	return "data:" + mediaType + ";base64," + base64.StdEncoding.EncodeToString(data)
}

// parseDataURL returns what a data: URL in base64 holds.
func parseDataURL(url string) (mediaType string, data []byte, ok bool) {
	header, encoded, found := strings.Cut(url, ",")
	header, isData := strings.CutPrefix(header, "data:")
	mediaType, isBase64 := strings.CutSuffix(header, ";base64")
	if !found || !isData || !isBase64 || mediaType == "" {
		return "", nil, false
	}
	data, err := base64.StdEncoding.DecodeString(encoded)
	return mediaType, data, err == nil
}

// isCommonImage reports whether OpenAI and Anthropic take images of the type:
// platform.openai.com/docs/guides/images-vision and
// docs.anthropic.com/en/docs/build-with-claude/vision name these four.
func isCommonImage(mediaType string) bool {
	switch mediaType {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	}
	return false
}

// isGeminiMedia reports whether Gemini takes bytes of the type:
// ai.google.dev/gemini-api/docs, image, document, audio and video understanding.
func isGeminiMedia(mediaType string) bool {
	switch mediaType {
	case "image/png", "image/jpeg", "image/webp", "image/heic", "image/heif", "application/pdf",
		"audio/wav", "audio/mp3", "audio/mpeg", "audio/aiff", "audio/aac", "audio/ogg", "audio/flac",
		"video/mp4", "video/mpeg", "video/webm":
		return true
	}
	return false
}

// noMedia is for providers whose langchaingo package sends text only.
func noMedia(string) bool { return false }
