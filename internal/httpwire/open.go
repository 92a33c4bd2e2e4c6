package httpwire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
)

const (
	eventStream     = "text/event-stream"
	applicationJSON = "application/json"

	firstDelay = 500 * time.Millisecond
	maxDelay   = 30 * time.Second
	// settledAfter is how long a stream must have lasted for its end not to
	// count as a failure.
	settledAfter = 10 * time.Second
)

// newBackOff returns the delays between attempts to open a stream.
func newBackOff() *backoff.ExponentialBackOff {
	b := backoff.NewExponentialBackOff()
	b.InitialInterval, b.MaxInterval, b.Multiplier = firstDelay, maxDelay, 2
	return b
}

// A verdict is what an attempt to open a stream means for the next.
type verdict int

const (
	opened  verdict = iota
	again           // may work later
	denied          // may work with other credentials
	refused         // will not work
	lost            // the server does not know the session
)

// An attempt is the outcome of trying to open a stream.
type attempt struct {
	verdict verdict
	resp    *http.Response // if opened
	err     error          // otherwise
	status  int            // 0 without an HTTP response
	excerpt string         // of an answer that is an error
	wait    time.Duration  // what the server asks for, if to be tried again
}

// answer is what the owner is told of an attempt to make a POST again.
func (a *attempt) answer(method string) Answer {
	told := Answer{Method: method, Status: a.status, Sent: true, SessionLost: a.verdict == lost, RetryAfter: a.wait, Excerpt: a.excerpt}
	if a.status == 0 {
		told.Err = a.err
	}
	return told
}

// An opener opens the streams that resume, or stand for, that of a request.
type opener struct {
	t         *Transport
	req       *http.Request   // of the SDK
	owner     context.Context // for the hooks
	sessionID string
	post      bool // the request is made again as it was
	wasOpen   bool // an attempt has succeeded
}

// open makes one attempt.
func (o *opener) open(ctx context.Context, lastID string) attempt {
	req, err := o.request(ctx, lastID)
	if err != nil {
		return attempt{verdict: refused, err: err}
	}
	resp, err := o.t.streams.Do(req)
	if err != nil {
		// Without the URL, which may hold secrets.
		var outer *url.Error
		if errors.As(err, &outer) {
			err = outer.Err
		}
		if errors.Is(err, errRedirect) {
			return attempt{verdict: refused, err: err}
		}
		return attempt{verdict: again, err: err}
	}
	a := attempt{verdict: judge(resp), status: resp.StatusCode}
	if a.verdict == opened {
		o.wasOpen = true
		a.resp = resp
		return a
	}
	body := readError(resp)
	if o.forgotten(a.status, body) {
		a.verdict = lost
	}
	a.err = errors.New(o.t.describe(resp, body))
	a.excerpt = o.t.errorExcerpt(body)
	a.wait = retryAfter(resp.Header)
	return a
}

// forgotten reports whether an answer means that the session is lost. Before
// any success, a 404 may just mean that there are no streams to be had.
func (o *opener) forgotten(status int, body []byte) bool {
	if status == http.StatusNotFound && !o.wasOpen && !saysSessionLost(body) {
		return false
	}
	return isSessionLost(status, o.sessionID, call{}, body)
}

func (o *opener) request(ctx context.Context, lastID string) (*http.Request, error) {
	first := firstHop(o.req)
	ctx = context.WithValue(ctx, ownerKey{}, o.owner)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, first.URL.String(), nil)
	if err != nil {
		return nil, err
	}
	if o.post {
		req.Method, req.GetBody, req.ContentLength = first.Method, first.GetBody, first.ContentLength
		if req.Body, err = first.GetBody(); err != nil {
			return nil, err
		}
	}
	req.Host = first.Host
	for key, values := range first.Header {
		if o.post || !strings.HasPrefix(key, "Content-") && !strings.HasPrefix(key, paramPrefix) && key != "Mcp-Method" && key != "Mcp-Name" {
			req.Header[key] = values
		}
	}
	if !o.post {
		req.Header.Set("Accept", eventStream)
	}
	if o.t.streams.Jar != nil {
		req.Header.Del("Cookie")
	}
	if o.sessionID != "" {
		req.Header.Set(sessionIDHeader, o.sessionID)
	}
	if auth, _ := o.t.auth.get(); auth != "" && sameOrigin(o.t.endpoint.Load(), req.URL) {
		req.Header.Set("Authorization", auth)
	}
	if lastID != "" {
		req.Header.Set(lastEventIDHeader, lastID)
	}
	return req, nil
}

func judge(resp *http.Response) verdict {
	switch status := resp.StatusCode; {
	case status/100 == 2 && mediaType(resp) == eventStream:
		return opened
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusProxyAuthRequired:
		return denied
	case status == http.StatusRequestTimeout, status == http.StatusConflict, status == http.StatusTooEarly,
		status == http.StatusTooManyRequests:
		// Conflict: the server has not noticed yet that the last stream is gone.
		return again
	case status == http.StatusNotImplemented, status == http.StatusHTTPVersionNotSupported:
		return refused
	case status >= 500:
		return again
	}
	return refused
}

type ownerKey struct{}

// headersContext returns the context that the hooks are given for a request.
func (t *Transport) headersContext(ctx context.Context) context.Context {
	if owner, ok := ctx.Value(ownerKey{}).(context.Context); ok {
		return owner
	}
	return ctx
}

// maxRetryAfter bounds what a server may ask for.
const maxRetryAfter = time.Hour

// retryAfter returns how long the server asks to be left alone, in seconds or
// until a date (RFC 9110 section 10.2.3).
func retryAfter(h http.Header) time.Duration {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if s, err := strconv.ParseUint(value, 10, 64); err == nil {
		return time.Duration(min(s, uint64(maxRetryAfter/time.Second))) * time.Second
	}
	until, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	return min(max(time.Until(until), 0), maxRetryAfter)
}

func mediaType(resp *http.Response) string {
	t, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if err != nil && t == "" {
		return "unknown"
	}
	return t
}

// describe says in a few words what a response was that is no use. That a status is
// 200 says nothing, and others tell it.
func (w *wire) describe(resp *http.Response, body []byte) string {
	text := fmt.Sprintf("HTTP %d %s", resp.StatusCode, http.StatusText(resp.StatusCode))
	switch {
	case resp.StatusCode/100 == 2 && len(body) == 0:
		text += " without an answer"
	case resp.StatusCode/100 == 2:
		if text += " of"; resp.StatusCode == http.StatusOK {
			text = "the answer is of"
		}
		text += fmt.Sprintf(" type %q, which is not MCP", w.secrets.excerpt([]byte(resp.Header.Get("Content-Type"))))
	}
	if e := w.errorExcerpt(body); e != "" {
		text += ": " + e
	}
	return text
}

// maxErrorBody and errorBodyTimeout bound what is read of an answer that is an
// error.
const (
	maxErrorBody     = 64 << 10
	errorBodyTimeout = 5 * time.Second
)

// readError reads the body of an answer that is an error, and closes it.
func readError(resp *http.Response) []byte {
	// Closing is what ends a read whatever made the response.
	timer := time.AfterFunc(errorBodyTimeout, func() { resp.Body.Close() })
	defer timer.Stop()
	defer resp.Body.Close()
	body, _ := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	return body
}
