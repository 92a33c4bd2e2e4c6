package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"

	"github.com/langchaingo-mcp/mcpadapters/auth"
)

const (
	redirectURL = "http://localhost:3000/callback"

	// clientMetadataURL is what the suites know this client by. Nothing is
	// there.
	clientMetadataURL = "https://conformance-test.local/client-metadata.json"
)

// user returns the handler for users who sign in by a browser, with the
// suite's servers as users who agree at once.
func user(known given) (sdkauth.OAuthHandler, error) { return newUser(known, nil) }

func newUser(known given, client *http.Client) (sdkauth.OAuthHandler, error) {
	return auth.NewUser(&auth.UserOptions{
		Options:           auth.Options{HTTPClient: client},
		Receiver:          auth.Redirect{URL: redirectURL, Visit: agree},
		ClientMetadataURL: clientMetadataURL,
		ClientID:          known.ClientID,
		ClientSecret:      auth.Secret(known.ClientSecret),
	})
}

// agree visits the authorization URL and takes the code out of the redirect,
// as the page that it leads to would.
func agree(ctx context.Context, prompt *auth.Prompt) (url.Values, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, prompt.URL, nil)
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
	return location.Query(), nil
}
