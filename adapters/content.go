package adapters

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// blockText returns what a model reads of one block of content, and false for
// a block that is not there.
func blockText(block mcp.Content) (string, bool) {
	switch c := block.(type) {
	case nil:
		return "", false
	case *mcp.TextContent:
		if c == nil {
			return "", false
		}
		return c.Text, true
	case *mcp.ImageContent:
		if c == nil {
			return "", false
		}
		return placeholder("image", mediaType(c.MIMEType, c.Data), byteCount(len(c.Data))), true
	case *mcp.AudioContent:
		if c == nil {
			return "", false
		}
		return placeholder("audio", mediaType(c.MIMEType, c.Data), byteCount(len(c.Data))), true
	case *mcp.ResourceLink:
		if c == nil {
			return "", false
		}
		return linkText(c), true
	case *mcp.EmbeddedResource:
		if c == nil || c.Resource == nil {
			return "", false
		}
		return resourceText(c.Resource), true
	case *mcp.ToolUseContent:
		if c == nil {
			return "", false
		}
		return placeholder("tool call", c.Name, compactJSON(c.Input)), true
	case *mcp.ToolResultContent:
		if c == nil {
			return "", false
		}
		return ResultText(&mcp.CallToolResult{Content: c.Content, StructuredContent: c.StructuredContent, IsError: c.IsError}, nil), true
	default:
		return "[unsupported content]", true
	}
}

// unreadable is the key in the _meta of a text block that stands for one that
// the SDK cannot decode, under which that block is kept. It is set by
// internal/transport.
const unreadable = "langchaingo-mcp/unreadable"

// saysSomething reports whether a block is text of the tool.
func saysSomething(block mcp.Content) bool {
	c, ok := block.(*mcp.TextContent)
	if !ok || c == nil || blank(c.Text) {
		return false
	}
	_, standsIn := c.Meta[unreadable]
	return !standsIn
}

// resourceText is the text of a resource under a line that says where it is
// from. The specification lets a resource hold either text or a blob.
func resourceText(r *mcp.ResourceContents) string {
	if r.Blob != nil {
		return placeholder("resource", r.URI, mediaType(r.MIMEType, r.Blob), byteCount(len(r.Blob)))
	}
	return placeholder("resource", r.URI, r.MIMEType) + "\n" + r.Text
}

func linkText(l *mcp.ResourceLink) string {
	name := l.Name
	if name == "" {
		name = l.Title
	}
	details := []string{l.URI, l.MIMEType}
	if l.Size != nil {
		details = append(details, byteCount(*l.Size))
	}
	text := joinNonEmpty(", ", details...)
	if name != "" && text != "" {
		text = name + " (" + text + ")"
	} else {
		text = name + text
	}
	if l.Description != "" {
		text += ": " + l.Description
	}
	return placeholder("resource", text)
}

// placeholder returns "[kind: detail, detail]" on one line, without the details
// that are empty.
func placeholder(kind string, details ...string) string {
	s := joinNonEmpty(", ", details...)
	if s == "" {
		return "[" + kind + "]"
	}
	return "[" + kind + ": " + oneLine(s) + "]"
}

func joinNonEmpty(sep string, parts ...string) string {
	kept := make([]string, 0, len(parts))
	for _, part := range parts {
		if part != "" {
			kept = append(kept, part)
		}
	}
	return strings.Join(kept, sep)
}

func byteCount[N int | int64](n N) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}

// clean makes s fit for a model's request: valid UTF-8, and no NUL, which
// several providers and most databases refuse.
func clean(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// plain makes s fit to describe something to a model: what clean does, and U+FFFD
// for what makes a model read other than a person who looks at the text is shown.
func plain(s string) string {
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(clean(s))
	return strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && unicode.IsControl(r) || deceptive(r) {
			return utf8.RuneError
		}
		return r
	}, s)
}

// deceptive reports whether a character overrides, embeds or isolates a direction of
// writing, so that text looks other than it is, or is a tag, which is never shown and
// which models read. Marks of direction and joiners, which scripts need, are not.
func deceptive(r rune) bool {
	return '\u202A' <= r && r <= '\u202E' || '\u2066' <= r && r <= '\u2069' || 0xE0000 <= r && r <= 0xE007F
}

// oneLine keeps a foreign string from breaking the line that it is put in.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsControl(r), r == '\u2028', r == '\u2029':
			return ' '
		case deceptive(r):
			return utf8.RuneError
		}
		return r
	}, s)
}

// prefix returns at most n bytes of s, whole characters only.
func prefix(s string, n int) string {
	if n >= len(s) {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:max(n, 0)]
}
