package interceptors_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/interceptors"
)

// tool stands for a tool on a server.
func tool(_ context.Context, req *interceptors.Request) (*mcp.CallToolResult, error) {
	return text(fmt.Sprintf("%s says hello to %v", req.ToolName, req.Arguments["name"])), nil
}

// first returns the text of a result that consists of one.
func first(res *mcp.CallToolResult) string {
	return res.Content[0].(*mcp.TextContent).Text
}

// The first interceptor is the outermost. The client builds the chain from
// its options; doing so by hand is of use in tests of an interceptor.
func ExampleChain() {
	named := func(name string) interceptors.Interceptor {
		return func(ctx context.Context, req *interceptors.Request, next interceptors.Handler) (*mcp.CallToolResult, error) {
			fmt.Println(name, "before")
			defer fmt.Println(name, "after")
			return next(ctx, req)
		}
	}
	call := interceptors.Chain(tool, named("outer"), named("inner"))
	res, err := call(context.Background(), &interceptors.Request{
		ToolName:  "greeter",
		Arguments: map[string]any{"name": "Ada"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(first(res))
	// Output:
	// outer before
	// inner before
	// inner after
	// outer after
	// greeter says hello to Ada
}

// An interceptor may change the request and the result.
func ExampleInterceptor_change() {
	polite := func(ctx context.Context, req *interceptors.Request, next interceptors.Handler) (*mcp.CallToolResult, error) {
		req.Arguments["name"] = fmt.Sprint("dear ", req.Arguments["name"])
		req.Headers.Set("Accept-Language", "en-GB") // of this call only
		res, err := next(ctx, req)
		if err != nil {
			return nil, err
		}
		return text(strings.ToUpper(first(res))), nil
	}
	call := interceptors.Chain(tool, polite)
	res, err := call(context.Background(), &interceptors.Request{
		ToolName:  "greeter",
		Arguments: map[string]any{"name": "Ada"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(first(res))
	// Output: GREETER SAYS HELLO TO DEAR ADA
}

// An interceptor may answer by itself, or fail the call.
func ExampleInterceptor_refuse() {
	refuse := func(ctx context.Context, req *interceptors.Request, next interceptors.Handler) (*mcp.CallToolResult, error) {
		switch req.ToolName {
		case "shutdown": // ends the agent's run
			return nil, errors.New("shutdown is not for agents")
		case "delete": // is for the model to read
			res := text("Nothing is deleted here; archive it instead.")
			res.IsError = true
			return res, nil
		}
		return next(ctx, req)
	}
	call := interceptors.Chain(tool, refuse)
	for _, name := range []string{"shutdown", "delete"} {
		res, err := call(context.Background(), &interceptors.Request{ToolName: name})
		if err != nil {
			fmt.Println("error:", err)
			continue
		}
		fmt.Println("result:", first(res))
	}
	// Output:
	// error: shutdown is not for agents
	// result: Nothing is deleted here; archive it instead.
}
