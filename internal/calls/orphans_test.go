package calls

import (
	"context"
	"errors"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

// pending answers elicitations and sampling with the end of their context.
func pending(asked chan<- callbacks.CallbackContext, ended chan<- error) callbacks.Callbacks {
	return callbacks.Callbacks{
		OnElicitation: func(ctx context.Context, cc callbacks.CallbackContext, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			asked <- cc
			<-ctx.Done()
			ended <- context.Cause(ctx)
			return nil, ctx.Err()
		},
		OnSampling: func(ctx context.Context, cc callbacks.CallbackContext, _ *mcp.CreateMessageWithToolsRequest) (*mcp.CreateMessageWithToolsResult, error) {
			asked <- cc
			<-ctx.Done()
			ended <- context.Cause(ctx)
			return nil, ctx.Err()
		},
	}
}

const message = `{"messages":[{"role":"user","content":{"type":"text","text":"hi"}}],"maxTokens":1}`

func TestEndOfACallEndsItsQuestions(t *testing.T) {
	mine := errors.New("mine")
	for name, test := range map[string]struct {
		stop func(t *testing.T, r *running, cancel context.CancelCauseFunc)
		err  error // of the call
	}{
		"cancelled":  {func(_ *testing.T, _ *running, cancel context.CancelCauseFunc) { cancel(mine) }, context.Canceled},
		"answered":   {func(t *testing.T, r *running, _ context.CancelCauseFunc) { r.returns(t, "x") }, nil},
		"closed":     {func(_ *testing.T, r *running, _ context.CancelCauseFunc) { r.tracker.Close(mine) }, mine},
		"tool fails": {func(t *testing.T, r *running, _ context.CancelCauseFunc) { put(t, r.answer, end{nil, mine}) }, mine},
	} {
		t.Run(name, func(t *testing.T) {
			asked, ended := make(chan callbacks.CallbackContext, 2), make(chan error, 2)
			tracker := newTracker(t, pending(asked, ended))
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			r := start(t, ctx, tracker, "a")
			elicitation := ask(tracker, r.ctx, methodElicit, question)
			if cc := get(t, asked, "question"); cc.ToolName != "a" || cc.CallID != r.id() {
				t.Errorf("the question is of %v", cc)
			}
			// It waits for its turn behind the other.
			sampling := ask(tracker, r.ctx, methodCreateMessage, message)
			test.stop(t, r, cancel)
			get(t, ended, "end of the callback's context")
			if e := get(t, elicitation.answer, "answer to the question"); e.err != nil || e.res.(*mcp.ElicitResult).Action != "cancel" {
				t.Errorf("the question was answered with %v, %v", e.res, e.err)
			}
			if e := get(t, sampling.answer, "answer to the sampling"); e.err == nil {
				t.Errorf("the sampling was answered with %v", e.res)
			}
			if e := get(t, r.ended, "end of the call"); !errors.Is(e.err, test.err) {
				t.Errorf("the call returned %v", e.err)
			}
			select {
			case cc := <-asked:
				t.Errorf("%v was asked although the call had ended", cc)
			default:
			}
		})
	}
}

func TestQuestionThatIsReadBeforeTheResponseAndHandledAfter(t *testing.T) {
	for range 200 {
		tracker := newTracker(t, callbacks.Callbacks{
			OnElicitation: func(context.Context, callbacks.CallbackContext, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				t.Error("a question was asked whose call had been answered")
				return accept(""), nil
			},
		})
		r := start(t, t.Context(), tracker, "a")
		orphan := read(tracker, r.ctx, methodElicit, question)
		r.returns(t, "x")
		<-FromContext(r.ctx).responded
		go orphan.handle(tracker, context.Background())
		if e := get(t, orphan.answer, "answer"); e.err != nil || e.res.(*mcp.ElicitResult).Action != "cancel" {
			t.Errorf("it was answered with %v, %v", e.res, e.err)
		}
		get(t, r.ended, "end of the call")
	}
}

func TestServerTakesItsQuestionBack(t *testing.T) {
	asked, ended := make(chan callbacks.CallbackContext, 2), make(chan error, 2)
	tracker := newTracker(t, pending(asked, ended))
	r := start(t, t.Context(), tracker, "a")
	ctx, cancel := context.WithCancel(t.Context())
	a := read(tracker, r.ctx, methodElicit, question)
	go a.handle(tracker, ctx)
	get(t, asked, "question")
	cancel()
	get(t, ended, "end of the callback's context")
	if e := get(t, a.answer, "end of the request"); e.err == nil {
		t.Errorf("it was answered with %v", e.res)
	}
	r.returns(t, "x")
	if e := get(t, r.ended, "end of the call"); e.err != nil {
		t.Errorf("the call returned %v", e.err)
	}
}
