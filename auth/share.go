package auth

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"golang.org/x/oauth2"
)

// Share makes a handler of the SDK, or of one's own, fit for many callers: its
// Authorize runs once for all who need it, detached from their contexts and
// with the bound of [DefaultUserTimeout], and its failure is remembered for
// [DefaultRetryAfter]. Its methods are never called at the same time.
//
// A [*Handler], and what Share returned before, are returned as they are, and
// so is nil. Package multiclient calls Share for every connection.
func Share(handler auth.OAuthHandler) auth.OAuthHandler {
	switch handler.(type) {
	case nil, *Handler, *shared:
		return handler
	}
	return &shared{handler: handler}
}

type shared struct {
	handler auth.OAuthHandler
	calling sync.Mutex // held while a method of handler runs

	mu     sync.Mutex
	known  bool // source is what handler says
	source oauth2.TokenSource
	flight *flight
	failed failure
}

// Format writes nothing secret, for every verb.
func (s *shared) Format(f fmt.State, _ rune) { fmt.Fprint(f, "auth handler") }

// TokenSource returns the source that the handler had after the last
// authorization: it must not wait for one that is under way.
func (s *shared) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known || s.flight != nil {
		return s.source, nil
	}
	s.calling.Lock()
	defer s.calling.Unlock()
	source, err := s.handler.TokenSource(ctx)
	if err != nil {
		return nil, err
	}
	s.source, s.known = source, true
	return source, nil
}

// Authorize implements [auth.OAuthHandler]: see [Handler.Authorize].
func (s *shared) Authorize(ctx context.Context, req *http.Request, resp *http.Response) error {
	n := need{rejected: bearer(req)}
	c := parseChallenge(resp)
	if n.stepUp = c.status == http.StatusForbidden; n.stepUp {
		n.scopes = c.scopes
	}
	taken := false // resp is the handler's
	defer func() {
		if !taken {
			discard(resp)
		}
	}()
	for range 2 {
		if !n.stepUp && s.replaced(n.rejected) {
			return nil
		}
		s.mu.Lock()
		if s.failed.answers(n, time.Now()) {
			defer s.mu.Unlock()
			return s.failed.err
		}
		f := s.flight
		if f == nil {
			if taken {
				s.mu.Unlock()
				return nil
			}
			taken = true
			f = s.launch(ctx, n, req, resp)
		}
		s.mu.Unlock()
		if !f.wait(ctx) {
			return nil
		}
		if f.need.stepUp == n.stepUp && covers(f.need.scopes, n.scopes) || !n.stepUp && f.err == nil {
			return f.err
		}
	}
	return nil
}

// replaced reports whether there is another token by now than the one that was
// refused.
func (s *shared) replaced(rejected string) bool {
	s.mu.Lock()
	source := s.source
	busy := s.flight != nil
	s.mu.Unlock()
	if source == nil || busy {
		return false
	}
	token, err := source.Token()
	return err == nil && token != nil && token.AccessToken != rejected
}

// launch begins an authorization. s.mu is held.
func (s *shared) launch(ctx context.Context, n need, req *http.Request, resp *http.Response) *flight {
	f := &flight{need: n, done: make(chan struct{})}
	s.flight = f
	go func() {
		var source oauth2.TokenSource
		err := detached(ctx, DefaultUserTimeout, nil, func(ctx context.Context) error {
			s.calling.Lock()
			defer s.calling.Unlock()
			if err := s.handler.Authorize(ctx, req.WithContext(ctx), resp); err != nil {
				return err
			}
			var err error
			source, err = s.handler.TokenSource(ctx)
			return err
		})
		s.mu.Lock()
		defer s.mu.Unlock()
		defer close(f.done)
		s.flight, f.err = nil, err
		if err != nil {
			s.failed = failure{need: n, err: err, until: time.Now().Add(DefaultRetryAfter)}
			return
		}
		s.source, s.known, s.failed = source, true, failure{}
	}()
	return f
}
