package transport

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/calls"
	"github.com/langchaingo-mcp/mcpadapters/internal/httpwire"
	"github.com/langchaingo-mcp/mcpadapters/internal/panics"
)

func openStreamable(ctx context.Context, c config.StreamableHTTP, opts Options) (*Link, error) {
	endpoint, err := url.Parse(c.URL)
	if err != nil {
		return nil, fmt.Errorf("the URL does not parse") // err would repeat it
	}
	h := newHTTPLink(ctx, endpoint, c.HTTP, opts, false)
	return h.link(&mcp.StreamableClientTransport{
		Endpoint:     h.public.String(),
		HTTPClient:   h.client,
		OAuthHandler: h.signIn(opts.Logger, c.OAuthHandler, endpoint),
		// The chain has its own limit, at which the session survives.
		MaxEventSize: -1,
	}), nil
}

// openOwnStreamable uses a streamable transport of the caller's own, which is
// changed.
func openOwnStreamable(ctx context.Context, t *mcp.StreamableClientTransport, opts Options) (*Link, error) {
	endpoint, err := url.Parse(t.Endpoint)
	if err != nil {
		return nil, fmt.Errorf("the endpoint of the transport does not parse")
	}
	h := newHTTPLink(ctx, endpoint, config.HTTP{Client: t.HTTPClient, MaxMessageSize: max(t.MaxEventSize, 0)}, opts, false)
	if t.OAuthHandler != nil {
		t.OAuthHandler = containedHandler{t.OAuthHandler, opts.Logger}
	}
	t.Endpoint, t.HTTPClient, t.MaxEventSize = h.public.String(), h.client, -1
	return h.link(t), nil
}

// An httpLink is what the transports over HTTP have in common.
type httpLink struct {
	wire   *httpwire.Transport
	client *http.Client
	public *url.URL
	limit  int
	sse    bool
	// signingIn is Options.SigningIn, and may be nil.
	signingIn func() (end func())

	mu          sync.Mutex
	unreachable bool
	personal    bool
	last        httpwire.Answer // the last that was an error

	refused       error // the server wants to be signed in to
	refusedStatus int
}

// newHTTPLink sets up the chain of RoundTrippers. With a single stream, the
// messages on it are watched by the connection instead.
func newHTTPLink(ctx context.Context, endpoint *url.URL, c config.HTTP, opts Options, single bool) *httpLink {
	h := &httpLink{limit: c.MaxMessageSize, sse: single, signingIn: opts.SigningIn}
	if h.limit <= 0 {
		h.limit = defaultMaxMessage
	}
	hooks := httpwire.Hooks{
		Headers: func(ctx context.Context) (http.Header, error) {
			var sourced http.Header
			if c.HeaderSource != nil {
				var err error
				if sourced, err = source(ctx, opts.Logger, c.HeaderSource); err == nil {
					err = httpwire.CheckHeaders(sourced)
				}
				if err != nil {
					return nil, fmt.Errorf("the header source of the connection: %w", err)
				}
			}
			return httpwire.MergeHeaders(c.Headers, sourced, calls.Headers(ctx)), nil
		},
		Responded: h.responded(opts.Tracker, func(ctx context.Context, a httpwire.Answer) bool {
			// The stream of SSE is opened without those of a call.
			return c.HeaderSource != nil || len(calls.Headers(ctx)) > 0 && (!single || a.Method != "")
		}),
		Dropped:  opts.Report,
		Lost:     opts.Lost,
		Reopened: opts.Reopened,
	}
	if !single {
		hooks.Unheard = opts.Unheard
		hooks.Inbound, hooks.Result = opts.Tracker.Inbound, opts.result
		hooks.Taken = calls.ErrTaken
		hooks.Take = func(ctx context.Context, result []byte) bool {
			return opts.Tracker.Take(ctx, result, opts.result)
		}
	}
	h.wire = httpwire.New(httpwire.Options{
		Hooks:           hooks,
		Context:         ctx,
		Endpoint:        endpoint,
		Secrets:         opts.secrets,
		DiscoverTimeout: opts.DiscoverTimeout,
		MaxMessage:      h.limit,
		SSE:             single,
		Logger:          opts.Logger.With("server", opts.Server),
	})
	h.client = h.wire.Client(c.Client)
	replies := &replies{next: h.client.Transport, slots: make(chan struct{}, maxReplies)}
	if !single {
		replies.tracker = opts.Tracker // with a single stream the connection tells it
	}
	h.client.Transport = replies
	h.public = hide(h.client, endpoint, single)
	return h
}

// responded notes how far requests got, for the call and for diagnosis. personal
// reports whether headers of a request are not those of everybody.
func (h *httpLink) responded(tracker *calls.Tracker, personal func(context.Context, httpwire.Answer) bool) func(context.Context, httpwire.Answer) {
	return func(ctx context.Context, a httpwire.Answer) {
		if !h.sse && a.Sent {
			// With a single stream the connection has counted it.
			calls.MarkSent(ctx)
			tracker.Posted(ctx)
		}
		if dial := (*net.OpError)(nil); errors.As(a.Err, &dial) && dial.Op == "dial" {
			calls.MarkUnreached(ctx)
		}
		if a.Method == "notifications/cancelled" {
			tracker.CancelWritten(ctx)
		}
		calls.MarkAnswer(ctx, a.Status, a.SessionLost || refuses(a.Status) || a.Redirected && !h.sse, a.RetryAfter, a.Excerpt)
		h.mu.Lock()
		defer h.mu.Unlock()
		h.unreachable = a.Status == 0 && a.Err != nil
		failed := (*httpwire.HeadersError)(nil)
		h.personal = errors.As(a.Err, &failed) || refuses(a.Status) && personal(ctx, a)
		h.noteRefusal(a)
		switch {
		case a.Status >= 400 || a.Excerpt != "":
			h.last = a
		case a.Status != 0:
			h.last = httpwire.Answer{} // what was wrong is no more
		}
	}
}

func (h *httpLink) link(t mcp.Transport) *Link {
	return &Link{
		Transport: t,
		hint:      h.hint,
		kill:      h.wire.Close,
		close:     func(context.Context) { h.wire.Close() },
		diagnose: func() Diagnosis {
			h.mu.Lock()
			defer h.mu.Unlock()
			d := Diagnosis{Unreachable: h.unreachable, Personal: h.personal, Status: h.last.Status, RetryAfter: h.last.RetryAfter}
			h.tellRefusal(&d)
			d.Detail = answered(h.last.Excerpt)
			return d
		},
		diagnoseRequest: func(o *calls.Outcome) Diagnosis {
			d := Diagnosis{RetryAfter: o.RetryAfter(), Detail: answered(o.Said())}
			if o.Status() >= http.StatusBadRequest || d.Detail != "" {
				d.Status = o.Status()
			}
			return d
		},
	}
}

func answered(excerpt string) string {
	if excerpt == "" {
		return ""
	}
	return fmt.Sprintf("the server answered %q", excerpt)
}

// source calls a header source, for no longer than ctx lasts, whatever the
// source does. Nobody else could recover its panic.
func source(ctx context.Context, logger *slog.Logger, headers func(context.Context) (http.Header, error)) (http.Header, error) {
	type result struct {
		header http.Header
		err    error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		defer func() { done <- r }()
		defer panics.Recover(logger, "HeaderSource", &r.err)
		r.header, r.err = headers(ctx)
	}()
	select {
	case r := <-done:
		return r.header, r.err
	case <-ctx.Done():
		return nil, fmt.Errorf("it has not returned: %w", context.Cause(ctx))
	}
}
