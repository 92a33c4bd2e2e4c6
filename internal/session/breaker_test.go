package session_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/internal/session"
)

func TestAttemptsThatFailArePaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost()
		m := h.manager(t)
		h.set(-1, false)
		for n := range 4 {
			var (
				f    *session.Failure
				open *session.OpenError
			)
			if _, err := m.Acquire(t.Context()); !errors.As(err, &f) || !errors.Is(err, errDown) || errors.As(err, &open) != (n == 3) {
				t.Fatalf("attempt %d gave %v", n+1, err)
			}
		}
		delays := h.delays()
		for i, want := range []time.Duration{200 * time.Millisecond, 400 * time.Millisecond, 800 * time.Millisecond} {
			if got := delays[i]; got < want/2 || got > want*3/2 {
				t.Errorf("attempt %d came after %v, want about %v", i+2, got, want)
			}
		}
		if st := m.Status(); st.State != session.StateFailed || !st.RetryAt.Equal(time.Now().Add(coolDown)) || !errors.Is(st.LastErr, errDown) {
			t.Errorf("the status is %+v", st)
		}

		// Now it is left alone.
		start := time.Now()
		var open *session.OpenError
		for _, ask := range []func(context.Context) (*session.Session, error){m.Acquire, m.Dial} {
			_, err := ask(t.Context())
			if !errors.As(err, &open) || !errors.Is(err, errDown) || open.Attempts != 4 || !open.Until.Equal(start.Add(coolDown)) {
				t.Errorf("the error is %#v", err)
			}
			if !strings.Contains(err.Error(), "for 1m0s (failures in a row: 4, ") {
				t.Errorf("the error says %v", err)
			}
		}
		if n := h.tried(); n != 4 || !time.Now().Equal(start) {
			t.Errorf("%d attempts were made, within %v", n, time.Since(start))
		}

		// Afterwards one more failure is enough, and one success.
		time.Sleep(coolDown)
		if _, err := m.Acquire(t.Context()); errors.As(err, &open) && open.Attempts != 5 || !errors.Is(err, errDown) {
			t.Errorf("after the cool-down: %v", err)
		}
		if _, err := m.Acquire(t.Context()); !errors.As(err, &open) || open.Attempts != 5 {
			t.Errorf("after another failure: %v", err)
		}
		h.set(0, false)
		time.Sleep(coolDown)
		s := acquire(t, m)
		m.Worked(s)
		if st := m.Status(); st.State != session.StateReady || !st.RetryAt.IsZero() || st.LastErr != nil {
			t.Errorf("the status is %+v", st)
		}
		h.cut()
		<-s.Lost()
		h.set(1, false)
		start = time.Now()
		acquire(t, m)
		if took := time.Since(start); took > 300*time.Millisecond {
			t.Errorf("after everything was forgotten it took %v", took)
		}
	})
}

// A server that has worked is waited for while it is restarted.
func TestRestartIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost()
		m := h.manager(t)
		s := acquire(t, m)
		m.Worked(s)
		h.set(2, false)
		h.cut()
		<-s.Lost()
		if other := acquire(t, m); other == s || other.Generation <= s.Generation {
			t.Error("the session is the one that was lost")
		}
		if n := h.tried(); n != 4 {
			t.Errorf("%d attempts, want 4", n)
		}
	})
}

// A restart that takes too long costs no more than the attempts.
func TestRestartIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost()
		m := h.manager(t)
		s := acquire(t, m)
		m.Worked(s)
		h.set(-1, false)
		h.cut()
		<-s.Lost()
		var open *session.OpenError
		if _, err := m.Acquire(t.Context()); !errors.As(err, &open) || open.Attempts != 4 {
			t.Errorf("got %v", err)
		}
		if n := h.tried(); n != 5 {
			t.Errorf("%d attempts, want 5", n)
		}
	})
}

// A session that ends before it was of any use counts as an attempt that failed.
func TestSessionsThatEndAtOnceArePaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost()
		m := h.manager(t)
		for range 4 {
			s := acquire(t, m)
			h.cut()
			<-s.Lost()
			synctest.Wait()
		}
		var open *session.OpenError
		if _, err := m.Acquire(t.Context()); !errors.As(err, &open) {
			t.Errorf("got %v", err)
		}
		time.Sleep(coolDown)
		s := acquire(t, m)
		time.Sleep(time.Minute) // that it lasts makes up for what failed
		h.cut()
		<-s.Lost()
		start := time.Now()
		acquire(t, m)
		if took := time.Since(start); took > 0 {
			t.Errorf("the next session came after %v", took)
		}
	})
}

// That nobody waits any longer says nothing of the server.
func TestGivingUpIsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost()
		m := h.manager(t)
		h.set(0, true)
		for range 10 {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			if _, err := m.Acquire(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v", err)
			}
			cancel()
		}
		h.set(0, false)
		acquire(t, m)
	})
}

func TestHangingServerCostsItsTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost()
		m := h.manager(t)
		h.set(0, true)
		start := time.Now()
		var f *session.Failure
		if _, err := m.Acquire(t.Context()); !errors.As(err, &f) || f.Phase != session.PhaseInitialize {
			t.Errorf("got %v", err)
		}
		if took := time.Since(start); took != connectTimeout {
			t.Errorf("it took %v", took)
		}
	})
}
