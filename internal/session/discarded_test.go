package session_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/internal/session"
)

// expectOpen checks how many sessions the server has when those that are closed in
// the background have had the time for it.
func (h *host) expectOpen(t *testing.T, want int) {
	t.Helper()
	time.Sleep(closeTimeout)
	open := 0
	for range h.server.Sessions() {
		open++
	}
	if open != want {
		t.Errorf("%d sessions are open, want %d", open, want)
	}
}

// A session of no more use is closed when the next one is opened, and not only with
// the client.
func TestLostSessionsAreClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost()
		m := h.manager(t)
		for generation := 1; generation <= 3; generation++ {
			s := acquire(t, m)
			if s.Generation != generation {
				t.Errorf("generation %d, want %d", s.Generation, generation)
			}
			m.Worked(s)
			h.expectOpen(t, 1)
			s.MarkLost(errDown)
			synctest.Wait() // until that is told
		}
	})
}

func TestSessionsThatCannotBePreparedAreClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost()
		h.opened = func(context.Context, *session.Session) error { return errDown }
		m := h.manager(t)
		if s, err := m.Acquire(t.Context()); err == nil {
			t.Errorf("got %+v", s)
		}
		h.expectOpen(t, 0)
	})
}

// A session that was discarded was lost, which is known until there is another.
func TestDiscardedSessionIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost()
		m := h.manager(t)
		m.Discard(acquire(t, m))
		if st := m.Status(); st.State != session.StateFailed || st.LastErr == nil {
			t.Errorf("the status is %+v", st)
		}
		h.expectOpen(t, 0)
	})
}

// Callers that wait for an attempt get its failure, and make none of their own.
func TestOneFlightThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost()
		m := h.manager(t)
		h.set(0, true)
		var wg sync.WaitGroup
		for range 32 {
			wg.Go(func() {
				if s, err := m.Acquire(t.Context()); err == nil {
					t.Errorf("got %+v", s)
				}
			})
		}
		wg.Wait()
		if n := h.tried(); n != 1 {
			t.Errorf("%d attempts, want 1", n)
		}
	})
}

// That nobody waits for an attempt any more says nothing of the server.
func TestAttemptsThatAreGivenUpAreNoFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost()
		m := h.manager(t)
		h.set(0, true)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if s, err := m.Acquire(ctx); err == nil {
			t.Errorf("got %+v", s)
		}
		time.Sleep(connectTimeout)
		if st := m.Status(); st.State != session.StateIdle || st.LastErr != nil {
			t.Errorf("the status is %+v", st)
		}
	})
}
