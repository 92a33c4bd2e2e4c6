package calls

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

func TestLongMessagesAreBoundedTogether(t *testing.T) {
	hold := make(chan struct{})
	var came, dropped, progress atomic.Int32
	tracker := newTracker(t, callbacks.Callbacks{
		OnElicitation: func(context.Context, callbacks.CallbackContext, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			<-hold
			return &mcp.ElicitResult{Action: "cancel"}, nil
		},
		OnLoggingMessage: func(_ context.Context, cc callbacks.CallbackContext, _ *mcp.LoggingMessageParams) {
			came.Add(1)
			dropped.Add(int32(cc.Dropped))
		},
		OnProgress: func(_ context.Context, _ callbacks.CallbackContext, p *mcp.ProgressNotificationParams) {
			if progress.Add(1); p.Message[0] != 'x' {
				t.Errorf("got %.20q", p.Message)
			}
		},
	})
	r := start(t, t.Context(), tracker, "a")
	ask(tracker, r.ctx, methodElicit, `{"message":"m","requestedSchema":{"type":"object","properties":{}}}`)
	long := strings.Repeat("x", maxPendingBytes/4)
	const n = 20
	for range n {
		tracker.Inbound(r.ctx, logMessage(long))
		r.progress(long)
	}
	q := &FromContext(r.ctx).queue
	q.mu.Lock()
	if held := q.bytes[logEvent] + q.bytes[progressEvent]; held > 2*maxPendingBytes {
		t.Errorf("%d bytes are held", held)
	}
	q.mu.Unlock()
	close(hold)
	r.returns(t, "")
	get(t, r.ended, "end")
	if came.Load() == 0 || came.Load() > 4 || came.Load()+dropped.Load() != n || progress.Load() == 0 || progress.Load() > 4 {
		t.Errorf("%d messages came, %d were said to be dropped; %d times progress", came.Load(), dropped.Load(), progress.Load())
	}
	if q.bytes != [requestEvent + 1]int{} {
		t.Errorf("%v bytes are still counted", q.bytes)
	}
}

func TestLongRequestsAreBoundedTogether(t *testing.T) {
	tracker := newTracker(t, callbacks.Callbacks{
		OnElicitation: func(ctx context.Context, _ callbacks.CallbackContext, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		},
	})
	params := `{"message":"` + strings.Repeat("x", maxRequestBytes/2) + `","requestedSchema":{"type":"object","properties":{}}}`
	first := read(tracker, context.Background(), methodElicit, params)
	second := read(tracker, context.Background(), methodElicit, params)
	go second.handle(tracker, context.Background())
	if e := get(t, second.answer, "answer"); e.err == nil || !strings.Contains(e.err.Error(), "too many") {
		t.Errorf("got %v", e.err)
	}
	tracker.Replied(context.Background(), first.req.ID)
	if tracker.requestBytes != 0 {
		t.Errorf("%d bytes are still counted", tracker.requestBytes)
	}
}

func TestAFloodOfErrorsCostsNoChanges(t *testing.T) {
	hold := make(chan struct{})
	states, changes, failures := 0, 0, 0
	d := NewDispatcher("s", "", callbacks.Callbacks{
		OnMessage: func(_ context.Context, cc callbacks.CallbackContext, _ callbacks.Message) {
			<-hold
			failures += 1 + cc.Dropped
		},
		OnConnectionState: func(context.Context, callbacks.CallbackContext, callbacks.ConnectionChange) { states++ },
		OnToolsChanged:    func(context.Context, callbacks.CallbackContext, callbacks.ToolsChange) { changes++ },
	}, nil)
	const n = 2 * maxPendingLogs
	for range n {
		d.Error(errors.New("garbage"))
	}
	d.State(callbacks.ConnectionChange{State: callbacks.Connected})
	d.ToolsChanged(callbacks.ToolsChange{})
	d.Error(errors.New("garbage"))
	close(hold)
	d.Close(t.Context())
	if states != 1 || changes != 1 || failures != n+1 {
		t.Errorf("%d changes of state, %d of tools, %d errors", states, changes, failures)
	}
}

func TestRequestsAreNotReadWhileAnswersAreNotTaken(t *testing.T) {
	for name, test := range map[string]struct{ answering, requests, size int }{
		"many answers":  {maxAnswering, 1, 0},
		"long requests": {1, 2, maxRequestBytes / 2},
	} {
		t.Run(name, func(t *testing.T) {
			tracker := newTracker(t, callbacks.Callbacks{})
			var done []func()
			for range test.answering {
				done = append(done, tracker.Answering(jsonrpc.ID{}))
			}
			params := `{"x":"` + strings.Repeat("x", test.size) + `"}`
			for range test.requests - 1 {
				read(tracker, t.Context(), "ping", params)
			}
			waits := func(ctx context.Context) chan struct{} {
				over := make(chan struct{})
				go func() { read(tracker, ctx, "ping", params); close(over) }()
				for tracker.backlog.waiting() == nil {
					runtime.Gosched()
				}
				return over
			}
			ctx, cancel := context.WithCancel(t.Context())
			given := waits(ctx)
			cancel()
			get(t, given, "end of the wait with its context")
			next := waits(t.Context())
			done[0]()
			get(t, next, "end of the wait")
			tracker.Inbound(t.Context(), logMessage("what is no request waits for nothing"))
			for range test.requests + test.answering {
				done = append(done, tracker.Answering(jsonrpc.ID{}))
			}
			closed := waits(t.Context())
			tracker.Close(context.Canceled)
			get(t, closed, "end of the wait with the session")
		})
	}
}

// A response that is never taken does not make all requests of a session count.
func TestRequestsThatAreAnsweredNoLongerCount(t *testing.T) {
	tracker := newTracker(t, callbacks.Callbacks{})
	params := `{"x":"` + strings.Repeat("x", maxRequestBytes/4) + `"}`
	stuck := read(tracker, t.Context(), "ping", params)
	end := tracker.Answering(stuck.req.ID)
	for range 10 {
		came := make(chan *jsonrpc.Request, 1)
		go func() { came <- read(tracker, t.Context(), "ping", params).req }()
		req := get(t, came, "request")
		tracker.Answering(req.ID)()
		tracker.Answering(req.ID)() // nothing of it is left
	}
	if n := tracker.backlog.bytes; n != len(params) {
		t.Errorf("%d bytes are counted, want the %d that are not answered", n, len(params))
	}
	end()
	if b := &tracker.backlog; b.bytes != 0 || len(b.sizes) != 0 {
		t.Errorf("%d bytes of %d requests are counted", b.bytes, len(b.sizes))
	}
}

// waiting is closed when who waits may go on. It is nil if nobody waits.
func (b *backlog) waiting() chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.room
}
