package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"
)

// Methods of clients to identify themselves, of RFC 7591, section 2.
const (
	methodNone  = "none"
	methodBasic = "client_secret_basic"
	methodPost  = "client_secret_post"
)

// requestToken asks the token endpoint of a target. Parameters hold the grant
// type.
func requestToken(ctx context.Context, hc *http.Client, t *Target, c Client, scopes []string, parameters url.Values) (*oauth2.Token, error) {
	style := oauth2.AuthStyleInParams
	if c.Method == methodBasic {
		style = oauth2.AuthStyleInHeader
	}
	secret := string(c.Secret)
	if c.Method == methodNone {
		secret = ""
	}
	config := clientcredentials.Config{
		ClientID:       c.ID,
		ClientSecret:   secret,
		TokenURL:       t.Metadata.TokenEndpoint,
		Scopes:         scopes,
		AuthStyle:      style,
		EndpointParams: parameters,
	}
	token, err := config.Token(context.WithValue(ctx, oauth2.HTTPClient, withoutRedirects(hc)))
	secrets := []string{secret}
	for name, values := range parameters {
		switch name {
		case "grant_type", "resource", "redirect_uri", "client_assertion_type":
		default:
			secrets = append(secrets, values...)
		}
	}
	if err != nil {
		return nil, tokenError(ctx, t, err, secrets)
	}
	if !sendable(token.AccessToken) {
		return nil, t.fail(ErrToken, errors.New("the access token holds characters that none may have"))
	}
	return token, nil
}

// tokenError makes an error of what x/oauth2 says, which may hold the whole
// answer of the server.
func tokenError(ctx context.Context, t *Target, err error, secrets []string) *Error {
	e := t.fail(ErrToken, nil)
	var retrieve *oauth2.RetrieveError
	switch {
	case ctx.Err() != nil:
		e.Kind, e.Err = ErrTimeout, context.Cause(ctx)
	case errors.As(err, &retrieve):
		e.Code = clean(retrieve.ErrorCode, secrets...)
		if retrieve.ErrorDescription != "" {
			e.Err = errors.New(clean(retrieve.ErrorDescription, secrets...))
		} else if retrieve.Response != nil {
			e.Err = errStatus(retrieve.Response.StatusCode)
		}
	default:
		e.Err = errors.New(clean(withoutURL(err).Error(), secrets...))
	}
	return e
}

// errorCode returns the error code of OAuth in a response, or "".
func errorCode(resp *http.Response) string {
	var refusal struct {
		Error string `json:"error"`
	}
	if json.NewDecoder(io.LimitReader(resp.Body, 64<<10)).Decode(&refusal) != nil {
		return ""
	}
	return refusal.Error
}

// errStatus is an answer of a token endpoint that does not say what is wrong.
type errStatus int

func (e errStatus) Error() string {
	return fmt.Sprintf("the token endpoint answered with HTTP status %d", int(e))
}

// refused reports whether an error is the last word of an authorization
// server, rather than an interruption, after which a refresh token is as good
// as before.
func refused(err error) bool {
	switch oauthCode(err) {
	case "":
		var status errStatus
		return errors.As(err, &status) && status/100 == 4 && status != http.StatusRequestTimeout &&
			status != http.StatusTooEarly && status != http.StatusTooManyRequests
	case "temporarily_unavailable", "server_error", "slow_down":
		return false
	}
	return true
}

// withoutURL takes the URL out of an error of net/http.
func withoutURL(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err
	}
	return err
}

// oauthCode returns the error code of OAuth that an error holds, or "".
func oauthCode(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// withoutRedirects returns a client that takes a redirect for an answer: what
// is sent to token endpoints is for nobody else.
func withoutRedirects(hc *http.Client) *http.Client {
	var own http.Client
	if hc != nil {
		own = *hc
	}
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &own
}

// sendable reports whether a token can be put into a header (RFC 6750, section
// 2.1, is stricter than servers are).
func sendable(token string) bool {
	return token != "" && !strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' })
}

// newRecord returns what is kept of a token. previous may be nil.
func newRecord(token *oauth2.Token, c Client, asked []string, previous *Record) *Record {
	r := &Record{Token: token, Obtained: time.Now(), Asked: asked, Granted: asked, Client: c}
	if scope, ok := token.Extra("scope").(string); ok && scope != "" {
		r.Granted = strings.Fields(scope)
	} else if previous != nil {
		r.Granted = previous.Granted
	}
	if token.RefreshToken == "" && previous != nil {
		token.RefreshToken = previous.Token.RefreshToken // it stays as it is
	}
	return r
}

// refresh gets another token for a record (RFC 6749, section 6).
func refresh(ctx context.Context, hc *http.Client, t *Target, c Client, old *Record) (*Record, error) {
	token, err := requestToken(ctx, hc, t, c, nil, url.Values{
		"grant_type":    {"refresh_token"},
		"refresh_token": {old.Token.RefreshToken},
		"resource":      {t.Resource},
	})
	if err != nil {
		return nil, err
	}
	return newRecord(token, old.Client, old.Asked, old), nil
}

// usable reports whether a token has not expired.
func usable(r *Record) bool {
	return r != nil && (r.Token.Expiry.IsZero() || time.Now().Before(r.Token.Expiry))
}

// union returns all scopes once, in order.
func union(lists ...[]string) []string {
	var all []string
	for _, scope := range slices.Concat(lists...) {
		if scope != "" && !slices.Contains(all, scope) {
			all = append(all, scope)
		}
	}
	return all
}

// covers reports whether all of need are among have.
func covers(have, need []string) bool {
	return !slices.ContainsFunc(need, func(s string) bool { return !slices.Contains(have, s) })
}
