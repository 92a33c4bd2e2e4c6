package timeout

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/interceptors"
)

// Options of [New]. The zero value is useful.
type Options struct {
	// Default bounds the calls of all tools that are not in Tools. 0 means
	// one minute; a negative value means no bound.
	Default time.Duration

	// Tools holds bounds by the name that the server gives the tool, or by
	// "server/tool" for a tool of one server only, which goes first. 0 and
	// negative values mean no bound.
	Tools map[string]time.Duration
}

// New returns an interceptor that ends the context of a call when its time is
// over. Nil options are the zero value.
//
// An error of such a call names the tool and the bound, and wraps
// [context.DeadlineExceeded] and the error of the call; a client's is of the kind
// that it has for any context of the program that ends. It bounds each call
// that reaches it: put it behind a retrying interceptor to bound each attempt,
// before it to bound all together. Bounds of the connection and of the
// caller's context hold as well.
func New(opts *Options) interceptors.Interceptor {
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Default == 0 {
		o.Default = time.Minute
	}
	o.Tools = maps.Clone(o.Tools)
	return o.intercept
}

func (o Options) intercept(ctx context.Context, req *interceptors.Request, next interceptors.Handler) (*mcp.CallToolResult, error) {
	bound := o.bound(req)
	if bound <= 0 {
		return next(ctx, req)
	}
	cause := fmt.Errorf("no answer within %v, the bound of the timeout interceptor: %w", bound, context.DeadlineExceeded)
	server, tool := req.ServerName, req.ToolName
	bounded, cancel := context.WithTimeoutCause(ctx, bound, cause)
	defer cancel()
	res, err := next(bounded, req)
	switch {
	case err == nil || context.Cause(bounded) != cause:
	case err == cause:
		return nil, fmt.Errorf("tool %q of server %q: %w", tool, server, err)
	case !errors.Is(err, cause):
		return nil, fmt.Errorf("tool %q of server %q: %w: %w", tool, server, cause, err)
	}
	return res, err
}

func (o Options) bound(req *interceptors.Request) time.Duration {
	for _, name := range []string{req.ServerName + "/" + req.ToolName, req.ToolName} {
		if bound, ok := o.Tools[name]; ok {
			return bound
		}
	}
	return o.Default
}
