package sampling_test

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/fake"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/callbacks/sampling"
)

func Example() {
	model := fake.NewFakeLLM([]string{"A poem about Go."}) // openai.New, anthropic.New, ...
	cb := sampling.New(model, &sampling.Options{
		MaxTokens:   500,
		CallOptions: []llms.CallOption{llms.WithModel("fake-1")},
		Approve: func(_ context.Context, cc callbacks.CallbackContext, req *mcp.CreateMessageWithToolsRequest) error {
			fmt.Printf("%v may ask the model, with %d message\n", cc, len(req.Params.Messages))
			return nil
		},
	})
	// What a client does when a server asks.
	res, err := cb.OnSampling(context.Background(),
		callbacks.CallbackContext{ServerName: "files", ToolName: "summarise"},
		&mcp.CreateMessageWithToolsRequest{Params: &mcp.CreateMessageWithToolsParams{
			MaxTokens: 100,
			Messages:  []*mcp.SamplingMessageV2{{Role: "user", Content: []mcp.Content{&mcp.TextContent{Text: "What is in poem.txt?"}}}},
		}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Model, "says:", res.Content[0].(*mcp.TextContent).Text)
	// Output:
	// files/summarise may ask the model, with 1 message
	// fake-1 says: A poem about Go.
}
