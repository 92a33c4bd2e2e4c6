package calls

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

// A request of the server holds its place in the order of its call's events
// from when it is read until it is answered.
type request struct {
	id       jsonrpc.ID
	tag      string
	size     int
	call     *Call // nil when it belongs to no one call
	possible []*Call
	after    uint64        // without a call: last event of the tracker's queue before it
	turn     chan struct{} // closed when the events before it are delivered
	answered chan struct{}
	once     sync.Once
}

func (t *Tracker) newRequest(c *Call, possible []*Call) *request {
	r := &request{call: c, possible: possible, turn: make(chan struct{}), answered: make(chan struct{})}
	if c == nil {
		r.after = t.shared.last()
	}
	if c == nil || c.queue.push(requestEvent, func(int) {
		close(r.turn)
		select {
		case <-r.answered:
		case <-c.responded:
		case <-c.ctx.Done():
		}
	}) == 0 {
		close(r.turn)
	}
	return r
}

func (r *request) answer() { r.once.Do(func() { close(r.answered) }) }

type requestKey struct{}

// serve runs a callback that answers a request of the server, when the events
// before it have been delivered. When the call that the request belongs to ends
// first, dismissed and dismissedErr are the answer.
func serve[R any](ctx context.Context, t *Tracker, name string, dismissed R, dismissedErr error,
	callback func(ctx context.Context, cc callbacks.CallbackContext) (R, error)) (R, error) {
	var zero R
	r, _ := ctx.Value(requestKey{}).(*request)
	if r == nil {
		// The request came inside a result (2026-07-28): ctx is the call's.
		r = t.newRequest(FromContext(ctx), nil)
		defer r.answer()
	}

	// It may be nested in a question of one of them, or in an event of nobody,
	// which it must not wait for.
	cc, base := t.ambiguous(r.possible), t.among(r.possible)
	var responded <-chan struct{}
	if r.call != nil {
		cc, base, responded = r.call.context(), r.call.ctx, r.call.responded
	}
	// Values come from the call, the end from whichever ends first.
	run, cancel := context.WithCancelCause(base)
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })()

	over := func() (R, error) {
		if ctx.Err() != nil {
			return zero, context.Cause(ctx) // the request itself has ended
		}
		return dismissed, dismissedErr
	}

	if r.call == nil && !IsWithin(base, sharedKey{t}) {
		t.shared.wait(run, r.after)
	}
	select {
	case <-r.turn:
	case <-responded:
		return over()
	case <-run.Done():
		return over()
	}
	// Also if it is its turn, which may be because the call has ended: run may
	// not have heard of base or ctx yet.
	select {
	case <-responded:
		return over()
	case <-base.Done():
		return over()
	case <-ctx.Done():
		return over()
	default:
	}

	type answer struct {
		res R
		err error
	}
	// Its own goroutine, since a callback may not watch its context.
	done := make(chan answer, 1)
	go func() {
		a := answer{}
		defer func() { done <- a }()
		t.guard(name, cc, func() { a.res, a.err = callback(run, cc) }, func(err error) {
			if r.call != nil {
				r.call.fail(err)
			} else {
				t.report(err)
			}
			a = answer{zero, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the client's callback " + name + " failed"}}
		})
	}()
	select {
	case a := <-done:
		if a.err != nil && run.Err() != nil {
			return over() // it says in its own words that it was ended
		}
		return a.res, a.err
	case <-responded:
		return over()
	case <-run.Done():
		return over()
	}
}
