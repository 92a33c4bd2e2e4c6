package calls

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

// A request of nobody in particular comes after the messages before it, however
// slow the callback is.
func TestRequestsThatAreAmbiguousKeepTheOrder(t *testing.T) {
	for _, tools := range [][]string{nil, {"a", "b"}} {
		synctest.Test(t, func(t *testing.T) { ambiguousOrder(t, tools) })
	}
}

func ambiguousOrder(t *testing.T, tools []string) {
	var logged atomic.Bool
	tracker := newTracker(t, callbacks.Callbacks{
		OnLoggingMessage: func(context.Context, callbacks.CallbackContext, *mcp.LoggingMessageParams) {
			time.Sleep(50 * time.Millisecond)
			logged.Store(true)
		},
		OnElicitation: func(_ context.Context, cc callbacks.CallbackContext, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			if !logged.Load() {
				t.Errorf("%v asked before it had logged", cc)
			}
			return &mcp.ElicitResult{Action: "cancel"}, nil
		},
	})
	var calls []*running
	for _, tool := range tools {
		calls = append(calls, start(t, t.Context(), tracker, tool))
	}
	tracker.Inbound(context.Background(), logMessage("before"))
	q := ask(tracker, context.Background(), methodElicit, `{"message":"m","requestedSchema":{"type":"object","properties":{}}}`)
	if e := get(t, q.answer, "answer"); e.err != nil {
		t.Error(e.err)
	}
	for _, r := range calls {
		r.returns(t, "")
		get(t, r.ended, "end")
	}
}
