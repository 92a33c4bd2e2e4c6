package calls

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

// A PanicError says that a callback panicked.
type PanicError struct {
	Callback string
	Context  callbacks.CallbackContext
	Value    any
	Stack    []byte
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("callback %s panicked for %v: %v", e.Callback, e.Context, e.Value)
}

// Unwrap returns the value of the panic if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// A runner counts the callbacks that run and contains their panics.
type runner struct {
	logger *slog.Logger

	mu      sync.Mutex
	running int
	idle    chan struct{} // closed when running drops to 0; nil if nobody waits
}

// guard runs f and tells failed of a panic, or of an exit of the goroutine,
// which cannot be prevented.
func (r *runner) guard(name string, cc callbacks.CallbackContext, f func(), failed func(error)) {
	r.mu.Lock()
	r.running++
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.running--; r.running == 0 && r.idle != nil {
			close(r.idle)
			r.idle = nil
		}
	}()
	returned := false
	defer func() {
		if returned {
			return
		}
		v := recover()
		if v == nil {
			v = errExited
		}
		failed(&PanicError{Callback: name, Context: cc, Value: v, Stack: debug.Stack()})
	}()
	f()
	returned = true
}

// errExited stands for the value of a panic where there was none.
var errExited = errors.New("it called runtime.Goexit")

// report logs the panic of a callback for an event that belongs to no call.
func (r *runner) report(err error) {
	r.logger.Error("a callback panicked", "error", err)
}

// active reports whether a callback runs.
func (r *runner) active() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.running > 0
}

// Wait blocks until no callback runs, or ctx ends.
func (r *runner) Wait(ctx context.Context) {
	r.mu.Lock()
	if r.running == 0 {
		r.mu.Unlock()
		return
	}
	if r.idle == nil {
		r.idle = make(chan struct{})
	}
	idle := r.idle
	r.mu.Unlock()
	select {
	case <-idle:
	case <-ctx.Done():
	}
}

// A notice is an event that is not answered: what to call with it, by the name
// of the callback.
type notice struct {
	kind  eventKind
	size  int
	steps []step
}

type step struct {
	callback string
	call     func(ctx context.Context, cc callbacks.CallbackContext)
}

// add appends a step.
func (n *notice) add(callback string, call func(ctx context.Context, cc callbacks.CallbackContext)) {
	n.steps = append(n.steps, step{callback, call})
}

// deliver queues the notice for a call. A panic fails the call.
func (c *Call) deliver(n notice) {
	if len(n.steps) == 0 {
		return
	}
	c.queue.pushSized(n.kind, n.size, func(dropped int) {
		cc := c.context()
		cc.Dropped = dropped
		for _, s := range n.steps {
			if c.ctx.Err() != nil {
				return
			}
			c.tracker.guard(s.callback, cc, func() { s.call(c.ctx, cc) }, c.fail)
		}
	})
}

// deliverShared queues the notice for the session, of which any of the calls
// may be the owner: they await it.
func (t *Tracker) deliverShared(n notice, cc callbacks.CallbackContext, possible ...*Call) {
	if len(n.steps) == 0 {
		return
	}
	seq := t.shared.pushSized(n.kind, n.size, func(dropped int) {
		cc.Dropped = dropped
		ctx, left := Within(t.among(possible), sharedKey{t})
		defer left()
		for _, s := range n.steps {
			if t.ctx.Err() != nil {
				return
			}
			t.guard(s.callback, cc, func() { s.call(ctx, cc) }, t.report)
		}
	})
	for _, c := range possible {
		c.awaits(seq)
	}
}

// sharedKey names what the tracker's own queue delivers: calls that are made
// within it cannot wait for that queue.
type sharedKey struct{ *Tracker }
