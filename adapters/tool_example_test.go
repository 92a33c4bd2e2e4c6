package adapters_test

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/llms"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
)

// Usually the tools come from multiclient. This one is made by hand, with a
// handler in the place of a server.
func ExampleTool_Call() {
	tool, err := adapters.NewTool(adapters.ToolConfig{
		Name:       "weather_forecast",
		ServerName: "weather",
		Tool: &mcp.Tool{
			Name: "forecast",
			InputSchema: map[string]any{
				"type": "object",
				"properties": map[string]any{
					"city": map[string]any{"type": "string"},
					"days": map[string]any{"type": "integer"},
				},
				"required": []any{"city"},
			},
		},
		Handler: func(_ context.Context, req *interceptors.Request) (*mcp.CallToolResult, error) {
			sunny := fmt.Sprintf("%v: sunny", req.Arguments["city"])
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: sunny}}}, nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, input := range []string{
		`{"city": "Paris", "days": 3}`,
		`{"__arg1": "Paris"}`,
		"```json\n{\"city\": \"Paris\"}\n```\nObservation: it rains",
		`{"days": "a few"}`,
	} {
		text, err := tool.Call(context.Background(), input)
		fmt.Println(text, err)
	}
	// Output:
	// Paris: sunny <nil>
	// Paris: sunny <nil>
	// Paris: sunny <nil>
	// Error: bad arguments for the tool "weather_forecast": "city" is required but missing, "days" must be integer, not string. Send a JSON object with "city" (string, required), "days" (integer).
	// Received: {"days": "a few"} <nil>
}

func ExampleResultText() {
	res := &mcp.CallToolResult{Content: []mcp.Content{
		&mcp.TextContent{Text: "The chart of last year:"},
		&mcp.ImageContent{MIMEType: "image/png", Data: make([]byte, 2048)},
		&mcp.ResourceLink{URI: "file:///2025.csv", Name: "data", MIMEType: "text/csv"},
	}}
	fmt.Println(adapters.ResultText(res, nil))
	fmt.Println(adapters.ResultText(res, &adapters.TextOptions{MaxBytes: 9}))
	// Output:
	// The chart of last year:
	// [image: image/png, 2048 bytes]
	// [resource: data (file:///2025.csv, text/csv)]
	// The chart
	// [cut: this is the first 9 of 100 bytes]
}

func ExampleResultParts() {
	res := &mcp.CallToolResult{Content: []mcp.Content{
		&mcp.TextContent{Text: "Here it is:"},
		&mcp.ImageContent{MIMEType: "image/gif", Data: []byte("GIF89a")},
	}}
	history := []llms.MessageContent{{
		Role:  llms.ChatMessageTypeTool,
		Parts: []llms.ContentPart{llms.ToolCallResponse{ToolCallID: "1", Name: "draw", Content: adapters.ResultText(res, nil)}},
	}}
	if parts := adapters.ResultParts(res, adapters.ImagesAsDataURL); parts != nil {
		history = append(history, llms.MessageContent{Role: llms.ChatMessageTypeHuman, Parts: parts})
	}
	for _, message := range history {
		fmt.Println(message.Role, message.Parts)
	}
	// Output:
	// tool [{1 draw Here it is:
	// [image: image/gif, 6 bytes]}]
	// human [data:image/gif;base64,R0lGODlh]
}

func ExamplePromptMessages() {
	res := &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{
		{Role: "user", Content: &mcp.TextContent{Text: "Review this:"}},
		{Role: "user", Content: &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "file:///main.go", Text: "package main"}}},
		{Role: "assistant", Content: &mcp.TextContent{Text: "It is short."}},
	}}
	messages, err := adapters.PromptMessages(res, adapters.ImagesAsBinary)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, message := range messages {
		fmt.Printf("%s: %q\n", message.Role, message.Parts)
	}
	// Output:
	// human: ["Review this:"]
	// human: ["[resource: file:///main.go]\npackage main"]
	// ai: ["It is short."]
}

func ExampleResourceDocuments() {
	res := &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{
		{URI: "file:///readme.md", MIMEType: "text/markdown", Text: "# Hello"},
	}}
	for _, doc := range adapters.ResourceDocuments("files", res) {
		fmt.Printf("%q %v\n", doc.PageContent, doc.Metadata)
	}
	// Output:
	// "# Hello" map[mime_type:text/markdown server:files uri:file:///readme.md]
}
