package adapters

import (
	"context"
	"iter"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/tools"
)

// Kinds of the errors that end a run. A failed call of a tool ends it by an
// [*Error] of kind [ErrCallFailed].
const (
	// ErrNoTools: langchaingo's package for the model has no way to send tools.
	ErrNoTools ErrorKind = "no tools"

	// ErrModelFailed: the model gave no answer.
	ErrModelFailed ErrorKind = "model failed"

	// ErrRunLimit: [RunOptions.MaxSteps] or [RunOptions.Timeout] is reached.
	ErrRunLimit ErrorKind = "run limit"

	// ErrRunCanceled: the context of the run has ended.
	ErrRunCanceled ErrorKind = "run canceled"

	// ErrUnknownTool: the model called a tool that is not there. It ends no run.
	ErrUnknownTool ErrorKind = "unknown tool"
)

// Run lets the model call the tools until it answers. It needs no agent:
//
//	result, err := adapters.Run(ctx, model, messages, tools, nil)
//	fmt.Println(result.Answer)
//
// A step is one question to the model and the calls that it answers with. The
// model is asked by way of [BindTools], which need not be called before, so that
// every provider does that langchaingo sends tools to. The calls of a step run at
// the same time, up to [RunOptions.MaxConcurrent]; the model reads their results
// in the order of the calls. Any tool of langchaingo will do. A [*Tool] also
// gives its images, which are sent on in a message after the results.
//
// The model is told, and goes on, when it calls a tool that is not there (with
// the names that come near), when its arguments cannot be read, and when a tool
// reports a failure. When there is no answer of a tool, because the connection
// is lost, a plain langchaingo tool returns an error, or a tool panics, the run
// ends by default: the tool may have done its work, and a model that is
// told of a failure tries again. See [RunOptions.TransportErrors].
//
// The result is never nil, and holds the whole conversation also when the run
// ends by an error: each call in it has its response, be it that the call was not
// run, so that it can be gone on with. The messages given are not changed.
//
// The error is an [*Error]: of kind [ErrBadOption] if there is nothing to run,
// [ErrModelFailed], [ErrNoTools], [ErrRunLimit], [ErrRunCanceled] (wrapping
// ctx's error and cause), or what [ToolOptions] makes of the failure of a tool.
// When ctx ends Run returns as soon as the model and the tools have, after a
// second in any case: whatever ignores its context is left behind.
//
// Run is safe for concurrent use if the model and the tools are.
func Run(ctx context.Context, model llms.Model, messages []llms.MessageContent, tools []tools.Tool, opts *RunOptions) (*RunResult, error) {
	result := &RunResult{}
	var err error
	for event, failure := range RunEvents(ctx, model, messages, tools, opts) {
		if event.Kind == RunEnd {
			result, err = event.Result, failure
		}
	}
	return result, err
}

// RunEvents is [Run], event by event:
//
//	for event, err := range adapters.RunEvents(ctx, model, messages, tools, &adapters.RunOptions{Stream: true}) {
//		switch event.Kind {
//		case adapters.RunText:
//			fmt.Print(event.Text)
//		case adapters.RunEnd:
//			return event.Result, err
//		}
//	}
//
// The last event is of kind [RunEnd] and has the result; the error comes with it
// and is nil with all others. The events of one call come in order; those of
// calls that run at the same time come as they happen. While an event is looked
// at, what runs goes on, but nothing new begins.
//
// Breaking off the loop cancels what runs and waits for it, for a second at
// most; there is no RunEnd then. Each range over the sequence is a run of its
// own.
func RunEvents(ctx context.Context, model llms.Model, messages []llms.MessageContent, tools []tools.Tool, opts *RunOptions) iter.Seq2[RunEvent, error] {
	var options RunOptions
	if opts != nil {
		options = *opts
	}
	return func(yield func(RunEvent, error) bool) {
		r, err := newRunner(model, messages, tools, options)
		if err != nil {
			yield(RunEvent{Kind: RunEnd, Result: r.result()}, err)
			return
		}
		r.run(ctx, yield)
	}
}
