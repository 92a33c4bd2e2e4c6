package approve_test

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/interceptors"
	"github.com/langchaingo-mcp/mcpadapters/interceptors/approve"
)

func Example() {
	ask := func(_ context.Context, req *interceptors.Request) (approve.Decision, error) {
		fmt.Printf("May %s be called with %v? No.\n", req.ToolName, req.Arguments)
		return approve.Decision{Reason: "Ask your supervisor first."}, nil
	}
	deleteAll := func(context.Context, *interceptors.Request) (*mcp.CallToolResult, error) {
		panic("never called")
	}
	// The client builds this chain from its options.
	call := interceptors.Chain(deleteAll, approve.New(ask, nil))
	res, err := call(context.Background(), &interceptors.Request{
		ToolName:  "delete",
		Arguments: map[string]any{"path": "/"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(res.Content[0].(*mcp.TextContent).Text)
	// Output:
	// May delete be called with map[path:/]? No.
	// The call of tool "delete" was denied and has not been made. Reason: Ask your supervisor first.
}
