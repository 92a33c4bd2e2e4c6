package multiclient

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/internal/session"
)

// A restoration opens the session of a server again that was lost, where
// somebody waits for what the server announces and might call it no more.
type restoration struct {
	ctx    context.Context // until the server leaves
	delays *backoff.ExponentialBackOff
	steady time.Duration // a session that has lasted as long was no failure

	mu      sync.Mutex
	running bool
	again   bool // it was lost once more
	delay   time.Duration
	over    bool
}

// newRestoration returns one whose first delay is the first of the breaker, and
// whose longest is its cool-down: unlike the breaker it goes on with servers that
// answer and end, again and again.
func newRestoration(ctx context.Context, retry session.Retry) *restoration {
	delays := backoff.NewExponentialBackOff()
	delays.InitialInterval, delays.MaxInterval, delays.Multiplier = retry.Delay, max(retry.Delay, retry.CoolDown), 2
	delays.Reset()
	return &restoration{ctx: ctx, delays: delays, steady: retry.CoolDown}
}

// begin calls start, unless what that has started still runs or nothing is to
// begin any more, now that a session has ended that has lasted for some time.
func (r *restoration) begin(lasted time.Duration, start func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return
	}
	if lasted >= r.steady {
		r.delays.Reset()
	}
	r.delay = r.delays.NextBackOff()
	if r.running {
		r.again = true
		return
	}
	r.running = true
	start()
}

// next returns how long to wait before the session is to be opened, or false if it
// has not been lost once more.
func (r *restoration) next(first bool) (time.Duration, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running = (first || r.again) && !r.over
	r.again = false
	return r.delay, r.running
}

// longer returns the next delay, without a session that was lost.
func (r *restoration) longer() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.delays.NextBackOff()
}

// stop lets nothing begin any more.
func (r *restoration) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
}

// announces reports whether the callbacks wait for changes of lists.
func announces(cb *callbacks.Callbacks) bool {
	return cb.OnToolsChanged != nil || cb.OnPromptsChanged != nil || cb.OnResourcesChanged != nil || cb.OnToolsListChanged != nil || cb.OnPromptsListChanged != nil || cb.OnResourcesListChanged != nil
}

// awaited reports whether anybody waits for what the server announces.
func (s *server) awaited() bool { return s.watches || len(s.subscriptions.list()) > 0 }

// sessionEnded has the session opened again if that is awaited. It does not block.
func (s *server) sessionEnded(lasted time.Duration) {
	if s.awaited() {
		s.restoration.begin(lasted, func() { s.background.Go(s.restore) })
	}
}

// restore opens the session, at the pace of the breaker, until there is one.
func (s *server) restore() {
	r := s.restoration
	for first := true; ; first = false {
		wait, lost := r.next(first)
		if !lost {
			return
		}
		for session.Sleep(r.ctx, wait) && s.awaited() && s.gate.enter() {
			_, err := s.manager.Acquire(r.ctx)
			s.gate.leave()
			if err == nil {
				break
			}
			wait = s.opts.Reconnect.retry().Delay
			var (
				open   *session.OpenError
				failed *session.Failure
			)
			switch {
			case errors.As(err, &open):
				wait = max(wait, time.Until(open.Until))
			case errors.As(err, &failed) && failed.Personal:
				wait = r.longer() // the breaker does not count it
			}
		}
	}
}
