package httpwire

import (
	"context"
	"errors"
	"net/http"
)

// forward makes a request that has no part in the streams: the DELETE that
// ends the session, a resumption that the SDK makes by itself, a POST of the
// 2024-11-05 transport.
func (t *Transport) forward(req *http.Request) (*http.Response, error) {
	ctx, cancel := t.within(req.Context())
	post := req.Method == http.MethodPost
	resp, sent, err := t.send(req, ctx, ctx)
	if err != nil {
		a := Answer{Sent: sent}
		a.Err, err = t.why(ctx, err)
		cancel(nil)
		if post {
			a.Method = callOf(req).method
			t.responded(ctx, a)
		}
		return nil, err
	}
	if post {
		a := Answer{Method: callOf(req).method, Status: resp.StatusCode, Sent: true}
		if resp.StatusCode/100 != 2 {
			body := readError(resp)
			a.Excerpt = t.errorExcerpt(body)
			// The session is part of the URL.
			a.SessionLost = isSessionLost(resp.StatusCode, req.URL.String(), call{}, body)
			withBody(resp, resp.Header.Get("Content-Type"), body)
		}
		t.responded(ctx, a)
	}
	if req.Method == http.MethodGet && !isProbe(req) && resp.StatusCode/100 == 2 && mediaType(resp) == eventStream {
		resp.Body = newReader(resp.Body, &filter{w: t.wire, ctx: ctx}, cancel)
		return asStream(resp, -1), nil
	}
	resp.Body = &releasing{ReadCloser: resp.Body, cancel: cancel}
	return resp, nil
}

// openSSE opens the stream of the 2024-11-05 transport. The SDK ties it to the
// context of Connect, which commonly ends when Connect returns; so that the
// context counts only until the server has named its endpoint.
func (t *Transport) openSSE(req *http.Request) (*http.Response, error) {
	ctx, cancel := t.within(context.WithoutCancel(req.Context()))
	stop := context.AfterFunc(req.Context(), func() { cancel(context.Cause(req.Context())) })
	resp, sent, err := t.send(req, ctx, t.ctx)
	if err != nil {
		a := Answer{Sent: sent}
		a.Err, err = t.why(ctx, err)
		stop()
		cancel(nil)
		t.responded(req.Context(), a)
		return nil, err
	}
	if mediaType(resp) != eventStream || resp.StatusCode/100 != 2 {
		defer stop()
		defer cancel(nil)
		body := readError(resp)
		t.responded(req.Context(), Answer{Status: resp.StatusCode, Sent: true, Excerpt: t.errorExcerpt(body)})
		if resp.StatusCode/100 == 2 {
			return nil, errors.New(t.describe(resp, body))
		}
		return withBody(resp, resp.Header.Get("Content-Type"), body), nil
	}
	t.responded(req.Context(), Answer{Status: resp.StatusCode, Sent: true})
	body := newReader(resp.Body, &filter{w: t.wire, ctx: t.ctx}, cancel)
	body.begun = func() { stop() }
	resp.Body = body
	return asStream(resp, -1), nil
}
