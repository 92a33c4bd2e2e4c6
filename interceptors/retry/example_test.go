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
	again := retry.New(&retry.Options{
		InitialWait: time.Millisecond,
		Retryable: func(req *interceptors.Request, _ *mcp.CallToolResult, err error) bool {
			return harmless[req.ToolName] || retry.Safe(req, nil, err)
		},
	})

	calls := map[string]int{}
	tool := func(_ context.Context, req *interceptors.Request) (*mcp.CallToolResult, error) {
		calls[req.ToolName]++
		return &mcp.CallToolResult{IsError: calls[req.ToolName] < 3}, nil
	}
	for _, name := range []string{"forecast", "order"} {
		res, err := interceptors.Chain(tool, again)(context.Background(), &interceptors.Request{ToolName: name})
		fmt.Println(name, "failed:", res.IsError, err, "after", calls[name], "calls")
	}
	// Output:
	// forecast failed: false <nil> after 3 calls
	// order failed: true <nil> after 1 calls
}
