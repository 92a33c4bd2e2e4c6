package multiclient

import (
	"context"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Complete asks a server for the values that an argument of a prompt or of a
// resource template may have: params.Ref says which one, params.Argument what
// is written so far, and params.Context what other arguments are. A server that
// declares no completions is not asked and gives none. The result's Values are
// never nil. Nil params are an [*Error] of kind [ErrBadArguments].
func (c *MultiServerClient) Complete(ctx context.Context, serverName string, params *mcp.CompleteParams) (*mcp.CompleteResult, error) {
	if params == nil {
		return nil, &Error{Kind: ErrBadArguments, Phase: PhaseCall, Server: serverName, Err: errors.New("the parameters of the completion are nil")}
	}
	res, err := with(ctx, c, serverName, callBound, func(ctx context.Context, s *server) (*mcp.CompleteResult, error) {
		return ask(ctx, s, PhaseCall, func(ctx context.Context, cs *mcp.ClientSession) (*mcp.CompleteResult, error) {
			if !declares(cs, func(caps *mcp.ServerCapabilities) bool { return caps.Completions != nil }) {
				return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}, nil
			}
			own := *params // the SDK writes into it
			res, err := cs.Complete(ctx, &own)
			if err == nil && res.Completion.Values == nil {
				res.Completion.Values = []string{}
			}
			return res, err
		})
	})
	switch ref := params.Ref; {
	case err == nil || ref == nil:
		return res, err
	case ref.Type == "ref/resource":
		return res, about(err, "", fmt.Sprintf("completion for resource %q", ref.URI))
	default:
		err = c.nearPrompts(ctx, serverName, ref.Name, err)
		return res, about(err, "", fmt.Sprintf("completion for prompt %q", ref.Name))
	}
}
