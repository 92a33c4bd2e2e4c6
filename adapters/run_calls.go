package adapters

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/tools"
)

// A runCall is a call of a run, and what has come of it.
type runCall struct {
	RunCall
	at    int // in the answer
	ended bool
	fatal bool // Err ends the run
}

func callsToRun(calls []llms.ToolCall) []*runCall {
	all := make([]*runCall, len(calls))
	for i, call := range calls {
		all[i] = &runCall{RunCall: RunCall{ID: call.ID, Tool: call.FunctionCall.Name, Arguments: call.FunctionCall.Arguments}}
	}
	return all
}

// call runs the calls, some of them at the same time, and returns when each that
// was begun has ended. The error is that of the first call, in their order,
// which ends the run.
func (r *runner) call(ctx context.Context, calls []*runCall) error {
	ended := make(chan runCall, len(calls))
	next, running, failed := 0, 0, false
	for {
		for ; next < len(calls) && running < r.options.MaxConcurrent && !failed && ctx.Err() == nil; next++ {
			c := runCall{RunCall: calls[next].RunCall, at: next}
			begun := c.RunCall
			if err := r.event(RunEvent{Kind: RunCalled, Call: &begun}); err != nil {
				return err
			}
			if ctx.Err() != nil {
				break
			}
			running++
			r.tasks.Go(func() {
				r.callOne(ctx, &c)
				ended <- c
			})
		}
		if running == 0 {
			break
		}
		c := <-ended
		running--
		c.ended = true
		*calls[c.at] = c
		failed = failed || c.fatal
		done := c.RunCall
		if err := r.event(RunEvent{Kind: RunReply, Call: &done, Text: done.Text}); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, c := range calls {
		if c.fatal {
			return c.Err
		}
	}
	return nil
}

// callOne runs one call to its end.
func (r *runner) callOne(run context.Context, c *runCall) {
	ctx := run
	if r.options.ToolTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(run, r.options.ToolTimeout)
		defer cancel()
	}
	tool, ok := r.byName[c.Tool]
	if !ok {
		err := &Error{Kind: ErrUnknownTool, Tool: c.Tool, Err: r.model.tools.noSuchTool(c.Tool)}
		c.Text, c.Err = errorText(err.Err.Error()), err
		return
	}
	o := containTool(ctx, r.options.Logger, tool, c.Arguments, r.options.TransportErrors)
	c.Text, c.Result = o.text, o.result
	if o.err != nil {
		c.Err, c.fatal = o.err, o.policy == ErrorsAsErrors
	}
}

// CallTool calls a tool as [Run] does, for loops and agents of your own: with
// the arguments that a model wrote, whatever tool it is, and without letting a
// panic out. The text is for the model to read.
//
// An error, always an [*Error], means that the loop should end. Which failures
// are text instead is set by [ToolOptions], and for those without an answer of
// the tool by transportErrors, as [RunOptions.TransportErrors] does. When ctx
// has ended it is an error in any case.
func CallTool(ctx context.Context, tool tools.Tool, arguments string, transportErrors ErrorPolicy) (string, error) {
	if isNil(tool) {
		return "", &Error{Kind: ErrBadOption, Err: errors.New("CallTool needs a tool")}
	}
	o := containTool(ctx, nil, tool, arguments, transportErrors)
	if o.err != nil && (o.policy == ErrorsAsErrors || o.transport() && ctx.Err() != nil) {
		return "", o.err
	}
	return o.text, nil
}

// containTool is callTool without panics, and with the policy of a run.
func containTool(ctx context.Context, logger *slog.Logger, tool tools.Tool, arguments string, transportErrors ErrorPolicy) toolOutcome {
	o, err := contain(ctx, logger, "the tool", func() toolOutcome { return callTool(ctx, tool, arguments) })
	if err != nil {
		o = toolOutcome{err: ownFailure(tool, err), policy: ErrorsAsErrors}
		o.text = failureText(o.err)
	}
	if o.transport() && transportErrors != ErrorsDefault {
		o.policy = transportErrors
	}
	return o
}

// A toolOutcome is what a tool made of a call. The text is for the model, of a
// failure too.
type toolOutcome struct {
	text   string
	result *mcp.CallToolResult
	err    *Error
	policy ErrorPolicy // of the tool itself, for err
}

// transport reports whether there is no answer of the tool.
func (o *toolOutcome) transport() bool { return o.err != nil && o.err.Kind == ErrCallFailed }

// callTool calls a tool with the arguments that a model wrote.
func callTool(ctx context.Context, tool tools.Tool, arguments string) toolOutcome {
	if t, ok := tool.(*Tool); ok {
		text, result, failure := t.observedCall(ctx, arguments)
		o := toolOutcome{text: text, result: result, err: failure, policy: ErrorsAsText}
		switch {
		case o.transport() && t.options.TransportErrors != ErrorsAsText, !o.transport() && t.options.ToolErrors == ErrorsAsErrors:
			o.policy = ErrorsAsErrors
		}
		return o
	}
	input, err := plainInput(tool, arguments)
	if err != nil {
		failure := &Error{Kind: ErrBadArguments, Tool: tool.Name(), Err: err}
		text := fmt.Sprintf("Error: bad arguments for the tool %s: %v.\nReceived: %s", quoted(tool.Name()), err, excerpt(arguments))
		return toolOutcome{text: text, err: failure, policy: ErrorsAsText}
	}
	text, err := tool.Call(ctx, input)
	if err != nil {
		failure := ownFailure(tool, err)
		return toolOutcome{text: failureText(failure), err: failure, policy: ErrorsAsErrors}
	}
	return toolOutcome{text: clean(text)}
}

// ownFailure returns the error for a call without an answer.
func ownFailure(tool tools.Tool, err error) *Error {
	if own, ok := errors.AsType[*Error](err); ok {
		return own
	}
	if t, ok := tool.(*Tool); ok {
		return t.failure(ErrCallFailed, err)
	}
	return &Error{Kind: ErrCallFailed, Tool: tool.Name(), Err: err}
}

// plainInput returns what a tool that is no [*Tool] is called with: as the
// functions agent does, the text of its one argument, or else the whole object.
// A tool with a definition of its own gets nothing but objects.
func plainInput(tool tools.Tool, arguments string) (string, error) {
	trimmed := strings.TrimSpace(arguments)
	if trimmed == "" {
		trimmed = "{}"
	}
	value, rest, err := decodeFirst(trimmed)
	object, isObject := value.(map[string]any)
	_, defined := tool.(interface{ Definition() llms.Tool })
	switch {
	case err == nil && rest == "" && isObject:
		wrapped, ok := object[textArgument]
		if !ok || len(object) > 1 || defined {
			return trimmed, nil
		}
		if text, ok := wrapped.(string); ok {
			return text, nil
		}
		return compactJSON(wrapped), nil
	case !defined && trimmed[0] != '{':
		return arguments, nil // the text itself
	case err == nil && isObject:
		err = errors.New("there is text after the JSON object")
	case err == nil:
		err = errors.New("it is no JSON object")
	}
	return "", fmt.Errorf("the arguments must be a JSON object: %w", err)
}
