// Package interceptors wraps tool calls.
//
// An [Interceptor] sees the [Request] before it goes to the server and the
// result before it goes to the caller:
//
//	stamp := func(ctx context.Context, req *interceptors.Request, next interceptors.Handler) (*mcp.CallToolResult, error) {
//		req.Headers.Set("X-User", userOf(ctx))
//		return next(ctx, req)
//	}
//
// Several interceptors form an onion, the first outermost.
//
// An interceptor runs in the goroutine of the caller, and its panic goes on to
// the caller. The call holds nothing any more then: a client is as usable as
// before. Where a model or another client is the caller (adapters.Run,
// adapters.AddTool, package gateway), the panic becomes the error of the call.
package interceptors
