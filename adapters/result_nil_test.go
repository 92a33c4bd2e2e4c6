package adapters_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/tools"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
)

// A block that is nil, such as interceptors leave behind, costs itself.
func TestNilBlocks(t *testing.T) {
	t.Parallel()
	var noText *mcp.TextContent
	var noAudio *mcp.AudioContent
	say := &mcp.TextContent{Text: "said"}
	for name, test := range map[string]struct {
		content []mcp.Content
		want    string
	}{
		"nil":                {[]mcp.Content{nil, say, nil}, "said"},
		"a nil text":         {[]mcp.Content{noText, say}, "said"},
		"a nil audio":        {[]mcp.Content{say, noAudio}, "said"},
		"an empty resource":  {[]mcp.Content{&mcp.EmbeddedResource{}, say}, "said"},
		"inside of a result": {[]mcp.Content{&mcp.ToolResultContent{ToolUseID: "1", Content: []mcp.Content{nil, say}}}, "said"},
		"nothing else":       {[]mcp.Content{nil}, ""},
		"no content":         {nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			given := &mcp.CallToolResult{Content: test.content}
			tool := newTool(t, nil, adapters.ToolOptions{}, func(context.Context, *interceptors.Request) (*mcp.CallToolResult, error) { return given, nil })
			if got, err := tool.Call(t.Context(), "{}"); got != test.want || err != nil {
				t.Errorf("Call gives %q, %v", got, err)
			}
			if got, err := adapters.CallTool(t.Context(), tool, "{}", adapters.ErrorsDefault); got != test.want || err != nil {
				t.Errorf("CallTool gives %q, %v", got, err)
			}
			cs := serveTools(t, nil, func(s *mcp.Server) { mustAdd(t, s, tools.Tool(tool), nil) })
			res, err := cs.CallTool(t.Context(), &mcp.CallToolParams{Name: tool.Name()})
			if err != nil || res.IsError || adapters.ResultText(res, nil) != test.want {
				t.Errorf("a client gets %v, %v", res, err)
			}
			if len(given.Content) != len(test.content) || !cmp.Equal(given.Content, test.content) {
				t.Error("what the handler returned was changed")
			}
		})
	}
}
