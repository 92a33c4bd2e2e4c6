package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// identify returns the client to sign in as.
func (u *user) identify(ctx context.Context, h *Handler, t *Target, redirect string, known *Record) (Client, error) {
	if err := checkBound(u.o.Issuer, t); err != nil {
		return Client{}, err
	}
	m := t.Metadata
	switch {
	case u.o.ClientMetadataURL != "" && m.ClientIDMetadataDocumentSupported:
		return Client{ID: u.o.ClientMetadataURL, Method: methodNone}, nil
	case u.o.ClientID != "":
		return Client{ID: u.o.ClientID, Method: secretMethod(u.o.ClientSecret, m.TokenEndpointAuthMethodsSupported)}, nil
	case known != nil && known.Client.registered(redirect):
		return known.Client, nil
	case m.RegistrationEndpoint != "":
		return u.register(ctx, h.opts.HTTPClient, t, redirect)
	}
	return Client{}, t.fail(ErrClient, errors.New("it does not register clients dynamically: register this program with it and set ClientID"))
}

// registered reports whether the client was registered dynamically for the
// redirect URL and still is.
func (c Client) registered(redirect string) bool {
	return c.ID != "" && c.RedirectURL == redirect && (c.SecretExpires.IsZero() || time.Now().Before(c.SecretExpires))
}

// register registers a client (RFC 7591).
func (u *user) register(ctx context.Context, hc *http.Client, t *Target, redirect string) (Client, error) {
	metadata := u.o.Registration
	if !slices.Contains(metadata.RedirectURIs, redirect) {
		metadata.RedirectURIs = append(slices.Clone(metadata.RedirectURIs), redirect)
	}
	if metadata.ClientName == "" {
		metadata.ClientName = "mcpadapters"
	}
	if metadata.GrantTypes == nil {
		metadata.GrantTypes = []string{"authorization_code", "refresh_token"}
	}
	if metadata.ResponseTypes == nil {
		metadata.ResponseTypes = []string{"code"}
	}
	if metadata.TokenEndpointAuthMethod == "" && slices.Contains(t.Metadata.TokenEndpointAuthMethodsSupported, methodNone) {
		metadata.TokenEndpointAuthMethod = methodNone
	}
	if metadata.ApplicationType == "" {
		metadata.ApplicationType = "web"
		if r, err := url.Parse(redirect); err == nil && (isLoopback(r) || r.Scheme != "https") {
			metadata.ApplicationType = "native"
		}
	}
	given, err := oauthex.RegisterClient(ctx, t.Metadata.RegistrationEndpoint, &metadata, withoutRedirects(hc))
	if err != nil {
		return Client{}, registrationError(ctx, t, err)
	}
	c := Client{
		ID:            given.ClientID,
		Secret:        Secret(given.ClientSecret),
		Method:        given.TokenEndpointAuthMethod,
		RedirectURL:   redirect,
		SecretExpires: given.ClientSecretExpiresAt,
	}
	switch {
	case c.Secret == "":
		c.Method = methodNone
	case c.Method == "":
		c.Method = methodBasic // RFC 7591, section 2
	}
	return c, nil
}

// registrationError makes an error of what the SDK says, which may hold the
// whole answer of the server, the new client's secret included.
func registrationError(ctx context.Context, t *Target, err error) error {
	if ctx.Err() != nil {
		return t.fail(ErrTimeout, context.Cause(ctx))
	}
	e := t.fail(ErrClient, nil)
	var refused *oauthex.ClientRegistrationError
	switch text := err.Error(); {
	case errors.As(err, &refused):
		e.Code = clean(refused.ErrorCode)
		e.Err = fmt.Errorf("the registration was refused: %s", clean(refused.ErrorDescription))
	case strings.HasPrefix(text, "failed to decode"):
		e.Err = errors.New("the answer to the registration is not the JSON that it should be")
	default:
		e.Err = fmt.Errorf("the registration: %s", clean(withoutURL(err).Error()))
	}
	return e
}

// checkBound refuses another authorization server than the one that the
// credentials are for.
func checkBound(issuer string, t *Target) error {
	if issuer != "" && strings.TrimSuffix(issuer, "/") != strings.TrimSuffix(t.Metadata.Issuer, "/") {
		return t.fail(ErrClient, fmt.Errorf("the credentials are for %s", issuer))
	}
	return nil
}

// secretMethod returns how a client with a secret, or without, identifies
// itself. OAuth 2.1 prefers the form; a server that says nothing takes the
// header (RFC 8414, section 2).
func secretMethod(secret Secret, supported []string) string {
	switch {
	case secret == "":
		return methodNone
	case slices.Contains(supported, methodPost):
		return methodPost
	default:
		return methodBasic
	}
}
