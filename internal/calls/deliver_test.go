package calls

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

func TestSlowCallbackConcurrentCalls(t *testing.T) {
	// One callback blocks; 64 other calls get all their events meanwhile.
	const n = 64
	gate, blocked := make(chan struct{}), make(chan struct{}, 4)
	var mu sync.Mutex
	got := map[string][]string{}
	note := func(cc callbacks.CallbackContext, message string) {
		if cc.ToolName == "slow" {
			blocked <- struct{}{}
			<-gate
		}
		mu.Lock()
		defer mu.Unlock()
		got[cc.ToolName] = append(got[cc.ToolName], message)
	}
	tracker := newTracker(t, callbacks.Callbacks{
		OnProgress: func(_ context.Context, cc callbacks.CallbackContext, p *mcp.ProgressNotificationParams) {
			note(cc, p.Message)
		},
		OnLoggingMessage: func(_ context.Context, cc callbacks.CallbackContext, p *mcp.LoggingMessageParams) {
			note(cc, fmt.Sprint(p.Data))
		},
		OnElicitation: func(_ context.Context, cc callbacks.CallbackContext, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			note(cc, "question")
			return accept(cc.ToolName), nil
		},
	})
	slow := start(t, t.Context(), tracker, "slow")
	slow.progress("1")
	get(t, blocked, "slow callback")
	slow.progress("2")
	slow.returns(t, "x")
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			tool := fmt.Sprint("t", i)
			r := start(t, t.Context(), tracker, tool)
			r.progress("1")
			tracker.Inbound(r.ctx, logMessage("2"))
			a := ask(tracker, r.ctx, methodElicit, question)
			r.progress("4")
			if got := word(t, get(t, a.answer, "answer")); got != tool {
				t.Errorf("%s was answered with %q", tool, got)
			}
			tracker.Inbound(r.ctx, logMessage("5"))
			r.returns(t, "x")
			if e := get(t, r.ended, "end of the call"); e.err != nil {
				t.Error(e.err)
			}
			mu.Lock()
			defer mu.Unlock()
			if diff := cmp.Diff([]string{"1", "2", "question", "4", "5"}, got[tool]); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tool, diff)
			}
		})
	}
	wg.Wait()
	select {
	case <-slow.ended:
		t.Error("the slow call returned before its events were delivered")
	default:
	}
	close(gate)
	if e := get(t, slow.ended, "end of the slow call"); e.err != nil {
		t.Error(e.err)
	}
	if diff := cmp.Diff([]string{"1", "2"}, got["slow"]); diff != "" {
		t.Errorf("slow (-want +got):\n%s", diff)
	}
}

func TestFloodOfACall(t *testing.T) {
	const burst = 10_000
	gate := make(chan struct{})
	var once sync.Once
	wait := func() { once.Do(func() { <-gate }) }
	var progress []float64
	logs, dropped, messages := 0, 0, 0
	last := ""
	tracker := newTracker(t, callbacks.Callbacks{
		OnProgress: func(_ context.Context, cc callbacks.CallbackContext, p *mcp.ProgressNotificationParams) {
			wait()
			if cc.Dropped != 0 {
				t.Errorf("progress with %d dropped", cc.Dropped)
			}
			progress = append(progress, p.Progress)
		},
		OnLoggingMessage: func(_ context.Context, cc callbacks.CallbackContext, p *mcp.LoggingMessageParams) {
			wait()
			logs++
			dropped += cc.Dropped
			last = p.Data.(string)
		},
		OnMessage: func(context.Context, callbacks.CallbackContext, callbacks.Message) { messages++ },
	})
	r := start(t, t.Context(), tracker, "a")
	for i := 1; i <= burst; i++ {
		tracker.Inbound(r.ctx, notification(methodProgress, fmt.Sprintf(`{"progressToken":%q,"progress":%d}`, r.id(), i)))
		tracker.Inbound(r.ctx, logMessage(fmt.Sprint(i)))
	}
	q := &FromContext(r.ctx).queue
	q.mu.Lock()
	pending := len(q.events)
	q.mu.Unlock()
	if pending > maxPendingLogs+maxPendingProgress {
		t.Errorf("%d events wait", pending)
	}
	close(gate)
	r.returns(t, "x")
	get(t, r.ended, "end of the call")
	if n := len(progress); n == 0 || progress[n-1] != burst {
		t.Errorf("the latest of %d progress is not %d", n, burst)
	}
	for i := 1; i < len(progress); i++ {
		if progress[i] <= progress[i-1] {
			t.Fatalf("progress %v came after %v", progress[i], progress[i-1])
		}
	}
	if logs+dropped != burst || logs >= burst || last != fmt.Sprint(burst) {
		t.Errorf("%d log messages and %d dropped, the last %q; want %d in all", logs, dropped, last, burst)
	}
	if messages != len(progress)+logs {
		t.Errorf("OnMessage got %d messages, want %d", messages, len(progress)+logs)
	}
}

func TestFloodOfNobody(t *testing.T) {
	const burst = 10_000
	gate := make(chan struct{})
	got, dropped := 0, 0
	tracker := newTracker(t, callbacks.Callbacks{
		OnResourceUpdated: func(_ context.Context, cc callbacks.CallbackContext, _ *mcp.ResourceUpdatedNotificationParams) {
			<-gate
			got++
			dropped += cc.Dropped
		},
	})
	for i := range burst {
		tracker.Inbound(t.Context(), notification(methodResourceUpdated, fmt.Sprintf(`{"uri":"u:%d"}`, i)))
	}
	close(gate)
	tracker.shared.wait(t.Context(), tracker.shared.last())
	if got+dropped != burst || got > maxPendingNotices+1 {
		t.Errorf("%d updates and %d dropped, want %d in all", got, dropped, burst)
	}
}

func TestEveryKindOfNotification(t *testing.T) {
	order := new(recorder)
	changed := new(recorder)
	cb := callbacks.Callbacks{
		OnLoggingMessage: func(_ context.Context, cc callbacks.CallbackContext, p *mcp.LoggingMessageParams) {
			order.add("log %v %v", p.Data, cc)
		},
		OnElicitationComplete: func(_ context.Context, cc callbacks.CallbackContext, p *mcp.ElicitationCompleteParams) {
			order.add("complete %v %v", p.ElicitationID, cc)
		},
		OnToolsListChanged: func(_ context.Context, cc callbacks.CallbackContext, p *mcp.ToolListChangedParams) {
			order.add("tools %v %v", p.Meta["a"], cc)
		},
		OnPromptsListChanged: func(_ context.Context, cc callbacks.CallbackContext, p *mcp.PromptListChangedParams) {
			order.add("prompts %v", cc)
		},
		OnResourcesListChanged: func(_ context.Context, cc callbacks.CallbackContext, p *mcp.ResourceListChangedParams) {
			order.add("resources %v", cc)
		},
		OnResourceUpdated: func(_ context.Context, cc callbacks.CallbackContext, p *mcp.ResourceUpdatedNotificationParams) {
			order.add("updated %v %v", p.URI, cc)
		},
		OnMessage: func(_ context.Context, cc callbacks.CallbackContext, msg callbacks.Message) {
			order.add("message %s %s %v", strings.TrimPrefix(msg.Method, "notifications/"), msg.Params, cc)
		},
	}
	tracker := New(Options{Server: "s", Callbacks: cb, ListChanged: func(method string) { changed.add("%s", method) }, Logger: slog.New(slog.DiscardHandler)})
	defer tracker.Close(context.Canceled)
	for _, n := range []struct{ method, params string }{
		{methodLog, `{"level":"info","data":"d"}`},
		{methodElicitComplete, `{"elicitationId":"i"}`},
		{methodToolsChanged, `{"_meta":{"a":1}}`},
		{methodPromptsChanged, ``},
		{methodResourcesChanged, `null`},
		{methodResourceUpdated, `{"uri":"u:x"}`},
		{"notifications/unheard_of", `[1]`},
		{methodResourceUpdated, `{"uri":5}`},
		{methodToolsChanged, `"x"`},
		{methodCancelled, `{"requestId":1}`},
		{methodAcknowledged, `{}`},
	} {
		forward := tracker.Inbound(t.Context(), notification(n.method, n.params))
		if want := n.method != methodLog && n.method != methodElicitComplete; forward != want {
			t.Errorf("%s goes on to the SDK: %v, want %v", n.method, forward, want)
		}
	}
	tracker.shared.wait(t.Context(), tracker.shared.last())
	want := []string{
		`message message {"level":"info","data":"d"} s`, `log d s`,
		`message elicitation/complete {"elicitationId":"i"} s`, `complete i s`,
		`message tools/list_changed {"_meta":{"a":1}} s`, `tools 1 s`,
		`message prompts/list_changed  s`, `prompts s`,
		`message resources/list_changed null s`, `resources s`,
		`message resources/updated {"uri":"u:x"} s`, `updated u:x s`,
		`message unheard_of [1] s`,
		`message resources/updated {"uri":5} s`,
		`message tools/list_changed "x" s`,
	}
	if diff := cmp.Diff(want, order.list()); diff != "" {
		t.Errorf("the callbacks (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{methodToolsChanged, methodPromptsChanged, methodResourcesChanged, methodToolsChanged}, changed.list()); diff != "" {
		t.Errorf("the lists (-want +got):\n%s", diff)
	}
}

func TestOwnersOfALogMessage(t *testing.T) {
	contexts := make(chan callbacks.CallbackContext, 1)
	tracker := newTracker(t, callbacks.Callbacks{
		OnLoggingMessage: func(_ context.Context, cc callbacks.CallbackContext, _ *mcp.LoggingMessageParams) { contexts <- cc },
	})
	elsewhere := newTracker(t, callbacks.Callbacks{})
	foreign := start(t, t.Context(), elsewhere, "foreign")
	of := func(stream context.Context) callbacks.CallbackContext {
		t.Helper()
		tracker.Inbound(stream, logMessage("m"))
		return get(t, contexts, "log message")
	}
	check := func(when string, got, want callbacks.CallbackContext) {
		t.Helper()
		want.ServerName = "s"
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", when, diff)
		}
	}
	check("without a call", of(t.Context()), callbacks.CallbackContext{})
	a := start(t, t.Context(), tracker, "a")
	exactA := callbacks.CallbackContext{ToolName: "a", CallID: a.id()}
	check("on the stream of a call", of(a.ctx), exactA)
	check("with one call", of(t.Context()), exactA)
	check("on the stream of another server's call", of(foreign.ctx), exactA)
	b := start(t, t.Context(), tracker, "b")
	list := startCall(t, t.Context(), tracker, "tools/list", &mcp.ListToolsParams{})
	check("with several", of(t.Context()), callbacks.CallbackContext{Candidates: []string{"a", "b"}})
	check("on the stream of one of several", of(a.ctx), exactA)
	check("on the stream of a listing", of(list.ctx), callbacks.CallbackContext{CallID: list.id()})
	for _, r := range []*running{b, list} {
		r.returns(t, "x")
		get(t, r.ended, "end of a call")
	}
	check("with one call again", of(t.Context()), exactA)
	a.returns(t, "x")
	get(t, a.ended, "end of a call")
	foreign.returns(t, "x")
	get(t, foreign.ended, "end of a call")
}

func TestDispatcher(t *testing.T) {
	order := new(recorder)
	lost := errors.New("lost")
	cb := callbacks.Callbacks{
		OnConnectionState: func(_ context.Context, cc callbacks.CallbackContext, c callbacks.ConnectionChange) {
			order.add("%s %d %v %v", c.State, c.Generation, c.Err, cc)
			if c.State == callbacks.Connecting {
				panic("boo")
			}
		},
		OnMessage: func(_ context.Context, cc callbacks.CallbackContext, msg callbacks.Message) {
			order.add("error %v %v", msg.Err, cc)
		},
	}
	d := NewDispatcher("s", "", cb, slog.New(slog.DiscardHandler))
	d.State(callbacks.ConnectionChange{State: callbacks.Connecting, Generation: 1})
	d.Error(nil)
	d.Error(lost)
	d.State(callbacks.ConnectionChange{State: callbacks.Disconnected, Generation: 1, Err: lost})
	d.Close(t.Context())
	d.Error(errors.New("late"))
	d.Close(t.Context())
	if diff := cmp.Diff([]string{"connecting 1 <nil> s", "error lost s", "disconnected 1 lost s"}, order.list()); diff != "" {
		t.Errorf("the callbacks (-want +got):\n%s", diff)
	}
	empty := NewDispatcher("s", "", callbacks.Callbacks{}, slog.New(slog.DiscardHandler))
	empty.Error(lost)
	empty.State(callbacks.ConnectionChange{})
	empty.Close(t.Context())
}
