package httpwire

import (
	"context"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/internal/panics"
)

// A Transport is the [http.RoundTripper] described at the top of this package.
// It is safe for concurrent use.
type Transport struct {
	*wire
	base http.RoundTripper
	own  *http.Transport // base, if it is ours
	// streams makes the requests that the SDK does not know of. It redirects
	// and keeps cookies as the client does that the SDK uses.
	streams *http.Client
}

// New returns a transport for one session. [Transport.Close] must be called,
// unless Options.Context ends.
func New(opts Options) *Transport {
	t := &Transport{wire: newWire(opts), base: opts.Base}
	if t.base == nil {
		t.own = newBase(t.ctx)
		t.base = t.own
	}
	t.streams = &http.Client{Transport: sender{t}, CheckRedirect: t.redirects(nil)}
	return t
}

// newBase returns a transport that keeps as many connections as calls are made
// at a time; [http.DefaultTransport] keeps two. None outlives ctx.
func newBase(ctx context.Context) *http.Transport {
	dialer := &net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment,
		DialContext: func(dialing context.Context, network, address string) (net.Conn, error) {
			c, err := dialer.DialContext(dialing, network, address)
			if err != nil {
				return nil, err
			}
			return &bound{c, context.AfterFunc(ctx, func() { c.Close() })}, nil
		},
		ForceAttemptHTTP2:     true,
		MaxIdleConnsPerHost:   128,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: time.Second,
	}
}

// A bound connection is closed at the end of its context: HTTP/2 would keep one on
// which a stream is just ending for as long as it may be idle.
type bound struct {
	net.Conn
	stop func() bool
}

func (b *bound) Close() error {
	b.stop()
	return b.Conn.Close()
}

// Close ends all requests and streams, and makes new requests fail with
// [ErrClosed]. It does not wait for them. It can be called again.
func (t *Transport) Close() {
	t.wire.close(ErrClosed)
	if t.own != nil {
		t.own.CloseIdleConnections()
	}
}

// Client returns a copy of base, or a client of its own if base is nil, which
// makes its requests through t. The transport of base, if it has one, takes
// the place of [Options.Base]. The copy has no Timeout, which would cut
// streams off.
func (t *Transport) Client(base *http.Client) *http.Client {
	client := &http.Client{}
	if base != nil {
		*client = *base
	}
	c := &Transport{wire: t.wire, base: t.base, own: t.own}
	if client.Transport != nil {
		c.base, c.own = client.Transport, nil
	}
	client.CheckRedirect = t.redirects(client.CheckRedirect)
	c.streams = &http.Client{Transport: sender{c}, Jar: client.Jar, CheckRedirect: client.CheckRedirect}
	client.Transport = c
	client.Timeout = 0
	return client
}

// RoundTrip implements [http.RoundTripper].
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if t.ctx.Err() != nil {
		closeBody(req)
		return nil, context.Cause(t.ctx)
	}
	if req.Method == http.MethodDelete {
		t.ending.Store(true)
	}
	t.observe(req)
	if err := t.checkOrigin(req); err != nil {
		closeBody(req)
		return nil, err
	}
	switch {
	case t.sse && req.Method == http.MethodGet:
		return t.openSSE(req)
	case t.sse:
		return t.forward(req)
	case isStandalone(req) && !isProbe(req):
		return t.standalone(req)
	case req.Method == http.MethodPost:
		return t.post(req)
	default:
		return t.forward(req)
	}
}

// CloseIdleConnections is what [http.Client.CloseIdleConnections] calls.
func (t *Transport) CloseIdleConnections() {
	if c, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// observe learns from a request of the SDK.
func (t *Transport) observe(req *http.Request) {
	if req.Response != nil {
		return
	}
	t.endpoint.CompareAndSwap(nil, req.URL)
	if sameOrigin(t.endpoint.Load(), req.URL) {
		t.auth.set(req.Header.Get("Authorization"))
	}
}

// isStandalone reports whether a request opens the stream of the session.
func isStandalone(req *http.Request) bool {
	return req.Method == http.MethodGet && req.Header.Get("Accept") == eventStream && req.Header.Get(lastEventIDHeader) == ""
}

// firstHop returns the request that was redirected to become req.
func firstHop(req *http.Request) *http.Request {
	for req.Response != nil && req.Response.Request != nil {
		req = req.Response.Request
	}
	return req
}

// send makes a request with the headers of the owner, who is asked with
// headersCtx. It reports whether the server may have received it.
func (t *Transport) send(req *http.Request, ctx, headersCtx context.Context) (resp *http.Response, sent bool, err error) {
	var connected, wrote atomic.Bool
	out := req.WithContext(httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn:      func(httptrace.GotConnInfo) { connected.Store(true) },
		WroteHeaders: func() { wrote.Store(true) },
	}))
	if t.hooks.Headers != nil && sameOrigin(t.endpoint.Load(), req.URL) {
		headers, err := t.ownHeaders(ctx, headersCtx)
		if err == nil && len(headers) > 0 {
			out.Header = req.Header.Clone()
			err = addHeaders(out, headers)
		}
		if err != nil {
			closeBody(req)
			return nil, false, &HeadersError{err}
		}
	}
	t.secrets.noteHeader(out.Header)
	resp, unseen, err := t.roundTrip(out)
	if err != nil {
		if unseen {
			return nil, false, err
		}
		// Only one that traces can be believed when it traced nothing.
		_, traces := t.base.(*http.Transport)
		return nil, wrote.Load() || !traces && !connected.Load(), err
	}
	// The request is visible to redirects and to the SDK's authorization,
	// which have no business with the headers that were added.
	resp.Request = req
	t.bareLocation(resp, req.URL)
	return resp, true, nil
}

// ask makes a request by the RoundTripper of the owner, whose panic nobody else
// could recover.
func (t *Transport) ask(req *http.Request) (resp *http.Response, err error) {
	defer panics.Recover(t.logger, "the RoundTripper of the HTTP client", &err)
	return t.base.RoundTrip(req)
}

// ownHeaders returns the headers of the owner, who is asked with the values of
// headersCtx for as long as ctx lasts.
func (t *Transport) ownHeaders(ctx, headersCtx context.Context) (http.Header, error) {
	if headersCtx != ctx {
		var cancel context.CancelCauseFunc
		headersCtx, cancel = context.WithCancelCause(headersCtx)
		defer cancel(nil)
		defer context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })()
	}
	return t.hooks.Headers(headersCtx)
}

// A sender makes requests as they are, but for the headers of the owner.
type sender struct{ t *Transport }

func (s sender) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, _, err := s.t.send(req, req.Context(), s.t.headersContext(req.Context()))
	return resp, err
}

func closeBody(req *http.Request) {
	if req.Body != nil {
		req.Body.Close()
	}
}
