package auth_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/auth"
	"github.com/langchaingo-mcp/mcpadapters/internal/authserver"
)

// heldAnswer keeps back the nth answer of the token endpoint, whose token it
// tells, until it is released, even if nobody waits for it any more.
type heldAnswer struct {
	next     http.RoundTripper
	nth      int64
	requests atomic.Int64
	token    chan string
	release  chan struct{}
}

// holdAnswer makes the client of the options be held.
func holdAnswer(o *auth.Options, nth int64) *heldAnswer {
	h := &heldAnswer{next: o.HTTPClient.Transport, nth: nth, token: make(chan string), release: make(chan struct{})}
	o.HTTPClient = &http.Client{Transport: h}
	return h
}

func (h *heldAnswer) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := h.next.RoundTrip(req)
	if err != nil || !strings.HasSuffix(req.URL.Path, "/token") || h.requests.Add(1) != h.nth {
		return resp, err
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	resp.Body.Close()
	resp.Body = io.NopCloser(bytes.NewReader(body))
	var issued struct {
		AccessToken string `json:"access_token"`
	}
	if err := json.Unmarshal(body, &issued); err != nil {
		return nil, err
	}
	h.token <- issued.AccessToken
	<-h.release
	return resp, nil
}

// A lockedStore is one that several processes share.
type lockedStore struct {
	auth.Store
	lock chan struct{}
}

func (s *lockedStore) Lock(ctx context.Context, _ auth.Key) (func(), error) {
	select {
	case s.lock <- struct{}{}:
		return func() { <-s.lock }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// wantSignedOut checks that nothing is left of a token that was issued, though it
// came late.
func wantSignedOut(t *testing.T, h *auth.Handler, o auth.Options, as *authserver.Server, r *authserver.Resource, late string) {
	t.Helper()
	if source, _ := h.TokenSource(t.Context()); source != nil {
		t.Error("there is a token after signing out")
	}
	if got, err := o.Store.Load(t.Context(), auth.Key{Issuer: as.URL, Resource: r.URL}); got != nil || err != nil {
		t.Errorf("the store has a record after signing out, or %v", err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+late)
	resp, err := o.HTTPClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusUnauthorized {
		t.Errorf("the late token is valid: HTTP status %d", resp.StatusCode)
	}
}

// What is under way when a user signs out does not sign them in again.
func TestSignOutOvertakes(t *testing.T) {
	for name, test := range map[string]struct {
		nth int64 // token that is held
		// begin begins what gets it.
		begin func(t *testing.T, h *auth.Handler, r *authserver.Resource) error
		ahead bool // nobody waits
	}{
		"a refresh that is waited for": {2, func(t *testing.T, h *auth.Handler, r *authserver.Resource) error {
			return refused(t, h, r, token(t, h))
		}, false},
		"a refresh ahead": {2, func(t *testing.T, h *auth.Handler, r *authserver.Resource) error {
			time.Sleep(9*time.Minute + 30*time.Second)
			token(t, h)
			return nil
		}, true},
		"a sign-in": {1, func(t *testing.T, h *auth.Handler, r *authserver.Resource) error {
			return h.SignIn(t.Context(), r.URL)
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, as *authserver.Server, r *authserver.Resource, o auth.Options) {
				as.TokenLife = 10 * time.Minute
				o.Store = auth.NewMemory()
				var p person
				receiver := agreeing(&p, o)
				held := holdAnswer(&o, test.nth)
				h := newUser(t, auth.UserOptions{Options: o, Receiver: receiver})
				if test.nth > 1 {
					if err := h.SignIn(t.Context(), r.URL); err != nil {
						t.Fatal(err)
					}
				}
				ended := make(chan error, 1)
				go func() { ended <- test.begin(t, h, r) }()
				late := <-held.token
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				if err := h.SignOut(ctx, r.URL); err != nil && !test.ahead {
					t.Error(err)
				}
				close(held.release)
				synctest.Wait()
				if err := <-ended; !test.ahead && (!errors.Is(err, auth.ErrDeclined) || !strings.Contains(err.Error(), "signed out")) {
					t.Errorf("error %v", err)
				}
				wantSignedOut(t, h, o, as, r, late)
				// The next sign-in is a new one.
				if err := h.SignIn(t.Context(), r.URL); err != nil || token(t, h) == late {
					t.Errorf("signing in again: %v", err)
				}
			})
		})
	}
}

// Nor does a redirect that is redeemed meanwhile.
func TestSignOutOvertakesRedirects(t *testing.T) {
	bubble(t, func(t *testing.T, as *authserver.Server, r *authserver.Resource, o auth.Options) {
		o.Store = auth.NewMemory()
		var p person
		agreeing(&p, o)
		held := holdAnswer(&o, 1)
		h := newUser(t, auth.UserOptions{Options: o, RedirectURL: callback})
		e := wantError(t, h.SignIn(t.Context(), r.URL), auth.ErrRequired)
		query, err := p.answer(t.Context(), e.Prompt)
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- h.Complete(t.Context(), query) }()
		late := <-held.token
		if err := h.SignOut(t.Context(), r.URL); err != nil {
			t.Error(err)
		}
		close(held.release)
		wantError(t, <-ended, auth.ErrDeclined)
		wantSignedOut(t, h, o, as, r, late)
	})
}

// A user who is being asked when they sign out is not waited for.
func TestSignOutEndsQuestions(t *testing.T) {
	bubble(t, func(t *testing.T, as *authserver.Server, r *authserver.Resource, o auth.Options) {
		asked := make(chan struct{}, 2)
		p := person{answer: func(ctx context.Context, _ *auth.Prompt) (url.Values, error) {
			asked <- struct{}{}
			<-ctx.Done()
			return nil, ctx.Err()
		}}
		h := newUser(t, auth.UserOptions{Options: o, Receiver: p.receiver()})
		ended := make(chan error, 1)
		go func() { ended <- h.SignIn(t.Context(), r.URL) }()
		<-asked
		begin := time.Now()
		if err := h.SignOut(t.Context(), r.URL); err != nil {
			t.Error(err)
		}
		wantError(t, <-ended, auth.ErrDeclined)
		if took := time.Since(begin); took > 0 {
			t.Errorf("it took %v", took)
		}
		agreeing(&p, o)
		if err := h.SignIn(t.Context(), r.URL); err != nil { // no failure is remembered
			t.Error(err)
		}
	})
}

// A savingStore tells when a record is about to be saved, and waits.
type savingStore struct {
	auth.Store
	saving, save chan struct{}
}

func (s *savingStore) Save(ctx context.Context, key auth.Key, record *auth.Record) error {
	s.saving <- struct{}{}
	<-s.save
	return s.Store.Save(ctx, key, record)
}

func TestSignOutOvertakesStores(t *testing.T) {
	bubble(t, func(t *testing.T, as *authserver.Server, r *authserver.Resource, o auth.Options) {
		store := &savingStore{auth.NewMemory(), make(chan struct{}), make(chan struct{})}
		o.Store = store
		var p person
		receiver := agreeing(&p, o)
		held := holdAnswer(&o, 1)
		h := newUser(t, auth.UserOptions{Options: o, Receiver: receiver})
		ended := make(chan error, 1)
		go func() { ended <- h.SignIn(t.Context(), r.URL) }()
		late := <-held.token
		close(held.release)
		<-store.saving
		if err := h.SignOut(t.Context(), r.URL); err != nil {
			t.Error(err)
		}
		close(store.save)
		wantError(t, <-ended, auth.ErrDeclined)
		wantSignedOut(t, h, o, as, r, late)
	})
}

// A refresh of another process is waited for, whose token would be stored later.
func TestSignOutWaitsForOtherProcesses(t *testing.T) {
	bubble(t, func(t *testing.T, as *authserver.Server, r *authserver.Resource, o auth.Options) {
		o.Store = &lockedStore{auth.NewMemory(), make(chan struct{}, 1)}
		var p person
		receiver := agreeing(&p, o)
		h := newUser(t, auth.UserOptions{Options: o, Receiver: receiver})
		if err := h.SignIn(t.Context(), r.URL); err != nil {
			t.Fatal(err)
		}
		other := o
		held := holdAnswer(&other, 1)
		refreshed := make(chan error, 1)
		go func() {
			refreshed <- refused(t, newUser(t, auth.UserOptions{Options: other, Receiver: receiver}), r, token(t, h))
		}()
		late := <-held.token
		ended := make(chan error, 1)
		go func() { ended <- h.SignOut(t.Context(), r.URL) }()
		synctest.Wait()
		close(held.release)
		if err := errors.Join(<-ended, <-refreshed); err != nil {
			t.Error(err)
		}
		wantSignedOut(t, h, o, as, r, late)
	})
}
