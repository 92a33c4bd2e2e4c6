package approve

import (
	"context"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/interceptors"
)

// ErrDenied is what a denied call fails with when [Options.FailDenied] is set.
var ErrDenied = errors.New("the call was denied")

// A Decision answers whether a call may be made. The zero value denies it.
type Decision struct {
	Approved bool

	// Reason of a denial, for the model to act upon. It may be empty.
	Reason string
}

// An Ask decides about one call. It may change the request, its arguments for
// instance: the call is made as it is on return. An error fails the call,
// which is not made. The context is that of the call.
//
// Names and arguments come from a server and a model: remove control
// characters before they reach a terminal.
type Ask func(ctx context.Context, req *interceptors.Request) (Decision, error)

// Options of [New]. The zero value is useful.
type Options struct {
	// Needed reports whether to ask about a call; others are made unasked. It
	// must not change the request, and must be safe for concurrent use. Nil
	// means to ask about every call. Annotations are what a server says of itself.
	Needed func(req *interceptors.Request) bool

	// FailDenied makes a denied call fail with [ErrDenied], which usually ends
	// the agent's run. By default it is a result with IsError set and a text
	// that tells the model.
	FailDenied bool

	// Concurrent lets several questions be open at once. By default calls
	// wait for their turn, since a person answers one question at a time; the
	// Ask must then not itself make a call that is asked about.
	Concurrent bool
}

// New returns an interceptor that asks. Nil options are the zero value. It
// panics if ask is nil.
func New(ask Ask, opts *Options) interceptors.Interceptor {
	if ask == nil {
		panic("approve: nil Ask")
	}
	a := approver{ask: ask}
	if opts != nil {
		a.Options = *opts
	}
	if !a.Concurrent {
		a.turn = make(chan struct{}, 1)
	}
	return a.intercept
}

type approver struct {
	Options
	ask  Ask
	turn chan struct{} // holds a value while a question is open; nil for no turns
}

func (a *approver) intercept(ctx context.Context, req *interceptors.Request, next interceptors.Handler) (*mcp.CallToolResult, error) {
	if a.Needed != nil && !a.Needed(req) {
		return next(ctx, req)
	}
	server, tool := req.ServerName, req.ToolName
	decision, err := a.decide(ctx, req)
	switch {
	case err != nil:
		return nil, fmt.Errorf("approval of tool %q of server %q: %w", tool, server, err)
	case decision.Approved:
		return next(ctx, req)
	case a.FailDenied && decision.Reason == "":
		return nil, fmt.Errorf("tool %q of server %q: %w", tool, server, ErrDenied)
	case a.FailDenied:
		return nil, fmt.Errorf("tool %q of server %q: %w: %s", tool, server, ErrDenied, decision.Reason)
	}
	text := fmt.Sprintf("The call of tool %q was denied and has not been made.", tool)
	if decision.Reason != "" {
		text += " Reason: " + decision.Reason
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, IsError: true}, nil
}

// decide asks when it is the call's turn. A context that has ended by then is
// an error, whatever the answer.
func (a *approver) decide(ctx context.Context, req *interceptors.Request) (Decision, error) {
	if a.turn != nil {
		select {
		case a.turn <- struct{}{}:
			defer func() { <-a.turn }()
		case <-ctx.Done():
			return Decision{}, context.Cause(ctx)
		}
	}
	if err := context.Cause(ctx); err != nil {
		return Decision{}, err // select may have taken the turn all the same
	}
	decision, err := a.ask(ctx, req)
	if err == nil {
		err = context.Cause(ctx)
	}
	return decision, err
}
