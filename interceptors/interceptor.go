package interceptors

import (
	"context"
	"fmt"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Handler performs a tool call.
//
// Exactly one of its results is non-nil. A result with IsError set is a result
// and not an error: the tool ran and said that it failed. An error means that
// there is no answer from the tool.
//
// A Handler given to an [Interceptor] may be called any number of times, also
// concurrently, with the same or another request. It does not change the
// request that it is given.
type Handler func(ctx context.Context, req *Request) (*mcp.CallToolResult, error)

// An Interceptor is called in place of a tool call. It may change the request,
// call next zero or more times (each call of next is a call of the tool),
// replace the result, or fail the call.
//
// The request is the interceptor's own to change: it is never nil, its maps
// are never nil, and no other interceptor and no other attempt sees the
// changes except through next.
//
// An Interceptor is called concurrently for concurrent calls.
type Interceptor func(ctx context.Context, req *Request, next Handler) (*mcp.CallToolResult, error)

// Chain returns a handler that passes each request through the interceptors,
// the first outermost, and then to handler. Nil interceptors are skipped. The
// slice is copied. An interceptor that returns neither a result nor an error
// fails the call; of one that returns both the error counts.
func Chain(handler Handler, interceptors ...Interceptor) Handler {
	for _, interceptor := range slices.Backward(interceptors) {
		if interceptor == nil {
			continue
		}
		next := handler
		handler = func(ctx context.Context, req *Request) (*mcp.CallToolResult, error) {
			res, err := interceptor(ctx, req.Clone(), next)
			switch {
			case err != nil:
				return nil, err
			case res == nil:
				// Said here, where the culprit is near; the next to read the
				// result would crash.
				return nil, fmt.Errorf("interceptors: tool %q of server %q: an interceptor returned neither a result nor an error", req.ToolName, req.ServerName)
			}
			return res, nil
		}
	}
	return handler
}
