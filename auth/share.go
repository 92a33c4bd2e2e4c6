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
	landed int  // authorizations that succeeded
	last   need // of the last of them
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
	for waited := 0; waited < 2; {
		done, landed := s.replaced(n)
		if done {
			return nil
		}
		s.mu.Lock()
		if s.landed != landed {
			s.mu.Unlock()
			continue // there is another token since
		}
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
		waited++
		if f.need.stepUp == n.stepUp && covers(f.need.scopes, n.scopes) || !n.stepUp && f.err == nil {
			return f.err
		}
	}
	return nil
}

// replaced reports whether there is another token by now than the one that was
// refused, which may do, and after how many authorizations that was looked at.
func (s *shared) replaced(n need) (replaced bool, landed int) {
	s.mu.Lock()
	source, landed := s.source, s.landed
	never := s.flight != nil || n.stepUp && !(s.last.stepUp && covers(s.last.scopes, n.scopes))
	s.mu.Unlock()
	if source == nil || never {
		return false, landed
	}
	token, err := source.Token()
	return err == nil && token != nil && token.AccessToken != n.rejected, landed
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
		s.landed++
		s.last = n
	}()
	return f
}
