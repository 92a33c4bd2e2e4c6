package session

import "time"

// A State says what a manager is doing.
type State string

const (
	StateIdle       State = "idle"
	StateConnecting State = "connecting"
	StateReady      State = "ready"
	StateFailed     State = "failed"
	StateClosed     State = "closed"
)

// A Status is what a manager knows about its server.
type Status struct {
	State State
	// Generation counts the sessions opened so far.
	Generation int
	// Used tells that there has been a session.
	Used bool
	// Since is when State was entered.
	Since time.Time
	// LastErr is why the last attempt to open a session failed, or why the
	// last session was lost. It is nil while there is a session.
	LastErr error
	// RetryAt is when the next attempt may be made, or zero for now.
	RetryAt time.Time
	// InFlight is the number of calls on all sessions.
	InFlight int
	// Session is the shared session, or nil.
	Session *Session
}

// Status returns what is known now. It does no I/O.
func (m *Manager) Status() Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	st := Status{Generation: m.generation, Used: m.ready, Since: m.since, LastErr: m.lastErr, RetryAt: m.breaker.retryAt()}
	for s := range m.open {
		st.InFlight += s.InFlight()
	}
	switch {
	case m.closed != nil:
		st.State = StateClosed
	case m.current != nil && !m.current.isLost():
		st.State = StateReady
		st.Session = m.current
		st.LastErr = m.breaker.lastErr()
	case m.flight != nil:
		st.State = StateConnecting
	case m.current != nil:
		st.State = StateFailed
		st.LastErr = m.current.lostErr()
	case m.lastErr != nil:
		st.State = StateFailed
	default:
		st.State = StateIdle
	}
	return st
}
