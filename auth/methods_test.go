package auth_test

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/langchaingo-mcp/mcpadapters/auth"
	"github.com/langchaingo-mcp/mcpadapters/internal/authserver"
)

// Every way in which a client of a user is known to the server, and then in
// which it refreshes.
func TestUsers(t *testing.T) {
	secret := authserver.Secret()
	for name, test := range map[string]struct {
		options       auth.UserOptions
		prepare       func(*authserver.Server)
		registrations int
		method        string // of the token requests
	}{
		"registered, public":           {registrations: 1, method: "none"},
		"registered, secret in header": {prepare: only("client_secret_basic"), registrations: 1, method: "basic"},
		"registered, secret in form": {
			options:       auth.UserOptions{Registration: oauthex.ClientRegistrationMetadata{TokenEndpointAuthMethod: "client_secret_post"}},
			prepare:       only("client_secret_post"),
			registrations: 1, method: "post",
		},
		"known beforehand, public": {
			options: auth.UserOptions{ClientID: "me"},
			prepare: func(as *authserver.Server) { as.AddClient("me", "", nil, callback); as.NoRegistration = true },
			method:  "none",
		},
		"known beforehand, secret in header": {
			options: auth.UserOptions{ClientID: "me", ClientSecret: auth.Secret(secret)},
			prepare: func(as *authserver.Server) {
				as.AddClient("me", secret, nil, callback)
				as.AuthMethods = []string{"client_secret_basic"}
			},
			method: "basic",
		},
		"known beforehand, secret in form": {
			options: auth.UserOptions{ClientID: "me", ClientSecret: auth.Secret(secret)},
			prepare: func(as *authserver.Server) { as.AddClient("me", secret, nil, callback) },
			method:  "post",
		},
		"metadata document": {
			options: auth.UserOptions{ClientMetadataURL: "https://me.example.com/client.json", ClientID: "unused"},
			prepare: func(as *authserver.Server) { as.ClientDocuments = true },
			method:  "none",
		},
		"metadata document, not supported": {
			options:       auth.UserOptions{ClientMetadataURL: "https://me.example.com/client.json"},
			registrations: 1, method: "none",
		},
		"the issuer is named in the redirect": {
			prepare: func(as *authserver.Server) { as.Iss = true }, registrations: 1, method: "none",
		},
		"no refresh tokens": {
			prepare: func(as *authserver.Server) { as.NoRefresh = true }, registrations: 1, method: "none",
		},
	} {
		t.Run(name, func(t *testing.T) {
			as, r := protected(t, true)
			if test.prepare != nil {
				test.prepare(as)
			}
			if test.options.ClientSecret != "" {
				test.options.Issuer = as.URL + "/"
			}
			var p person
			test.options.Receiver = p.receiver()
			h := newUser(t, test.options)
			if err := h.SignIn(t.Context(), r.URL); err != nil {
				t.Fatal(err)
			}
			c := newClient(t, r, h)
			if err := echo(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			as.Expire()
			if err := echo(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			asked := 1
			if as.NoRefresh {
				asked = 2
			}
			wantCount(t, "authorizations", int(p.asked.Load()), asked)
			wantCount(t, "registrations", as.Count("register"), test.registrations)
			for _, form := range as.TokenRequests() {
				method := "none"
				switch {
				case form.Get("client_secret") != "":
					method = "post"
				case form.Get("client_id") == "":
					method = "basic"
				}
				if method != test.method {
					t.Errorf("the client identifies itself by %s, want %s", method, test.method)
				}
				if form.Get("resource") != r.URL {
					t.Errorf("the token is asked for %q", form.Get("resource"))
				}
			}
			if got := p.prompts[0]; got.Server != r.URL || got.Issuer != as.URL || "http://"+got.Host != as.URL || got.ServerName != "Test server" || got.StepUp {
				t.Errorf("the user is shown %+v", got)
			}
		})
	}
}

func only(method string) func(*authserver.Server) {
	return func(as *authserver.Server) { as.AuthMethods = []string{method} }
}

func TestMachines(t *testing.T) {
	p256, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	secret := authserver.Secret()
	key := func(k crypto.Signer) auth.MachineOptions { return auth.MachineOptions{Key: k, KeyID: "one"} }
	for name, test := range map[string]struct {
		options auth.MachineOptions
		methods []string
		secret  string
	}{
		"secret in form":   {options: auth.MachineOptions{ClientSecret: auth.Secret(secret)}, secret: secret},
		"secret in header": {options: auth.MachineOptions{ClientSecret: auth.Secret(secret)}, secret: secret, methods: []string{"client_secret_basic"}},
		"ECDSA":            {options: key(p256)},
		"RSA":              {options: key(rsaKey)},
		"Ed25519":          {options: key(ed)},
		"an assertion": {options: auth.MachineOptions{Assertion: func(_ context.Context, target *auth.Target) (auth.Secret, error) {
			return auth.Secret(authserver.Secret()), nil
		}}},
	} {
		t.Run(name, func(t *testing.T) {
			as, r := protected(t, true)
			r.Scopes = []string{"use"}
			as.AuthMethods = test.methods
			var public any
			if signer, ok := test.options.Key.(crypto.Signer); ok {
				public = signer.Public()
			}
			as.AddClient("robot", test.secret, public)
			test.options.ClientID, test.options.Issuer = "robot", as.URL
			c := newClient(t, r, newMachine(t, test.options))
			noErrors(t, together(func(int) error { return echo(t.Context(), c) }))
			wantCount(t, "token requests", as.Count("token"), 1)
			as.Expire()
			noErrors(t, together(func(int) error { return echo(t.Context(), c) }))
			wantCount(t, "token requests after expiry", as.Count("token"), 2)
			wantGeneration(t, c, 1)
		})
	}
}

func TestInvalidOptions(t *testing.T) {
	agree := person{}
	for name, o := range map[string]*auth.UserOptions{
		"nothing":                  nil,
		"two ways back":            {Receiver: agree.receiver(), RedirectURL: callback},
		"a secret of nobody":       {RedirectURL: callback, ClientSecret: authserver.Marker},
		"no URL":                   {RedirectURL: "callback"},
		"a document without TLS":   {RedirectURL: callback, ClientMetadataURL: "http://me.example.com/client"},
		"a document at the root":   {RedirectURL: callback, ClientMetadataURL: "https://me.example.com/"},
		"an issuer that is no URL": {RedirectURL: callback, Issuer: "me"},
	} {
		_, err := auth.NewUser(o)
		if err == nil {
			t.Errorf("%s is accepted", name)
			continue
		}
		wantError(t, err, auth.ErrOptions)
	}
	for name, o := range map[string]*auth.MachineOptions{
		"nothing":          nil,
		"no credentials":   {ClientID: "robot"},
		"two of them":      {ClientID: "robot", ClientSecret: authserver.Marker, Key: ed25519.PrivateKey{}},
		"an unknown key":   {ClientID: "robot", Key: authserver.Marker},
		"no id":            {ClientSecret: authserver.Marker},
		"an unknown curve": {ClientID: "robot", Key: &ecdsa.PrivateKey{PublicKey: ecdsa.PublicKey{Curve: elliptic.P224()}}},
	} {
		_, err := auth.NewMachine(o)
		if err == nil {
			t.Errorf("%s is accepted", name)
			continue
		}
		wantError(t, err, auth.ErrOptions)
	}
}

func TestNegativeOptions(t *testing.T) {
	for option, o := range map[string]auth.Options{"Timeout": {Timeout: -1}, "RetryAfter": {RetryAfter: -1}} {
		_, err := auth.NewUser(&auth.UserOptions{Options: o, RedirectURL: callback})
		if wantError(t, err, auth.ErrOptions); !strings.Contains(err.Error(), "option "+option) {
			t.Errorf("of a user: %v does not name %s", err, option)
		}
		_, err = auth.NewMachine(&auth.MachineOptions{Options: o, ClientID: "robot", ClientSecret: "x"})
		if wantError(t, err, auth.ErrOptions); !strings.Contains(err.Error(), "option "+option) {
			t.Errorf("of a machine: %v does not name %s", err, option)
		}
	}
}

// What is wrong with a URL is said without it.
func TestURLsOfUsers(t *testing.T) {
	const fine = "https://me.example.com/callback"
	for redirect, problem := range map[string]string{
		"localhost:8080/" + authserver.Marker: "RedirectURL does not begin with https:// or http://",
		"127.0.0.1:8080/callback":             "RedirectURL does not parse as a URL: begin it with https:// or http://, and look at its port and percent escapes",
		"me.example.com:8080/callback":        "RedirectURL does not begin with https:// or http://",
		"/" + authserver.Marker:               "RedirectURL does not begin with https:// or http://",
		"http:///callback":                    "RedirectURL names no host",
		fine + "#" + authserver.Marker:        "RedirectURL has a fragment (#...), which is not allowed there",
	} {
		_, err := auth.NewUser(&auth.UserOptions{RedirectURL: redirect})
		if want := "auth: invalid options: " + problem; err == nil || err.Error() != want {
			t.Errorf("error is %v, want %s", err, want)
		}
	}
	for _, redirect := range []string{fine, "http://127.0.0.1:1/x", "com.example.app:/callback", "cursor://app/callback"} {
		if _, err := auth.NewUser(&auth.UserOptions{RedirectURL: redirect}); err != nil {
			t.Error(err)
		}
	}
	_, err := auth.NewUser(&auth.UserOptions{RedirectURL: fine, Issuer: "login.example.com"})
	if want := "auth: invalid options: Issuer does not begin with https:// or http://"; err == nil || err.Error() != want {
		t.Errorf("error is %v, want %s", err, want)
	}
}
