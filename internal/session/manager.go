package session

import (
	"context"
	"sync"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/internal/calls"
)

// A Manager keeps the session with one server. It is safe for concurrent use.
type Manager struct {
	opts   Options
	events *calls.Dispatcher
	ctx    context.Context // ends when no more sessions are opened
	refuse context.CancelFunc

	mu         sync.Mutex
	current    *Session
	flight     *flight
	open       map[*Session]struct{} // every session that is not closed yet
	generation int
	version    string // that the server is known to speak, if discovery failed
	lastErr    error
	since      time.Time
	closed     error          // why there are no more sessions, once there are none
	closing    sync.WaitGroup // sessions that are being closed
}

// New returns a manager. It does no I/O.
func New(opts Options) *Manager {
	m := &Manager{
		opts:   opts,
		events: calls.NewDispatcher(opts.Server, opts.Callbacks, opts.Logger),
		open:   map[*Session]struct{}{},
		since:  time.Now(),
	}
	m.ctx, m.refuse = context.WithCancel(context.Background())
	return m
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
	if s.told || m.closed != nil {
		return
	}
	s.told = true
	m.events.Error(s.err)
	m.events.State(callbacks.ConnectionChange{State: callbacks.Disconnected, Generation: s.Generation, Err: s.err})
}

// Dial opens a session for the caller alone, who has to discard it.
func (m *Manager) Dial(ctx context.Context) (*Session, error) {
	m.mu.Lock()
	if m.closed != nil {
		defer m.mu.Unlock()
		return nil, m.closed
	}
	m.closing.Add(1)
	m.mu.Unlock()
	defer m.closing.Done()
	ctx, cancel := m.bound(ctx)
	defer cancel()
	s, err := m.dial(ctx)
	if err != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.closed != nil {
			return nil, m.closed
		}
	}
	return s, err
}

// bound returns the context of an attempt to open a session.
func (m *Manager) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithTimeout(ctx, m.opts.ConnectTimeout)
	stop := context.AfterFunc(m.ctx, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
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
