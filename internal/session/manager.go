package session

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/calls"
)

// Options of a [Manager].
type Options struct {
	// Server is the name of the server.
	Server string
	// Connection says how it is reached.
	Connection config.Connection
	// ConnectTimeout and CloseTimeout bound the opening and the closing of a
	// session. They must be positive.
	ConnectTimeout, CloseTimeout time.Duration
	// DiscoverTimeout bounds the wait for server/discover. It must be positive.
	DiscoverTimeout time.Duration
	// ClientInfo names the client to the server. Required.
	ClientInfo *mcp.Implementation
	// Callbacks receive what the server sends.
	Callbacks callbacks.Callbacks
	// LogLevel is asked of the server. Empty asks for nothing.
	LogLevel mcp.LoggingLevel
	// Opened, when set, is called for each shared session before it is used,
	// within the bound of the attempt to open it. An error fails the attempt.
	Opened func(ctx context.Context, s *Session) error
	// ListChanged, when set, is called for each list-changed notification with
	// the generation of the session and the method. It must not block.
	ListChanged func(generation int, method string)
	// Logger is required.
	Logger *slog.Logger
}

// lastEvents bounds the wait for the callbacks for what happened to the
// connection last.
const lastEvents = 250 * time.Millisecond

// A State says what a manager is doing.
type State string

const (
	StateIdle       State = "idle"
	StateConnecting State = "connecting"
	StateReady      State = "ready"
	StateFailed     State = "failed"
	StateClosed     State = "closed"
)

// A Manager keeps the session with one server. It is safe for concurrent use.
type Manager struct {
	opts   Options
	events *calls.Dispatcher

	mu         sync.Mutex
	current    *Session
	flight     *flight
	open       map[*Session]struct{} // every session that is not closed yet
	generation int
	version    string // that the server is known to speak, if discovery failed
	lastErr    error
	since      time.Time
	closed     bool
	closing    sync.WaitGroup // sessions that are being closed
}

// New returns a manager. It does no I/O.
func New(opts Options) *Manager {
	return &Manager{
		opts:   opts,
		events: calls.NewDispatcher(opts.Server, opts.Callbacks, opts.Logger),
		open:   map[*Session]struct{}{},
		since:  time.Now(),
	}
}

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
	if m.closed {
		m.mu.Unlock()
		return nil, ErrClosed
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
		if closed {
			return nil, ErrClosed
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
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), m.opts.ConnectTimeout)
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

// watch tells of the end of the shared session, also when nobody uses it.
func (m *Manager) watch(s *Session) {
	<-s.lost
	m.mu.Lock()
	defer m.mu.Unlock()
	m.tell(s)
}

// tell tells of the end of the shared session, once, so that it is told before
// the next one begins. m.mu is held.
func (m *Manager) tell(s *Session) {
	if s.told || m.closed {
		return
	}
	s.told = true
	m.events.Error(s.err)
	m.events.State(callbacks.ConnectionChange{State: callbacks.Disconnected, Generation: s.Generation, Err: s.err})
}

// Dial opens a session for the caller alone, who has to discard it.
func (m *Manager) Dial(ctx context.Context) (*Session, error) {
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return nil, ErrClosed
	}
	m.closing.Add(1)
	m.mu.Unlock()
	defer m.closing.Done()
	ctx, cancel := context.WithTimeout(ctx, m.opts.ConnectTimeout)
	defer cancel()
	return m.dial(ctx)
}

// Discard closes a session in the background. The next [Manager.Acquire] does
// not return it.
func (m *Manager) Discard(s *Session) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.retire(s)
}

// retire closes a session in the background, once. m.mu is held.
func (m *Manager) retire(s *Session) {
	if m.current == s {
		m.current = nil
		s.MarkLost(errLost)
		m.lastErr, m.since = s.err, time.Now()
		m.tell(s)
	}
	if _, ok := m.open[s]; !ok {
		return
	}
	delete(m.open, s)
	m.closing.Add(1)
	go func() {
		defer m.closing.Done()
		s.close(errLost, m.opts.CloseTimeout)
	}()
}

// Close ends every session and refuses new ones. It returns when all of it has
// ended, or when ctx ends, and then goes on in the background; it reports which.
// Calling it again waits for the same.
func (m *Manager) Close(ctx context.Context) (ended bool) {
	m.mu.Lock()
	if !m.closed {
		m.closed = true
		m.events.State(callbacks.ConnectionChange{State: callbacks.Closed, Generation: m.generation})
	}
	if m.flight != nil {
		m.flight.cancel()
	}
	if m.current != nil {
		m.current = nil
		m.since = time.Now()
	}
	for s := range m.open {
		m.closing.Add(1)
		go func() {
			defer m.closing.Done()
			s.close(ErrClosed, m.opts.CloseTimeout)
		}()
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

// A Status is what a manager knows about its server.
type Status struct {
	State State
	// Generation counts the sessions opened so far.
	Generation int
	// Since is when State was entered.
	Since time.Time
	// LastErr is why the last attempt to open a session failed, or why the
	// last session was lost. It is nil while there is a session.
	LastErr error
	// InFlight is the number of calls on the shared session.
	InFlight int
	// Session is the shared session, or nil.
	Session *Session
}

// Status returns what is known now. It does no I/O.
func (m *Manager) Status() Status {
	m.mu.Lock()
	defer m.mu.Unlock()
	st := Status{Generation: m.generation, Since: m.since, LastErr: m.lastErr}
	switch {
	case m.closed:
		st.State = StateClosed
	case m.current != nil && !m.current.isLost():
		st.State = StateReady
		st.Session = m.current
		st.InFlight = m.current.tracker.InFlight()
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
