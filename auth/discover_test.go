package auth_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/langchaingo-mcp/mcpadapters/auth"
	"github.com/langchaingo-mcp/mcpadapters/internal/authserver"
)

// A web is what there is at URLs; everything else is not found.
type web struct {
	t     *testing.T
	pages map[string]any

	mu    sync.Mutex
	hosts []string // that were asked for a token
}

func (w *web) RoundTrip(req *http.Request) (*http.Response, error) {
	resp := &http.Response{StatusCode: http.StatusNotFound, Header: http.Header{}, Body: http.NoBody, Request: req}
	if req.Method == http.MethodPost {
		w.mu.Lock()
		w.hosts = append(w.hosts, req.URL.Host)
		w.mu.Unlock()
	}
	if page, ok := w.pages[req.URL.String()]; ok {
		resp.StatusCode = http.StatusOK
		resp.Header.Set("Content-Type", "application/json")
		resp.Body = io.NopCloser(bytes.NewReader(encode(w.t, page)))
	}
	return resp, nil
}

type object = map[string]any

const (
	remote      = "https://mcp.example.com/mcp"
	remotePRM   = "https://mcp.example.com/.well-known/oauth-protected-resource/mcp"
	remoteAS    = "https://as.example.com"
	wellKnownAS = "/.well-known/oauth-authorization-server"
)

func namesAS(urls ...string) object { return object{"resource": remote, "authorization_servers": urls} }

func metadataOf(issuer string, more object) object {
	m := object{
		"issuer": issuer, "authorization_endpoint": issuer + "/authorize", "token_endpoint": issuer + "/token",
		"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"},
	}
	for name, value := range more {
		m[name] = value
	}
	return m
}

// signInTo signs in to the remote server as a user who declines, and returns what
// the user was asked, if at all.
func signInTo(t *testing.T, pages object, o auth.UserOptions) (*auth.Prompt, *web, error) {
	t.Helper()
	w := &web{t: t, pages: pages}
	o.HTTPClient = &http.Client{Transport: w}
	var asked *auth.Prompt
	p := person{answer: func(_ context.Context, p *auth.Prompt) (url.Values, error) {
		asked = p
		return nil, errors.New("no")
	}}
	o.Receiver = p.receiver()
	err := newUser(t, o).SignIn(t.Context(), remote)
	return asked, w, err
}

// What a server says of where to sign in is not followed everywhere.
func TestAuthorizationServersThatAreNotTrusted(t *testing.T) {
	for name, test := range map[string]struct {
		pages object
		says  string
	}{
		"none is named":          {object{remotePRM: namesAS()}, "name no authorization server"},
		"on this machine":        {object{remotePRM: namesAS("http://127.0.0.1:9/as")}, "127.0.0.1:9, which is on this machine"},
		"localhost by TLS":       {object{remotePRM: namesAS("https://localhost/as")}, "localhost, which is on this machine"},
		"not a URL":              {object{remotePRM: namesAS("as.example.com")}, "authorization_servers[0]"},
		"without TLS":            {object{remotePRM: namesAS("http://as.example.com")}, "authorization_servers[0]"},
		"tokens without TLS":     {object{remotePRM: namesAS(remoteAS), remoteAS + wellKnownAS: metadataOf(remoteAS, object{"token_endpoint": "http://as.example.com/token"})}, "HTTPS"},
		"with user information":  {object{remotePRM: namesAS("https://as.example.com@evil.example.com")}, "user information"},
		"of another resource":    {object{remotePRM: object{"resource": "https://other.example.com", "authorization_servers": []string{remoteAS}}}, "metadata of the server"},
		"of another issuer":      {object{remotePRM: namesAS(remoteAS), remoteAS + wellKnownAS: metadataOf("https://evil.example.com", nil)}, "metadata of the authorization server"},
		"without PKCE":           {object{remotePRM: namesAS(remoteAS), remoteAS + wellKnownAS: metadataOf(remoteAS, object{"code_challenge_methods_supported": []string{"plain"}})}, "PKCE"},
		"tokens on this machine": {object{remotePRM: namesAS(remoteAS), remoteAS + wellKnownAS: metadataOf(remoteAS, object{"token_endpoint": "https://[::1]/token"})}, "on this machine"},
	} {
		t.Run(name, func(t *testing.T) {
			asked, w, err := signInTo(t, test.pages, auth.UserOptions{ClientID: "me"})
			wantError(t, err, auth.ErrDiscovery)
			if !strings.Contains(err.Error(), test.says) {
				t.Errorf("the error does not say %q: %v", test.says, err)
			}
			if asked != nil || len(w.hosts) > 0 {
				t.Errorf("the user is asked %v, and sent to are %v", asked, w.hosts)
			}
		})
	}
}

// Servers of version 2025-03-26 publish nothing, and are authorization servers
// themselves.
func TestServersWithoutMetadata(t *testing.T) {
	asked, _, err := signInTo(t, nil, auth.UserOptions{ClientID: "me"})
	wantError(t, err, auth.ErrDeclined)
	if asked == nil || !strings.HasPrefix(asked.URL, "https://mcp.example.com/authorize?") {
		t.Errorf("the user is asked %+v", asked)
	}
}

// What belongs to one authorization server is not shown to the one that an MCP
// server names.
func TestCredentialsAreForTheirIssuer(t *testing.T) {
	const evil = "https://evil.example.com"
	pages := object{remotePRM: namesAS(evil), evil + wellKnownAS: metadataOf(evil, nil)}
	asked, w, err := signInTo(t, pages, auth.UserOptions{ClientID: "me", ClientSecret: authserver.Marker, Issuer: remoteAS})
	wantError(t, err, auth.ErrClient)
	if asked != nil || len(w.hosts) > 0 || !strings.Contains(err.Error(), "the credentials are for "+remoteAS) {
		t.Errorf("the user is asked %v, sent to are %v, and the error is: %v", asked, w.hosts, err)
	}
	h := newMachine(t, auth.MachineOptions{
		Options:  auth.Options{HTTPClient: &http.Client{Transport: w}},
		ClientID: "robot", ClientSecret: authserver.Marker, Issuer: remoteAS,
	})
	wantError(t, h.SignIn(t.Context(), remote), auth.ErrClient)
	if len(w.hosts) > 0 {
		t.Errorf("credentials were sent to %v", w.hosts)
	}
}

func TestProgramsThatCannotBeRegistered(t *testing.T) {
	pages := object{remotePRM: namesAS(remoteAS), remoteAS + wellKnownAS: metadataOf(remoteAS, nil)}
	asked, _, err := signInTo(t, pages, auth.UserOptions{})
	if e := wantError(t, err, auth.ErrClient); asked != nil || e.Issuer != remoteAS || !strings.Contains(err.Error(), "set ClientID") {
		t.Errorf("the user is asked %v, and the error is: %v", asked, err)
	}
}

// Scopes is the program's last word; offline_access is asked for where there is
// such a scope, for refresh tokens.
func TestScopesThatAreAskedFor(t *testing.T) {
	pages := object{
		remotePRM:              object{"resource": remote, "authorization_servers": []string{remoteAS}, "scopes_supported": []string{"read", "write"}},
		remoteAS + wellKnownAS: metadataOf(remoteAS, object{"scopes_supported": []string{"offline_access"}}),
	}
	asked, _, err := signInTo(t, pages, auth.UserOptions{ClientID: "me"})
	wantError(t, err, auth.ErrDeclined)
	if want := []string{"read", "write", "offline_access"}; asked == nil || !slices.Equal(asked.Scopes, want) {
		t.Errorf("asked %+v, want scopes %v", asked, want)
	}
	less := func(scopes []string) []string { return append(scopes[:1], "own", "own") }
	asked, _, err = signInTo(t, pages, auth.UserOptions{ClientID: "me", Options: auth.Options{Scopes: less}})
	wantError(t, err, auth.ErrDeclined)
	if want := []string{"read", "own"}; asked == nil || !slices.Equal(asked.Scopes, want) {
		t.Errorf("asked %+v, want scopes %v", asked, want)
	}
}

// A status 403 that is not about scopes is the server's last word, and what it
// repeats of the token is left out.
func TestRefusalsThatAreNotAboutScopes(t *testing.T) {
	_, r := protected(t, true)
	var p person
	h := newUser(t, auth.UserOptions{Receiver: p.receiver()})
	if err := h.SignIn(t.Context(), r.URL); err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp := refusalOf(http.StatusForbidden)
	resp.Header.Set("WWW-Authenticate", `Bearer error="blocked", error_description="not you, `+token(t, h)+`"`)
	e := wantError(t, h.Authorize(t.Context(), req, resp), auth.ErrRefused)
	if e.Code != "blocked" || !strings.Contains(e.Error(), "HTTP status 403: not you, …") {
		t.Errorf("code %q: %v", e.Code, e)
	}
	wantCount(t, "authorizations", int(p.asked.Load()), 1)
}
