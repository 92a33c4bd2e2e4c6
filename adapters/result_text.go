package adapters

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TextOptions are the options of [ResultText]. A nil *TextOptions is the zero
// value.
type TextOptions struct {
	// MaxBytes limits the text of the result. What is over it is cut between
	// two characters, and a line that says how much is shown comes after it, on
	// top of the limit. Zero or less is no limit.
	MaxBytes int
}

// noErrorText stands for an error result without any text.
const noErrorText = "Error: the tool reported a failure without saying why."

// ResultText returns what a model reads of a tool's result. It never fails,
// whatever the result holds.
//
// Blocks of content follow each other, a line break between them, in the order
// of the server:
//
//	text               the text itself: the result of a tool with one text block is just that text
//	image, audio       [image: image/png, 1234 bytes]
//	resource link      [resource: name (uri, type, size): description]
//	embedded text      [resource: uri, type] and the text on the next line
//	embedded blob      [resource: uri, type, 1234 bytes]
//	use of a tool      [tool call: name, {"argument":"value"}]
//	result of a tool   what this function returns for it
//	anything else      [unsupported content]
//
// The bytes of images, audio and blobs are had from [ResultParts].
//
// Structured content is shown as compact JSON when no block holds text; where
// one does it is left out, since the specification has servers repeat it as
// text (2025-11-25, server/tools, structured content). That of an error is left
// out only if a block does repeat it: what went wrong is often told there alone.
// The _meta of a result is never shown.
//
// A result with IsError set begins with "Error: ", unless its text begins with
// the word "error" already in whatever case, so that a model can tell: no
// provider is given another sign by langchaingo. One without any text says so.
//
// The text is valid UTF-8 and has no NUL: U+FFFD takes their place. Other
// control characters are left alone. A nil result, and one that holds nothing,
// is the empty string.
func ResultText(res *mcp.CallToolResult, opts *TextOptions) string {
	if res == nil {
		return ""
	}
	chunks := resultChunks(res)
	if res.IsError {
		chunks = markError(chunks)
	}
	limit := 0
	if opts != nil {
		limit = opts.MaxBytes
	}
	return joinLimited(chunks, limit)
}

// resultChunks returns the pieces that make up the text of res, as they came.
func resultChunks(res *mcp.CallToolResult) []string {
	chunks := make([]string, 0, len(res.Content)+1)
	told := false
	for _, block := range res.Content {
		text, ok := blockText(block)
		if !ok {
			continue
		}
		chunks = append(chunks, text)
		if saysSomething(block) {
			told = told || !res.IsError || repeats(text, res.StructuredContent)
		}
	}
	if res.StructuredContent != nil && !told {
		if allBlank(chunks) {
			chunks = chunks[:0]
		}
		chunks = append(chunks, compactJSON(res.StructuredContent))
	}
	return chunks
}

// repeats reports whether text is structured content as JSON.
func repeats(text string, structured any) bool {
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return false
	}
	return compactJSON(v) == compactJSON(structured)
}

// markError makes chunks, which it may change, recognisable as an error.
func markError(chunks []string) []string {
	if allBlank(chunks) {
		return []string{noErrorText}
	}
	chunks[0] = errorText(chunks[0])
	return chunks
}

// errorText marks text as an error, unless it is one on the face of it.
func errorText(text string) string {
	const word = "error"
	if start := strings.TrimSpace(text); len(start) >= len(word) && strings.EqualFold(start[:len(word)], word) {
		return text
	}
	return "Error: " + text
}

// joinLimited joins chunks by line breaks and cuts the whole to limit bytes.
func joinLimited(chunks []string, limit int) string {
	var b strings.Builder
	total, cut := 0, false
	add := func(s string) {
		total += len(s)
		if cut {
			return
		}
		if limit > 0 && b.Len()+len(s) > limit {
			s, cut = prefix(s, limit-b.Len()), true
		}
		b.WriteString(s)
	}
	for i, chunk := range chunks {
		if i > 0 {
			add("\n")
		}
		add(clean(chunk))
	}
	if !cut {
		return b.String()
	}
	return fmt.Sprintf("%s\n[cut: this is the first %d of %d bytes]", b.String(), b.Len(), total)
}

// compactJSON never fails: what cannot be JSON (it can only come from an
// interceptor) is named instead.
func compactJSON(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Sprintf("[structured content that is no JSON: %T]", v)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

func allBlank(chunks []string) bool {
	for _, chunk := range chunks {
		if !blank(chunk) {
			return false
		}
	}
	return true
}
