package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
)

// trace returns an interceptor that prints every tool call and its result.
func trace(w io.Writer) interceptors.Interceptor {
	var steps atomic.Int64
	return func(ctx context.Context, req *interceptors.Request, next interceptors.Handler) (*mcp.CallToolResult, error) {
		arguments, _ := json.Marshal(req.Arguments) // they were JSON before
		fmt.Fprintf(w, "  %d. %s\n", steps.Add(1), printable(fmt.Sprintf("%s/%s %s", req.ServerName, req.ToolName, arguments)))
		res, err := next(ctx, req)
		if err != nil {
			fmt.Fprintf(w, "     failed: %s\n", printable(err.Error()))
			return nil, err
		}
		fmt.Fprintf(w, "     = %s\n", printable(adapters.ResultText(res, nil)))
		return res, nil
	}
}
