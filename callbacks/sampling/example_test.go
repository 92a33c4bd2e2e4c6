package sampling_test

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/llms"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/callbacks/sampling"
)

// poet stands for a model of one of langchaingo's providers.
type poet struct{ llms.Model }

func (poet) GenerateContent(context.Context, []llms.MessageContent, ...llms.CallOption) (*llms.ContentResponse, error) {
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: "A poem about Go."}}}, nil
}

func Example() {
	var model llms.Model = poet{} // from openai.New, anthropic.New, ...
	cb := sampling.New(model, &sampling.Options{
		MaxTokens:   500,
		CallOptions: []llms.CallOption{llms.WithModel("poet-1")},
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
	// poet-1 says: A poem about Go.
}
