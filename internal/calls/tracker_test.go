package calls

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

func TestNoEventComesAfterTheCallHasReturned(t *testing.T) {
	var r *running
	second, gate := make(chan struct{}), make(chan struct{})
	tracker := newTracker(t, callbacks.Callbacks{
		OnProgress: func(_ context.Context, _ callbacks.CallbackContext, p *mcp.ProgressNotificationParams) {
			switch p.Message {
			case "first":
				// The server goes on although it has answered.
				r.progress("second")
			case "second":
				close(second)
				<-gate
			}
		},
	})
	r = start(t, t.Context(), tracker, "a")
	hold := make(chan struct{})
	FromContext(r.ctx).queue.push(requestEvent, func(int) { <-hold })
	r.progress("first")
	r.returns(t, "done")
	<-FromContext(r.ctx).responded
	close(hold)
	select {
	case <-r.ended:
		// Then the second was discarded, which is as good.
	case <-second:
		select {
		case <-r.ended:
			t.Error("the call returned while one of its events was being delivered")
		default:
		}
		close(gate)
		get(t, r.ended, "end of the call")
	}
}

func TestCallbackOfNobodyMayCallTheServer(t *testing.T) {
	// A callback for an event of no call calls a tool; while it does, events
	// come that may be of that call and wait behind the callback.
	var tracker *Tracker
	nested, ended := make(chan *running, 1), make(chan end, 1)
	tracker = newTracker(t, callbacks.Callbacks{
		OnToolsListChanged: func(ctx context.Context, _ callbacks.CallbackContext, _ *mcp.ToolListChangedParams) {
			r := start(t, ctx, tracker, "nested")
			nested <- r
			ended <- <-r.ended
		},
		OnLoggingMessage: func(context.Context, callbacks.CallbackContext, *mcp.LoggingMessageParams) {},
	})
	other := start(t, t.Context(), tracker, "other")
	tracker.Inbound(t.Context(), notification(methodToolsChanged, "{}"))
	r := get(t, nested, "nested call")
	tracker.Inbound(context.Background(), logMessage("of nested or other"))
	r.returns(t, "x")
	if e := get(t, ended, "end of the nested call"); e.err != nil {
		t.Errorf("the nested call gave %v", e.err)
	}
	other.returns(t, "x")
	get(t, other.ended, "end of the other call")
}

func TestCallbackThatExitsItsGoroutineFailsTheCall(t *testing.T) {
	for name, exit := range map[string]func(){
		"panic":  func() { panic("boo") },
		"error":  func() { panic(errors.New("boo")) },
		"Goexit": runtime.Goexit, // as t.FailNow does
	} {
		t.Run(name, func(t *testing.T) {
			leave := func() { exit() }
			tracker := newTracker(t, callbacks.Callbacks{
				OnProgress: func(_ context.Context, _ callbacks.CallbackContext, p *mcp.ProgressNotificationParams) {
					if p.Message == "leave" {
						leave()
					}
				},
				OnElicitation: func(context.Context, callbacks.CallbackContext, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					leave()
					return nil, nil
				},
				OnLoggingMessage: func(context.Context, callbacks.CallbackContext, *mcp.LoggingMessageParams) { leave() },
			})
			var failed *PanicError

			r := start(t, t.Context(), tracker, "a")
			r.progress("leave")
			r.progress("stay")
			r.returns(t, "x")
			if e := get(t, r.ended, "end of the call"); !errors.As(e.err, &failed) || failed.Callback != "OnProgress" || failed.Context.ToolName != "a" {
				t.Errorf("after a callback for progress the call returned %v", e.err)
			}

			r = start(t, t.Context(), tracker, "b")
			a := ask(tracker, r.ctx, methodElicit, question)
			if e := get(t, a.answer, "answer to the question"); e.err == nil || strings.Contains(e.err.Error(), "boo") {
				t.Errorf("the server was told %v", e.err)
			}
			r.returns(t, "x")
			if e := get(t, r.ended, "end of the call"); !errors.As(e.err, &failed) || failed.Callback != "OnElicitation" || failed.Context.ToolName != "b" {
				t.Errorf("after a callback for a question the call returned %v", e.err)
			}

			// What belongs to nobody fails nobody, and goes on.
			tracker.Inbound(t.Context(), logMessage("of nobody"))
			tracker.Inbound(t.Context(), logMessage("of nobody either"))
			tracker.shared.wait(t.Context(), tracker.shared.last())
			if t.Context().Err() != nil {
				t.Error("the queue of the session is stuck")
			}
		})
	}
}

func TestUnrelatedFailureIsNotBlamedOnAMissingCallback(t *testing.T) {
	tracker := newTracker(t, callbacks.Callbacks{})
	a, b, c := start(t, t.Context(), tracker, "a"), start(t, t.Context(), tracker, "b"), start(t, t.Context(), tracker, "c")
	refused := get(t, ask(tracker, context.Background(), methodElicit, question).answer, "answer").err
	if refused == nil {
		t.Fatal("the question was not refused")
	}
	// Whose question it was is not known: only the text of an error can tell.
	put(t, a.answer, end{nil, &jsonrpc.Error{Code: -32000, Message: "asking the user: " + refused.Error()}})
	put(t, b.answer, end{nil, &jsonrpc.Error{Code: -32602, Message: "unknown tool"}})
	put(t, c.answer, end{&mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "no such file"}}}, nil})
	if err := get(t, a.ended, "end of a").err; isMissing(err) == nil || isMissing(err).Callback != "OnElicitation" {
		t.Errorf("the call that asked gave %v", err)
	}
	if err := get(t, b.ended, "end of b").err; err == nil || isMissing(err) != nil {
		t.Errorf("a call that failed otherwise gave %v", err)
	}
	if res := get(t, c.ended, "end of c").res.(*mcp.CallToolResult); len(res.Content) != 1 {
		t.Errorf("a tool that failed otherwise returned %v", res.Content)
	}
}

func TestParametersOfTheCallerStayAsTheyAre(t *testing.T) {
	tracker := newTracker(t, callbacks.Callbacks{
		OnProgress: func(context.Context, callbacks.CallbackContext, *mcp.ProgressNotificationParams) {},
		OnListRoots: func(context.Context, callbacks.CallbackContext, *mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
			return &mcp.ListRootsResult{}, nil
		},
	})
	params := &mcp.CallToolParams{Name: "a", Meta: mcp.Meta{"mine": true, "progressToken": "own"}, Arguments: map[string]any{"x": 1}}
	r := startCall(t, t.Context(), tracker, "tools/call", params)
	sent := r.params.(*mcp.CallToolParams)
	if sent == params || sent.Meta["progressToken"] != r.id() {
		t.Errorf("sent were %v", sent)
	}
	r.returns(t, "x")
	get(t, r.ended, "end of the call")
	if diff := cmp.Diff(mcp.Meta{"mine": true, "progressToken": "own"}, params.Meta); diff != "" || params.RequestState != "" || params.InputResponses != nil {
		t.Errorf("the parameters became %+v", params)
	}
}

func TestProgressCarriesTheTokenOfTheCaller(t *testing.T) {
	tokens := make(chan any, 1)
	tracker := newTracker(t, callbacks.Callbacks{
		OnProgress: func(_ context.Context, _ callbacks.CallbackContext, p *mcp.ProgressNotificationParams) {
			tokens <- p.ProgressToken
		},
	})
	for _, own := range []any{nil, "mine"} {
		params := &mcp.CallToolParams{Name: "a"}
		if own != nil {
			params.Meta = mcp.Meta{"progressToken": own}
		}
		r := startCall(t, t.Context(), tracker, "tools/call", params)
		r.progress("x")
		if got := get(t, tokens, "token"); got != own {
			t.Errorf("the token is %v, want %v", got, own)
		}
		r.returns(t, "x")
		get(t, r.ended, "end of the call")
	}
}

func TestProgressOfNobody(t *testing.T) {
	var seen []string
	tracker := newTracker(t, callbacks.Callbacks{
		OnProgress: func(_ context.Context, cc callbacks.CallbackContext, p *mcp.ProgressNotificationParams) {
			t.Errorf("progress %q was given to %v", p.Message, cc)
		},
		OnMessage: func(_ context.Context, cc callbacks.CallbackContext, msg callbacks.Message) {
			if cc.ToolName != "" || cc.CallID != "" {
				t.Errorf("%s was given to %v", msg.Params, cc)
			}
			seen = append(seen, string(msg.Params))
		},
	})
	over := start(t, t.Context(), tracker, "over")
	over.returns(t, "x")
	get(t, over.ended, "end of the call")
	r := start(t, t.Context(), tracker, "a")
	var want []string
	for _, token := range []string{`"no such token"`, `7`, `null`, `{"a":1}`, `""`, fmt.Sprintf("%q", over.id())} {
		params := `{"progressToken":` + token + `,"progress":1}`
		want = append(want, params)
		tracker.Inbound(r.ctx, notification(methodProgress, params))
	}
	for _, params := range []string{`[]`, `"x"`, `{"progress":"much"}`} {
		want = append(want, params)
		tracker.Inbound(r.ctx, notification(methodProgress, params))
	}
	tracker.shared.wait(t.Context(), tracker.shared.last())
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("OnMessage got (-want +got):\n%s", diff)
	}
	r.returns(t, "x")
	get(t, r.ended, "end of the call")
}
