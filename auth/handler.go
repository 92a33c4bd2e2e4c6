package auth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"golang.org/x/oauth2"
)

// Defaults of [Options].
const (
	DefaultUserTimeout    = 5 * time.Minute
	DefaultMachineTimeout = time.Minute
	DefaultRetryAfter     = 10 * time.Second
)

// Options are what all handlers of this package have in common. The zero value
// is useful.
type Options struct {
	// Store keeps tokens beyond the life of the handler. Nil means that they
	// are in memory only.
	Store Store

	// Identity tells the users apart whose tokens are in one store. It becomes
	// part of the [Key].
	Identity string

	// HTTPClient makes the requests to find the authorization server and to it.
	// Nil means one with proxies from the environment that does not connect to
	// private addresses while it looks for metadata. Requests to the token
	// endpoint are never redirected. It is not changed or closed.
	HTTPClient *http.Client

	// Scopes, when set, is called with the scopes that are about to be asked
	// for, and returns those to ask for. It must not keep or change its
	// argument.
	Scopes func(scopes []string) []string

	// Timeout bounds one authorization, the user's time included. 0 means the
	// default above for users or machines. Before and after the user's time,
	// the default for machines is the bound if it is shorter.
	Timeout time.Duration

	// RetryAfter is how long a failed authorization is remembered, so that
	// requests that follow each other closely do not all ask again. 0 means the
	// default above.
	RetryAfter time.Duration

	// Logger receives what no error can tell. Nil discards it.
	Logger *slog.Logger
}

// A grant gets tokens that are not refreshed from others.
type grant interface {
	// client returns the id of the client, if it is fixed, for the key.
	client() string
	// credentials adds to a client of a record what is not stored with it.
	credentials(c Client) Client
	// assertion says who the client is, if it has a key.
	assertion(t *Target) (string, error)
	// interactive reports whether refresh tokens are wanted.
	interactive() bool
	// obtain gets a token. known is the record of an earlier one, or nil.
	obtain(ctx context.Context, h *Handler, t *Target, scopes []string, known *Record) (*Record, error)
}

// A Handler signs in to one MCP server. It is the OAuthHandler of a connection
// in package config, and of the SDK's transports. It is safe for concurrent
// use, and must not be used for two servers.
type Handler struct {
	opts  Options
	grant grant
	ended chan struct{} // closed when the handler is
	once  sync.Once

	mu       sync.Mutex
	server   *url.URL // the first; there is no other
	target   *Target  // where the record comes from
	record   *Record
	flight   *flight
	failed   failure
	fresh    int // tokens refused one after the other soon after they were issued
	pending  pending
	signOuts signOuts
	asking   context.CancelFunc // ends the question to the user, while there is one
}

var _ auth.OAuthHandler = (*Handler)(nil)

// problem says what is wrong with the options, if anything is.
func (o *Options) problem() string {
	switch {
	case o.Timeout < 0:
		return fmt.Sprintf("option Timeout is negative (%v): use 0 for the default", o.Timeout)
	case o.RetryAfter < 0:
		return fmt.Sprintf("option RetryAfter is negative (%v): use 0 for the default", o.RetryAfter)
	}
	return ""
}

func newHandler(opts Options, grant grant, timeout time.Duration) *Handler {
	if opts.Store == nil {
		opts.Store = NewMemory()
	}
	opts.Timeout = cmp.Or(opts.Timeout, timeout)
	opts.RetryAfter = cmp.Or(opts.RetryAfter, DefaultRetryAfter)
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	return &Handler{opts: opts, grant: grant, ended: make(chan struct{})}
}

// Format writes nothing secret, for every verb.
func (h *Handler) Format(f fmt.State, _ rune) { fmt.Fprint(f, "auth handler") }

// MarshalText returns what Format writes.
func (h *Handler) MarshalText() ([]byte, error) { return []byte("auth handler"), nil }

// TokenSource returns a source of the current token, or nil if there is none
// yet. The source does no I/O and never blocks: a token that has expired is
// handed out all the same, since the server's refusal makes [Handler.Authorize]
// refresh it, with the context of the request. One that is about to expire is
// refreshed in the background.
func (h *Handler) TokenSource(context.Context) (oauth2.TokenSource, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.record == nil {
		return nil, nil
	}
	h.refreshAhead()
	return oauth2.StaticTokenSource(&oauth2.Token{
		AccessToken: h.record.Token.AccessToken,
		TokenType:   h.record.Token.TokenType,
	}), nil
}

// Authorize deals with a request that the server refused with status 401 or
// 403: it returns nil when the request is worth sending again. However many
// callers there are, one authorization runs at a time, and all get its result.
// It does not end with the context of a caller; a caller whose context ends
// gets nil, so that the request fails by its own context and the SDK does not
// give up the session.
func (h *Handler) Authorize(ctx context.Context, req *http.Request, resp *http.Response) error {
	c := parseChallenge(resp)
	discard(resp)
	n := need{rejected: bearer(req), stepUp: c.stepUp()}
	if n.stepUp {
		n.scopes = c.scopes
	}
	if c.status == http.StatusForbidden && !n.stepUp {
		return h.refusal(req.URL, c)
	}
	return h.authorize(ctx, req.URL, c, n)
}

// ForUser reports whether the tokens of the handler stand for a user, rather than
// for the program itself.
func (h *Handler) ForUser() bool { return h.grant.interactive() }

// SignIn signs in to the server at the URL, unless that is done already, with
// no request having been refused: for programs that want to ask their user at
// a moment of their own, and for servers that answer strangers too. A
// failure that is still remembered does not count. It returns when ctx ends,
// while the authorization goes on until its bound.
func (h *Handler) SignIn(ctx context.Context, server string) error {
	u, err := serverURL(server)
	if err != nil {
		return err
	}
	h.mu.Lock()
	h.failed = failure{}
	h.mu.Unlock()
	if err := h.authorize(ctx, u, challenge{status: http.StatusUnauthorized}, need{}); err != nil {
		return err
	}
	return context.Cause(ctx)
}

func serverURL(server string) (*url.URL, error) {
	u, err := url.Parse(server)
	if err != nil || u.Host == "" {
		return nil, &Error{Kind: ErrOptions, Err: errors.New("the URL of the server does not parse")}
	}
	return u, nil
}

// bind makes the server the one that the handler is for.
func (h *Handler) bind(server *url.URL) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.server == nil {
		h.server = server
	}
	if first, other := resourceURL(h.server).String(), resourceURL(server).String(); first != other {
		return &Error{Kind: ErrOptions, Server: other, Err: fmt.Errorf("this handler signs in to %s: each server needs one of its own", first)}
	}
	return nil
}

// Close ends an authorization that is under way, and makes every later one end
// at once. Tokens stay as they are. It never fails. A handler that is not
// closed ends by itself, at the latest after Options.Timeout.
func (h *Handler) Close() error {
	h.once.Do(func() { close(h.ended) })
	return nil
}

func (h *Handler) refusal(server *url.URL, c challenge) error {
	h.mu.Lock()
	token := ""
	if h.record != nil {
		token = h.record.Token.AccessToken
	}
	h.mu.Unlock()
	e := &Error{Kind: ErrRefused, Server: resourceURL(server).String(), Code: clean(c.code, token)}
	e.Err = fmt.Errorf("HTTP status %d", c.status)
	if c.description != "" {
		e.Err = fmt.Errorf("HTTP status %d: %s", c.status, clean(c.description, token))
	}
	return e
}

// authorize waits for an authorization that does for n, and begins one if none
// is under way.
func (h *Handler) authorize(ctx context.Context, server *url.URL, c challenge, n need) error {
	if err := h.bind(server); err != nil {
		return err
	}
	since := h.now()
	for {
		if ctx.Err() != nil {
			return nil
		}
		h.mu.Lock()
		if r := h.record; r != nil && r.Token.AccessToken != n.rejected {
			// Somebody else has got a new token meanwhile.
			if !n.stepUp || covers(r.Asked, n.scopes) {
				h.mu.Unlock()
				return nil
			}
			n.rejected = r.Token.AccessToken
		}
		if h.failed.answers(n, time.Now()) {
			err := h.failed.err
			h.mu.Unlock()
			return err
		}
		f := h.flight
		if f == nil {
			f = h.launch(ctx, server, c, n)
		}
		h.mu.Unlock()
		if !f.wait(ctx) {
			return nil
		}
		switch {
		case f.since != since:
			// The user has signed out after it began and before the caller came.
		case h.signedOut(since):
			return overtaken(server)
		case f.err == nil && (!n.stepUp || f.need.stepUp && covers(f.need.scopes, n.scopes)):
			return nil
		case f.err != nil && !f.silent && f.need.stepUp == n.stepUp:
			return f.err
		}
	}
}

// launch begins an authorization. h.mu is held.
func (h *Handler) launch(ctx context.Context, server *url.URL, c challenge, n need) *flight {
	f := &flight{need: n, since: h.signOuts, done: make(chan struct{})}
	h.flight = f
	go func() {
		var got *obtained
		err := detached(ctx, h.opts.Timeout, h.ended, func(ctx context.Context) (err error) {
			got, err = h.obtain(ctx, server, c, n, f.since)
			return err
		})
		h.land(f, got, err)
	}()
	return f
}

// land ends a flight.
func (h *Handler) land(f *flight, got *obtained, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	defer close(f.done)
	h.flight, f.err = nil, err
	switch {
	case f.since != h.signOuts: // and what was signed in to is forgotten
	case err == nil:
		h.target, h.record, h.failed = got.target, got.record, failure{}
	case !f.silent:
		h.failed = failure{need: f.need, err: err, until: time.Now().Add(h.opts.RetryAfter)}
	}
}
