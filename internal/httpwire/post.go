package httpwire

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/langchaingo-mcp/mcpadapters/internal/skim"
)

const (
	methodDiscover = "server/discover"
	methodListen   = "subscriptions/listen"
)

// post sends a message of the SDK and makes of the answer what the SDK can
// read without ending the session.
func (t *Transport) post(req *http.Request) (*http.Response, error) {
	c := callOf(req)
	if c.method == methodListen && c.isCall() && req.Response == nil {
		return t.listen(req, c)
	}
	ctx, cancel, outlive := t.until(req.Context())
	if c.method == methodDiscover && t.discoverTimeout > 0 {
		cancel = t.discoverWithin(cancel)
	}
	resp, sent, err := t.send(req, ctx, ctx)
	if err != nil {
		a := Answer{Method: c.method, Sent: sent}
		a.Err, err = t.why(ctx, err)
		cancel(nil)
		t.responded(ctx, a)
		return nil, err
	}
	x := &exchange{t: t, req: req, call: c, ctx: ctx, cancel: cancel, outlive: outlive, resp: resp}
	if answer := x.answer(); answer != nil {
		return answer, nil
	}
	return nil, t.hooks.Taken
}

// discoverWithin makes the request of server/discover end when it takes too
// long.
func (t *Transport) discoverWithin(cancel context.CancelCauseFunc) context.CancelCauseFunc {
	timer := time.AfterFunc(t.discoverTimeout, func() {
		if t.hooks.Unheard != nil {
			t.hooks.Unheard()
		}
		cancel(fmt.Errorf("no answer to %s within %v", methodDiscover, t.discoverTimeout))
	})
	return func(cause error) {
		timer.Stop()
		cancel(cause)
	}
}

// callOf reads the message that a request carries, or carried before it was
// redirected.
func callOf(req *http.Request) call {
	first := firstHop(req)
	if first.GetBody == nil {
		return call{}
	}
	body, err := first.GetBody()
	if err != nil {
		return call{}
	}
	defer body.Close()
	var head [256]byte
	n, _ := io.ReadFull(body, head[:])
	return peekCall(head[:n])
}

// An exchange is a POST that was answered.
type exchange struct {
	t      *Transport
	req    *http.Request
	call   call
	ctx    context.Context
	cancel context.CancelCauseFunc
	// outlive keeps ctx from ending with that of the request.
	outlive func() bool
	resp    *http.Response
}

// answer returns the response that the SDK is given, or nil if it has no need of
// one since its result was taken.
func (x *exchange) answer() *http.Response {
	status := x.resp.StatusCode
	a := Answer{Method: x.call.method, Status: status, Sent: true}
	ok := status/100 == 2
	switch mt := mediaType(x.resp); {
	case ok && !x.call.isCall(), isRedirect(x.resp):
		a.Redirected = status == http.StatusTemporaryRedirect || status == http.StatusPermanentRedirect
		x.t.responded(x.ctx, a)
		x.resp.Body = &releasing{ReadCloser: x.resp.Body, cancel: x.cancel}
		return x.resp
	case ok && mt == eventStream:
		x.t.responded(x.ctx, a)
		stream := newCallStream(x)
		if x.leads() && stream.lead() {
			go stream.drained()
			return nil
		}
		x.resp.Body = stream
		return asStream(x.resp, -1)
	case ok && mt == applicationJSON:
		x.t.responded(x.ctx, a)
		defer x.cancel(nil)
		return x.json()
	}
	defer x.cancel(nil)
	body := readError(x.resp)
	a.Excerpt = x.t.errorExcerpt(body)
	if !ok {
		a.RetryAfter = retryAfter(x.resp.Header)
		a.SessionLost = isSessionLost(status, x.req.Header.Get(sessionIDHeader), x.call, body)
	}
	x.t.responded(x.ctx, a)
	if a.SessionLost {
		x.resp.StatusCode, x.resp.Status = http.StatusNotFound, "404 Not Found"
		return withBody(x.resp, "text/plain", nil)
	}
	if m, err := parseMessage(body); err == nil && m.err != nil && x.call.isCall() && isTransient(status) {
		// The SDK reads no answers with these, and they say more than the status.
		x.resp.StatusCode, x.resp.Status = http.StatusBadRequest, "400 Bad Request"
	}
	return withBody(x.resp, applicationJSON, x.failure(body))
}

// isTransient reports whether the SDK takes a status for one that passes.
func isTransient(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// failure returns an error response for an answer that is an error. The SDK
// ends the session at any but one with an id; so does it for a notification,
// whose error then has some id.
func (x *exchange) failure(body []byte) []byte {
	id := x.call.id
	if !id.IsValid() {
		id, _ = jsonrpc.MakeID("none")
	}
	m, err := parseMessage(body)
	changed := x.t.hideIn(&m)
	switch {
	case err != nil || m.err == nil:
		return errorResponse(id, CodeTransport, x.t.describe(x.resp, body))
	case m.id.IsValid() && x.resp.StatusCode/100 != 2 && !changed:
		return body
	case m.id.IsValid() && x.resp.StatusCode/100 != 2:
		return encodeResponse(m.id, nil, m.err)
	default:
		return encodeResponse(id, nil, m.err)
	}
}

// json reads an answer in one piece. What is not just the response to the call
// becomes a stream, since the SDK takes one message as JSON.
func (x *exchange) json() *http.Response {
	defer x.resp.Body.Close()
	body, err := readAll(x.resp.Body, x.resp.ContentLength, x.t.maxMessage)
	f := &filter{w: x.t.wire, ctx: x.ctx, call: x.call}
	switch {
	case err != nil:
		if cause := x.t.cause(x.ctx); cause != nil {
			err = cause
		}
		f.fail(CodeBroken, fmt.Sprintf("the server's answer broke off: %v", err))
	case len(body) > x.t.maxMessage:
		f.oversize(skim.Message{})
	default:
		if m, err := parseMessage(body); err == nil && !m.isRequest && m.id == x.call.id {
			if x.t.hideIn(&m) {
				body = encodeResponse(m.id, nil, m.err)
			}
			if taken := x.t.take(x.ctx, x.call, &m); taken != nil {
				if x.leads() {
					return nil
				}
				body = taken
			} else if result, changed := x.t.result(x.call.method, &m); changed {
				body = encodeResponse(m.id, result, nil)
			}
			return withBody(x.resp, applicationJSON, body)
		}
		f.data(body)
		f.fail(CodeTransport, "the server's answer holds no response to the request: "+x.t.secrets.excerpt(body))
	}
	x.resp.Body = io.NopCloser(bytes.NewReader(f.out))
	return asStream(x.resp, int64(len(f.out)))
}

// readAll reads a body, and a byte more than the limit if there is more.
func readAll(body io.Reader, length int64, limit int) ([]byte, error) {
	var b bytes.Buffer
	if length > 0 {
		b.Grow(int(min(length, int64(limit), 1<<20)) + bytes.MinRead)
	}
	_, err := b.ReadFrom(io.LimitReader(body, int64(limit)+1))
	return b.Bytes(), err
}

// withBody gives a response another body.
func withBody(resp *http.Response, contentType string, body []byte) *http.Response {
	resp.Header.Set("Content-Type", contentType)
	resp.Header.Del("Content-Length")
	resp.ContentLength, resp.TransferEncoding = int64(len(body)), nil
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp
}

// asStream makes a response one of events.
func asStream(resp *http.Response, length int64) *http.Response {
	resp.Header.Set("Content-Type", eventStream)
	resp.Header.Del("Content-Length")
	resp.ContentLength = length
	return resp
}

// releasing is a body whose context ends when it has been read or closed.
type releasing struct {
	io.ReadCloser
	cancel context.CancelCauseFunc
}

func (b *releasing) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		b.cancel(nil)
	}
	return n, err
}

func (b *releasing) Close() error {
	defer b.cancel(nil)
	return b.ReadCloser.Close()
}
