package adapters

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/interceptors"
)

// ErrCallFailed: there is no answer of the tool, be it that the call did not
// reach the server, the answer did not come back, or an interceptor failed it.
const ErrCallFailed ErrorKind = "call failed"

// Call calls the tool with what an agent made of a model's output and returns
// the text that the model is to read: see [ResultText].
//
// The input is the arguments in one of the forms that agents really send:
//
//   - a JSON object; if a key is there twice, the last counts;
//   - the object in a Markdown code fence, or as a JSON string;
//   - {"__arg1": ...}, as langchaingo's functions agent has models write it,
//     around any of these forms, unless the tool has a parameter __arg1;
//   - nothing, or null: no arguments;
//   - plain text, if the tool has exactly one required parameter, or just one
//     parameter at all, and that is a string. White space around it is removed.
//
// Where the schema that a model is shown has a string for values of several types
// (see [SchemaPortable]), JSON in it is read as the value that it stands for.
//
// A line that begins with "Observation:" ends the input, since text agents let
// a model guess on from there. Anything else, JSON that is cut off, broken or has
// text around it and JSON arrays included, is not guessed at: the model is told
// what was expected and what came. So it is with certain mistakes in the
// arguments, see [ArgumentCheck].
//
// What becomes of failures is set by [ToolOptions]; by default an error means
// that there is no answer of the tool. It is an [*Error] with the server's and
// the tool's name, and wraps the cause and, if ctx has ended, ctx.Err().
func (t *Tool) Call(ctx context.Context, input string) (string, error) {
	text, _, failure := t.observedCall(ctx, input)
	if failure != nil && !t.asText(ctx, failure.Kind) {
		return "", failure
	}
	return text, nil
}

// observedCall is call, told to the handler.
func (t *Tool) observedCall(ctx context.Context, input string) (string, *mcp.CallToolResult, *Error) {
	h := t.options.CallbacksHandler
	if h == nil {
		return t.call(ctx, input)
	}
	h.HandleToolStart(ctx, input)
	text, res, failure := t.call(ctx, input)
	if failure != nil {
		h.HandleToolError(ctx, failure)
	} else {
		h.HandleToolEnd(ctx, text)
	}
	return text, res, failure
}

// call returns what the model is to read, of a failure too, and the result if
// there is one.
func (t *Tool) call(ctx context.Context, input string) (text string, res *mcp.CallToolResult, failure *Error) {
	args, err := t.readArguments(input)
	if err != nil {
		text = fmt.Sprintf("Error: bad arguments for the tool %s: %s.\nReceived: %s", quoted(t.name), err.toModel(), excerpt(input))
		return text, nil, t.failure(ErrBadArguments, err)
	}
	res, failure = t.invoke(ctx, args)
	if failure != nil {
		return joinLimited([]string{failureText(failure)}, t.options.MaxResultText), nil, failure
	}
	text = ResultText(t.shown(res), &TextOptions{MaxBytes: t.options.MaxResultText})
	if res.IsError {
		return text, res, t.failure(ErrToolFailed, errors.New(errorCause(res)))
	}
	return text, res, nil
}

// shown returns what a model is shown of a result.
func (t *Tool) shown(res *mcp.CallToolResult) *mcp.CallToolResult {
	if t.options.RespectAudience {
		return ForAudience(res, "assistant")
	}
	return res
}

// readArguments returns the arguments for the server, never nil.
func (t *Tool) readArguments(input string) (map[string]any, *inputError) {
	p := t.parameters()
	shown := t.schema()
	args, err := readInput(input, p)
	if err != nil {
		return nil, &inputError{unread: err, expected: newParameters(shown.schema).expectation()}
	}
	shown.undo(args)
	if t.options.CoerceArguments {
		p.coerce(args)
	}
	if t.options.ArgumentCheck == CheckOff {
		return args, nil
	}
	p.dropNulls(args)
	mistakes := p.mistakes(args)
	if v := t.validator; mistakes == nil && t.options.ArgumentCheck == CheckFull && v() != nil {
		mistakes = v().mistakes(args)
	}
	if mistakes != nil {
		return nil, &inputError{mistakes: mistakes, expected: newParameters(shown.schema).expectation()}
	}
	return args, nil
}

// Invoke calls the tool with arguments as they are and returns the whole result:
// every block of content, structured content and _meta. Blocks that are nil, which
// only interceptors can leave behind, are left out. A nil map is no arguments; the
// map is neither changed nor kept.
//
// The result is non-nil if and only if the error is nil. A result with IsError
// set is no error. An error is an [*Error], of kind [ErrToolFailed] if the server
// answered the call by a JSON-RPC error and [ErrCallFailed] otherwise, and wraps
// the cause and, if ctx has ended, ctx.Err().
func (t *Tool) Invoke(ctx context.Context, arguments map[string]any) (*mcp.CallToolResult, error) {
	res, failure := t.invoke(ctx, arguments)
	if failure != nil {
		return nil, failure
	}
	return res, nil
}

func (t *Tool) invoke(ctx context.Context, arguments map[string]any) (*mcp.CallToolResult, *Error) {
	if err := ctx.Err(); err != nil {
		return nil, t.failure(ErrCallFailed, err)
	}
	if arguments == nil {
		arguments = map[string]any{}
	}
	res, err := t.handler(ctx, &interceptors.Request{
		ServerName: t.server,
		ToolName:   t.tool.Name,
		Arguments:  arguments,
		Headers:    http.Header{},
		Meta:       mcp.Meta{},
		Tool:       t.tool,
	})
	switch {
	case err != nil && ctx.Err() != nil:
		if !errors.Is(err, ctx.Err()) {
			err = fmt.Errorf("%w: %w", ctx.Err(), err)
		}
		return nil, t.failure(ErrCallFailed, err)
	case err != nil && answered(err) != nil:
		return nil, t.failure(ErrToolFailed, err)
	case err != nil:
		return nil, t.failure(ErrCallFailed, err)
	case res == nil:
		return nil, t.failure(ErrCallFailed, errors.New("the handler returned neither a result nor an error"))
	case res.NeedsInput():
		return nil, t.failure(ErrCallFailed, errors.New("the server asks for more input before it answers, and nothing gave it"))
	}
	return sound(res), nil
}

func (t *Tool) failure(kind ErrorKind, cause error) *Error {
	return &Error{Kind: kind, Server: t.server, Tool: t.tool.Name, Err: cause}
}

// asText reports whether the model is told of a failure instead of the caller.
func (t *Tool) asText(ctx context.Context, kind ErrorKind) bool {
	if kind == ErrCallFailed {
		return t.options.TransportErrors == ErrorsAsText && ctx.Err() == nil
	}
	return t.options.ToolErrors != ErrorsAsErrors
}
