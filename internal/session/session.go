package session

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/internal/calls"
	"github.com/langchaingo-mcp/mcpadapters/internal/transport"
)

// errLost ends the calls that are in flight on a session that is replaced.
var errLost = errors.New("the session was lost")

// A Session is one session with a server.
type Session struct {
	// Client is the SDK's session. Its Close must not be called.
	Client *mcp.ClientSession
	// Generation is 1 for the first session with the server, and so on.
	Generation int

	sdk     *mcp.Client
	tracker *calls.Tracker
	link    *transport.Link
	cancel  context.CancelFunc // of the session's context

	opened time.Time
	worked atomic.Bool // the server has answered something

	once          sync.Once
	lost          chan struct{} // closed when the session is of no more use
	err           error         // why; set before lost is closed
	stopped       bool          // in the middle of the handshake
	said          string        // by the other side until then
	unheard, late bool          // was the answer to server/discover; guarded by the manager's mu
	told          bool          // to the callbacks; guarded by the manager's mu
}

// Lost is closed when the session is of no more use.
func (s *Session) Lost() <-chan struct{} { return s.lost }

// listeningWait is how long after the opening of a session its server may take to
// say that it announces changes. One that is later is asked for its list again.
const listeningWait = 250 * time.Millisecond

// AwaitListening blocks until the server announces changes of its tools, if it
// is one that says so, but not for long.
func (s *Session) AwaitListening(ctx context.Context) {
	init := s.Client.InitializeResult()
	if init.ProtocolVersion <= legacyVersion || init.Capabilities == nil || init.Capabilities.Tools == nil || !init.Capabilities.Tools.ListChanged {
		return
	}
	wait := time.NewTimer(time.Until(s.opened.Add(listeningWait)))
	defer wait.Stop()
	select {
	case <-s.tracker.Listening():
	case <-wait.C:
	case <-s.lost:
	case <-ctx.Done():
	}
}

// Subscribe makes a subscription to a resource by the function. On 2026-07-28 it
// waits until the server says that it has, but not for long.
func (s *Session) Subscribe(ctx context.Context, uri string, subscribe func() error) error {
	if s.Client.InitializeResult().ProtocolVersion <= legacyVersion {
		return subscribe()
	}
	return s.tracker.AwaitSubscribed(ctx, uri, subscribe)
}

// AnnounceRoots tells the server that the roots have changed, if it was told
// that there are any.
func (s *Session) AnnounceRoots() {
	if s.Client.InitializeResult().ProtocolVersion > legacyVersion {
		return // it asks anew each time
	}
	// The SDK has no other way to say so. Its own list is never shown.
	s.sdk.AddRoots(&mcp.Root{URI: "file:///"})
}

// InFlight returns the number of calls on the session.
func (s *Session) InFlight() int { return s.tracker.InFlight() }

// PID returns the id of the process that was started for the session, or 0.
func (s *Session) PID() int { return s.link.PID }

// Diagnose returns what the transport knows about a failure.
func (s *Session) Diagnose() transport.Diagnosis { return s.link.Diagnose() }

// DiagnoseRequest returns what the transport knows about the failure of a request.
func (s *Session) DiagnoseRequest(o *calls.Outcome) transport.Diagnosis {
	return s.link.DiagnoseRequest(o)
}

// MarkLost records that the session is of no more use, and why.
func (s *Session) MarkLost(err error) {
	s.once.Do(func() {
		s.err = WithoutID(err)
		close(s.lost)
	})
}

func (s *Session) isLost() bool {
	select {
	case <-s.lost:
		return true
	default:
		return false
	}
}

// lostErr says that the session was lost and why, with what the transport knows of
// that, as a [*Failure], or is nil.
func (s *Session) lostErr() error {
	if !s.isLost() {
		return nil
	}
	if s.err == errLost {
		return &Failure{Phase: PhaseSession, Err: errLost}
	}
	f := &Failure{Phase: PhaseSession, Err: fmt.Errorf("%w: %w", errLost, s.err)}
	if d := s.Diagnose(); d.Detail != "" && !d.Personal {
		f.Diagnosis = d
	}
	return f
}

// endedBy returns what a session was lost for in the place of an error of the SDK
// that only says that it has ended.
func (s *Session) endedBy(err error) error {
	if !s.isLost() || !errors.Is(err, mcp.ErrConnectionClosed) {
		return err
	}
	return fmt.Errorf("%w: %w", mcp.ErrConnectionClosed, s.err)
}

// endGrace is how long a process may take to be reaped after its session was lost.
const endGrace = 100 * time.Millisecond

// awaitEnd waits, but not for long, until it is known how the process of a session
// that was lost has ended.
func (s *Session) awaitEnd() {
	if !s.isLost() {
		return
	}
	wait := time.NewTimer(endGrace)
	defer wait.Stop()
	select {
	case <-s.link.Ended():
	case <-wait.C:
	}
}

// WithoutID returns an error that says that the server does not know the session
// without the id of the session, which is as good as a password.
func WithoutID(err error) error {
	if errors.Is(err, mcp.ErrSessionMissing) {
		return errForgotten
	}
	return err
}

var errForgotten = fmt.Errorf("the server does not know the session any more: %w", mcp.ErrSessionMissing)

// close ends the session: first the calls, then, when the server has been told
// of that and no callback runs any more, the SDK's session, then what the transport leaves behind. Each step has
// a bound of its own, since the SDK's Close waits for calls and handlers, for
// ever in some cases, and all of them together take no longer than timeout.
func (s *Session) close(cause error, timeout time.Duration) {
	s.MarkLost(cause)
	s.tracker.Close(cause)

	start := time.Now()
	until := func(fraction time.Duration) (context.Context, context.CancelFunc) {
		return context.WithDeadline(context.Background(), start.Add(timeout/fraction))
	}
	ctx, cancel := until(4)
	s.tracker.Drain(ctx)
	s.tracker.Wait(ctx)
	cancel()

	closed := make(chan struct{})
	go func() {
		defer close(closed)
		s.Client.Close() // Its error is the server's exit status, or of no use.
	}()
	ctx, cancel = until(2)
	select {
	case <-closed:
	case <-ctx.Done():
	}
	cancel()

	ctx, cancel = until(1)
	s.link.Close(ctx)
	cancel()
	s.cancel()
	<-closed
}
