package multiclient

import (
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/internal/session"
)

// A State is what a connection is doing.
type State string

const (
	StateIdle       State = State(session.StateIdle)       // "idle": never used, or not since a session ended
	StateConnecting State = State(session.StateConnecting) // "connecting": a session is being opened
	StateReady      State = State(session.StateReady)      // "ready": there is a session
	StateFailed     State = State(session.StateFailed)     // "failed": the last attempt failed, or the session was lost
	StateClosed     State = State(session.StateClosed)     // "closed": the client is closed
)

// A ServerStatus is what a client knows about one of its servers.
//
// Where each identity has a session of its own it is about all of them together:
// the state is the best that any has (ready, connecting, failed, idle), counts are
// sums, and what may differ or be personal (RetryAt, Tools, Server, PID, Checked,
// the cause of LastError) is not known.
type ServerStatus struct {
	// Name is that of the connection, and Transport its kind.
	Name, Transport string

	State State
	// Since is when State was entered.
	Since time.Time
	// Generation counts the sessions that were tried to open, including those
	// that failed.
	Generation int
	// Identities is the number of identities that have a session, or are about to,
	// and Waiting that of those which wait until they may. Both are 0 where
	// sessions are not those of identities.
	Identities, Waiting int
	// InFlight is the number of requests that wait for the server's answer, and
	// Queued the number of tool calls that wait for others to end (see
	// [Options].MaxInFlight).
	InFlight, Queued int
	// LastLatency is how long the last tool call that succeeded has taken, with
	// all that callbacks did for it, and Latency an average of those before, in
	// which the last few count most. Both are 0 if there was none.
	LastLatency, Latency time.Duration
	// RetryAt is when the server may be tried again after attempts that failed:
	// until then requests wait, or, if too many have failed, fail at once (see
	// [Reconnect]). It is the zero time if the next use tries at once.
	RetryAt time.Time
	// Tools is the number of tools listed last, or -1 if they never were.
	Tools int
	// LastError is why there is no session, where that is a failure. When State
	// is ready it is nil, or why the server cannot be reached at present. It holds
	// nothing secret.
	LastError error
	// Checked is when the last health check ended (see [Options].HealthCheck), or
	// the zero time if there was none, and CheckError why it failed, or nil. It
	// stays when there is a new session, which LastError does not.
	Checked    time.Time
	CheckError error
	// PID is the id of the process that was started for the current session, or 0.
	PID int
	// Server is what the server said of itself on the current session, or nil.
	// It must not be changed.
	Server *mcp.InitializeResult
}

// Status returns what is known about every server, sorted by name. It does no
// I/O and never blocks.
func (c *MultiServerClient) Status() []ServerStatus {
	f := c.fleet.Load()
	all := make([]ServerStatus, 0, len(f.names))
	for _, name := range f.names {
		s := f.servers[name]
		if s.pool != nil {
			all = append(all, s.pool.status())
			continue
		}
		st := s.manager.Status()
		status := ServerStatus{
			Name:        name,
			Transport:   s.connection.Transport(),
			State:       State(st.State),
			Since:       st.Since,
			Generation:  st.Generation,
			InFlight:    st.InFlight,
			Queued:      int(s.queued.Load()),
			LastLatency: time.Duration(s.latency.last.Load()),
			Latency:     time.Duration(s.latency.smooth.Load()),
			RetryAt:     st.RetryAt,
			Tools:       s.catalogue.count(),
		}
		if check := s.checked.Load(); check != nil {
			status.Checked, status.CheckError = check.at, check.err
		}
		if st.LastErr != nil {
			status.LastError = s.unavailable(st.LastErr)
		}
		if st.Session != nil {
			status.Server = st.Session.Client.InitializeResult()
			status.PID = st.Session.PID()
		}
		all = append(all, status)
	}
	return all
}
