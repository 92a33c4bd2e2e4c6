package auth_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/langchaingo-mcp/mcpadapters/auth"
)

// promptFor returns what a user is asked by a server on this machine whose
// authorization server says that its authorization endpoint is at a URL, from
// that of the server itself.
func promptFor(t *testing.T, endpoint func(base string) string) (*auth.Prompt, error) {
	mux := http.NewServeMux()
	srv := httptest.NewServer(mux)
	t.Cleanup(srv.Close)
	say := func(path string, what any) {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Write(encode(t, what))
		})
	}
	say("/.well-known/oauth-protected-resource", oauthex.ProtectedResourceMetadata{Resource: srv.URL, AuthorizationServers: []string{srv.URL}})
	say("/.well-known/oauth-authorization-server", oauthex.AuthServerMeta{
		Issuer: srv.URL, AuthorizationEndpoint: endpoint(srv.URL), TokenEndpoint: srv.URL + "/token",
		ResponseTypesSupported: []string{"code"}, CodeChallengeMethodsSupported: []string{"S256"},
	})
	var asked *auth.Prompt
	p := person{answer: func(_ context.Context, p *auth.Prompt) (url.Values, error) {
		asked = p
		return nil, errors.New("no")
	}}
	err := newUser(t, auth.UserOptions{Receiver: p.receiver(), ClientID: "me"}).SignIn(t.Context(), srv.URL+"/mcp")
	return asked, err
}

// Nobody is sent to other programs, or to what looks like another host.
func TestEndpointsThatNobodyIsSentTo(t *testing.T) {
	for _, endpoint := range []string{
		"file://localhost/etc/passwd", "vscode://localhost/install", "https://login.example.com@evil.example.com/authorize",
	} {
		asked, err := promptFor(t, func(string) string { return endpoint })
		wantError(t, err, auth.ErrDiscovery)
		if asked != nil {
			t.Errorf("%s: the user is asked", endpoint)
		}
	}
}

// What an authorization endpoint has in its query stays, save for what would be
// there twice (RFC 6749, section 3.1).
func TestEndpointsWithAQuery(t *testing.T) {
	asked, err := promptFor(t, func(base string) string {
		return base + "/authorize?tenant=7&state=theirs&redirect_uri=https://evil.example.com"
	})
	wantError(t, err, auth.ErrDeclined)
	visit, err := url.Parse(asked.URL)
	if err != nil {
		t.Fatal(err)
	}
	query := visit.Query()
	for name, values := range query {
		if len(values) != 1 {
			t.Errorf("%s is there %d times", name, len(values))
		}
	}
	if got := fmt.Sprint(query.Get("tenant"), query.Get("redirect_uri")); got != "7"+callback || query.Get("state") == "theirs" {
		t.Errorf("the query is %v", query)
	}
}
