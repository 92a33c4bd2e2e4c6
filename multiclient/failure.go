package multiclient

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/calls"
	"github.com/langchaingo-mcp/mcpadapters/internal/httpwire"
	"github.com/langchaingo-mcp/mcpadapters/internal/session"
	"github.com/langchaingo-mcp/mcpadapters/internal/transport"
)

// requestFailure is failure for a request that was made on a session.
func (s *server) requestFailure(ctx context.Context, phase Phase, tool string, outcome *calls.Outcome, sess *session.Session, err error) *Error {
	select {
	case <-sess.Lost():
		err = transport.Ended(err)
	default:
	}
	e := s.failure(ctx, phase, tool, sess, err)
	if status := outcome.Status(); status >= http.StatusBadRequest {
		e.Status = status
	}
	if e.Kind == ErrFailed && ctx.Err() == nil {
		d := sess.DiagnoseRequest(outcome)
		e.Status, e.Detail = d.Status, d.Detail
		switch {
		case outcome.Refused():
			e.Kind = ErrRefused
		case outcome.Unreached() && undelivered(err):
			e.Kind, e.Err = ErrUnavailable, s.manager.LeftAlone(e.Err)
			if open, ok := e.Err.(*session.OpenError); ok {
				e.RetryAt = open.Until
			}
		}
	}
	return sentToken(ctx, s.advised(e))
}

// sentToken says of an error about a token that the call had one of its own.
func sentToken(ctx context.Context, e *Error) *Error {
	if e.Status == http.StatusUnauthorized && calls.Headers(ctx).Get("Authorization") != "" {
		e.hint = "it does not take the Authorization header that an interceptor has set"
	}
	return e
}

// advised adds to an error what to do about a token that is missing. What an
// OAuthHandler has failed with is in the cause.
func (s *server) advised(e *Error) *Error {
	if e.Status != http.StatusUnauthorized || e.hint != "" {
		return e
	}
	own, set := config.HTTP{}, "Headers or HeaderSource"
	switch c := s.connection.(type) {
	case config.StreamableHTTP:
		if c.OAuthHandler != nil {
			return e
		}
		own, set = c.HTTP, "Headers, HeaderSource or OAuthHandler"
	case config.SSE:
		own = c.HTTP
	default:
		return e
	}
	e.hint = "it wants a token: set " + set
	if own.HeaderSource != nil || own.Headers.Get("Authorization") != "" {
		e.hint = "it does not take what Headers or HeaderSource give"
	}
	return e
}

// failure turns what went wrong into an error of this package, which nobody else
// has. An [*Error] that is only the cause, such as one of another client that a
// header source has used, or why a context was cancelled, is about something else.
// sess may be nil.
func (s *server) failure(ctx context.Context, phase Phase, tool string, sess *session.Session, err error) *Error {
	if own, ok := err.(*Error); ok && ctx.Err() == nil {
		e := *own // others may have the same
		return &e
	}
	// One of another request may be inside, such as that which a callback has made.
	var other *Error
	nested := errors.As(err, &other)
	own := func(target any) bool { return errors.As(err, target) && !(nested && errors.As(other.Err, target)) }
	e := &Error{Kind: ErrFailed, Phase: phase, Server: s.name, Tool: tool, Err: err}
	var (
		panicked *calls.PanicError
		missing  *calls.MissingError
		answer   *calls.AnswerError
		refused  *jsonrpc.Error
		timeout  errTimeout
		headers  *httpwire.HeadersError
	)
	switch cause := context.Cause(ctx); {
	case own(&panicked):
		e.Kind = ErrCallbackPanic
	case own(&missing):
		e.Kind = ErrNoCallback
	case ctx.Err() != nil && errors.As(cause, &timeout):
		e.Kind, e.Err = ErrTimeout, timeout
		e.diagnosed(err)
	case ctx.Err() != nil:
		// The caller's own doing, whatever it looks like from inside.
		e.Err = ended(ctx)
		e.diagnosed(err)
	case own(&timeout): // of a part of it
		e.Kind, e.Err = ErrTimeout, timeout
	case !nested && errors.Is(err, session.ErrClosed):
		e.Kind, e.Err = ErrClosed, session.ErrClosed
	case !nested && errors.Is(err, session.ErrRemoved):
		e.Kind, e.Err, e.unsent = ErrRemoved, session.ErrRemoved, phase != PhaseCall || tool == ""
	case own(&headers) && own(new(httpwire.InvalidHeader)):
		e.Kind, e.Err, e.unsent = ErrBadHeaders, headers, true
	case sess == nil:
		unavailable := s.unavailable(err)
		if _, another := err.(*session.OpenError); !another {
			unavailable = sentToken(ctx, unavailable)
		}
		unavailable.Tool, unavailable.Err = tool, apartFrom(s.redactor.Error(unavailable.Err))
		return unavailable
	case errors.As(err, &answer):
		// Not the server's refusal, whatever is inside.
	case errors.As(err, &refused) && !undelivered(err):
		e.Kind = ErrRefused
	}
	e.Err = session.WithoutID(e.Err)
	var open *session.OpenError
	if own(&open) {
		e.RetryAt = open.Until
	}
	e.Err = apartFrom(s.redactor.Error(e.Err))
	return e
}

// tellingTyped returns the callbacks, which are told why there is no session by an
// error of this package, as everybody else is.
func (s *server) tellingTyped(cb callbacks.Callbacks) callbacks.Callbacks {
	if tell := cb.OnConnectionState; tell != nil {
		cb.OnConnectionState = func(ctx context.Context, cc callbacks.CallbackContext, change callbacks.ConnectionChange) {
			if change.Err != nil {
				change.Err = s.unavailable(change.Err)
			}
			tell(ctx, cc, change)
		}
	}
	if tell := cb.OnMessage; tell != nil {
		cb.OnMessage = func(ctx context.Context, cc callbacks.CallbackContext, msg callbacks.Message) {
			if lost := (*session.Failure)(nil); errors.As(msg.Err, &lost) {
				msg.Err = s.unavailable(msg.Err)
			}
			tell(ctx, cc, msg)
		}
	}
	return cb
}

// ended returns why a context has ended, for which errors.Is finds its error.
func ended(ctx context.Context) error {
	cause := context.Cause(ctx)
	if errors.Is(cause, ctx.Err()) {
		return cause
	}
	return fmt.Errorf("%w: %w", ctx.Err(), cause)
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

// undelivered reports whether err says that the transport of a session that
// lives on got no answer to a request.
func undelivered(err error) bool {
	var e *jsonrpc.Error
	return !ofCallback(err) && errors.As(err, &e) && (e.Code == codeRejected || e.Code == httpwire.CodeTransport || e.Code == httpwire.CodeBroken)
}

// ofCallback reports whether a request failed by what a callback made of a question
// of the server: what is inside says nothing of the session.
func ofCallback(err error) bool {
	var (
		answer   *calls.AnswerError
		panicked *calls.PanicError
	)
	return errors.As(err, &answer) || errors.As(err, &panicked)
}

// badAnswer reports whether a request failed since what the server answered is of
// no use, on a session that lives on.
func badAnswer(err error, outcome *calls.Outcome) bool {
	var (
		e    *jsonrpc.Error
		code int64
	)
	if errors.As(err, &e) {
		code = e.Code
	}
	switch {
	case ofCallback(err), !outcome.Sent():
		return false
	case code == httpwire.CodeTransport, code == codeRejected && outcome.Status() >= http.StatusBadRequest:
		return true
	}
	return e == nil // it could not be decoded
}
