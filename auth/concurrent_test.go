package auth_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"testing"

	"github.com/langchaingo-mcp/mcpadapters/auth"
	"github.com/langchaingo-mcp/mcpadapters/internal/authserver"
)

// Both generations of the protocol.
var generations = map[string]bool{"stateful": false, "stateless": true}

func TestConcurrentCallersAskOnce(t *testing.T) {
	for name, stateless := range generations {
		t.Run(name, func(t *testing.T) {
			as, r := protected(t, stateless)
			var p person
			c := newClient(t, r, newUser(t, auth.UserOptions{Receiver: p.receiver()}))

			noErrors(t, together(func(int) error { return echo(t.Context(), c) }))
			wantCount(t, "authorizations", int(p.asked.Load()), 1)
			wantCount(t, "registrations", as.Count("register"), 1)
			generation := c.Status()[0].Generation

			as.Expire()
			noErrors(t, together(func(int) error { return echo(t.Context(), c) }))
			wantCount(t, "authorizations after the tokens had expired", int(p.asked.Load()), 1)
			wantCount(t, "refreshes", refreshes(as), 1)

			as.Revoke()
			noErrors(t, together(func(int) error { return echo(t.Context(), c) }))
			wantCount(t, "authorizations after all had been revoked", int(p.asked.Load()), 2)
			wantCount(t, "registrations in the end", as.Count("register"), 1)
			wantGeneration(t, c, generation)
		})
	}
}

func TestConcurrentCallersThatGiveUp(t *testing.T) {
	for name, stateless := range generations {
		t.Run(name, func(t *testing.T) {
			as, r := protected(t, stateless)
			asked, agree := make(chan struct{}), make(chan struct{})
			p := person{}
			c := newClient(t, r, newUser(t, auth.UserOptions{Receiver: p.receiver()}))
			if err := echo(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			generation := c.Status()[0].Generation
			p.mu.Lock()
			p.answer = func(_ context.Context, prompt *auth.Prompt) (url.Values, error) {
				close(asked)
				<-agree
				return authserver.Agree(prompt.URL)
			}
			p.mu.Unlock()
			as.Revoke()

			impatient, giveUp := context.WithCancel(t.Context())
			go func() {
				<-asked
				giveUp()
			}()
			gone := make(chan struct{}, many)
			go func() {
				for range many / 2 {
					<-gone
				}
				close(agree)
			}()
			errs := together(func(i int) error {
				if i%2 == 0 {
					return echo(t.Context(), c)
				}
				defer func() { gone <- struct{}{} }()
				if err := echo(impatient, c); !errors.Is(err, context.Canceled) {
					return errors.Join(errors.New("a caller who gave up got"), err)
				}
				return nil
			})
			noErrors(t, errs)
			wantCount(t, "authorizations", int(p.asked.Load()), 2)
			wantGeneration(t, c, generation)
		})
	}
}

func TestConcurrentFailureIsAskedForOnce(t *testing.T) {
	for name, stateless := range generations {
		t.Run(name, func(t *testing.T) {
			_, r := protected(t, stateless)
			p := person{answer: func(_ context.Context, prompt *auth.Prompt) (url.Values, error) {
				visit, _ := url.Parse(prompt.URL)
				return url.Values{"state": {visit.Query().Get("state")}, "error": {"access_denied"}}, nil
			}}
			c := newClient(t, r, newUser(t, auth.UserOptions{Receiver: p.receiver()}))
			for _, err := range together(func(int) error { return echo(t.Context(), c) }) {
				if e := wantError(t, err, auth.ErrDeclined); e.Code != "access_denied" {
					t.Errorf("code %q", e.Code)
				}
			}
			wantCount(t, "authorizations", int(p.asked.Load()), 1)

		})
	}
}

func TestConcurrentStepUp(t *testing.T) {
	for name, stateless := range generations {
		t.Run(name, func(t *testing.T) {
			as, r := protected(t, stateless)
			r.Scopes = []string{"use"}
			r.ToolScopes = map[string]string{"echo": "speak", "add": "reckon"}
			var p person
			c := newClient(t, r, newUser(t, auth.UserOptions{Receiver: p.receiver()}))
			if _, err := c.Tools(t.Context()); err != nil {
				t.Fatal(err)
			}
			wantCount(t, "authorizations to list", int(p.asked.Load()), 1)
			noErrors(t, together(func(i int) error {
				if i%2 == 0 {
					return echo(t.Context(), c)
				}
				_, err := c.CallTool(t.Context(), "one", "add", map[string]any{"a": 1, "b": 2})
				return err
			}))
			if n := int(p.asked.Load()); n > 3 {
				t.Errorf("%d authorizations for three sets of scopes", n)
			}
			wantGeneration(t, c, c.Status()[0].Generation)
			// What was granted is not lost by asking for more.
			noErrors(t, together(func(i int) error { return echo(t.Context(), c) }))
			if n := int(p.asked.Load()); n > 3 {
				t.Errorf("%d authorizations in the end", n)
			}
			if last := p.prompts[len(p.prompts)-1]; !last.StepUp || len(last.Scopes) < 2 {
				t.Errorf("the last prompt is %+v", last)
			}
			wantCount(t, "registrations", as.Count("register"), 1)
		})
	}
}

func TestConcurrentShare(t *testing.T) {
	var authorized int
	h := auth.Share(&bare{authorize: func() { authorized++ }})
	if auth.Share(h) != h {
		t.Error("a shared handler is shared again")
	}
	noErrors(t, together(func(int) error {
		return h.Authorize(t.Context(), &http.Request{Header: http.Header{}}, refusalOf(http.StatusUnauthorized))
	}))
	wantCount(t, "authorizations", authorized, 1)
	source, err := h.TokenSource(t.Context())
	if err != nil || source == nil {
		t.Fatalf("source %v, error %v", source, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := h.Authorize(ctx, &http.Request{Header: http.Header{"Authorization": {"Bearer 1"}}}, refusalOf(http.StatusUnauthorized)); err != nil {
		t.Errorf("a caller who is gone gets %v", err)
	}
}
