package httpwire

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/cenkalti/backoff/v5"
)

const (
	// maxFailures is how many times in a row the resumption of a call's stream
	// may fail. With the delays between, these are about two minutes.
	maxFailures = 8
	// maxIdle is how many times in a row a resumed stream may end at once and
	// without anything in it, unless the server asks to be polled.
	maxIdle = 5
)

// A callStream is the body with the answer to one call. It ends with the
// response to the call, whatever the server does: the SDK would resume it
// itself, but ends the session when that fails.
type callStream struct {
	*reader
	ctx    context.Context
	req    *http.Request
	opener *opener
	delays *backoff.ExponentialBackOff
	began  time.Time
	idle   int
}

func newCallStream(x *exchange) *callStream {
	sessionID := x.resp.Header.Get(sessionIDHeader)
	if sessionID == "" {
		sessionID = x.req.Header.Get(sessionIDHeader)
	}
	s := &callStream{
		reader: newReader(x.resp.Body, &filter{w: x.t.wire, ctx: x.ctx, call: x.call}, x.cancel),
		ctx:    x.ctx,
		req:    x.req,
		opener: &opener{t: x.t, req: x.req, owner: x.ctx, sessionID: sessionID},
		began:  time.Now(),
	}
	s.ended, s.outlive = s.resume, x.outlive
	return s
}

// resume goes on with the stream after it broke off, or fails the call.
func (s *callStream) resume(broke error) error {
	err := s.reopen(broke)
	if err == nil {
		return nil
	}
	if s.req.Context().Err() != nil {
		return context.Cause(s.req.Context())
	}
	s.f.fail(CodeBroken, err.Error())
	return io.EOF
}

func (s *callStream) reopen(broke error) error {
	f := s.f
	if broke == io.EOF {
		broke = fmt.Errorf("the server ended the stream of a call before its response")
	} else {
		broke = fmt.Errorf("the stream of a call broke before its response: %w", broke)
	}
	if cause := f.w.cause(s.ctx); cause != nil {
		return cause
	}
	if f.lastID == "" {
		return broke
	}
	if s.delays == nil {
		s.delays = newBackOff()
	}
	alive := f.progress || time.Since(s.began) >= settledAfter
	if alive || f.hasRetry {
		s.idle = 0
	} else if s.idle++; s.idle >= maxIdle {
		return broke
	}
	if alive {
		s.delays.Reset()
	}
	delay := reopenDelay(s.delays, f, alive)
	for range maxFailures {
		if !sleep(s.ctx, delay) {
			return f.w.cause(s.ctx)
		}
		a := s.opener.open(s.ctx, f.lastID)
		if a.verdict == opened {
			s.replace(a.resp.Body)
			s.began, f.progress = time.Now(), false
			return nil
		}
		if cause := f.w.cause(s.ctx); cause != nil {
			return cause
		}
		broke = fmt.Errorf("the stream of a call broke before its response and could not be resumed: %w", a.err)
		if a.verdict == lost {
			f.w.lost(fmt.Errorf("the server does not know the session any more: %w", a.err))
		}
		if a.verdict != again {
			return broke
		}
		f.w.logger.Warn("the stream of a call is not resumed yet", "error", a.err)
		delay = max(s.delays.NextBackOff(), min(a.wait, maxDelay), f.retry)
	}
	return broke
}

// reopenDelay returns how long to wait after the end of a stream: what the
// server asks for, or else what the number of fruitless attempts suggests.
func reopenDelay(delays *backoff.ExponentialBackOff, f *filter, alive bool) time.Duration {
	switch {
	case !f.hasRetry:
		return delays.NextBackOff()
	case alive:
		return f.retry
	default:
		return max(f.retry, firstDelay)
	}
}
