package multiclient

import (
	"cmp"
	"context"
	"fmt"

	"golang.org/x/sync/semaphore"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/calls"
)

// newSlots returns what limits the calls in flight on a server, or nil if nothing
// does.
func (s *server) newSlots() *semaphore.Weighted {
	limit := s.maxInFlight()
	if limit < 0 {
		return nil
	}
	return semaphore.NewWeighted(int64(limit))
}

// maxInFlight returns how many calls may be in flight on a server, or a negative
// number if nothing limits them.
func (s *server) maxInFlight() int {
	limit := cmp.Or(s.settings.MaxInFlight, s.opts.MaxInFlight)
	switch {
	case s.settings.SessionPolicy == config.SessionSerialized:
		return 1
	case limit == 0 && s.settings.SessionPolicy == config.SessionPerCall:
		return DefaultMaxPerCall
	case limit == 0:
		return DefaultMaxInFlight
	}
	return limit
}

type slotKey struct{ *server }

// waitSlot waits until a call may be made, in the order of callers and for as long
// as the server opens sessions, and returns the context for it. A call that a
// callback of a running one makes does not wait, since it might for ever.
func (s *server) waitSlot(ctx context.Context) (_ context.Context, release func(), err error) {
	if s.slots == nil || calls.IsWithin(ctx, slotKey{s}) {
		return ctx, func() {}, nil
	}
	if !s.slots.TryAcquire(1) {
		waiting, cancel := s.manager.WhileOpen(ctx)
		defer cancel()
		s.queued.Add(1)
		err := s.slots.Acquire(waiting, 1)
		s.queued.Add(-1)
		if err != nil {
			return nil, nil, context.Cause(waiting)
		}
	}
	ctx, left := calls.Within(ctx, slotKey{s})
	return ctx, func() {
		left()
		s.slots.Release(1)
	}, nil
}

// notStarted is failure for a call that has only waited for its turn.
func (s *server) notStarted(ctx context.Context, tool string, err error) *Error {
	e := s.failure(ctx, PhaseQueue, tool, nil, err)
	e.unsent = true
	if ctx.Err() != nil {
		behind := "1 call"
		if n := s.maxInFlight(); n > 1 {
			behind = fmt.Sprintf("%d calls", n)
		}
		e.Err = fmt.Errorf("nothing was sent, it waited for its turn behind %s in flight: %w", behind, e.Err)
	}
	return e
}
