package adapters

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/tools"

	"github.com/langchaingo-mcp/mcpadapters/interceptors"
)

// Names of the tools that [SearchTools] returns.
const (
	FindToolsName = "find_tools"
	CallToolName  = "call_tool"
)

// SearchOptions are the options of [SearchTools]. A nil *SearchOptions is the
// zero value.
type SearchOptions struct {
	// Limit is how many tools are found at once unless the model asks for
	// another number. 0 or less means 5. The model gets at most 20.
	Limit int

	// MaxText bounds what find_tools returns, in bytes; a tool whose schema
	// does not fit is shown without it. 0 or less means 32 KiB.
	MaxText int

	// Tool is for the two tools themselves.
	Tool ToolOptions
}

const (
	defaultFound   = 5
	maxFound       = 20
	defaultMaxText = 32 << 10
	maxNear        = 5
)

// SearchTools returns two tools in place of hundreds, which no model handles:
// find_tools finds tools by what they do and shows their arguments, and
// call_tool calls one by its name. Give them to a model instead of the tools.
//
//	search := adapters.SearchTools(func(ctx context.Context) ([]tools.Tool, error) { return client.Tools(ctx) }, nil)
//	llm := adapters.BindTools(model, search)
//
// list returns the tools; it is called for each call of either, and should be
// quick when nothing has changed. Nil tools are skipped. If it returns tools and an
// error, as a client some of whose servers fail does, the tools count.
//
// A tool is called as [Tool.Call] does, through the interceptors and with the
// callbacks that it has, which are told its own name. The result is its whole
// result. Nothing is called that list does not return. For any other type of
// tool the arguments are given as compact JSON, or, if there is but one, a string
// called "input", as that string.
func SearchTools(list func(context.Context) ([]tools.Tool, error), opts *SearchOptions) []tools.Tool {
	s := &searcher{list: list}
	if opts != nil {
		s.opts = *opts
	}
	if s.opts.Limit <= 0 {
		s.opts.Limit = defaultFound
	}
	if s.opts.MaxText <= 0 {
		s.opts.MaxText = defaultMaxText
	}
	return []tools.Tool{
		s.tool(FindToolsName, "Finds tools by what they do. Describe the task in a few words. "+
			"The result shows the names of the tools that fit best, with their descriptions and the JSON schemas of their arguments. Call one with "+CallToolName+".",
			`{"type":"object","properties":{
				"query":{"type":"string","description":"what the tool should do, in a few words"},
				"limit":{"type":"integer","description":"how many tools to show, at most 20"}},
			"required":["query"]}`, &mcp.ToolAnnotations{ReadOnlyHint: true}, s.find),
		s.tool(CallToolName, "Calls a tool that "+FindToolsName+" has found.",
			`{"type":"object","properties":{
				"name":{"type":"string","description":"the name of the tool, as `+FindToolsName+` shows it"},
				"arguments":{"type":"object","description":"the arguments of the tool, by its schema","additionalProperties":true}},
			"required":["name"]}`, nil, s.call),
	}
}

// A searcher finds and calls tools.
type searcher struct {
	list func(context.Context) ([]tools.Tool, error)
	opts SearchOptions

	mu    sync.Mutex
	of    []tools.Tool // what index is of
	index *ToolIndex
}

func (s *searcher) tool(name, description, schema string, annotations *mcp.ToolAnnotations, handler interceptors.Handler) *Tool {
	t, err := NewTool(ToolConfig{
		Name: name, Handler: handler, Options: s.opts.Tool,
		Tool: &mcp.Tool{Name: name, Description: description, Annotations: annotations, InputSchema: json.RawMessage(schema)},
	})
	if err != nil {
		panic(err) // nothing is missing
	}
	return t
}

// current returns the tools and their index, made anew if the tools changed.
func (s *searcher) current(ctx context.Context) ([]tools.Tool, *ToolIndex, error) {
	list, err := s.list(ctx)
	if slices.ContainsFunc(list, isNilTool) {
		list = slices.DeleteFunc(slices.Clone(list), isNilTool)
	}
	if err != nil && len(list) == 0 {
		return nil, nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.index == nil || !slices.EqualFunc(list, s.of, sameTool) {
		s.of, s.index = slices.Clone(list), NewToolIndex(list)
	}
	return list, s.index, nil
}

func isNilTool(tool tools.Tool) bool { return isNil(tool) }

// sameTool compares only what can be compared.
func sameTool(a, b tools.Tool) bool {
	x, ok := a.(*Tool)
	y, also := b.(*Tool)
	return ok && also && x == y
}

func (s *searcher) find(ctx context.Context, req *interceptors.Request) (*mcp.CallToolResult, error) {
	query, _ := req.Arguments["query"].(string)
	limit := s.opts.Limit
	if n, ok := req.Arguments["limit"].(json.Number); ok {
		if i, err := n.Int64(); err == nil && i > 0 {
			limit = int(min(i, maxFound))
		}
	}
	list, index, err := s.current(ctx)
	if err != nil {
		return nil, err
	}
	found := index.Find(query, limit)
	if len(found) == 0 {
		return textResult(fmt.Sprintf("None of the %d tools fits. Try other words. %s", len(list), serversOf(list))), nil
	}
	var b strings.Builder
	for i, tool := range found {
		entry := foundTool{Name: tool.Name(), Description: tool.Description()}
		if t, ok := tool.(*Tool); ok {
			entry.Server, entry.Description, entry.Arguments = t.ServerName(), t.description(), t.Schema()
		}
		line := compactJSON(entry)
		if b.Len()+len(line) > s.opts.MaxText {
			entry.Arguments = nil
			entry.Description = prefix(entry.Description, 500)
			line = compactJSON(entry)
		}
		if b.Len()+len(line) > s.opts.MaxText && i > 0 {
			fmt.Fprintf(&b, "[%d more tools fit]\n", len(found)-i)
			break
		}
		b.WriteString(line + "\n")
	}
	return textResult(strings.TrimSuffix(b.String(), "\n")), nil
}

// foundTool is how a tool is shown.
type foundTool struct {
	Name        string         `json:"name"`
	Server      string         `json:"server,omitempty"`
	Description string         `json:"description,omitempty"`
	Arguments   map[string]any `json:"arguments,omitempty"`
}

// serversOf names the servers of the tools.
func serversOf(list []tools.Tool) string {
	var names []string
	for _, tool := range list {
		if t, ok := tool.(*Tool); ok && t.ServerName() != "" && !slices.Contains(names, quoted(t.ServerName())) {
			names = append(names, quoted(t.ServerName()))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "They belong to " + strings.Join(names[:min(len(names), 50)], ", ") + "."
}

func textResult(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

func (s *searcher) call(ctx context.Context, req *interceptors.Request) (*mcp.CallToolResult, error) {
	name, _ := req.Arguments["name"].(string)
	list, index, err := s.current(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(list, func(t tools.Tool) bool { return t.Name() == name })
	if i < 0 {
		near := ""
		for _, tool := range index.Find(name, maxNear) {
			near += " " + tool.Name()
		}
		if near != "" {
			near = " Similar names:" + near + "."
		}
		return errorResult(fmt.Sprintf("there is no tool %s.%s Find tools with %s.", quoted(name), near, FindToolsName)), nil
	}
	input := "{}"
	switch v := req.Arguments["arguments"].(type) {
	case nil:
	case string:
		input = v // models write objects as strings
	default:
		input = compactJSON(v)
	}
	tool, ok := list[i].(*Tool)
	if !ok {
		return callOther(ctx, list[i], input, req.Arguments["arguments"])
	}
	text, res, failure := tool.observedCall(ctx, input)
	switch {
	case failure == nil, res != nil:
		return tool.shown(res), nil
	case failure.Kind == ErrCallFailed:
		return nil, failure
	}
	return errorResult(text), nil
}

// callOther calls a tool that takes text.
func callOther(ctx context.Context, tool tools.Tool, input string, arguments any) (*mcp.CallToolResult, error) {
	if m, ok := arguments.(map[string]any); ok && len(m) == 1 {
		if text, ok := m["input"].(string); ok {
			input = text
		}
	}
	text, err := tool.Call(ctx, input)
	switch {
	case err == nil:
		return textResult(text), nil
	case ctx.Err() != nil:
		return nil, errors.Join(ctx.Err(), err)
	}
	return errorResult(err.Error()), nil
}
