package session_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/internal/session"
)

// opened makes attempts fail until the server is left alone, and waits until it may
// be tried again.
func opened(t *testing.T, h *host, m *session.Manager) {
	t.Helper()
	h.set(-1, false)
	for range 4 {
		if _, err := m.Dial(t.Context()); !errors.Is(err, errDown) {
			t.Errorf("got %v", err)
		}
	}
	time.Sleep(coolDown)
}

// all asks for sessions of the callers' own, and some for the shared one, at the
// same time.
func all(ctx context.Context, m *session.Manager) (errs []error) {
	const callers = 50
	errs = make([]error, callers)
	var wg sync.WaitGroup
	for i := range callers {
		wg.Go(func() {
			if i%10 == 0 {
				_, errs[i] = m.Acquire(ctx)
				return
			}
			s, err := m.Dial(ctx)
			if errs[i] = err; err == nil {
				m.Discard(s)
			}
		})
	}
	wg.Wait()
	return errs
}

// A server that has been left alone is tried by one, for all who want to.
func TestOneTriesAServerThatWasLeftAlone(t *testing.T) {
	for name, test := range map[string]struct {
		hang bool
		took time.Duration
	}{"down": {false, 0}, "hanging": {true, connectTimeout}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHost()
				m := h.manager(t)
				opened(t, h, m)
				before, start := h.tried(), time.Now()
				down := -1
				if test.hang {
					down = 0
				}
				h.set(down, test.hang)
				for _, err := range all(t.Context(), m) {
					var open *session.OpenError
					if !errors.As(err, &open) || open.Attempts != 5 || !open.Until.After(start) {
						t.Errorf("got %v", err)
					}
				}
				attempts := 1
				if test.hang {
					attempts = 2 // the second in the older version of the protocol
				}
				if n := h.tried() - before; n > attempts {
					t.Errorf("%d attempts", n)
				}
				if took := time.Since(start); took < test.took || took > test.took+time.Second {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}

// When it is there again, everybody gets a session.
func TestServerThatWasLeftAloneIsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost()
		m := h.manager(t)
		opened(t, h, m)
		h.set(0, false)
		for _, err := range all(t.Context(), m) {
			if err != nil {
				t.Errorf("got %v", err)
			}
		}
	})
}

// Who waits for the one that tries may give up, and so may that one, which says
// nothing of the server.
func TestWaitingForTheOneThatTries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost()
		m := h.manager(t)
		opened(t, h, m)
		h.set(0, true)
		first, giveUp := context.WithCancel(t.Context())
		ended := make(chan error, 2)
		dial := func(ctx context.Context) {
			_, err := m.Dial(ctx)
			ended <- err
		}
		go dial(first)
		synctest.Wait()
		second, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		go dial(second)
		if err := <-ended; !errors.Is(err, context.DeadlineExceeded) || second.Err() == nil {
			t.Errorf("who waited got %v", err)
		}
		go dial(t.Context())
		synctest.Wait()
		h.set(0, false)
		giveUp()
		for range 2 {
			if err := <-ended; err != nil && (!errors.Is(err, context.Canceled) || first.Err() == nil) {
				t.Errorf("got %v", err)
			}
		}
		if st := m.Status(); !st.RetryAt.IsZero() {
			t.Errorf("to be tried again at %v", st.RetryAt)
		}
	})
}
