package adapters_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/tools"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
)

// streaming is a model that streams.
type streaming struct {
	*scriptedModel
	chunks []string
}

func (s streaming) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var co llms.CallOptions
	for _, option := range options {
		option(&co)
	}
	if co.StreamingFunc != nil {
		for _, chunk := range s.chunks {
			if err := co.StreamingFunc(ctx, []byte(chunk)); err != nil {
				return nil, err
			}
		}
	}
	return s.scriptedModel.GenerateContent(ctx, messages, options...)
}

func TestRunStreams(t *testing.T) {
	chunks := []string{"So ", "", "be", `[{"id":"A","type":"function","function":{"name":"add","arguments":""}}]`, `[{"function":{"arguments":"{"}}]`, "[1]", "[{}]", `["function"]`, " it."}
	const text = `So |be|[1]|[{}]|["function"]| it.`
	var own []string
	record := llms.WithStreamingFunc(func(_ context.Context, chunk []byte) error {
		own = append(own, string(chunk))
		return nil
	})
	model := streaming{script(says("So be it.")), chunks}
	all, err := allEvents(t, model, nil, &adapters.RunOptions{Stream: true, ModelOptions: []llms.CallOption{record}})
	if err != nil {
		t.Fatal(err)
	}
	var streamed []string
	for _, e := range all {
		if e.Kind == adapters.RunText {
			streamed = append(streamed, e.Text)
		}
	}
	if got := strings.Join(streamed, "|"); got != text {
		t.Errorf("streamed %q", got)
	}
	if diff := cmp.Diff(chunks, own); diff != "" {
		t.Errorf("the caller's own stream: %s", diff)
	}
	if e := all[len(all)-2]; e.Kind != adapters.RunAnswer || e.Text != "So be it." {
		t.Errorf("got %+v", e)
	}

	own = nil
	all, err = allEvents(t, streaming{script(says("ok")), chunks}, nil, &adapters.RunOptions{ModelOptions: []llms.CallOption{record}})
	if err != nil || len(all) != 2 || len(own) != len(chunks) {
		t.Errorf("without Stream: %d events, %d chunks, %v", len(all), len(own), err)
	}
	stop := llms.WithStreamingFunc(func(context.Context, []byte) error { return errStop })
	if _, err = allEvents(t, streaming{script(), chunks}, nil, &adapters.RunOptions{Stream: true, ModelOptions: []llms.CallOption{stop}}); !errors.Is(err, errStop) {
		t.Errorf("got %v", err)
	}
}

func TestRunStreamBrokenOff(t *testing.T) {
	model := streaming{script(says("x")), []string{"a", "b", "c"}}
	for event := range adapters.RunEvents(t.Context(), model, ask("?"), nil, &adapters.RunOptions{Stream: true}) {
		if event.Text == "b" {
			break
		}
	}
	if len(model.messages) != 0 {
		t.Error("the model went on")
	}
}

// pngMagic is the beginning of one, as far as it is looked at.
const pngMagic = "\x89PNG\r\n\x1a\n"

func TestRunSendsMedia(t *testing.T) {
	image := func(mediaType, data string) mcp.Content {
		return &mcp.ImageContent{MIMEType: mediaType, Data: []byte(data)}
	}
	sound := &mcp.AudioContent{MIMEType: "audio/wav", Data: []byte("RIFF....WAVEfmt ")}
	binary := func(data string) llms.ContentPart { return llms.BinaryPart("image/png", []byte(data)) }
	many := make([]mcp.Content, 30)
	for i := range many {
		many[i] = image("image/png", pngMagic)
	}
	for name, tt := range map[string]struct {
		content []mcp.Content
		want    []llms.ContentPart
	}{
		"none":                {[]mcp.Content{text("x")}, nil},
		"one":                 {[]mcp.Content{text("x"), image("image/png", pngMagic+"1")}, []llms.ContentPart{binary(pngMagic + "1")}},
		"a wrong type":        {[]mcp.Content{image("image/jpeg", pngMagic)}, []llms.ContentPart{binary(pngMagic)}},
		"no image, in truth":  {[]mcp.Content{image("image/png", "hello")}, nil},
		"of a type not taken": {[]mcp.Content{image("image/svg+xml", "<svg/>"), image("image/bmp", "BM......"), sound}, nil},
		"too large":           {[]mcp.Content{image("image/png", pngMagic+strings.Repeat("x", 5<<20))}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			tool := mcpTool(t, "shot", adapters.ToolOptions{}, func(context.Context, *interceptors.Request) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{Content: tt.content}, nil
			})
			model := script(calls(call("A", "shot", "{}"), call("B", "nix", "{}"), call("C", "shot", "{}")), says("ok"))
			got, err := adapters.Run(t.Context(), model, ask("?"), []tools.Tool{tool}, nil)
			if err != nil {
				t.Fatal(err)
			}
			rest := got.Messages[5 : len(got.Messages)-1] // behind all responses
			if tt.want == nil {
				if len(rest) != 0 {
					t.Errorf("got %v", rest)
				}
				return
			}
			title := llms.TextPart("From the result of the tool shot:")
			twice := append(append([]llms.ContentPart{title}, tt.want...), append([]llms.ContentPart{title}, tt.want...)...)
			if diff := cmp.Diff([]llms.MessageContent{message(roleHuman, twice...)}, rest); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}

	shots := mcpTool(t, "shot", adapters.ToolOptions{}, func(context.Context, *interceptors.Request) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: many}, nil
	})
	run := func(opts *adapters.RunOptions) []llms.MessageContent {
		got, err := adapters.Run(t.Context(), script(calls(call("A", "shot", "{}"), call("B", "shot", "{}")), says("ok")), ask("?"), []tools.Tool{shots}, opts)
		if err != nil {
			t.Fatal(err)
		}
		return got.Messages[4 : len(got.Messages)-1]
	}
	if got := run(&adapters.RunOptions{Media: func(*mcp.CallToolResult) []llms.ContentPart { return nil }}); len(got) != 0 {
		t.Errorf("sent although told not to: %v", got)
	}
	own := func(*mcp.CallToolResult) []llms.ContentPart { return []llms.ContentPart{llms.TextPart("own")} }
	if got := run(&adapters.RunOptions{Media: own}); len(got) != 1 || len(got[0].Parts) != 4 {
		t.Errorf("got %v", got)
	}
}

// The keys are those of langchaingo's providers, types included.
func TestRunUsage(t *testing.T) {
	type usage struct {
		PromptTokens     int `json:"prompt_tokens"`
		CompletionTokens int `json:"completion_tokens"`
	}
	for name, tt := range map[string]struct {
		info map[string]any
		want adapters.Usage
	}{
		"none": {nil, adapters.Usage{}},
		"openai": {map[string]any{"PromptTokens": 10, "CompletionTokens": 5, "TotalTokens": 15, "PromptCachedTokens": 4, "ReasoningTokens": 2, "ThinkingTokens": 2},
			adapters.Usage{InputTokens: 10, OutputTokens: 5, CachedTokens: 4, ReasoningTokens: 2}},
		"anthropic": {map[string]any{"InputTokens": 10, "OutputTokens": 5, "CacheCreationInputTokens": 3, "CacheReadInputTokens": 4},
			adapters.Usage{InputTokens: 17, OutputTokens: 5, CachedTokens: 4}},
		"googleai": {map[string]any{"input_tokens": int32(10), "PromptTokens": int32(10), "CompletionTokens": int32(5), "CachedTokens": int32(4), "CacheReadInputTokens": int32(4), "ThinkingTokens": 0},
			adapters.Usage{InputTokens: 10, OutputTokens: 5, CachedTokens: 4}},
		"bedrock": {map[string]any{"input_tokens": 10, "output_tokens": 5}, adapters.Usage{InputTokens: 10, OutputTokens: 5}},
		"mistral": {map[string]any{"usage": usage{10, 5}, "model": "m"}, adapters.Usage{InputTokens: 10, OutputTokens: 5}},
		"odd":     {map[string]any{"usage": make(chan int), "PromptTokens": -3, "CompletionTokens": "5", "output_tokens": 5.0, "input_tokens": uint8(2)}, adapters.Usage{InputTokens: 2, OutputTokens: 5}},
	} {
		got, err := adapters.Run(t.Context(), script(answer(&llms.ContentChoice{GenerationInfo: tt.info})), ask("?"), nil, nil)
		if err != nil || got.Usage != tt.want {
			t.Errorf("%s: got %+v, %v", name, got.Usage, err)
		}
	}
}
