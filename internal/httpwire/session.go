package httpwire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
)

const (
	// deniedDelay is how often a stream is tried that the server denies for
	// want of other credentials.
	deniedDelay = 5 * time.Minute
	// headersGrace is how long after a request was written its answer is
	// waited for, so that what the server sends next finds the stream open.
	// headersTimeout bounds the wait from the start.
	headersGrace   = 250 * time.Millisecond
	headersTimeout = 2 * time.Second
)

// A sessionStream stands for a stream that belongs to the session as a whole:
// it is open as long as the session, whatever becomes of those to the server.
type sessionStream struct {
	*filter
	opener *opener
	ctx    context.Context
	pipe   *io.PipeWriter
}

// standalone answers the GET for the stream of the session.
func (t *Transport) standalone(req *http.Request) (*http.Response, error) {
	return t.sessionStream(req, &opener{t: t, req: req, owner: t.ctx}, call{}), nil
}

// listen answers subscriptions/listen, which the SDK otherwise waits for
// without end and does not notice the end of.
func (t *Transport) listen(req *http.Request, c call) (*http.Response, error) {
	closeBody(req)
	return t.sessionStream(req, &opener{t: t, req: req, owner: t.ctx, post: true}, c), nil
}

func (t *Transport) sessionStream(req *http.Request, o *opener, c call) *http.Response {
	ctx, cancel := t.within(req.Context())
	o.sessionID = req.Header.Get(sessionIDHeader)
	out, in := io.Pipe()
	stop := context.AfterFunc(ctx, func() { in.CloseWithError(context.Cause(ctx)) })
	s := &sessionStream{
		filter: &filter{w: t.wire, ctx: o.owner, call: c, listening: c.isCall()},
		opener: o,
		ctx:    ctx,
		pipe:   in,
	}
	answered := make(chan struct{})
	written := make(chan struct{})
	go func() {
		defer stop()
		defer cancel(nil)
		s.run(sync.OnceFunc(func() { close(written) }), sync.OnceFunc(func() { close(answered) }))
		in.CloseWithError(t.cause(ctx))
	}()
	awaitHeaders(ctx, written, answered)
	return &http.Response{
		Status:        "200 OK",
		StatusCode:    http.StatusOK,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        http.Header{"Content-Type": {eventStream}},
		ContentLength: -1,
		Body:          &releasing{ReadCloser: out, cancel: cancel},
		Request:       req,
	}
}

// awaitHeaders gives the first attempt a chance to succeed.
func awaitHeaders(ctx context.Context, written, answered <-chan struct{}) {
	timer := time.NewTimer(headersTimeout)
	defer timer.Stop()
	for {
		select {
		case <-written:
			written = nil
			timer.Reset(headersGrace)
		case <-answered:
			return
		case <-timer.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// over reports whether the stream is no more to be opened.
func (s *sessionStream) over() bool { return s.w.cause(s.ctx) != nil || s.w.ending.Load() }

// run opens the stream again and again until the session ends.
func (s *sessionStream) run(written, answered func()) {
	delays := newBackOff()
	trace := httptrace.WithClientTrace(s.ctx, &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { written() }})
	for !s.over() {
		wasOpen := s.opener.wasOpen
		_, credentials := s.w.auth.get()
		a := s.opener.open(trace, s.lastID)
		if s.opener.post {
			s.w.responded(s.filter.ctx, a.answer(s.call.method))
		}
		answered()
		if a.verdict != opened && s.over() {
			continue
		}
		var delay time.Duration
		switch a.verdict {
		case opened:
			if reopened := s.w.hooks.Reopened; wasOpen && reopened != nil {
				reopened()
			}
			delay = s.opened(a.resp, delays)
			if s.failed != "" {
				s.giveUp(errors.New(s.failed))
				return
			}
		case again:
			delay = max(delays.NextBackOff(), min(a.wait, maxDelay), s.retry)
			s.w.logger.Debug("a stream of the session could not be opened", "error", a.err, "again in", delay)
		case denied:
			s.w.logger.Warn("the server denies a stream of the session", "error", a.err)
			s.await(credentials)
		case lost:
			s.w.lost(fmt.Errorf("the server does not know the session any more: %w", a.err))
			s.giveUp(a.err)
			return
		case refused:
			if s.lastID == "" {
				s.giveUp(a.err)
				return
			}
			// It may be the id that the server refuses.
			s.lastID = ""
			delay = delays.NextBackOff()
		}
		sleep(s.ctx, delay)
	}
	<-s.ctx.Done()
}

// opened passes on the events of one stream, and returns how long to wait
// after its end.
func (s *sessionStream) opened(resp *http.Response, delays *backoff.ExponentialBackOff) time.Duration {
	began := time.Now()
	s.progress = false
	err := s.pump(resp)
	alive := s.progress || time.Since(began) >= settledAfter
	if alive {
		delays.Reset()
	}
	delay := reopenDelay(delays, s.filter, alive)
	if !s.over() {
		s.w.logger.Debug("a stream of the session ended", "error", err, "again in", delay)
	}
	return delay
}

// pump passes on the events of one stream, until its end.
func (s *sessionStream) pump(resp *http.Response) error {
	defer resp.Body.Close()
	sc := s.w.scanners.Get().(*scanner)
	defer func() {
		sc.src = nil
		s.w.scanners.Put(sc)
	}()
	sc.reset(resp.Body, s.w.maxMessage)
	for {
		ev, err := sc.next()
		if err != nil {
			return err
		}
		s.event(ev)
		if s.failed != "" {
			return nil
		}
		if len(s.out) == 0 {
			continue
		}
		_, err = s.pipe.Write(s.out)
		_, _ = s.take(nil, len(s.out))
		if err != nil {
			return err
		}
	}
}

// giveUp keeps the stream open and silent, as the server will not have it; a
// call is told so and ends.
func (s *sessionStream) giveUp(err error) {
	level := slog.LevelWarn
	if !s.opener.wasOpen && !s.listening {
		level = slog.LevelDebug // many servers have none
	}
	s.w.logger.Log(s.ctx, level, "a stream of the session is given up", "error", err)
	if s.listening {
		_, _ = s.pipe.Write(appendEvent(nil, "", &event{}, errorResponse(s.call.id, CodeTransport, err.Error())))
		return
	}
	<-s.ctx.Done()
}

// await waits until the SDK has another credential, or for long.
func (s *sessionStream) await(credentials <-chan struct{}) {
	timer := time.NewTimer(deniedDelay)
	defer timer.Stop()
	select {
	case <-credentials:
	case <-timer.C:
	case <-s.ctx.Done():
	}
}
