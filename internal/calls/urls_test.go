package calls

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

// visit is an entry of error -32042.
func visit(id string) map[string]any {
	return map[string]any{"mode": "url", "message": "sign in", "url": "https://" + id + ".example/", "elicitationId": id}
}

// required is error -32042 with the entries.
func required(t testing.TB, entries ...map[string]any) *jsonrpc.Error {
	t.Helper()
	return &jsonrpc.Error{
		Code: mcp.CodeURLElicitationRequired, Message: "URLs have to be visited",
		Data: json.RawMessage(mustJSON(t, map[string]any{"elicitations": entries})),
	}
}

// A visitor is a user who visits URLs.
type visitor struct {
	recorder
	action string
	meta   mcp.Meta
	before func(p *mcp.ElicitParams) // is called while the user is asked
}

func (v *visitor) callbacks() callbacks.Callbacks {
	return callbacks.Callbacks{
		URLElicitation: true,
		OnElicitation: func(_ context.Context, cc callbacks.CallbackContext, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			v.add("%s of %s: %s %s", req.Params.Mode, cc.ToolName, req.Params.URL, req.Params.Message)
			if v.before != nil {
				v.before(req.Params)
			}
			return &mcp.ElicitResult{Action: v.action, Meta: v.meta}, nil
		},
		OnElicitationComplete: func(_ context.Context, cc callbacks.CallbackContext, p *mcp.ElicitationCompleteParams) {
			v.add("complete %s of %s", p.ElicitationID, cc.ToolName)
		},
	}
}

func completed(tracker *Tracker, id string) {
	tracker.Inbound(context.Background(), notification(methodElicitComplete, fmt.Sprintf(`{"elicitationId":%q}`, id)))
}

func TestURLsToVisitBeforeARetry(t *testing.T) {
	for name, test := range map[string]struct {
		meta     mcp.Meta
		complete func(tracker *Tracker, v *visitor)
		waits    time.Duration
		events   []string
	}{
		"completed while the user is asked": {
			complete: func(tracker *Tracker, v *visitor) {
				v.before = func(p *mcp.ElicitParams) { completed(tracker, p.ElicitationID) }
			},
			events: []string{
				"url of a: https://one.example/ sign in", "complete one of a",
				"url of a: https://two.example/ sign in", "complete two of a",
			},
		},
		"completed before the error": {
			complete: func(tracker *Tracker, _ *visitor) { completed(tracker, "one"); completed(tracker, "two") },
			events: []string{
				"complete one of ", "complete two of ",
				"url of a: https://one.example/ sign in", "url of a: https://two.example/ sign in",
			},
		},
		"completed later": {
			complete: func(tracker *Tracker, v *visitor) {
				v.before = func(p *mcp.ElicitParams) {
					time.AfterFunc(time.Minute, func() { completed(tracker, p.ElicitationID) })
				}
			},
			waits: 2 * time.Minute,
			events: []string{
				"url of a: https://one.example/ sign in", "complete one of a",
				"url of a: https://two.example/ sign in", "complete two of a",
			},
		},
		"never completed": {
			waits:  2 * completionWait,
			events: []string{"url of a: https://one.example/ sign in", "url of a: https://two.example/ sign in"},
		},
		"another is completed": {
			complete: func(tracker *Tracker, v *visitor) {
				v.before = func(*mcp.ElicitParams) { completed(tracker, "three") }
			},
			waits: 2 * completionWait,
			events: []string{
				"url of a: https://one.example/ sign in", "complete three of ",
				"url of a: https://two.example/ sign in", "complete three of ",
			},
		},
		"the user says so": {
			meta:   mcp.Meta{callbacks.Completed: true},
			events: []string{"url of a: https://one.example/ sign in", "url of a: https://two.example/ sign in"},
		},
		"the user does not say so": {
			meta:   mcp.Meta{callbacks.Completed: "no"},
			waits:  2 * completionWait,
			events: []string{"url of a: https://one.example/ sign in", "url of a: https://two.example/ sign in"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				v := &visitor{action: "accept", meta: test.meta}
				tracker := newTracker(t, v.callbacks())
				r := start(t, t.Context(), tracker, "a")
				if test.complete != nil {
					test.complete(tracker, v)
					synctest.Wait()
				}
				began := time.Now()
				r.answer <- end{nil, required(t, visit("one"), visit("two"))}
				if again := (<-r.sent).params.(*mcp.CallToolParams); again.Name != "a" {
					t.Errorf("the retry has %+v", again)
				}
				if waited := time.Since(began); waited != test.waits {
					t.Errorf("it waited for %v, want %v", waited, test.waits)
				}
				r.returns(t, "done")
				e := <-r.ended
				if e.err != nil || e.res.(*mcp.CallToolResult).Content[0].(*mcp.TextContent).Text != "done" {
					t.Errorf("the call returned %v, %v", e.res, e.err)
				}
				synctest.Wait()
				if diff := cmp.Diff(test.events, v.list()); diff != "" {
					t.Errorf("the callbacks (-want +got):\n%s", diff)
				}
				if n := len(tracker.urls.waiting); n != 0 {
					t.Errorf("%d visits are still waited for", n)
				}
			})
		})
	}
}

func TestURLsThatAreNotVisited(t *testing.T) {
	change := func(key string, value any) map[string]any {
		entry := visit("one")
		entry[key] = value
		return entry
	}
	var hundred []map[string]any
	for i := range 100 {
		hundred = append(hundred, visit(fmt.Sprint("v", i)))
	}
	for name, test := range map[string]struct {
		action string
		err    *jsonrpc.Error
		asked  int
	}{
		"the user declines":     {"decline", required(t, visit("one"), visit("two")), 1},
		"the user cancels":      {"cancel", required(t, visit("one")), 1},
		"a form":                {"accept", required(t, visit("one"), change("mode", "form")), 0},
		"a script":              {"accept", required(t, change("url", "javascript:alert(1)")), 0},
		"a file":                {"accept", required(t, change("url", "file:///etc/passwd")), 0},
		"no host":               {"accept", required(t, change("url", "https:///x")), 0},
		"control characters":    {"accept", required(t, change("url", "https://x.example/\x1b[2J")), 0},
		"no URL":                {"accept", required(t, change("url", "")), 0},
		"a long id":             {"accept", required(t, change("elicitationId", strings.Repeat("x", maxID+1))), 0},
		"no id":                 {"accept", required(t, visit("one"), change("elicitationId", "")), 0},
		"a schema":              {"accept", required(t, change("requestedSchema", map[string]any{"type": "object"})), 0},
		"null":                  {"accept", required(t, nil), 0},
		"none":                  {"accept", required(t), 0},
		"a hundred":             {"accept", required(t, hundred...), 0},
		"no data":               {"accept", &jsonrpc.Error{Code: mcp.CodeURLElicitationRequired, Message: "m"}, 0},
		"data that is no list":  {"accept", &jsonrpc.Error{Code: mcp.CodeURLElicitationRequired, Message: "m", Data: json.RawMessage(`{"elicitations":"x"}`)}, 0},
		"data that is a number": {"accept", &jsonrpc.Error{Code: mcp.CodeURLElicitationRequired, Message: "m", Data: json.RawMessage(`7`)}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			v := &visitor{action: test.action}
			tracker := newTracker(t, v.callbacks())
			r := start(t, t.Context(), tracker, "a")
			put(t, r.answer, end{nil, test.err})
			e := get(t, r.ended, "end of the call")
			var answer *AnswerError
			if !errors.As(e.err, &answer) || !errors.Is(e.err, test.err) {
				t.Errorf("the call returned %v, %v", e.res, e.err)
			}
			if n := len(v.list()); n != test.asked {
				t.Errorf("the user was asked %d times, want %d", n, test.asked)
			}
		})
	}
}

func TestURLsAgainAndAgain(t *testing.T) {
	v := &visitor{action: "accept", meta: mcp.Meta{callbacks.Completed: true}}
	tracker := newTracker(t, v.callbacks())
	r := start(t, t.Context(), tracker, "a")
	sent := 1
	for {
		put(t, r.answer, end{nil, required(t, visit("one"))})
		select {
		case <-r.sent:
			sent++
			continue
		case e := <-r.ended:
			var answer *AnswerError
			var code *jsonrpc.Error
			if errors.As(e.err, &answer) || !errors.As(e.err, &code) || code.Code != mcp.CodeURLElicitationRequired {
				t.Errorf("the call returned %v, %v", e.res, e.err)
			}
		}
		break
	}
	if sent != maxVisits+1 || len(v.list()) != maxVisits {
		t.Errorf("it was sent %d times and the user was asked %d times, want %d and %d", sent, len(v.list()), maxVisits+1, maxVisits)
	}
}

// A completion counts once: a server that wants the same again wants another.
func TestCompletionCountsOnce(t *testing.T) {
	for name, early := range map[string]bool{"before it was awaited": true, "awaited": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				v := &visitor{action: "accept"}
				tracker := newTracker(t, v.callbacks())
				r := start(t, t.Context(), tracker, "a")
				if early {
					completed(tracker, "one")
				} else {
					v.before = func(p *mcp.ElicitParams) { v.before = nil; completed(tracker, p.ElicitationID) }
				}
				for _, want := range []time.Duration{0, completionWait} {
					began := time.Now()
					r.answer <- end{nil, required(t, visit("one"))}
					<-r.sent
					if waited := time.Since(began); waited != want {
						t.Errorf("it waited for %v, want %v", waited, want)
					}
				}
				r.returns(t, "done")
				<-r.ended
			})
		})
	}
}

func TestURLsInTheMiddleOfRounds(t *testing.T) {
	v := &visitor{action: "accept", meta: mcp.Meta{callbacks.Completed: true}}
	cb := v.callbacks()
	cb.OnListRoots = all(new(recorder)).OnListRoots
	tracker := newTracker(t, cb)
	r := start(t, t.Context(), tracker, "a")
	put(t, r.answer, end{needs[mcp.CallToolResult](t, `{"c":{"method":"roots/list","params":{}}}`, "s"), nil})
	get(t, r.sent, "second round")
	put(t, r.answer, end{nil, required(t, visit("one"))})
	again := get(t, r.sent, "retry").params.(*mcp.CallToolParams)
	if again.RequestState != "s" || len(again.InputResponses) != 1 {
		t.Errorf("the retry has %+v", again)
	}
	r.returns(t, "x")
	if e := get(t, r.ended, "end of the call"); e.err != nil {
		t.Errorf("the call returned %v", e.err)
	}
}

func TestURLsWithoutTheCallback(t *testing.T) {
	for name, cb := range map[string]callbacks.Callbacks{"none": {}, "forms only": naming(), "the flag only": {URLElicitation: true}} {
		tracker := newTracker(t, cb)
		r := start(t, t.Context(), tracker, "a")
		want := required(t, visit("one"))
		put(t, r.answer, end{nil, want})
		if e := get(t, r.ended, "end of the call"); !errors.Is(e.err, error(want)) {
			t.Errorf("%s: the call returned %v, %v", name, e.res, e.err)
		}
	}
}

func TestCallThatEndsWhileAVisitIsWaitedFor(t *testing.T) {
	mine := errors.New("mine")
	for name, stop := range map[string]func(*Tracker, context.CancelCauseFunc){
		"cancelled": func(_ *Tracker, cancel context.CancelCauseFunc) { cancel(mine) },
		"closed":    func(tracker *Tracker, _ context.CancelCauseFunc) { tracker.Close(mine) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				v := &visitor{action: "accept"}
				tracker := newTracker(t, v.callbacks())
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				r := start(t, ctx, tracker, "a")
				began := time.Now()
				r.answer <- end{nil, required(t, visit("one"))}
				synctest.Wait()
				stop(tracker, cancel)
				if e := <-r.ended; !errors.Is(e.err, mine) {
					t.Errorf("the call returned %v", e.err)
				}
				if waited := time.Since(began); waited != 0 {
					t.Errorf("it waited for %v", waited)
				}
			})
		})
	}
}
