package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

const (
	redirectURL = "http://localhost:3000/callback"

	// clientMetadataURL is what the suites know this client by. Nothing is
	// there.
	clientMetadataURL = "https://conformance-test.local/client-metadata.json"
)

// user returns the SDK's handler for users who sign in by a browser, with the
// suite's servers as users who agree at once.
func user(known given) (auth.OAuthHandler, error) {
	return newUser(known, nil)
}

func newUser(known given, client *http.Client) (auth.OAuthHandler, error) {
	c := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL:              redirectURL,
		AuthorizationCodeFetcher: agree,
		ClientIDMetadataDocumentConfig: &auth.ClientIDMetadataDocumentConfig{
			URL: clientMetadataURL,
		},
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{
			Metadata: &oauthex.ClientRegistrationMetadata{
				RedirectURIs: []string{redirectURL},
				GrantTypes:   []string{"authorization_code", "refresh_token"},
			},
		},
		RequestRefreshToken: true,
		Client:              client,
	}
	if known.ClientID != "" {
		c.PreregisteredClient = &oauthex.ClientCredentials{
			ClientID:         known.ClientID,
			ClientSecretAuth: &oauthex.ClientSecretAuth{ClientSecret: known.ClientSecret},
		}
	}
	return auth.NewAuthorizationCodeHandler(c)
}

// agree visits the authorization URL and takes the code out of the redirect,
// as the page that it leads to would.
func agree(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, args.URL, nil)
	if err != nil {
		return nil, err
	}
	browser := &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	resp, err := browser.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	location, err := resp.Location()
	if err != nil {
		return nil, fmt.Errorf("the authorization server answered %s without a redirect: %w", resp.Status, err)
	}
	return authorizationResult(location.Query()), nil
}

func authorizationResult(query url.Values) *auth.AuthorizationResult {
	return &auth.AuthorizationResult{Code: query.Get("code"), State: query.Get("state"), Iss: query.Get("iss")}
}
