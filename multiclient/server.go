package multiclient

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/semaphore"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
	"github.com/langchaingo-mcp/mcpadapters/internal/calls"
	"github.com/langchaingo-mcp/mcpadapters/internal/httpwire"
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

	subscriptions subscriptions
	prompts       knownPrompts
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

// within is withTimeout for a timeout that does not count the time in which
// somebody signs in to the server.
func (s *server) within(ctx context.Context, name string, d time.Duration) (context.Context, context.CancelFunc) {
	return s.manager.Within(ctx, d, errTimeout{name, d})
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
		reqCtx, outcome := calls.WithOutcome(ctx)
		res, err := request(reqCtx, sess.Client)
		if err == nil {
			s.manager.Worked(sess)
			return res, nil
		}
		if tries.again(ctx, s, outcome, s.lost(sess, err), true, err) {
			continue
		}
		e := s.failure(ctx, phase, "", sess, err)
		if status := outcome.Status(); status >= 400 {
			e.Status = status
		}
		return zero, e
	}
}

// lost reports whether err says that the session is of no more use, and if so
// makes sure that it is not used again.
func (s *server) lost(sess *session.Session, err error) bool {
	select {
	case <-sess.Lost():
	default:
		if undelivered(err) || !slices.ContainsFunc(lostErrors, func(lost error) bool { return errors.Is(err, lost) }) {
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

// failure turns what went wrong into an error of this package. sess may be
// nil.
func (s *server) failure(ctx context.Context, phase Phase, tool string, sess *session.Session, err error) *Error {
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	e := &Error{Kind: ErrFailed, Phase: phase, Server: s.name, Tool: tool, Err: err}
	var (
		panicked *calls.PanicError
		missing  *calls.MissingError
		answer   *calls.AnswerError
		refused  *jsonrpc.Error
		timeout  errTimeout
	)
	switch cause := context.Cause(ctx); {
	case errors.As(err, &panicked):
		e.Kind = ErrCallbackPanic
	case errors.As(err, &missing):
		e.Kind = ErrNoCallback
	case ctx.Err() != nil && errors.As(cause, &timeout):
		e.Kind, e.Err = ErrTimeout, timeout
		e.diagnosed(err)
	case ctx.Err() != nil:
		// The caller's own doing, whatever it looks like from inside.
		e.Err = cause
		if !errors.Is(cause, ctx.Err()) {
			e.Err = fmt.Errorf("%w: %w", ctx.Err(), cause)
		}
		e.diagnosed(err)
	case errors.Is(err, session.ErrClosed):
		e.Kind, e.Err = ErrClosed, session.ErrClosed
	case errors.Is(err, session.ErrRemoved):
		e.Kind, e.Err, e.unsent = ErrRemoved, session.ErrRemoved, phase != PhaseCall || tool == ""
	case sess == nil:
		unavailable := unavailable(s.name, err)
		unavailable.Tool, unavailable.Err = tool, s.redactor.Error(unavailable.Err)
		return unavailable
	case errors.As(err, &answer):
		// Not the server's refusal, whatever is inside.
	case errors.As(err, &refused) && !undelivered(err):
		e.Kind = ErrRefused
	}
	e.Err = session.WithoutID(e.Err)
	var open *session.OpenError
	if errors.As(err, &open) {
		e.RetryAt = open.Until
	}
	e.Err = s.redactor.Error(e.Err)
	if sess != nil && e.Kind == ErrFailed && ctx.Err() == nil {
		d := sess.Diagnose()
		e.Status, e.Detail = d.Status, d.Detail
	}
	return e
}

// diagnosed adds what is known of the session that was waited for.
func (e *Error) diagnosed(err error) {
	var f *session.Failure
	if errors.As(err, &f) {
		e.Phase, e.Status, e.Detail, e.hint = Phase(f.Phase), f.Status, f.Detail, f.Hint
	}
}

// codeRejected is the code of the error that the SDK makes of a request that
// the transport could not deliver.
const codeRejected = -32005

// lossGrace is how long the end of a session may take to be noticed after the
// calls on it have failed.
const lossGrace = 100 * time.Millisecond

// undelivered reports whether err says that the transport of a session that
// lives on got no answer to a request.
func undelivered(err error) bool {
	var e *jsonrpc.Error
	return errors.As(err, &e) && (e.Code == codeRejected || e.Code == httpwire.CodeTransport || e.Code == httpwire.CodeBroken)
}

// badAnswer reports whether a request failed since what the server answered is of
// no use, on a session that lives on.
func badAnswer(err error, outcome *calls.Outcome) bool {
	var (
		e    *jsonrpc.Error
		own  *calls.AnswerError
		code int64
	)
	if errors.As(err, &e) {
		code = e.Code
	}
	switch {
	case errors.As(err, &own), !outcome.Sent():
		return false
	case code == httpwire.CodeTransport, code == codeRejected && outcome.Status() >= http.StatusBadRequest:
		return true
	}
	return e == nil // it could not be decoded
}
