package calls

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

// A call that was cancelled may be whose an event is, until its response is read or
// some time has passed.
func TestHowLongACancelledCallCounts(t *testing.T) {
	for name, test := range map[string]struct {
		then  func(tracker *Tracker, id jsonrpc.ID)
		exact bool
	}{
		"at once":             {func(*Tracker, jsonrpc.ID) {}, false},
		"after another":       {func(tracker *Tracker, _ jsonrpc.ID) { tracker.Answered(requestID(-1)) }, false},
		"after its response":  {func(tracker *Tracker, id jsonrpc.ID) { tracker.Answered(id) }, true},
		"after a while":       {func(*Tracker, jsonrpc.ID) { time.Sleep(cancelledFor - time.Second) }, false},
		"after a longer time": {func(*Tracker, jsonrpc.ID) { time.Sleep(cancelledFor + time.Second) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				told := make(chan callbacks.CallbackContext, 1)
				tracker := newTracker(t, callbacks.Callbacks{
					OnLoggingMessage: func(_ context.Context, cc callbacks.CallbackContext, _ *mcp.LoggingMessageParams) { told <- cc },
				})
				ctx, cancel := context.WithCancel(t.Context())
				gone := start(t, ctx, tracker, "gone")
				id := nextID()
				tracker.Written(gone.ctx, &jsonrpc.Request{ID: id, Method: "tools/call"})
				cancel()
				get(t, gone.ended, "end of the cancelled call")
				here := start(t, t.Context(), tracker, "here")
				test.then(tracker, id)
				tracker.Inbound(context.Background(), logMessage("x"))
				switch cc := get(t, told, "log message"); {
				case test.exact && cc.ToolName != "here":
					t.Errorf("it is of %+v, want the call in flight", cc)
				case !test.exact && (cc.ToolName != "" || len(cc.Candidates) != 2):
					t.Errorf("it is of %+v, want either", cc)
				}
				here.returns(t, "x")
				get(t, here.ended, "end of the call")
			})
		})
	}
}
