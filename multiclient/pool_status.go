package multiclient

import (
	"slices"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/internal/session"
)

// states are those of members, the best first.
var states = []State{StateReady, StateConnecting, StateFailed, StateIdle}

// status puts together what is known of all members.
func (p *pool) status() ServerStatus {
	own := p.server.manager.Status()
	status := ServerStatus{
		Name:        p.server.name,
		Transport:   p.server.connection.Transport(),
		State:       State(own.State),
		Since:       own.Since,
		LastLatency: time.Duration(p.server.latency.last.Load()),
		Latency:     time.Duration(p.server.latency.smooth.Load()),
		Tools:       -1,
	}
	p.mu.Lock()
	status.Waiting = p.waiting
	p.mu.Unlock()
	var latest time.Time // failure
	for _, s := range p.servers() {
		st := s.manager.Status()
		status.Identities++
		status.Generation += st.Generation
		status.InFlight += st.InFlight
		status.Queued += int(s.queued.Load())
		if st.State == session.StateFailed && st.Since.After(latest) {
			latest, status.LastError = st.Since, impersonal(p.server.unavailable(st.LastErr))
		}
		switch state := State(st.State); {
		case own.State == session.StateClosed:
		case slices.Index(states, state) < slices.Index(states, status.State):
			status.State, status.Since = state, st.Since
		case state == status.State && st.Since.Before(status.Since):
			status.Since = st.Since
		}
	}
	if status.State != StateFailed {
		status.LastError = nil
	}
	return status
}

// impersonal returns what everybody may know of the failure of an identity: what
// was said to it may be about it, or be where it signs in.
func impersonal(e *Error) *Error {
	return &Error{Kind: e.Kind, Phase: e.Phase, Server: e.Server, Status: e.Status}
}
