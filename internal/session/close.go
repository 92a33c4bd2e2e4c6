package session

import (
	"context"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

// lastEvents bounds the wait for the callbacks for what happened to the
// connection last.
const lastEvents = 250 * time.Millisecond

// Refuse opens no more sessions: who asks for one, or waits for one, gets the
// cause, which must be [ErrClosed] or [ErrRemoved]. Calls in flight go on until
// Close. Only the first cause counts.
func (m *Manager) Refuse(cause error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed != nil {
		return
	}
	m.closed = cause
	m.since = time.Now()
	m.events.State(callbacks.ConnectionChange{State: callbacks.Closed, Generation: m.generation})
	m.refuse(cause)
}

// Close refuses new sessions, with [ErrClosed] unless there is another cause
// already, and ends every session. It returns when all of it has
// ended, or when ctx ends, and then goes on in the background; it reports which.
// Calling it again waits for the same.
func (m *Manager) Close(ctx context.Context) (ended bool) {
	m.Refuse(ErrClosed)
	m.mu.Lock()
	cause := m.closed
	m.current = nil
	for s := range m.open {
		m.closing.Go(func() {
			s.close(cause, m.opts.CloseTimeout)
		})
	}
	clear(m.open)
	m.mu.Unlock()

	done := make(chan struct{})
	go func() {
		m.closing.Wait()
		// Briefly, since it may be a callback for an event that closes.
		last, cancel := context.WithTimeout(ctx, lastEvents)
		defer cancel()
		m.events.Close(last)
		close(done)
	}()
	select {
	case <-done:
		return true
	case <-ctx.Done():
		return false
	}
}
