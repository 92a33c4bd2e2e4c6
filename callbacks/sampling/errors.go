package sampling

import (
	"context"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/tmc/langchaingo/llms"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

// codeRejected is the specification's code for what the user refused.
const codeRejected = -1

// invalid returns the error for a request that is not taken.
func invalid(format string, args ...any) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf(format, args...)}
}

// refusal returns what a server gets for an error of Approve or Review.
func refusal(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx) // nobody has decided
	}
	if wire, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return wire
	}
	return &jsonrpc.Error{Code: codeRejected, Message: "User rejected sampling request"}
}

// failure returns what a server gets for an error of the model: what kind it is
// of where that helps a server, and nothing of its text, which may repeat keys
// and addresses.
func (s *sampler) failure(ctx context.Context, cc callbacks.CallbackContext, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if s.OnError != nil {
		s.OnError(ctx, cc, err)
	}
	message := "the client's model failed"
	if classified, ok := errors.AsType[*llms.Error](llms.NewErrorMapper("").WrapError(err)); ok {
		switch classified.Code {
		case llms.ErrCodeRateLimit, llms.ErrCodeTimeout, llms.ErrCodeProviderUnavailable,
			llms.ErrCodeContentFilter, llms.ErrCodeTokenLimit:
			message += ": " + string(classified.Code)
		}
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: message}
}
