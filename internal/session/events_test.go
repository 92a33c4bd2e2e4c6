package session_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/internal/session"
)

// states records the changes of state that the callbacks are told.
type states struct {
	mu   sync.Mutex
	told []callbacks.ConnectionChange
}

func (s *states) callbacks() callbacks.Callbacks {
	return callbacks.Callbacks{OnConnectionState: func(_ context.Context, _ callbacks.CallbackContext, c callbacks.ConnectionChange) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.told = append(s.told, c)
	}}
}

// follow tells which states may come after which.
var follow = map[callbacks.ConnectionState][]callbacks.ConnectionState{
	"":                     {callbacks.Connecting, callbacks.Closed},
	callbacks.Connecting:   {callbacks.Connected, callbacks.Disconnected, callbacks.Closed},
	callbacks.Connected:    {callbacks.Disconnected, callbacks.Closed},
	callbacks.Disconnected: {callbacks.Connecting, callbacks.Closed},
}

// check reports what is wrong with the states of a manager that is closed.
func (s *states) check(t *testing.T) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	last := callbacks.ConnectionChange{}
	text := ""
	wrong := false
	for _, c := range s.told {
		may := false
		for _, next := range follow[last.State] {
			may = may || next == c.State
		}
		wrong = wrong || !may || c.Generation < last.Generation
		text += fmt.Sprintf(" %s(%d)", c.State, c.Generation)
		last = c
	}
	if wrong || last.State != callbacks.Closed {
		t.Errorf("the states are%s", text)
	}
}

// Whatever happens and whenever the manager is closed, states come in an order that
// makes sense, and nothing comes after the last.
func TestStatesInOrder(t *testing.T) {
	for seed := range uint64(300) {
		synctest.Test(t, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 0))
			h := newHost()
			var sessions atomic.Int32
			h.opened = func(context.Context, *session.Session) error {
				if sessions.Add(1)%4 == 0 {
					return errDown
				}
				return nil
			}
			var s states
			m := h.managerWith(t, s.callbacks())
			var acquiring sync.WaitGroup
			for range 30 {
				switch random.IntN(6) {
				case 0, 1, 2:
					d := time.Duration(random.IntN(3000)) * time.Millisecond
					acquiring.Go(func() {
						ctx, cancel := context.WithTimeout(t.Context(), d)
						defer cancel()
						_, _ = m.Acquire(ctx)
					})
				case 3:
					h.set(random.IntN(3), random.IntN(3) == 0)
				case 4:
					h.cut()
				case 5:
					if sess := m.Status().Session; sess != nil {
						m.Discard(sess)
					}
				}
				if random.IntN(2) == 0 {
					time.Sleep(time.Duration(random.IntN(1500)) * time.Millisecond)
				}
			}
			if random.IntN(2) == 0 {
				m.Refuse(session.ErrRemoved)
				time.Sleep(time.Duration(random.IntN(2)) * time.Second)
			}
			h.cut()
			m.Close(context.Background())
			acquiring.Wait()
			synctest.Wait()
			s.check(t)
		})
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}
