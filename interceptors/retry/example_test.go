package retry_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/interceptors"
	"github.com/langchaingo-mcp/mcpadapters/interceptors/retry"
)

func Example() {
	calls := 0
	forecast := func(context.Context, *interceptors.Request) (*mcp.CallToolResult, error) {
		if calls++; calls < 3 {
			return nil, errors.New("the network is down")
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "sunny"}}}, nil
	}
	// The client builds this chain from its options.
	call := interceptors.Chain(forecast, retry.New(&retry.Options{InitialWait: time.Millisecond}))

	res, err := call(context.Background(), &interceptors.Request{
		ToolName: "forecast",
		Tool:     &mcp.Tool{Name: "forecast", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Content[0].(*mcp.TextContent).Text, "after", calls, "calls")
	// Output: sunny after 3 calls
}

// Retry also when a tool of a list says that it failed.
func ExampleOptions_retryable() {
	harmless := map[string]bool{"forecast": true}
	_ = retry.New(&retry.Options{
		Retryable: func(req *interceptors.Request, _ *mcp.CallToolResult, err error) bool {
			return harmless[req.ToolName] || retry.Safe(req, nil, err)
		},
	})
}
