package auth

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

// UserOptions say how a user signs in. Receiver or RedirectURL is required.
//
// This program identifies itself by the first of these that is set and that
// the authorization server supports: ClientMetadataURL, ClientID, dynamic
// registration.
type UserOptions struct {
	Options

	// Receiver gets the user to sign in, such as a loopback.Receiver. Nil means
	// that nobody can be asked: requests fail with an [Error] of kind
	// [ErrRequired], whose URL a user may visit later, and [Handler.Complete]
	// takes what comes back to RedirectURL.
	Receiver Receiver

	// RedirectURL is where users come back to, if Receiver is nil.
	RedirectURL string

	// ClientMetadataURL is an https URL at which this program's metadata are,
	// and which is its client id (client id metadata documents).
	ClientMetadataURL string

	// ClientID and ClientSecret are those of a client that was registered
	// beforehand. A client without a secret is a public one.
	ClientID     string
	ClientSecret Secret

	// Issuer is the authorization server that ClientID is registered with.
	// When it is set, no other is signed in to. It should be set when there is
	// a secret, since the MCP server says who the secret is sent to.
	Issuer string

	// Registration is what a client that is registered dynamically says of
	// itself. Empty fields are filled in: the redirect URL, the grant types,
	// and how it identifies itself.
	Registration oauthex.ClientRegistrationMetadata
}

// NewUser returns a handler that has a user sign in by a browser
// (authorization code grant with PKCE). Nil options are the zero
// [UserOptions]. An error is an [*Error] of kind [ErrOptions].
func NewUser(options *UserOptions) (*Handler, error) {
	var o UserOptions
	if options != nil {
		o = *options
	}
	invalid := func(format string, args ...any) (*Handler, error) {
		return nil, &Error{Kind: ErrOptions, Err: fmt.Errorf(format, args...)}
	}
	switch {
	case o.Receiver == nil && o.RedirectURL == "":
		return invalid("set Receiver, or RedirectURL if nobody can be asked")
	case o.Receiver != nil && o.RedirectURL != "":
		return invalid("RedirectURL is for programs without a Receiver, which has its own")
	case o.ClientID == "" && o.ClientSecret != "":
		return invalid("ClientSecret is set without ClientID")
	}
	if problem := cmp.Or(o.problem(), o.urlProblem()); problem != "" {
		return invalid("%s", problem)
	}
	if o.Receiver == nil {
		o.Receiver = absentUser{o.RedirectURL}
	}
	return newHandler(o.Options, &user{o}, DefaultUserTimeout), nil
}

// urlProblem returns what is wrong with the URLs, or "". Of the URLs
// themselves there is no more in it than where the mistake is.
func (o *UserOptions) urlProblem() string {
	for _, given := range []struct {
		name, value string
		web         bool // has to be that of a web page
	}{
		{"RedirectURL", o.RedirectURL, false}, {"Issuer", o.Issuer, true}, {"ClientMetadataURL", o.ClientMetadataURL, true},
	} {
		if given.value == "" {
			continue
		}
		u, err := url.Parse(given.value)
		web := err == nil && (u.Scheme == "https" || u.Scheme == "http")
		switch {
		case err != nil:
			return given.name + " does not parse as a URL: begin it with https:// or http://, and look at its port and percent escapes"
		case u.Scheme == "" || !web && (given.web || !privateUse(u)):
			return given.name + " does not begin with https:// or http://"
		case web && u.Hostname() == "":
			return given.name + " names no host"
		case u.Fragment != "":
			return given.name + " has a fragment (#...), which is not allowed there" // RFC 6749, section 3.1.2
		case given.name == "ClientMetadataURL" && (u.Scheme != "https" || u.Path == "" || u.Path == "/"):
			return given.name + " is not an https URL with a path"
		}
	}
	return ""
}

// privateUse tells a scheme of the program's own, such as com.example.app (RFC
// 8252, section 7.1), from a host with a port.
func privateUse(u *url.URL) bool {
	return u.Scheme != "localhost" && (u.Opaque == "" || u.Opaque[0] < '0' || u.Opaque[0] > '9')
}

// absentUser is the receiver where there is none.
type absentUser struct{ url string }

func (a absentUser) Receive(context.Context) (Reception, error) { return a, nil }
func (a absentUser) RedirectURL() string                        { return a.url }
func (absentUser) Close() error                                 { return nil }

func (absentUser) Wait(context.Context, *Prompt) (url.Values, error) { return nil, errAbsent }

var errAbsent = errors.New("nobody can be asked")

// user is the grant of [NewUser].
type user struct{ o UserOptions }

func (u *user) client() string {
	if u.o.ClientID != "" {
		return u.o.ClientID
	}
	return u.o.ClientMetadataURL
}

func (*user) interactive() bool { return true }

func (*user) assertion(*Target) (string, error) { return "", errors.New("there is none") }

func (u *user) credentials(c Client) Client {
	if c.ID == u.o.ClientID {
		c.Secret = u.o.ClientSecret
	}
	return c
}

// An attempt is an authorization that the user has been sent to.
type attempt struct {
	target   *Target
	client   Client
	redirect string
	scopes   []string
	state    string
	verifier string
	known    *Record
	prompt   *Prompt
}

func (u *user) obtain(ctx context.Context, h *Handler, t *Target, scopes []string, known *Record) (*Record, error) {
	reception, err := u.o.Receiver.Receive(ctx)
	if err != nil {
		return nil, t.fail(ErrDeclined, fmt.Errorf("the redirect cannot be received: %w", err))
	}
	defer reception.Close()
	_, absent := reception.(absentUser)
	if absent {
		if a := h.waiting(t, scopes); a != nil {
			return nil, a.required()
		}
	}
	a := &attempt{
		target:   t,
		redirect: reception.RedirectURL(),
		scopes:   scopes,
		state:    rand.Text(),
		verifier: oauth2.GenerateVerifier(),
		known:    known,
	}
	alone, cancel := h.alone(ctx)
	a.client, err = u.identify(alone, h, t, a.redirect, known)
	cancel()
	if err != nil {
		return nil, err
	}
	if err := a.ask(); err != nil {
		return nil, err
	}
	if absent {
		h.keep(a)
		return nil, a.required()
	}
	shown := *a.prompt
	asking, answered := h.ask(ctx)
	answer, err := reception.Wait(asking, &shown)
	answered()
	if err != nil {
		if ctx.Err() != nil {
			return nil, t.fail(ErrTimeout, context.Cause(ctx))
		}
		return nil, t.fail(ErrDeclined, err)
	}
	return u.redeem(ctx, h, a, answer)
}

// ask makes the prompt.
func (a *attempt) ask() error {
	u, err := url.Parse(a.target.Metadata.AuthorizationEndpoint)
	if err != nil || u.Host == "" {
		return a.target.fail(ErrDiscovery, errors.New("the authorization server has no authorization endpoint"))
	}
	config := oauth2.Config{ClientID: a.client.ID, RedirectURL: a.redirect, Scopes: a.scopes}
	ours, err := url.Parse(config.AuthCodeURL(a.state,
		oauth2.S256ChallengeOption(a.verifier),
		oauth2.SetAuthURLParam("resource", a.target.Resource),
	))
	if err != nil {
		return a.target.fail(ErrDiscovery, errors.New("no URL can be made of the authorization endpoint"))
	}
	// No parameter may be there twice (RFC 6749, section 3.1).
	query := u.Query()
	maps.Copy(query, ours.Query())
	u.RawQuery, u.Fragment = query.Encode(), ""
	a.prompt = &Prompt{
		URL:        u.String(),
		Server:     a.target.Server,
		ServerName: a.target.Name,
		Issuer:     a.target.Metadata.Issuer,
		Host:       u.Host,
		Scopes:     slices.Clone(a.scopes),
		StepUp:     a.known != nil,
	}
	return nil
}

func (a *attempt) required() *Error {
	e := a.target.fail(ErrRequired, nil)
	prompt := *a.prompt
	e.Prompt = &prompt
	return e
}

// redeem turns what came back by the browser into a token.
func (u *user) redeem(ctx context.Context, h *Handler, a *attempt, answer url.Values) (*Record, error) {
	t := a.target
	if subtle.ConstantTimeCompare([]byte(answer.Get("state")), []byte(a.state)) != 1 {
		return nil, t.fail(ErrDeclined, errors.New("the redirect does not belong to this authorization (state)"))
	}
	if err := checkIssuer(answer.Get("iss"), t); err != nil {
		return nil, err
	}
	if code := answer.Get("error"); code != "" {
		kind := ErrToken
		switch code {
		case "access_denied", "login_required", "consent_required", "interaction_required":
			kind = ErrDeclined
		}
		e := t.fail(kind, nil)
		e.Code = clean(code)
		if text := answer.Get("error_description"); text != "" {
			e.Err = errors.New(clean(text))
		}
		return nil, e
	}
	if answer.Get("code") == "" {
		return nil, t.fail(ErrToken, errors.New("the redirect holds no code"))
	}
	ctx, cancel := h.alone(ctx)
	defer cancel()
	token, err := requestToken(ctx, h.opts.HTTPClient, t, u.credentials(a.client), nil, url.Values{
		"grant_type":    {"authorization_code"},
		"code":          {answer.Get("code")},
		"redirect_uri":  {a.redirect},
		"code_verifier": {a.verifier},
		"resource":      {t.Resource},
	})
	if err != nil {
		return nil, err
	}
	return newRecord(token, a.client, a.scopes, nil), nil
}

// checkIssuer refuses an answer of another authorization server (RFC 9207,
// section 2.4).
func checkIssuer(iss string, t *Target) error {
	switch {
	case iss == "" && t.Metadata.AuthorizationResponseIssParameterSupported:
		return t.fail(ErrDeclined, errors.New("the redirect does not say which authorization server it is from (iss)"))
	case iss != "" && iss != t.Metadata.Issuer:
		return t.fail(ErrDeclined, fmt.Errorf("the redirect is from another authorization server: %s", clean(iss)))
	}
	return nil
}
