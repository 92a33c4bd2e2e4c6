package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

// A grant fetches a token for a server without a user, from the authorization
// server that the server names.
type grant func(ctx context.Context, resource *oauthex.ProtectedResourceMetadata, from *oauthex.AuthServerMeta) (*oauth2.Token, error)

// A machine is an [auth.OAuthHandler] that signs in by a grant, once for all
// who ask at the same time. A grant that failed is not tried again: what it is
// made of does not change.
type machine struct {
	grant grant

	mu    sync.Mutex
	token *oauth2.Token
	err   error
}

func (m *machine) TokenSource(context.Context) (oauth2.TokenSource, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.token == nil {
		return nil, nil
	}
	return oauth2.StaticTokenSource(m.token), nil
}

func (m *machine) Authorize(ctx context.Context, req *http.Request, resp *http.Response) error {
	defer resp.Body.Close()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.token == nil && m.err == nil {
		m.token, m.err = m.signIn(ctx, req, resp)
	}
	return m.err
}

func (m *machine) signIn(ctx context.Context, req *http.Request, resp *http.Response) (*oauth2.Token, error) {
	challenges, err := oauthex.ParseWWWAuthenticate(resp.Header.Values("WWW-Authenticate"))
	if err != nil {
		return nil, err
	}
	// Where it is when the server does not say.
	metadataURL := req.URL.ResolveReference(&url.URL{Path: "/.well-known/oauth-protected-resource" + req.URL.Path}).String()
	for _, challenge := range challenges {
		if given := challenge.Params["resource_metadata"]; given != "" {
			metadataURL = given
		}
	}
	resource, err := oauthex.GetProtectedResourceMetadata(ctx, metadataURL, req.URL.String(), http.DefaultClient)
	if err != nil {
		return nil, err
	}
	if len(resource.AuthorizationServers) == 0 {
		return nil, fmt.Errorf("%s names no authorization server", metadataURL)
	}
	from, err := auth.GetAuthServerMetadata(ctx, resource.AuthorizationServers[0], http.DefaultClient)
	if err != nil {
		return nil, err
	}
	if from == nil {
		return nil, fmt.Errorf("the authorization server %s has no metadata", resource.AuthorizationServers[0])
	}
	return m.grant(ctx, resource, from)
}

// request asks a token endpoint for a token. Parameters replace those of the
// client credentials grant.
func request(ctx context.Context, endpoint string, style oauth2.AuthStyle, id, secret string, scopes []string, parameters map[string]string) (*oauth2.Token, error) {
	c := clientcredentials.Config{
		ClientID:       id,
		ClientSecret:   secret,
		TokenURL:       endpoint,
		Scopes:         scopes,
		AuthStyle:      style,
		EndpointParams: url.Values{},
	}
	for name, value := range parameters {
		c.EndpointParams.Set(name, value)
	}
	return c.Token(ctx)
}
