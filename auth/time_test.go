package auth_test

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/oauth2"

	"github.com/langchaingo-mcp/mcpadapters/auth"
	"github.com/langchaingo-mcp/mcpadapters/internal/authserver"
)

// bubble runs a test with a clock of its own and no network.
func bubble(t *testing.T, test func(*testing.T, *authserver.Server, *authserver.Resource, auth.Options)) {
	as, r := protected(t, true)
	synctest.Test(t, func(t *testing.T) { test(t, as, r, auth.Options{HTTPClient: as.Client()}) })
}

func token(t *testing.T, h *auth.Handler) string {
	t.Helper()
	source, err := h.TokenSource(t.Context())
	if err != nil || source == nil {
		t.Fatalf("no source of tokens: %v", err)
	}
	got, err := source.Token()
	if err != nil {
		t.Fatal(err)
	}
	return got.AccessToken
}

// refused tells the handler that the server refused a token.
func refused(t *testing.T, h *auth.Handler, r *authserver.Resource, token string) error {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return h.Authorize(t.Context(), req, refusalOf(http.StatusUnauthorized))
}

func TestTokensAreRefreshedAhead(t *testing.T) {
	bubble(t, func(t *testing.T, as *authserver.Server, r *authserver.Resource, o auth.Options) {
		as.TokenLife = 10 * time.Minute
		var p person
		h := newUser(t, auth.UserOptions{Options: o, Receiver: agreeing(&p, o)})
		if err := h.SignIn(t.Context(), r.URL); err != nil {
			t.Fatal(err)
		}
		first := token(t, h)
		time.Sleep(8 * time.Minute)
		token(t, h)
		synctest.Wait()
		wantCount(t, "refreshes long before the end", refreshes(as), 0)
		time.Sleep(90 * time.Second)
		if token(t, h) != first {
			t.Error("a token that is valid is not handed out")
		}
		synctest.Wait()
		wantCount(t, "refreshes shortly before the end", refreshes(as), 1)
		if token(t, h) == first {
			t.Error("the new token is not handed out")
		}
		// The refusal of the old one comes late.
		if err := refused(t, h, r, first); err != nil {
			t.Error(err)
		}
		wantCount(t, "refreshes in all", refreshes(as), 1)
		wantCount(t, "authorizations", int(p.asked.Load()), 1)
	})
}

// agreeing is a person who agrees without a network.
func agreeing(p *person, o auth.Options) auth.Redirect {
	p.answer = func(_ context.Context, prompt *auth.Prompt) (url.Values, error) {
		browser := &http.Client{
			Transport:     o.HTTPClient.Transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
		resp, err := browser.Get(prompt.URL)
		if err != nil {
			return nil, err
		}
		back, err := resp.Location()
		if err != nil {
			return nil, err
		}
		return back.Query(), nil
	}
	return p.receiver()
}

func TestMachinesGetTokensAhead(t *testing.T) {
	bubble(t, func(t *testing.T, as *authserver.Server, r *authserver.Resource, o auth.Options) {
		as.TokenLife = 10 * time.Minute
		as.AddClient("robot", authserver.Marker, nil)
		h := newMachine(t, auth.MachineOptions{Options: o, ClientID: "robot", ClientSecret: authserver.Marker})
		if err := h.SignIn(t.Context(), r.URL); err != nil {
			t.Fatal(err)
		}
		first := token(t, h)
		time.Sleep(9*time.Minute + time.Second)
		as.Answer = func(endpoint string, w http.ResponseWriter, r *http.Request) bool {
			http.Error(w, "later", http.StatusServiceUnavailable)
			return true
		}
		for range 5 { // in which nobody waits, and the server is asked once
			if token(t, h) != first {
				t.Error("the token is gone though it is valid")
			}
			synctest.Wait()
		}
		wantCount(t, "token requests", as.Count("token"), 2)
		as.Answer = nil
		time.Sleep(auth.DefaultRetryAfter + time.Second)
		token(t, h)
		synctest.Wait()
		if token(t, h) == first {
			t.Error("there is no new token")
		}
	})
}

func TestFailuresAreRememberedBriefly(t *testing.T) {
	bubble(t, func(t *testing.T, as *authserver.Server, r *authserver.Resource, o auth.Options) {
		o.RetryAfter = time.Minute
		p := person{answer: func(context.Context, *auth.Prompt) (url.Values, error) { return nil, fmt.Errorf("not now") }}
		h := newUser(t, auth.UserOptions{Options: o, Receiver: p.receiver()})
		for range 3 {
			wantError(t, refused(t, h, r, ""), auth.ErrDeclined)
		}
		wantCount(t, "authorizations", int(p.asked.Load()), 1)
		time.Sleep(time.Minute)
		wantError(t, refused(t, h, r, ""), auth.ErrDeclined)
		wantCount(t, "authorizations a minute later", int(p.asked.Load()), 2)
		wantError(t, h.SignIn(t.Context(), r.URL), auth.ErrDeclined)
		wantCount(t, "authorizations when the program wants one", int(p.asked.Load()), 3)
	})
}

func TestAuthorizationsAreBounded(t *testing.T) {
	bubble(t, func(t *testing.T, as *authserver.Server, r *authserver.Resource, o auth.Options) {
		p := person{answer: func(ctx context.Context, _ *auth.Prompt) (url.Values, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}}
		h := newUser(t, auth.UserOptions{Options: o, Receiver: p.receiver()})
		begin := time.Now()
		wantError(t, refused(t, h, r, ""), auth.ErrTimeout)
		if took := time.Since(begin); took != auth.DefaultUserTimeout {
			t.Errorf("it took %v", took)
		}
		// One that nobody waits for any more ends by itself, or with the handler.
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := h.SignIn(ctx, r.URL); err == nil {
			t.Error("signed in")
		}
		h.Close()
		synctest.Wait()
		wantError(t, h.SignIn(t.Context(), r.URL), auth.ErrTimeout)
	})
}

// A server that takes no token does not make its user sign in for ever.
func TestTokensThatAreNeverTaken(t *testing.T) {
	bubble(t, func(t *testing.T, as *authserver.Server, r *authserver.Resource, o auth.Options) {
		var p person
		h := newUser(t, auth.UserOptions{Options: o, Receiver: agreeing(&p, o)})
		last := ""
		var err error
		for range 10 {
			if err = refused(t, h, r, last); err != nil {
				break
			}
			last = token(t, h)
		}
		wantError(t, err, auth.ErrRefused)
		wantCount(t, "authorizations", int(p.asked.Load()), 2)
		wantCount(t, "refreshes", refreshes(as), 1)
		time.Sleep(time.Hour)
		if err := refused(t, h, r, last); err != nil {
			t.Errorf("much later: %v", err)
		}
	})
}

// A refresh that is interrupted does not bother the user.
func TestInterruptedRefresh(t *testing.T) {
	bubble(t, func(t *testing.T, as *authserver.Server, r *authserver.Resource, o auth.Options) {
		var p person
		h := newUser(t, auth.UserOptions{Options: o, Receiver: agreeing(&p, o)})
		if err := h.SignIn(t.Context(), r.URL); err != nil {
			t.Fatal(err)
		}
		down := true
		as.Answer = func(endpoint string, w http.ResponseWriter, r *http.Request) bool {
			if down && endpoint == "token" {
				http.Error(w, "later", http.StatusBadGateway)
				return true
			}
			return false
		}
		time.Sleep(2 * time.Hour)
		wantError(t, refused(t, h, r, token(t, h)), auth.ErrToken)
		down = false
		time.Sleep(auth.DefaultRetryAfter)
		if err := refused(t, h, r, token(t, h)); err != nil {
			t.Error(err)
		}
		// The server has lost what it knew of clients, which is found out so.
		as.Forget()
		time.Sleep(2 * time.Hour)
		if err := refused(t, h, r, token(t, h)); err != nil {
			t.Error(err)
		}
		wantCount(t, "authorizations", int(p.asked.Load()), 2)
		wantCount(t, "registrations", as.Count("register"), 2)
	})
}

func TestNothingSecretIsShown(t *testing.T) {
	bubble(t, func(t *testing.T, as *authserver.Server, r *authserver.Resource, o auth.Options) {
		as.AddClient("robot", authserver.Marker, nil)
		options := auth.MachineOptions{Options: o, ClientID: "robot", ClientSecret: authserver.Marker}
		h := newMachine(t, options)
		if err := h.SignIn(t.Context(), r.URL); err != nil {
			t.Fatal(err)
		}
		record := &auth.Record{Client: auth.Client{Secret: authserver.Marker}}
		full := &auth.Record{Token: &oauth2.Token{AccessToken: authserver.Marker, RefreshToken: authserver.Marker, Expiry: time.Now()}}
		user := auth.UserOptions{ClientID: "me", ClientSecret: authserver.Marker}
		signing := auth.MachineOptions{Key: ed25519.PrivateKey(authserver.Marker)}
		for name, text := range map[string]string{
			"key":     fmt.Sprintf("%s %+s %s", signing, &signing, encode(t, signing)),
			"handler": fmt.Sprintf("%v %+v %#v %s", h, h, h, encode(t, h)),
			"options": fmt.Sprintf("%v %+v %#v %s", options, options, options, encode(t, options.ClientSecret)),
			"record":  fmt.Sprintf("%v %+v %#v %s", record, record, record, encode(t, record)),
			"token":   fmt.Sprintf("%v %+v %#v %s", full, full, full, encode(t, full)),
			"user":    fmt.Sprintf("%v %+v %#v %s %d", user, user, user, user.ClientSecret, user.ClientSecret),
		} {
			if strings.Contains(text, authserver.Marker) {
				t.Errorf("a secret of the %s is shown", name)
			}
		}
	})
}
