package providers_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/tools"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
	"github.com/langchaingo-mcp/mcpadapters/internal/fakemodels"
)

const png = "\x89PNG\r\n\x1a\n0000"

// newTool returns a tool with a schema that no provider takes as it is.
func newTool(t *testing.T, name string, content ...mcp.Content) tools.Tool {
	t.Helper()
	tool, err := adapters.NewTool(adapters.ToolConfig{
		Name: name, ServerName: "srv",
		Tool: &mcp.Tool{Name: name, Description: "It does.", InputSchema: map[string]any{
			"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
			"properties": map[string]any{
				"id":   map[string]any{"type": []any{"string", "null"}, "format": "uuid"},
				"tags": map[string]any{"type": []any{"null", "array"}},
				"at":   map[string]any{"$ref": "#/$defs/at"},
			},
			"$defs": map[string]any{"at": map[string]any{"oneOf": []any{
				map[string]any{"const": "now"}, map[string]any{"type": "object", "properties": map[string]any{"x": map[string]any{"type": "number"}}},
			}}},
		}},
		Handler: func(_ context.Context, req *interceptors.Request) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: append([]mcp.Content{&mcp.TextContent{Text: fmt.Sprint(name, " of ", req.Arguments["id"])}}, content...)}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

type echo struct{}

func (echo) Name() string        { return "echo" }
func (echo) Description() string { return "Echoes." }
func (echo) Call(_ context.Context, input string) (string, error) {
	if input == "" {
		return "", errors.New("nothing to echo")
	}
	return "echo: " + input, nil
}

func say(role llms.ChatMessageType, text string) llms.MessageContent {
	return llms.MessageContent{Role: role, Parts: []llms.ContentPart{llms.TextPart(text)}}
}

func callOf(tool, key string, value any) fakemodels.Call {
	return fakemodels.Call{Tool: tool, Arguments: map[string]any{key: value}}
}

func images(n int) func(*fakemodels.Request) error {
	return func(r *fakemodels.Request) error {
		if len(r.Images) != n {
			return fmt.Errorf("%d images, want %d", len(r.Images), n)
		}
		return nil
	}
}

// The loop with each provider: parallel calls, text along with calls, images
// from tools, an unknown tool's name in the history, an empty result, a second
// question.
func TestLoop(t *testing.T) {
	for name, p := range all() {
		for _, stream := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/stream=%v", name, stream), func(t *testing.T) {
				shown := 1
				if p.noImages {
					shown = 0
				}
				endpoint := p.start(t,
					fakemodels.Turn{Text: "Let me see it.", Calls: []fakemodels.Call{callOf("shot", "id", "A"), callOf("get", "id", "B"), callOf("echo", "__arg1", "C")}},
					fakemodels.Turn{
						Check: fakemodels.All(fakemodels.LastResults("shot of A", "get of B", "echo: C"), images(shown)),
						Calls: []fakemodels.Call{callOf("echo", "__arg1", "")},
					},
					fakemodels.Turn{Check: fakemodels.LastResults("echo: C", "nothing to echo"), Text: "All is well."},
					fakemodels.Turn{Check: images(shown), Text: "Still."},
				)
				list := []tools.Tool{newTool(t, "shot", &mcp.ImageContent{MIMEType: "image/jpeg", Data: []byte(png)}), newTool(t, "get"), echo{}}
				var streamed strings.Builder
				chunks := 0
				run := func(messages []llms.MessageContent) *adapters.RunResult {
					for event, err := range adapters.RunEvents(t.Context(), p.model(t, endpoint.URL), messages, list, &adapters.RunOptions{
						Stream: stream, TransportErrors: adapters.ErrorsAsText,
					}) {
						if err != nil {
							t.Fatalf("%v; refused %q", err, endpoint.Refused())
						}
						switch event.Kind {
						case adapters.RunText:
							streamed.WriteString(event.Text)
							chunks++
						case adapters.RunEnd:
							return event.Result
						}
					}
					return nil
				}
				got := run([]llms.MessageContent{say(llms.ChatMessageTypeSystem, "Be brief."), say(llms.ChatMessageTypeHuman, "Well?")})
				if got.Answer != "All is well." || got.Steps != 3 || got.Usage.InputTokens != 30 || got.Usage.OutputTokens != 15 {
					t.Errorf("got %q after %d steps, usage %+v", got.Answer, got.Steps, got.Usage)
				}
				if got = run(append(got.Messages, say(llms.ChatMessageTypeHuman, "And now?"))); got.Answer != "Still." || endpoint.Left() != 0 {
					t.Errorf("then %q", got.Answer)
				}
				if want := "Let me see it.All is well.Still."; stream && (streamed.String() != want || chunks < 6 && !p.onePiece) || !stream && chunks > 0 {
					t.Errorf("streamed %q in %d pieces", streamed.String(), chunks)
				}
				first := endpoint.Requests()[0]
				if len(first.Tools) != 3 || first.Tool("get").Schema["properties"].(map[string]any)["id"] == nil || first.Tool("get").Description != "It does." {
					t.Errorf("tools %+v", first.Tools)
				}
				if first.Stream != (stream && !p.onePiece) && !p.alwaysStream {
					t.Errorf("stream is %v", first.Stream)
				}
			})
		}
	}
}

// The fakes can fail: without BindTools every provider refuses, or is not
// offered, what it is sent.
func TestWithoutBindTools(t *testing.T) {
	history := []llms.MessageContent{
		say(llms.ChatMessageTypeHuman, "Well?"),
		{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{
			llms.TextPart("Both."),
			llms.ToolCall{ID: "call_1", Type: "function", FunctionCall: &llms.FunctionCall{Name: "get", Arguments: "{}"}},
			llms.ToolCall{ID: "call_2", Type: "function", FunctionCall: &llms.FunctionCall{Name: "get", Arguments: ""}},
		}},
		{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{llms.ToolCallResponse{ToolCallID: "call_1", Content: "1"}}},
		{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{llms.ToolCallResponse{ToolCallID: "call_2", Content: "2"}}},
	}
	list := []tools.Tool{newTool(t, "get")}
	definition := llms.WithTools([]llms.Tool{list[0].(*adapters.Tool).Definition()})
	for name, p := range all() {
		endpoint := p.start(t, fakemodels.Turn{Text: "ok"})
		model := p.model(t, endpoint.URL)
		if p.anyHistory {
			continue
		}
		if got, err := model.GenerateContent(t.Context(), history, definition); err == nil {
			t.Errorf("%s took the history as it is: %v", name, got.Choices[0])
		}
		got, err := adapters.BindTools(model, list).GenerateContent(t.Context(), history)
		if err != nil || got.Choices[0].Content != "ok" {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// A transcript goes on with another provider, also when no tools are left.
func TestTranscriptsMove(t *testing.T) {
	providers := all()
	for from, a := range providers {
		for to, b := range providers {
			first := a.start(t, fakemodels.Turn{Text: "See.", Calls: []fakemodels.Call{callOf("get", "id", "A"), callOf("get", "id", "B")}}, fakemodels.Turn{Text: "Done."})
			second := b.start(t, fakemodels.Turn{Check: fakemodels.LastResults("get of A", "get of B"), Text: "Yes."})
			got, err := adapters.Run(t.Context(), a.model(t, first.URL), []llms.MessageContent{say(llms.ChatMessageTypeHuman, "?")}, []tools.Tool{newTool(t, "get")}, nil)
			if err != nil {
				t.Fatalf("%s: %v", from, err)
			}
			got, err = adapters.Run(t.Context(), b.model(t, second.URL), append(got.Messages, say(llms.ChatMessageTypeHuman, "Sure?")), nil, nil)
			if err != nil || got.Answer != "Yes." {
				t.Errorf("from %s to %s: %v", from, to, err)
			}
		}
	}
}
