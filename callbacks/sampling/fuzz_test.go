package sampling_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/llms"

	"github.com/langchaingo-mcp/mcpadapters/callbacks/sampling"
)

// Whatever a server sends is refused as invalid, or becomes what every provider
// takes.
func FuzzRequest(f *testing.F) {
	f.Add(conversation)
	f.Add(`{"maxTokens":1,"messages":[{"role":"user","content":{"type":"text","text":"hi"}}]}`)
	f.Add(`{"maxTokens":1,"messages":[{"role":"user","content":[{"type":"audio","data":"AAAA","mimeType":"audio/wav"},{"type":"image","data":"` + png64 + `","mimeType":""}]}]}`)
	f.Add(`{"tools":[{"name":"a.b"},{"name":"a/b","inputSchema":[]}],"toolChoice":{"mode":"none"},"messages":[{"role":"assistant","content":{"type":"tool_use","id":"1","name":"a b"}},
		{"role":"user","content":{"type":"tool_result","toolUseId":"1","isError":true,"structuredContent":[1],"content":[{"type":"resource","resource":{"uri":"x","blob":"AA=="}},{"type":"resource_link","uri":"\n"}]}}]}`)
	f.Fuzz(func(t *testing.T, params string) {
		req := &mcp.CreateMessageWithToolsRequest{Params: new(mcp.CreateMessageWithToolsParams)}
		if json.Unmarshal([]byte(params), req.Params) != nil {
			return // the SDK refuses it
		}
		model := &scriptedModel{answer: answer(&llms.ContentChoice{Content: "ok", ToolCalls: []llms.ToolCall{toolCall("", "x", "{}")}})}
		opts := &sampling.Options{Tools: true, Audio: true, ChooseModel: sampling.ByHint("m")}
		res, err := sampling.New(model, opts).OnSampling(t.Context(), whose, req)
		if err != nil {
			if wire, ok := err.(*jsonrpc.Error); !ok || wire.Code != jsonrpc.CodeInvalidParams || len(wire.Message) > 1000 || strings.ContainsAny(wire.Message, "\n\x1b\x00") {
				t.Errorf("%T: %v", err, err)
			}
			return
		}
		if len(req.Params.Tools) == 0 && len(res.Content) != 1 {
			t.Errorf("a server without tools gets %s", toJSON(res))
		}
		if err := checkHistory(model.messages); err != nil {
			t.Errorf("%v: %s", err, toJSON(model.messages))
		}
		if n := model.options.MaxTokens; n < 1 || n > 4096 {
			t.Errorf("%d tokens", n)
		}
		for _, tool := range model.options.Tools {
			if schema, ok := tool.Function.Parameters.(map[string]any); !ok || schema["type"] != "object" || !legalNames.MatchString(tool.Function.Name) {
				t.Errorf("bad tool %s", toJSON(tool))
			}
		}
	})
}

var legalNames = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`)

// checkHistory holds messages against what all of langchaingo's providers with
// tools take.
func checkHistory(messages []llms.MessageContent) error {
	if len(messages) == 0 {
		return fmt.Errorf("there are none")
	}
	open := llms.ToolCall{}
	for i, m := range messages {
		if len(m.Parts) == 0 || m.Role == system && i > 0 {
			return fmt.Errorf("message %d is empty or out of place", i)
		}
		if (m.Role == tool) != (open.FunctionCall != nil) {
			return fmt.Errorf("message %d: calls and responses do not alternate", i)
		}
		for j, part := range m.Parts {
			var err error
			switch part := part.(type) {
			case llms.TextContent:
				if part.Text == "" || !utf8.ValidString(part.Text) || strings.Contains(part.Text, "\x00") {
					err = fmt.Errorf("text %q", part.Text)
				}
			case llms.BinaryContent:
				if len(part.Data) == 0 || !strings.Contains(part.MIMEType, "/") || m.Role != human {
					err = fmt.Errorf("data of type %q", part.MIMEType)
				}
			case llms.ToolCall:
				var input map[string]any
				if m.Role != ai || j > 0 || part.ID == "" || !legalNames.MatchString(part.FunctionCall.Name) ||
					json.Unmarshal([]byte(part.FunctionCall.Arguments), &input) != nil || input == nil {
					err = fmt.Errorf("bad call")
				}
				open = part
			case llms.ToolCallResponse:
				if m.Role != tool || len(m.Parts) > 1 || part.ToolCallID != open.ID || part.Name != open.FunctionCall.Name {
					err = fmt.Errorf("bad response")
				}
				open = llms.ToolCall{}
			}
			if err != nil {
				return fmt.Errorf("message %d, part %d: %w", i, j, err)
			}
		}
		if first, ok := m.Parts[0].(llms.ToolCall); m.Role == ai && !ok && len(m.Parts) > 1 {
			return fmt.Errorf("message %d: Anthropic sees only the first part, %v", i, first)
		}
	}
	if open.FunctionCall != nil {
		return fmt.Errorf("a call is left without a response")
	}
	return nil
}
