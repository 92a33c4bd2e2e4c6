package multiclient

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/tools"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
)

// Bounds of what a model is given at once.
const (
	modelPage = 50       // items of a list
	modelText = 32 << 10 // bytes of a text
)

const (
	serverProperty = `"server":{"type":"string","description":"the name of the server"}`
	offsetProperty = `"offset":{"type":"integer","description":"where to go on, as an earlier result says; 0 at first"}`
)

// ResourceTools returns the tools list_resources and read_resource, by which a
// model reaches the resources of the servers. They are not among
// [MultiServerClient.Tools] and do not pass the interceptors. Lists and texts are
// given in bounded parts, with what to ask for next; images and other blobs are
// in the whole result ([adapters.Tool.Invoke]).
func (c *MultiServerClient) ResourceTools() []tools.Tool {
	return []tools.Tool{
		c.modelTool("list_resources", "Lists the resources (documents, data) that can be read with read_resource, and templates of their URIs.",
			`{"type":"object","properties":{`+serverProperty+`,`+offsetProperty+`}}`, c.modelListResources),
		c.modelTool("read_resource", "Reads a resource that list_resources shows, or a tool's result refers to.",
			`{"type":"object","properties":{`+serverProperty+`,"uri":{"type":"string","description":"the URI of the resource"},`+offsetProperty+`},"required":["server","uri"]}`, c.modelReadResource),
	}
}

// PromptTools returns the tools list_prompts and get_prompt, by which a model
// reaches the prompts of the servers, like [MultiServerClient.ResourceTools].
// Arguments are checked against those that the prompt declares.
func (c *MultiServerClient) PromptTools() []tools.Tool {
	return []tools.Tool{
		c.modelTool("list_prompts", "Lists the prompts (prepared instructions) that can be had with get_prompt, with their arguments.",
			`{"type":"object","properties":{`+serverProperty+`,`+offsetProperty+`}}`, c.modelListPrompts),
		c.modelTool("get_prompt", "Gets the text of a prompt that list_prompts shows.",
			`{"type":"object","properties":{`+serverProperty+`,"name":{"type":"string","description":"the name of the prompt"},"arguments":{"type":"object","description":"the arguments of the prompt: strings","additionalProperties":{"type":"string"}},`+offsetProperty+`},"required":["server","name"]}`, c.modelGetPrompt),
	}
}

func (c *MultiServerClient) modelTool(name, description, schema string, run func(context.Context, modelInput) (*mcp.CallToolResult, error)) tools.Tool {
	tool, err := adapters.NewTool(adapters.ToolConfig{
		Name: name, Options: c.opts.Tool,
		Tool: &mcp.Tool{Name: name, Description: description, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}, InputSchema: json.RawMessage(schema)},
		Handler: func(ctx context.Context, req *interceptors.Request) (*mcp.CallToolResult, error) {
			res, err := run(ctx, modelInput(req.Arguments))
			var own *Error
			if errors.As(err, &own) && (own.Kind == ErrUnknownServer || own.Kind == ErrRefused || own.Kind == ErrBadArguments) || errors.Is(err, adapters.ErrBadArguments) {
				// The model can do something about it.
				return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "Error: " + err.Error()}}}, nil
			}
			return res, err
		},
	})
	if err != nil {
		panic(err) // nothing is missing
	}
	return tool
}

// modelInput is the arguments that a model wrote.
type modelInput map[string]any

func (m modelInput) text(name string) string {
	s, _ := m[name].(string)
	return s
}

func (m modelInput) servers() []string {
	if s := m.text("server"); s != "" {
		return []string{s}
	}
	return nil
}

func (m modelInput) offset() int {
	switch n := m["offset"].(type) {
	case json.Number:
		i, err := n.Int64()
		if err == nil && i > 0 {
			return int(min(i, 1<<40))
		}
	case float64:
		if n > 0 && n < 1<<40 {
			return int(n)
		}
	}
	return 0
}

// modelList shows a part of a list, a line of JSON for each item.
func modelList[T any](items []T, offset int, err error) (*mcp.CallToolResult, error) {
	if err != nil && len(items) == 0 {
		return nil, err
	}
	var b strings.Builder
	if len(items) == 0 {
		b.WriteString("There are none.\n")
	}
	at := min(offset, len(items))
	for n := 0; at < len(items) && n < modelPage; n++ {
		line, err := modelLine(items[at])
		if err != nil || len(line) > modelText {
			line = fmt.Sprintf("[item %d is too large to show]\n", at)
		}
		if n > 0 && b.Len()+len(line) > modelText {
			break
		}
		b.WriteString(line)
		at++
	}
	if at < len(items) {
		fmt.Fprintf(&b, "[%d of %d; go on with offset %d]\n", at, len(items), at)
	}
	for _, e := range ServerErrors(err) {
		fmt.Fprintf(&b, "[server %q could not be asked: %s]\n", e.Server, e.Kind)
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: strings.TrimSuffix(b.String(), "\n")}}}, nil
}

// modelLine returns a line of JSON that shows everything that it holds: what does not
// print is escaped, so that URIs and names can still be repeated. See
// [adapters.Tool.Description] for why.
func modelLine(item any) (string, error) {
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(item); err != nil {
		return "", err
	}
	const zeroWidthNonJoiner, zeroWidthJoiner, leftToRight, rightToLeft = '\u200c', '\u200d', '\u200e', '\u200f'
	var b strings.Builder
	for _, r := range line.String() {
		switch {
		case r == '\n', unicode.IsPrint(r), unicode.Is(unicode.Zs, r), r == zeroWidthNonJoiner, r == zeroWidthJoiner, r == leftToRight, r == rightToLeft:
			b.WriteRune(r)
		default:
			for _, unit := range utf16.AppendRune(nil, r) {
				fmt.Fprintf(&b, `\u%04x`, unit)
			}
		}
	}
	return b.String(), nil
}

// modelPart shows a part of a text.
func modelPart(text string, offset int) string {
	at := min(offset, len(text))
	for at < len(text) && !utf8.RuneStart(text[at]) {
		at++
	}
	end := min(at+modelText, len(text))
	for end < len(text) && end > at && !utf8.RuneStart(text[end]) {
		end--
	}
	part := text[at:end]
	if end < len(text) {
		part += fmt.Sprintf("\n[%d of %d bytes; go on with offset %d]", end, len(text), end)
	}
	return part
}
