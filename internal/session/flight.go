package session

import (
	"context"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

// A flight is an attempt to open the shared session that callers wait for.
type flight struct {
	waiting int
	cancel  context.CancelFunc
	done    chan struct{}
	session *Session
	err     error
}

// Acquire returns the shared session, opening it if there is none or if it is
// lost. Callers that come while it is being opened wait for the same attempt,
// which is given up when all of them have.
func (m *Manager) Acquire(ctx context.Context) (*Session, error) {
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	m.mu.Lock()
	if m.closed != nil {
		defer m.mu.Unlock()
		return nil, m.closed
	}
	if m.current != nil && !m.current.isLost() {
		s := m.current
		m.mu.Unlock()
		return s, nil
	}
	if m.current != nil {
		m.retire(m.current)
	}
	f := m.flight
	if f == nil || f.waiting == 0 {
		f = m.launch(ctx)
	}
	f.waiting++
	m.mu.Unlock()

	select {
	case <-f.done:
		m.mu.Lock()
		f.waiting--
		closed := m.closed
		m.mu.Unlock()
		if closed != nil {
			return nil, closed
		}
		return f.session, f.err
	case <-ctx.Done():
		m.mu.Lock()
		if f.waiting--; f.waiting == 0 {
			f.cancel()
		}
		m.mu.Unlock()
		return nil, context.Cause(ctx)
	}
}

// launch starts an attempt to open the shared session. m.mu is held.
func (m *Manager) launch(ctx context.Context) *flight {
	// The values are the first caller's; its end is not everybody's.
	ctx, cancel := m.bound(context.WithoutCancel(ctx))
	f := &flight{cancel: cancel, done: make(chan struct{})}
	previous := m.flight
	m.flight = f
	m.closing.Add(1)
	go func() {
		defer m.closing.Done()
		defer close(f.done)
		defer cancel()
		s, err := m.shared(ctx, previous)
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.flight == f {
			m.flight = nil
		}
		if err != nil {
			f.err = err
			m.lastErr, m.since = err, time.Now()
			m.events.State(callbacks.ConnectionChange{State: callbacks.Disconnected, Generation: m.generation, Err: err})
			return
		}
		f.session = s
		if m.current == s {
			return
		}
		m.current, m.lastErr, m.since = s, nil, time.Now()
		m.events.State(callbacks.ConnectionChange{State: callbacks.Connected, Generation: s.Generation})
		go m.watch(s)
	}()
	return f
}

// shared opens the shared session, unless an attempt that its callers have
// abandoned comes to one after all.
func (m *Manager) shared(ctx context.Context, previous *flight) (*Session, error) {
	if previous != nil {
		<-previous.done
		m.mu.Lock()
		s := m.current
		m.mu.Unlock()
		if s != nil && !s.isLost() {
			return s, nil
		}
	}
	m.mu.Lock()
	next := m.generation + 1
	m.mu.Unlock()
	m.events.State(callbacks.ConnectionChange{State: callbacks.Connecting, Generation: next})
	s, err := m.dial(ctx)
	if err != nil || m.opts.Opened == nil {
		return s, err
	}
	if err := m.opts.Opened(ctx, s); err != nil {
		m.Discard(s)
		return nil, &Failure{Phase: PhaseInitialize, Diagnosis: s.Diagnose(), Err: err}
	}
	return s, nil
}
