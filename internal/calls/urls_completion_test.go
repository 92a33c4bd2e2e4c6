package calls

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

func TestCompletionsAreRememberedWithinABound(t *testing.T) {
	tracker := newTracker(t, callbacks.Callbacks{})
	for i := range 10_000 {
		completed(tracker, fmt.Sprint("id", i))
		tracker.urls.asked(fmt.Sprint("id", i), callbacks.CallbackContext{})
	}
	long := strings.Repeat("x", maxID+1)
	completed(tracker, long)
	if _, ok := tracker.urls.completed.get(long); ok {
		t.Error("an id as long as a message is remembered")
	}
	if n := len(tracker.urls.completed.entries); n > maxRemembered {
		t.Errorf("%d completions are remembered", n)
	}
	if n := len(tracker.urls.contexts.entries); n > maxRemembered {
		t.Errorf("%d elicitations are remembered", n)
	}
	if n, m := len(tracker.urls.completed.order), len(tracker.urls.contexts.order); n > maxRemembered || m > maxRemembered {
		t.Errorf("%d and %d ids are remembered", n, m)
	}
	if _, ok := tracker.urls.completed.get("id9999"); !ok {
		t.Error("the latest completion is forgotten")
	}
}

func TestCompletionThatMayBeOfSeveralCalls(t *testing.T) {
	gate, delivered := make(chan struct{}), make(chan callbacks.CallbackContext, 1)
	tracker := newTracker(t, callbacks.Callbacks{
		URLElicitation: true,
		OnElicitation: func(context.Context, callbacks.CallbackContext, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept"}, nil
		},
		OnElicitationComplete: func(_ context.Context, cc callbacks.CallbackContext, _ *mcp.ElicitationCompleteParams) {
			delivered <- cc
			<-gate
		},
	})
	a, b := start(t, t.Context(), tracker, "a"), start(t, t.Context(), tracker, "b")
	params := `{"mode":"url","message":"m","url":"https://x.example/","elicitationId":"i"}`
	if e := get(t, ask(tracker, context.Background(), methodElicit, params).answer, "answer"); e.err != nil {
		t.Fatal(e.err)
	}
	c := start(t, t.Context(), tracker, "c")
	completed(tracker, "i")
	if cc := get(t, delivered, "completion"); cc.ToolName != "" || !cmp.Equal(cc.Candidates, []string{"a", "b"}) {
		t.Errorf("the completion is of %v", cc)
	}
	for _, r := range []*running{a, b, c} {
		r.returns(t, "x")
	}
	get(t, c.ended, "end of the call that it cannot be of")
	<-FromContext(a.ctx).responded
	<-FromContext(b.ctx).responded
	select {
	case <-a.ended:
		t.Error("a call returned before an event that may be its was delivered")
	case <-b.ended:
		t.Error("a call returned before an event that may be its was delivered")
	default:
	}
	close(gate)
	get(t, a.ended, "end of a call")
	get(t, b.ended, "end of a call")
}
