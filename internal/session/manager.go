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
	ctx    context.Context // ends when no more sessions are opened, for the cause of that
	refuse context.CancelCauseFunc
	// breaker says when the next attempt may be made.
	breaker *breaker
	clocks  clocks

	mu         sync.Mutex
	current    *Session
	flight     *flight
	open       map[*Session]struct{} // every session that is not closed yet
	generation int
	ready      bool   // there has been a session
	version    string // that the server is known to speak, if discovery failed
	unheard    bool   // the last discovery was not answered in time
	slow       bool   // the server does answer to it, but later than that
	lastErr    error
	since      time.Time
	closed     error          // why there are no more sessions, once there are none
	closing    sync.WaitGroup // sessions that are being closed
}

// New returns a manager. It does no I/O.
func New(opts Options) *Manager {
	m := &Manager{
		opts:    opts,
		breaker: newBreaker(opts.Retry),
		events:  calls.NewDispatcher(opts.Server, opts.Identity, opts.Callbacks, opts.Logger),
		open:    map[*Session]struct{}{},
		since:   time.Now(),
	}
	m.ctx, m.refuse = context.WithCancelCause(context.Background())
	return m
}

// Events returns what brings changes of lists to the callbacks.
func (m *Manager) Events() *calls.Dispatcher { return m.events }

// watch tells of the end of the shared session, also when nobody uses it.
func (m *Manager) watch(s *Session) {
	<-s.lost
	s.awaitEnd()
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
	err := s.lostErr()
	switch {
	case s.worked.Load():
	case time.Since(s.opened) >= settledAfter:
		m.breaker.worked()
	default:
		m.breaker.failed(err)
	}
	m.events.Error(err)
	m.changed(callbacks.Disconnected, s.Generation, err)
	if m.opts.Ended != nil {
		m.opts.Ended(time.Since(s.opened))
	}
}

// changed tells the callbacks of a change of state, unless the last was told. m.mu is
// held, so that they are told in order.
func (m *Manager) changed(state callbacks.ConnectionState, generation int, err error) {
	if m.closed == nil {
		m.events.State(callbacks.ConnectionChange{State: state, Generation: generation, Err: err})
	}
}

// settledAfter is how long a session must have lasted, if nothing was asked on
// it, for its end not to count as a failed attempt.
const settledAfter = 10 * time.Second

// Worked records that the server has answered on the session.
func (m *Manager) Worked(s *Session) {
	if !s.worked.Load() {
		s.worked.Store(true)
	}
	if m.breaker.failing.Load() {
		m.breaker.worked()
	}
}

// Unreached records that the server could not be reached on a session that
// exists, and returns how long to wait before the next attempt, or an
// [*OpenError] if it is left alone now.
func (m *Manager) Unreached(err error) (time.Duration, error) {
	m.breaker.failed(err)
	return m.breaker.next()
}

// LeftAlone returns the failure of a request by which the server could not be
// reached as an [*OpenError] if the server is left alone now.
func (m *Manager) LeftAlone(err error) error { return m.breaker.opened(err) }

// Busy returns how long to wait before a request is made again by which a server
// was asked on a session that exists, and that it wants to be left alone for some
// time before. It counts as no failure: the server is there.
func (m *Manager) Busy(after time.Duration) time.Duration {
	return m.opts.Retry.asked(m.opts.Retry.Delay, after)
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
	ctx, cancel := m.WhileOpen(ctx)
	defer cancel()
	s, err := m.paced(ctx, func(ctx context.Context) (*Session, error) { return m.dial(ctx, nil) })
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case err != nil && m.closed != nil:
		return nil, m.closed
	case m.current != nil || m.flight != nil || ctx.Err() != nil || personal(err):
		// The shared session says how the server is, or nothing does.
	case err != nil:
		m.lastErr, m.since = err, time.Now()
	case m.lastErr != nil:
		m.lastErr, m.since = nil, time.Now()
	}
	return s, err
}

// WhileOpen returns a context that also ends when no more sessions are opened, for
// the cause of that.
func (m *Manager) WhileOpen(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(m.ctx, func() { cancel(context.Cause(m.ctx)) })
	return ctx, func() {
		stop()
		cancel(context.Canceled)
	}
}

// Pause waits before a request is made again, no longer than sessions are opened:
// the request is then told why they are not. It reports whether ctx has not ended.
func (m *Manager) Pause(ctx context.Context, d time.Duration) bool {
	waiting, cancel := m.WhileOpen(ctx)
	defer cancel()
	Sleep(waiting, d)
	return ctx.Err() == nil
}

// paced opens a session with attempts that the breaker allows: several if the
// server has worked before and may be back soon. After the time that it asks to
// wait first, all together take no longer than the connect timeout.
func (m *Manager) paced(ctx context.Context, open func(context.Context) (*Session, error)) (*Session, error) {
	leave, err := m.breaker.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	bounded, cancel := m.clocks.within(ctx, m.opts.ConnectTimeout, ErrConnectTimeout)
	defer cancel()
	for {
		s, err := open(bounded)
		if err == nil {
			return s, nil
		}
		if ctx.Err() != nil || personal(err) {
			return nil, err // which says nothing of the server
		}
		m.breaker.failed(err)
		m.mu.Lock()
		ready := m.ready
		m.mu.Unlock()
		if !ready || !passing(err) {
			return nil, m.breaker.opened(err)
		}
		wait, openErr := m.breaker.next()
		if openErr != nil {
			return nil, openErr
		}
		if !Enough(bounded, wait) || !Sleep(bounded, wait) {
			return nil, err
		}
	}
}

// Enough reports whether ctx does not end, as far as is known, within the time.
func Enough(ctx context.Context, d time.Duration) bool {
	if b, ok := ctx.Value(clockKey{}).(*bounded); ok && b.left() <= d {
		return false
	}
	deadline, ok := ctx.Deadline()
	return !ok || time.Until(deadline) > d
}

// Sleep waits, and reports whether ctx has not ended.
func Sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// AnnounceRoots tells the server on every session that the roots have changed,
// those that are one caller's included. It does not wait for it.
func (m *Manager) AnnounceRoots() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for s := range m.open {
		go s.AnnounceRoots()
	}
}

// InUse reports whether on any session a call is in flight, the server waits for an
// answer, or a callback runs.
func (m *Manager) InUse() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for s := range m.open {
		if s.tracker.Busy() {
			return true
		}
	}
	return false
}

// Discard closes a session in the background. The next [Manager.Acquire] does
// not return it.
func (m *Manager) Discard(s *Session) {
	s.awaitEnd()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.retire(s)
}

// retire closes a session in the background, once. m.mu is held.
func (m *Manager) retire(s *Session) {
	if m.current == s {
		m.current = nil
		s.MarkLost(errLost)
		m.lastErr, m.since = s.lostErr(), time.Now()
		m.tell(s)
	}
	if _, ok := m.open[s]; !ok {
		return
	}
	delete(m.open, s)
	m.closing.Go(func() {
		s.close(errLost, m.opts.CloseTimeout)
	})
}
