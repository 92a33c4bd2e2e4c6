package multiclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/semaphore"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
	"github.com/langchaingo-mcp/mcpadapters/internal/calls"
	"github.com/langchaingo-mcp/mcpadapters/internal/redact"
	"github.com/langchaingo-mcp/mcpadapters/internal/session"
)

// A server is one connection of a client.
type server struct {
	name       string
	opts       *Options
	pool       *pool             // of servers that take its place, one for each identity; nil if there is none
	member     *member           // of such a pool that it is; nil if it is not
	connection config.Connection // by value
	settings   config.Settings
	manager    *session.Manager
	gate       gate
	catalogue  catalogue
	handler    interceptors.Handler // the interceptors around a call by route
	slots      *semaphore.Weighted  // of calls in flight; nil if there is no limit
	queued     atomic.Int32         // calls that wait for a slot
	latency    struct{ last, smooth atomic.Int64 }
	listsFirst atomic.Bool // each session for one call begins with the tools
	checked    atomic.Pointer[healthCheck]

	subscriptions subscriptions
	prompts       knownPrompts
	resources     knownResources
	background    sync.WaitGroup  // of what stop ends
	base          context.Context // of what is done in the background; ended by stop
	stop          context.CancelFunc
	redactor      *redact.Redactor
	refresh       refresh
	promptsWatch  *watch[*mcp.Prompt]
	resourceWatch *watch[*mcp.Resource]
	watchesTools  bool // a callback waits for changes of the tools
	watches       bool // a callback waits for changes of lists
	restoration   *restoration
	signsIn       bool // somebody may have to sign in
}

func (s *server) connectTimeout() time.Duration {
	return cmp.Or(s.settings.ConnectTimeout, s.opts.ConnectTimeout)
}

// closeTimeout is at least what stopping a process may take, where it is not set
// for the connection.
func (s *server) closeTimeout() time.Duration {
	bound := s.opts.CloseTimeout
	if c, ok := s.connection.(config.Stdio); ok {
		bound = max(bound, c.TerminateTimeout+cmp.Or(c.KillTimeout, c.TerminateTimeout)+time.Second)
	}
	return cmp.Or(s.settings.CloseTimeout, bound)
}

func (s *server) listTimeout() time.Duration {
	return cmp.Or(s.settings.ListTimeout, s.opts.ListTimeout)
}

func (s *server) callTimeout() time.Duration {
	return cmp.Or(s.settings.CallTimeout, s.opts.CallTimeout)
}

// errTimeout is the cause of the end of a context that a timeout of ours ended.
type errTimeout struct {
	name string
	d    time.Duration
}

func (e errTimeout) Error() string {
	return fmt.Sprintf("no answer within the %s of %v", e.name, e.d)
}

func (errTimeout) Is(target error) bool { return target == context.DeadlineExceeded }

// opened prepares a new session.
func (s *server) opened(ctx context.Context, sess *session.Session) error {
	s.catalogue.changes.Add(1)
	if s.watchesTools {
		s.refresh.soon(s.relist) // those of the session before may be no more
	}
	s.promptsWatch.listSoon()
	s.resourceWatch.listSoon()
	return s.resubscribe(ctx, sess)
}

// withTimeout bounds ctx. A bound that is not positive is none.
func withTimeout(ctx context.Context, name string, d time.Duration) (context.Context, context.CancelFunc) {
	if d <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, d, errTimeout{name, d})
}

// bounded bounds ctx by what is left of the timeout d of a request. Where users
// sign in, the time that they take does not count.
func (s *server) bounded(ctx context.Context, name string, d, left time.Duration) (context.Context, context.CancelFunc) {
	switch {
	case name == "":
		return ctx, func() {}
	case d <= 0:
		return context.WithCancel(ctx)
	case s.signsIn:
		return s.manager.Within(ctx, left, errTimeout{name, d})
	}
	return context.WithTimeoutCause(ctx, left, errTimeout{name, d})
}

// within bounds ctx by a list timeout, which does not count the time in which
// somebody signs in to the server.
func (s *server) within(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return s.manager.Within(ctx, d, errTimeout{"list timeout", d})
}

// acquire returns the shared session.
func (s *server) acquire(ctx context.Context) (*session.Session, error) {
	sess, err := s.manager.Acquire(ctx)
	if err != nil {
		return nil, s.failure(ctx, PhaseConnect, "", nil, err)
	}
	return sess, nil
}

// ask runs a request that may be repeated without harm on the shared session,
// once more if the session turns out to be lost.
func ask[T any](ctx context.Context, s *server, phase Phase, request func(context.Context, *mcp.ClientSession) (T, error)) (T, error) {
	var zero T
	var tries resends
	for {
		sess, err := s.acquire(ctx)
		if err != nil {
			return zero, err
		}
		reqCtx, outcome := calls.WithOutcome(ctx, tries.made())
		res, err := request(reqCtx, sess.Client)
		if err == nil {
			s.manager.Worked(sess)
			return res, nil
		}
		if tries.again(ctx, s, outcome, s.lost(sess, err), true, err) {
			continue
		}
		return zero, s.requestFailure(ctx, phase, "", outcome, sess, err)
	}
}

// request makes a request past the SDK's cache, which keeps every answer for as
// long as the session lasts, however old it is.
func request[R mcp.Result, P params[T], T any](ctx context.Context, cs *mcp.ClientSession, method string, p P) (R, error) {
	return mcp.CallCustomMethod[P, R](ctx, cs, method, p)
}

type params[T any] interface {
	*T
	mcp.Params
}

// lost reports whether err says that the session is of no more use, and if so
// makes sure that it is not used again.
func (s *server) lost(sess *session.Session, err error) bool {
	select {
	case <-sess.Lost():
	default:
		if ofCallback(err) || undelivered(err) || !slices.ContainsFunc(lostErrors, func(lost error) bool { return errors.Is(err, lost) }) {
			return false
		}
		if errors.Is(err, io.EOF) && !errors.Is(err, mcp.ErrConnectionClosed) {
			// The end of the connection, or only of a result that is none.
			select {
			case <-sess.Lost():
			case <-time.After(lossGrace):
				return false
			}
		}
		sess.MarkLost(s.redactor.Error(err))
	}
	s.manager.Discard(sess)
	return true
}

// lostErrors are what the SDK returns on a session that has ended: the last
// three from a write to a process or pipe before its end has been read.
var lostErrors = []error{mcp.ErrConnectionClosed, mcp.ErrSessionMissing, io.EOF, io.ErrClosedPipe, syscall.EPIPE, os.ErrClosed}

// lossGrace is how long the end of a session may take to be noticed after the
// calls on it have failed.
const lossGrace = 100 * time.Millisecond
