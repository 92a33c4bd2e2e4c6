package multiclient_test

import (
	"context"
	"fmt"
	"log"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// library is a server whose tool asks who the card is for.
func library() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "library"}, nil)
	mcp.AddTool(s, &mcp.Tool{Name: "issue_card", Description: "Issue a new library card."},
		func(ctx context.Context, req *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
			answer, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: "What name should go on the card?"})
			if err != nil {
				return nil, nil, err
			}
			text := "No card issued."
			if answer.Action == "accept" {
				text = fmt.Sprintf("Card issued to %v.", answer.Content["name"])
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
		})
	return s
}

func Example() {
	ctx := context.Background()
	client, err := multiclient.New(config.Connections{
		// This server asks in the way of older versions of the protocol.
		"library": config.InMemory{Server: library(), Settings: config.Settings{ProtocolVersion: "2025-11-25"}},
	}, &multiclient.Options{
		ToolNamePrefix: true,
		Callbacks: callbacks.Callbacks{
			OnElicitation: func(_ context.Context, cc callbacks.CallbackContext, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				fmt.Printf("%v asks: %s\n", cc, req.Params.Message)
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada Lovelace"}}, nil
			},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	tools, err := client.Tools(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, tool := range tools {
		text, err := tool.Call(ctx, "{}")
		fmt.Println(tool.Name(), "->", text, err)
	}
	// Output:
	// library/issue_card asks: What name should go on the card?
	// library_issue_card -> Card issued to Ada Lovelace. <nil>
}

// A server that fails does not take the others with it.
func ExampleServerErrors() {
	client, err := multiclient.New(config.Connections{
		"broken":  config.Stdio{Command: "no-such-mcp-server"},
		"library": config.InMemory{Server: library()},
	}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	tools, err := client.Tools(context.Background())
	fmt.Println(len(tools), "tool")
	for _, e := range multiclient.ServerErrors(err) {
		fmt.Println(e.Server, "failed in the phase", e.Phase)
	}
	// Output:
	// 1 tool
	// broken failed in the phase spawn
}

func ExampleMultiServerClient_CallTool() {
	refuse := func(ctx context.Context, req *interceptors.Request, next interceptors.Handler) (*mcp.CallToolResult, error) {
		return nil, fmt.Errorf("%s is not allowed today", req.ToolName)
	}
	client, err := multiclient.New(config.Connections{"library": config.InMemory{Server: library()}},
		&multiclient.Options{Interceptors: []interceptors.Interceptor{refuse}})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	_, err = client.CallTool(context.Background(), "library", "issue_card", nil)
	fmt.Println(err)
	// Output: issue_card is not allowed today
}
