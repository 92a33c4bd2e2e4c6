package config

import (
	"fmt"
	"net/url"
	"strings"
)

// OAuth is what a connection says about signing in to its server. It does
// nothing by itself: a program makes a handler of it, which it sets as
// OAuthHandler of the connection, as docs/sign-in.md shows. The zero value says
// nothing. No verb of package fmt, log handler or encoder shows the secret.
type OAuth struct {
	// ClientID and ClientSecret are those of a client that was registered
	// beforehand. A client without a secret is a public one.
	ClientID, ClientSecret string

	// ClientMetadataURL is an https URL at which the metadata of the client
	// are, and which is its id where the authorization server supports that.
	ClientMetadataURL string

	// Scopes are those to ask for. Empty means those that the server names.
	Scopes []string

	// RedirectURL is where the authorization server sends the browser. Empty
	// means that any will do. A file may say only the port of this machine.
	RedirectURL string

	// Issuer is the only authorization server that is to be signed in to.
	// Empty means the one that the server names.
	Issuer string
}

// Format writes whether there is a client and a secret, for every verb.
func (o OAuth) Format(f fmt.State, verb rune) { format(f, verb, o.description()) }

// MarshalText returns what Format writes. It is not meant to be read back.
func (o OAuth) MarshalText() ([]byte, error) { return []byte(o.description()), nil }

func (o OAuth) description() string {
	var parts []string
	if o.ClientID != "" || o.ClientMetadataURL != "" {
		parts = append(parts, "client")
	}
	if o.ClientSecret != "" {
		parts = append(parts, "secret")
	}
	if n := len(o.Scopes); n == 1 {
		parts = append(parts, "1 scope")
	} else if n > 1 {
		parts = append(parts, fmt.Sprintf("%d scopes", n))
	}
	return "oauth (" + strings.Join(parts, ", ") + ")"
}

func (o OAuth) check(add func(key, problem string)) {
	if o.ClientSecret != "" && o.ClientID == "" {
		add("oauth.clientSecret", "is there without clientId")
	}
	for i, scope := range o.Scopes {
		if scope == "" || strings.ContainsFunc(scope, func(r rune) bool { return r <= ' ' || r > '~' || r == '"' || r == '\\' }) {
			add(fmt.Sprintf("oauth.scopes[%d]", i), "is no scope: a scope is one word")
		}
	}
	if o.Issuer != "" {
		if _, problem := parseURL(o.Issuer); problem != "" {
			add("oauth.issuer", problem)
		}
	}
	if o.ClientMetadataURL != "" {
		if u, problem := parseURL(o.ClientMetadataURL); problem != "" {
			add("oauth.clientMetadataUrl", problem)
		} else if u.Scheme != "https" || strings.Trim(u.Path, "/") == "" {
			add("oauth.clientMetadataUrl", "is not an https URL with a path")
		}
	}
	if o.RedirectURL != "" {
		if problem := redirectProblem(o.RedirectURL); problem != "" {
			add("oauth.redirectUrl", problem)
		}
	}
}

// redirectProblem returns what is wrong with a redirect URL, which may have a
// scheme of the program's own (RFC 8252, section 7.1), in words that hold
// nothing of it.
func redirectProblem(raw string) string {
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return "is not a URL: look at its port and its percent escapes"
	case u.Scheme == "" || u.Scheme == "localhost" || u.Opaque != "" && strings.Contains(u.Scheme, ".") && '0' <= u.Opaque[0] && u.Opaque[0] <= '9':
		return "has no scheme: begin it with http:// or https://"
	case u.Fragment != "":
		return "has a fragment, which no redirect URL may have"
	case u.Scheme == "http" || u.Scheme == "https":
		_, problem := parseURL(raw)
		return problem
	}
	return ""
}
