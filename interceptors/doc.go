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
package interceptors
