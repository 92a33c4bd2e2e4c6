package gateway_test

import (
	"context"
	"fmt"
	"log"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/gateway"
)

// greeter is a server with one tool.
func greeter(greeting string) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: greeting}, nil)
	type whom struct {
		Name string `json:"name"`
	}
	mcp.AddTool(s, &mcp.Tool{Name: "greet", Description: "Greets."},
		func(_ context.Context, _ *mcp.CallToolRequest, in whom) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: greeting + ", " + in.Name}}}, nil, nil
		})
	return s
}

func Example() {
	gw, err := gateway.New(config.Connections{
		"english": config.InMemory{Server: greeter("Hello")},
		"german":  config.InMemory{Server: greeter("Guten Tag")},
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer gw.Close()

	// A program would serve standard input and output, &mcp.StdioTransport{}, or
	// HTTP by gw.Handler(). Here the client is in the same process.
	ctx := context.Background()
	ours, theirs := mcp.NewInMemoryTransports()
	go gw.Run(ctx, theirs)
	client, err := mcp.NewClient(&mcp.Implementation{Name: "any client"}, nil).Connect(ctx, ours, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	for tool, err := range client.Tools(ctx, nil) {
		if err != nil {
			log.Fatal(err)
		}
		res, err := client.CallTool(ctx, &mcp.CallToolParams{Name: tool.Name, Arguments: map[string]any{"name": "Ada"}})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(tool.Name, "->", res.Content[0].(*mcp.TextContent).Text)
	}
	// Output:
	// english_greet -> Hello, Ada
	// german_greet -> Guten Tag, Ada
}
