package calls

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"
)

type (
	callKey    struct{}
	headersKey struct{}
	outcomeKey struct{}
)

// FromContext returns the call that ctx belongs to, or nil.
func FromContext(ctx context.Context) *Call {
	c, _ := ctx.Value(callKey{}).(*Call)
	return c
}

// WithHeaders returns a context whose HTTP requests carry these headers, and
// none that an outer context asked for.
func WithHeaders(ctx context.Context, headers http.Header) context.Context {
	return context.WithValue(ctx, headersKey{}, headers)
}

// Detach returns a context with the values of ctx, but for those that tie it
// to a call: what outlives the call must not carry its name or its headers.
func Detach(ctx context.Context) context.Context {
	ctx = context.WithValue(ctx, callKey{}, nil)
	ctx = context.WithValue(ctx, outcomeKey{}, nil)
	return WithHeaders(ctx, nil)
}

// aside is the context of a callback. It may call other servers with it, which
// must not be sent the headers that the call was given, nor count for its outcome.
type aside struct{ context.Context }

func (a aside) Value(key any) any {
	switch key.(type) {
	case headersKey, outcomeKey:
		return nil
	}
	return a.Context.Value(key)
}

// Opening returns a context like that of [Detach], but whose HTTP requests
// carry the headers of ctx until opened is called: the call that opens a
// session may be the one that has what it takes to be let in.
func Opening(ctx context.Context) (_ context.Context, opened func()) {
	o := &opening{headers: Headers(ctx)}
	return context.WithValue(Detach(ctx), headersKey{}, o), func() { o.over.Store(true) }
}

type opening struct {
	headers http.Header
	over    atomic.Bool
}

// Headers returns the headers that requests within ctx carry, or nil. They
// must not be changed.
func Headers(ctx context.Context) http.Header {
	switch h := ctx.Value(headersKey{}).(type) {
	case http.Header:
		return h
	case *opening:
		if !h.over.Load() {
			return h.headers
		}
	}
	return nil
}

// An Outcome tells how far a call got when it failed. The zero value is ready
// to use.
type Outcome struct {
	repeats  int
	sent     atomic.Int32
	rejected atomic.Int32
	status   atomic.Int32
	apart    atomic.Bool // no connection to the server could be made
	after    atomic.Int64
	said     atomic.Pointer[string]
}

// WithOutcome returns a context that records in the outcome how far the call
// that is made with it got, for the events of which it was made as often before.
func WithOutcome(ctx context.Context, repeats int) (context.Context, *Outcome) {
	o := &Outcome{repeats: repeats}
	return context.WithValue(ctx, outcomeKey{}, o), o
}

func outcome(ctx context.Context) *Outcome {
	o, _ := ctx.Value(outcomeKey{}).(*Outcome)
	return o
}

// NotExecuted reports whether the server has surely not run the call: nothing
// was sent, or what was sent was answered by the transport with "no such
// session", that it belongs somewhere else, or with a refusal of who asks.
func (o *Outcome) NotExecuted() bool { return o.sent.Load() == o.rejected.Load() }

// Sent reports whether anything of the call was, or may have been, sent.
func (o *Outcome) Sent() bool { return o.sent.Load() > 0 }

// Refused reports whether the server has refused, by a status of HTTP, to run the
// call for who asks.
func (o *Outcome) Refused() bool {
	status := o.Status()
	return (status == http.StatusUnauthorized || status == http.StatusForbidden) && o.Sent() && o.NotExecuted()
}

// RetryAfter returns how long the server asked to be left alone when it answered
// the last request of the call, or 0.
func (o *Outcome) RetryAfter() time.Duration { return time.Duration(o.after.Load()) }

// Unreached reports whether nothing of the call was sent since there was no
// connection to be had with the server.
func (o *Outcome) Unreached() bool { return o.sent.Load() == 0 && o.apart.Load() }

// MarkUnreached records that no connection with the server was to be had for a
// request of the call that ctx belongs to.
func MarkUnreached(ctx context.Context) {
	if o := outcome(ctx); o != nil {
		o.apart.Store(true)
	}
}

// Status returns the HTTP status that the last request of the call was
// answered with, or 0.
func (o *Outcome) Status() int { return int(o.status.Load()) }

// Said returns the beginning of what the last request of the call was answered
// with, if that was an HTTP error or not of the protocol, or "".
func (o *Outcome) Said() string {
	if said := o.said.Load(); said != nil {
		return *said
	}
	return ""
}

// MarkSent records that a request of the call that ctx belongs to was, or may
// have been, handed to the server.
func MarkSent(ctx context.Context) {
	if o := outcome(ctx); o != nil {
		o.sent.Add(1)
	}
}

// MarkUnsent takes back what [MarkSent] recorded: the request could not be
// written.
func MarkUnsent(ctx context.Context) {
	if o := outcome(ctx); o != nil {
		o.sent.Add(-1)
	}
}

// MarkAnswer records the HTTP status that a request of the call was answered
// with, whether that says that the server did not look at the request, how long it
// wants to be left alone, and the beginning of an answer that is none.
func MarkAnswer(ctx context.Context, status int, rejected bool, retryAfter time.Duration, said string) {
	if o := outcome(ctx); o != nil {
		o.after.Store(int64(retryAfter))
		o.said.Store(&said)
		o.status.Store(int32(status))
		if rejected {
			o.rejected.Add(1)
		}
	}
}
