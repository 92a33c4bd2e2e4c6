package session

import (
	"context"
	"errors"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/internal/calls"
	"github.com/langchaingo-mcp/mcpadapters/internal/transport"
)

// A flight is an attempt to open the shared session that callers wait for.
type flight struct {
	waiting int
	link    *transport.Link // of the attempt that is under way
	cancel  context.CancelFunc
	done    chan struct{}
	session *Session
	err     error
}

// Acquire returns the shared session, opening it if there is none or if it is
// lost. Callers that come while it is being opened wait for the same attempt,
// which is given up when all of them have. It is made for the first of them: if it
// fails by what is only that one's fault, the others try for themselves, one after the
// other.
func (m *Manager) Acquire(ctx context.Context) (*Session, error) {
	for others := 1; ; others++ {
		s, own, err := m.join(ctx)
		if err == nil || own || !personal(err) && !(refused(err) && len(calls.Headers(ctx)) > 0) {
			return s, err
		}
		if others > maxOthers {
			f := &Failure{Phase: PhaseConnect, Err: errOthers}
			f.Personal = true
			return nil, f
		}
	}
}

// maxOthers is how many attempts of others one waits for that fail so. If it is
// everybody's fault after all, such as that of a header source that has no tokens at
// present, they would be many.
const maxOthers = 5

var errOthers = errors.New("several attempts in a row failed, which others had made with headers of their own")

// join is one try of [Manager.Acquire]. It reports whether it was the caller's own.
func (m *Manager) join(ctx context.Context) (_ *Session, own bool, _ error) {
	if err := ctx.Err(); err != nil {
		return nil, true, context.Cause(ctx)
	}
	m.mu.Lock()
	if m.closed != nil {
		defer m.mu.Unlock()
		return nil, true, m.closed
	}
	if m.current != nil && !m.current.isLost() {
		defer m.mu.Unlock()
		if m.breaker.failing.Load() {
			if _, err := m.breaker.next(); err != nil {
				return nil, true, err
			}
		}
		return m.current, true, nil
	}
	if s := m.current; s != nil {
		if !s.told {
			m.mu.Unlock()
			m.Discard(s)
			return m.join(ctx)
		}
		m.retire(s)
	}
	f := m.flight
	if f == nil || f.waiting == 0 {
		if _, err := m.breaker.next(); err != nil {
			m.mu.Unlock()
			return nil, true, err
		}
		f, own = m.launch(ctx), true
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
			return nil, true, closed
		}
		return f.session, own, f.err
	case <-ctx.Done():
		m.mu.Lock()
		err := m.interrupted(f, own, context.Cause(ctx)) // before it is told to end
		if f.waiting--; f.waiting == 0 {
			f.cancel()
		}
		m.mu.Unlock()
		return nil, true, err
	}
}

// interrupted says what is known of a flight, the caller's own or another's, that
// the caller does not wait for any longer. m.mu is held.
func (m *Manager) interrupted(f *flight, own bool, cause error) error {
	failure := &Failure{Phase: openPhase(m.opts.Connection.Transport()), Err: cause}
	if f.link != nil {
		if d := f.link.Diagnose(); own || !d.Personal {
			failure.Diagnosis = d
		}
		failure.Phase = handshakePhase(cause, failure.Diagnosis)
	}
	return failure
}

// launch starts an attempt to open the shared session. m.mu is held.
func (m *Manager) launch(ctx context.Context) *flight {
	// The values are the first caller's; its end is not everybody's.
	ctx, cancel := m.WhileOpen(context.WithoutCancel(ctx))
	f := &flight{cancel: cancel, done: make(chan struct{})}
	previous := m.flight
	m.flight, m.since = f, time.Now()
	m.closing.Go(func() {
		defer close(f.done)
		defer cancel()
		s, err := m.shared(ctx, f, previous)
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.flight == f {
			m.flight = nil
		}
		if err != nil {
			f.err = err
			m.since = time.Now()
			if ctx.Err() == nil && !personal(err) {
				m.lastErr = err // and not only given up
			}
			return
		}
		f.session = s
		if m.current == s || m.closed != nil {
			return
		}
		m.current, m.lastErr, m.since = s, nil, time.Now()
		m.changed(callbacks.Connected, s.Generation, nil)
		go m.watch(s)
	})
	return f
}

// shared opens the shared session, unless an attempt that its callers have
// abandoned comes to one after all.
func (m *Manager) shared(ctx context.Context, f, previous *flight) (*Session, error) {
	if previous != nil {
		<-previous.done
		m.mu.Lock()
		s := m.current
		m.mu.Unlock()
		switch {
		case s == nil:
		case s.isLost():
			m.Discard(s)
		default:
			return s, nil
		}
	}
	return m.paced(ctx, func(ctx context.Context) (*Session, error) { return m.openShared(ctx, f) })
}

// openShared makes one attempt to open the shared session.
func (m *Manager) openShared(ctx context.Context, f *flight) (*Session, error) {
	m.mu.Lock()
	m.changed(callbacks.Connecting, m.generation+1, nil)
	m.mu.Unlock()
	s, err := m.dial(ctx, f)
	if err == nil && m.opts.Opened != nil {
		if openedErr := m.opts.Opened(ctx, s); openedErr != nil {
			err = &Failure{Phase: PhaseInitialize, Diagnosis: s.Diagnose(), Err: s.link.Redact(openedErr)}
			m.Discard(s)
		}
	}
	if err != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.changed(callbacks.Disconnected, m.generation, err)
		return nil, err
	}
	return s, nil
}
