package auth_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/auth"
	"github.com/langchaingo-mcp/mcpadapters/auth/filestore"
	"github.com/langchaingo-mcp/mcpadapters/internal/authserver"
)

// Signing out ends the sign-in at the authorization server, whatever way the
// client identifies itself.
func TestSignOut(t *testing.T) {
	secret := authserver.Secret()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		prepare     func(*authserver.Server)
		handler     func(t *testing.T, p *person) *auth.Handler
		revocations int
	}{
		"public": {nil, func(t *testing.T, p *person) *auth.Handler {
			return newUser(t, auth.UserOptions{Receiver: p.receiver()})
		}, 2},
		"secret in header": {only("client_secret_basic"), func(t *testing.T, p *person) *auth.Handler {
			return newUser(t, auth.UserOptions{Receiver: p.receiver()})
		}, 2},
		"secret in form": {func(as *authserver.Server) { as.AddClient("me", secret, nil, callback) }, func(t *testing.T, p *person) *auth.Handler {
			return newUser(t, auth.UserOptions{Receiver: p.receiver(), ClientID: "me", ClientSecret: auth.Secret(secret)})
		}, 2},
		"key": {func(as *authserver.Server) { as.AddClient("robot", "", public) }, func(t *testing.T, p *person) *auth.Handler {
			return newMachine(t, auth.MachineOptions{ClientID: "robot", Key: private})
		}, 1},
		"no endpoint": {func(as *authserver.Server) { as.NoRevocation = true }, func(t *testing.T, p *person) *auth.Handler {
			return newUser(t, auth.UserOptions{Receiver: p.receiver()})
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			as, r := protected(t, true)
			if test.prepare != nil {
				test.prepare(as)
			}
			var p person
			h := test.handler(t, &p)
			if err := h.SignIn(t.Context(), r.URL); err != nil {
				t.Fatal(err)
			}
			first := token(t, h)
			if err := h.SignOut(t.Context(), r.URL); err != nil {
				t.Fatal(err)
			}
			wantCount(t, "revocations", as.Count("revoke"), test.revocations)
			if source, err := h.TokenSource(t.Context()); source != nil || err != nil {
				t.Errorf("there is a token, or %v", err)
			}
			if valid := answers(t, r, first); valid != (test.revocations == 0) {
				t.Errorf("the token is valid: %v", valid)
			}
			if err := h.SignOut(t.Context(), r.URL); err != nil {
				t.Error(err)
			}
			wantCount(t, "revocations after signing out twice", as.Count("revoke"), test.revocations)
			// The next sign-in is a new one.
			if err := h.SignIn(t.Context(), r.URL); err != nil || token(t, h) == first {
				t.Errorf("signing in again: %v", err)
			}
		})
	}
}

// answers reports whether the server takes a token.
func answers(t *testing.T, r *authserver.Resource, token string) bool {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode != http.StatusUnauthorized
}

// What is here is forgotten whatever the authorization server says.
func TestSignOutWithoutHelp(t *testing.T) {
	for name, answer := range map[string]func(w http.ResponseWriter, r *http.Request){
		"an error": func(w http.ResponseWriter, r *http.Request) { http.Error(w, "later", http.StatusServiceUnavailable) },
		"one that repeats the token": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			w.Write([]byte(`{"error": "bad ` + r.PostFormValue("token") + `"}`))
		},
		"another place": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		},
		"nothing": func(w http.ResponseWriter, r *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			as, r := protected(t, true)
			as.Answer = func(endpoint string, w http.ResponseWriter, r *http.Request) bool {
				if endpoint == "revoke" {
					answer(w, r)
				}
				return endpoint == "revoke"
			}
			store := filestore.New(filepath.Join(t.TempDir(), "tokens.json"))
			var p person
			h := newUser(t, auth.UserOptions{Receiver: p.receiver(), Options: auth.Options{Store: store}})
			if err := h.SignIn(t.Context(), r.URL); err != nil {
				t.Fatal(err)
			}
			wantError(t, h.SignOut(t.Context(), r.URL), auth.ErrRevocation)
			if source, _ := h.TokenSource(t.Context()); source != nil {
				t.Error("there is a token")
			}
			if got, err := store.Load(t.Context(), auth.Key{Issuer: as.URL, Resource: r.URL}); got != nil || err != nil {
				t.Errorf("the store has a record, or %v", err)
			}
			wantCount(t, "revocations", as.Count("revoke"), 1)
		})
	}
}

// Access tokens that cannot be revoked end by themselves.
func TestSignOutOfRefreshTokensOnly(t *testing.T) {
	as, r := protected(t, true)
	as.Answer = func(endpoint string, w http.ResponseWriter, r *http.Request) bool {
		if endpoint != "revoke" || r.PostFormValue("token_type_hint") == "refresh_token" {
			return false
		}
		w.WriteHeader(http.StatusBadRequest)
		w.Write([]byte(`{"error": "unsupported_token_type"}`))
		return true
	}
	var p person
	h := newUser(t, auth.UserOptions{Receiver: p.receiver()})
	if err := h.SignIn(t.Context(), r.URL); err != nil {
		t.Fatal(err)
	}
	if err := h.SignOut(t.Context(), r.URL); err != nil {
		t.Error(err)
	}
	wantCount(t, "revocations", as.Count("revoke"), 2)
}

// A program that has only just begun signs out what one before it has stored.
func TestSignOutOfEarlierPrograms(t *testing.T) {
	as, r := protected(t, true)
	store := filestore.New(filepath.Join(t.TempDir(), "tokens.json"))
	var p person
	options := auth.UserOptions{Receiver: p.receiver(), Options: auth.Options{Store: store}}
	before := newUser(t, options)
	if err := before.SignIn(t.Context(), r.URL); err != nil {
		t.Fatal(err)
	}
	if err := newUser(t, options).SignOut(t.Context(), r.URL); err != nil {
		t.Fatal(err)
	}
	wantCount(t, "revocations", as.Count("revoke"), 2)
	if answers(t, r, token(t, before)) {
		t.Error("the token is valid")
	}
	wantError(t, before.SignOut(t.Context(), "http://127.0.0.1:1/other"), auth.ErrOptions)
	wantError(t, before.SignOut(t.Context(), "::"+authserver.Marker), auth.ErrOptions)
}

func TestSignOutIsBounded(t *testing.T) {
	bubble(t, func(t *testing.T, as *authserver.Server, r *authserver.Resource, o auth.Options) {
		var p person
		receiver := agreeing(&p, o)
		o.HTTPClient = &http.Client{Transport: silent{next: o.HTTPClient.Transport, path: "/revoke"}}
		h := newUser(t, auth.UserOptions{Options: o, Receiver: receiver})
		if err := h.SignIn(t.Context(), r.URL); err != nil {
			t.Fatal(err)
		}
		wantError(t, h.SignOut(t.Context(), r.URL), auth.ErrRevocation)
		synctest.Wait()
	})
}

// A refresh that nobody waits for does not bring back who has signed out.
func TestSignOutOutlastsRefreshesAhead(t *testing.T) {
	bubble(t, func(t *testing.T, as *authserver.Server, r *authserver.Resource, o auth.Options) {
		as.TokenLife = 10 * time.Minute
		var p person
		receiver := agreeing(&p, o)
		refreshing, answer := make(chan struct{}), make(chan struct{})
		next := o.HTTPClient.Transport
		var requests atomic.Int64
		o.HTTPClient = &http.Client{Transport: tripper(func(req *http.Request) (*http.Response, error) {
			resp, err := next.RoundTrip(req)
			if strings.HasSuffix(req.URL.Path, "/token") && requests.Add(1) == 2 {
				close(refreshing)
				<-answer
			}
			return resp, err
		})}
		o.Store = auth.NewMemory()
		h := newUser(t, auth.UserOptions{Options: o, Receiver: receiver})
		if err := h.SignIn(t.Context(), r.URL); err != nil {
			t.Fatal(err)
		}
		time.Sleep(9*time.Minute + 30*time.Second)
		token(t, h)
		<-refreshing
		ended := make(chan error, 1)
		go func() { ended <- h.SignOut(t.Context(), r.URL) }()
		synctest.Wait()
		close(answer)
		if err := <-ended; err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if source, _ := h.TokenSource(t.Context()); source != nil {
			t.Error("there is a token after signing out")
		}
		if got, err := o.Store.Load(t.Context(), auth.Key{Issuer: as.URL, Resource: r.URL}); got != nil || err != nil {
			t.Errorf("the store has a record after signing out, or %v", err)
		}
	})
}

type tripper func(*http.Request) (*http.Response, error)

func (f tripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
