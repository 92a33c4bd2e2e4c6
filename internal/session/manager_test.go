package session_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/internal/session"
)

func TestOneFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost()
		m := h.manager(t)
		for generation := 1; generation <= 3; generation++ {
			var wg sync.WaitGroup
			for range 32 {
				wg.Go(func() {
					s, err := m.Acquire(t.Context())
					if err != nil || s.Generation != generation {
						t.Errorf("generation %d: %+v, %v", generation, s, err)
						return
					}
					m.Worked(s)
				})
			}
			wg.Wait()
			if n := h.tried(); n != generation {
				t.Errorf("%d attempts, want %d", n, generation)
			}
			h.cut()
			synctest.Wait()
		}
	})
}

// Who gives up first takes the attempt along only if nobody else waits.
func TestFlightOutlivesItsFirstCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost()
		m := h.manager(t)
		h.set(1, false)
		if _, err := m.Acquire(t.Context()); err == nil {
			t.Fatal("the server is down")
		}
		first, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { _, err := m.Acquire(first); ended <- err }() // waits for the delay
		synctest.Wait()
		second := make(chan error, 1)
		go func() { _, err := m.Acquire(t.Context()); second <- err }()
		synctest.Wait()
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("the first caller got %v", err)
		}
		if err := <-second; err != nil {
			t.Errorf("the second caller got %v", err)
		}
		if n := h.tried(); n != 2 {
			t.Errorf("%d attempts, want 2", n)
		}
	})
}

// An attempt that everybody has given up may come to a session all the same. If that
// is lost before anybody has it, it is closed like any other.
func TestSessionsThatNobodyWaitedForAreClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost()
		first, cancel := context.WithCancel(t.Context())
		given, ended := make(chan error), make(chan error, 1)
		var once sync.Once
		var m *session.Manager
		h.opened = func(_ context.Context, s *session.Session) error {
			once.Do(func() {
				cancel()
				<-given
				go func() { _, err := m.Acquire(t.Context()); ended <- err }()
				synctest.Wait() // until that waits for this attempt
				s.MarkLost(errDown)
			})
			return nil
		}
		m = h.manager(t)
		go func() { _, err := m.Acquire(first); given <- err }()
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		time.Sleep(closeTimeout)
		open := 0
		for range h.server.Sessions() {
			open++
		}
		if open != 1 || h.tried() != 2 {
			t.Errorf("%d sessions are open after %d attempts, want 1 after 2", open, h.tried())
		}
	})
}

func TestRefusing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost()
		m := h.manager(t)
		s := acquire(t, m)
		other, err := m.Dial(t.Context())
		if err != nil || other == s {
			t.Fatalf("a session of one's own: %v", err)
		}
		m.Refuse(session.ErrRemoved)
		m.Refuse(session.ErrClosed)
		for _, ask := range []func(context.Context) (*session.Session, error){m.Acquire, m.Dial} {
			if _, err := ask(t.Context()); !errors.Is(err, session.ErrRemoved) {
				t.Errorf("got %v", err)
			}
		}
		for _, s := range []*session.Session{s, other} {
			if _, err := s.Client.ListTools(t.Context(), nil); err != nil {
				t.Errorf("a session in use: %v", err)
			}
		}
		if !m.Close(t.Context()) {
			t.Error("it does not close")
		}
		<-s.Lost()
		<-other.Lost()
	})
}

// Who waits for a session is told at once that there will be none.
func TestRefusingEndsAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost()
		m := h.manager(t)
		h.set(0, true)
		ended := make(chan error, 2)
		go func() { _, err := m.Acquire(t.Context()); ended <- err }()
		go func() { _, err := m.Dial(t.Context()); ended <- err }()
		time.Sleep(time.Second)
		start := time.Now()
		m.Refuse(session.ErrRemoved)
		for range 2 {
			if err := <-ended; !errors.Is(err, session.ErrRemoved) {
				t.Errorf("got %v", err)
			}
		}
		if took := time.Since(start); took > 0 {
			t.Errorf("it took %v", took)
		}
	})
}

// Close ends within its bound whatever the server does.
func TestCloseIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHost()
		stuck := make(chan struct{})
		defer close(stuck)
		running := make(chan struct{}, 1)
		type none struct{}
		mcp.AddTool(h.server, &mcp.Tool{Name: "stuck"}, func(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, any, error) {
			running <- struct{}{}
			<-stuck // does not watch its context
			return nil, nil, nil
		})
		m := h.manager(t)
		s := acquire(t, m)
		ended := make(chan error, 1)
		go func() {
			_, err := s.Client.CallTool(t.Context(), &mcp.CallToolParams{Name: "stuck"})
			ended <- err
		}()
		<-running
		start := time.Now()
		if !m.Close(t.Context()) {
			t.Error("it does not close")
		}
		if took := time.Since(start); took > closeTimeout+time.Second {
			t.Errorf("it took %v", took)
		}
		if err := <-ended; !errors.Is(err, session.ErrClosed) {
			t.Errorf("the call gave %v", err)
		}
		if st := m.Status(); st.State != session.StateClosed || st.Session != nil {
			t.Errorf("the status is %+v", st)
		}
	})
}
