package sampling

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"unicode"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/llms"
)

// part returns the part for an image.
func (f ImageForm) part(media string, data []byte) llms.ContentPart {
	if f == ImagesAsDataURL {
		return llms.ImageURLPart("data:" + media + ";base64," + base64.StdEncoding.EncodeToString(data))
	}
	return llms.BinaryPart(media, data)
}

// placeholder stands in a text for content that is not text.
func placeholder(what, declared string, data []byte) string {
	return fmt.Sprintf("[%s: %s, %d bytes]", what, mediaType(declared, data), len(data))
}

// mediaType returns the type that the server declared for data, without
// parameters, or what data looks like when that says nothing. A foreign string
// never goes into a data: URL or a provider's request as it came.
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

func isImage(media string) bool { return strings.HasPrefix(media, "image/") }

// clean makes s fit for a provider's request: valid UTF-8, and no NUL.
func clean(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// resultText returns what a model reads of a tool's result. attach is given
// images and audio; it returns the text that refers to them.
func resultText(result *mcp.ToolResultContent, attach func(block mcp.Content) string) string {
	var lines []string
	texts := false
	for _, block := range result.Content {
		switch block := block.(type) {
		case *mcp.TextContent:
			texts = texts || strings.TrimSpace(block.Text) != ""
			lines = append(lines, block.Text)
		case *mcp.ResourceLink:
			lines = append(lines, oneLine("[resource: "+strings.TrimSpace(block.Name+" "+block.URI+" "+block.Description)+"]"))
		case *mcp.EmbeddedResource:
			switch {
			case block.Resource == nil:
			case block.Resource.Blob != nil:
				lines = append(lines, oneLine(placeholder("resource "+block.Resource.URI, block.Resource.MIMEType, block.Resource.Blob)))
			default:
				lines = append(lines, oneLine("[resource: "+block.Resource.URI+"]"), block.Resource.Text)
			}
		case *mcp.ImageContent, *mcp.AudioContent:
			lines = append(lines, attach(block))
		}
	}
	if result.StructuredContent != nil && !texts {
		// Where there is text, servers repeat in it what is structured.
		lines = append(lines, compactJSON(result.StructuredContent))
	}
	text := clean(strings.Join(lines, "\n"))
	switch {
	case !result.IsError:
	case strings.TrimSpace(text) == "":
		text = "Error: the tool reported a failure without saying why."
	case !strings.HasPrefix(strings.ToLower(strings.TrimSpace(text)), "error"):
		text = "Error: " + text // langchaingo has no other sign of it
	}
	return text
}

// compactJSON returns v as JSON; it comes from JSON.
func compactJSON(v any) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(v)
	return strings.TrimSuffix(b.String(), "\n")
}

// oneLine keeps a foreign string from breaking the line that it is put in.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s)
}
