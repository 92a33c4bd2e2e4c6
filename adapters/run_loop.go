package adapters

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/tools"
)

// A runner is one run. Its goroutine is the caller's; others only ask the model
// and call tools.
type runner struct {
	options  RunOptions
	model    *boundModel
	byName   map[string]tools.Tool
	messages []llms.MessageContent
	ids      map[string]bool // of the calls in messages

	step    int
	answer  string
	stopped bool
	usage   Usage

	yield func(RunEvent, error) bool
	stop  context.CancelFunc
	tasks sync.WaitGroup
	shown shownMedia
}

// newRunner returns a runner also along with an error, for its result.
func newRunner(model llms.Model, messages []llms.MessageContent, list []tools.Tool, options RunOptions) (*runner, error) {
	r := &runner{options: options, messages: slices.Clone(messages), byName: map[string]tools.Tool{}, ids: map[string]bool{}}
	bad := func(what string) (*runner, error) {
		return r, &Error{Kind: ErrBadOption, Err: errors.New(what)}
	}
	if isNil(model) {
		return bad("Run needs a model")
	}
	if !slices.ContainsFunc(messages, func(m llms.MessageContent) bool { return m.Role != llms.ChatMessageTypeSystem && len(m.Parts) > 0 }) {
		return bad("Run needs a message besides those of the system")
	}
	r.model = &boundModel{model: model, dialect: dialectOf(model)}
	r.model.tools = newToolbox(list, r.model.dialect.passesOn)
	for _, tool := range list {
		if !isNil(tool) {
			r.byName[define(tool, false).Function.Name] = tool
		}
	}
	for _, message := range messages {
		for _, part := range message.Parts {
			if call, ok := part.(llms.ToolCall); ok {
				r.ids[call.ID] = true
			}
		}
	}
	if r.options.MaxSteps == 0 {
		r.options.MaxSteps = defaultMaxSteps
	}
	if r.options.MaxConcurrent <= 0 {
		r.options.MaxConcurrent = defaultMaxConcurrent
	}
	r.options.MaxMedia = cmp.Or(r.options.MaxMedia, defaultMaxMedia)
	r.options.MaxMediaBytes = cmp.Or(r.options.MaxMediaBytes, defaultMaxMediaBytes)
	return r, nil
}

func (r *runner) result() *RunResult {
	return &RunResult{Answer: r.answer, Messages: r.messages, Steps: r.step, Stopped: r.stopped, Usage: r.usage}
}

// errBrokenOff says that the caller wants no more events.
var errBrokenOff = errors.New("broken off")

// errTimeout is the cause of the end of a context by RunOptions.Timeout.
type errTimeout struct{ error }

func (r *runner) run(ctx context.Context, yield func(RunEvent, error) bool) {
	if r.options.Timeout > 0 {
		ctx, r.stop = context.WithTimeoutCause(ctx, r.options.Timeout, errTimeout{context.DeadlineExceeded})
	} else {
		ctx, r.stop = context.WithCancel(ctx)
	}
	// Also when the loop's body panics, nothing is left running.
	defer r.tasks.Wait()
	defer r.stop()
	r.yield = yield
	err := r.steps(ctx)
	if errors.Is(err, errBrokenOff) {
		return
	}
	if ctx.Err() != nil && err != nil {
		err = r.ended(ctx)
	}
	yield(RunEvent{Kind: RunEnd, Step: r.step, Result: r.result()}, err)
}

// ended returns the error of a run whose context has ended.
func (r *runner) ended(ctx context.Context) error {
	cause := context.Cause(ctx)
	if _, ok := cause.(errTimeout); ok {
		return &Error{Kind: ErrRunLimit, Err: fmt.Errorf("the run took longer than %v: %w", r.options.Timeout, context.DeadlineExceeded)}
	}
	if !errors.Is(cause, ctx.Err()) {
		cause = fmt.Errorf("%w: %w", ctx.Err(), cause)
	}
	return &Error{Kind: ErrRunCanceled, Err: cause}
}

// event yields an event, and returns errBrokenOff if it was the last.
func (r *runner) event(e RunEvent) error {
	e.Step = r.step
	if !r.yield(e, nil) {
		r.stop()
		return errBrokenOff
	}
	return nil
}

// steps asks and calls until the model answers.
func (r *runner) steps(ctx context.Context) error {
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		r.step++
		choice, err := r.ask(ctx)
		if err != nil {
			return err
		}
		r.usage = r.usage.plus(usageOf(choice.GenerationInfo))
		r.answer = choice.Content
		r.record(choice)
		calls := callsToRun(choice.ToolCalls)
		if err := r.event(RunEvent{Kind: RunAnswer, Text: choice.Content, Answer: choice}); err != nil {
			return err
		}
		if len(calls) == 0 {
			return nil
		}
		if r.step == r.options.MaxSteps {
			r.respond(calls)
			return &Error{Kind: ErrRunLimit, Err: fmt.Errorf("the model still calls tools after %d steps", r.step)}
		}
		failure := r.call(ctx, calls)
		step := r.respond(calls)
		step.Answer = choice
		switch {
		case failure != nil:
			return failure
		case r.options.Stop != nil && r.options.Stop(step):
			r.stopped = true
			return nil
		}
	}
}

// record adds an answer to the conversation, unless there is nothing in it. The
// ids of its calls become unique.
func (r *runner) record(choice *llms.ContentChoice) {
	var parts []llms.ContentPart
	if !blank(choice.Content) {
		parts = append(parts, llms.TextPart(choice.Content))
	}
	for i := range choice.ToolCalls {
		call := &choice.ToolCalls[i]
		for r.ids[call.ID] {
			call.ID = newCallID()
		}
		r.ids[call.ID] = true
		parts = append(parts, *call)
	}
	if parts != nil {
		r.messages = append(r.messages, llms.MessageContent{Role: llms.ChatMessageTypeAI, Parts: parts})
	}
}

// notRun is what stands for the result of a call that was not run.
const notRun = "Error: the call was not run, because the run ended before."

// respond adds the responses of all calls to the conversation, and the media
// of their results.
func (r *runner) respond(calls []*runCall) *RunStep {
	step := &RunStep{Number: r.step}
	for _, c := range calls {
		if !c.ended {
			c.Text = notRun
		}
		r.messages = append(r.messages, llms.MessageContent{
			Role:  llms.ChatMessageTypeTool,
			Parts: []llms.ContentPart{llms.ToolCallResponse{ToolCallID: c.ID, Name: c.Tool, Content: c.Text}},
		})
		step.Calls = append(step.Calls, c.RunCall)
	}
	if parts := r.media(step.Calls); parts != nil {
		r.messages = append(r.messages, llms.MessageContent{Role: llms.ChatMessageTypeHuman, Parts: parts})
		r.shown.add(parts, r.options.MaxMedia, r.options.MaxMediaBytes)
	}
	return step
}
