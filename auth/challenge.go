package auth

import (
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// insufficientScope is the error code of RFC 6750, section 3.1.
const insufficientScope = "insufficient_scope"

// A challenge is what a server said when it refused a request.
type challenge struct {
	status      int
	metadataURL string
	scopes      []string
	code        string // of RFC 6750, or empty
	description string
}

// parseChallenge reads a response. A header that cannot be parsed is as good
// as none, since everything in it can be found out otherwise.
func parseChallenge(resp *http.Response) challenge {
	c := challenge{status: resp.StatusCode}
	challenges, err := oauthex.ParseWWWAuthenticate(resp.Header.Values("WWW-Authenticate"))
	if err != nil {
		return c
	}
	for _, given := range challenges {
		if u := given.Params["resource_metadata"]; u != "" && c.metadataURL == "" {
			c.metadataURL = u
		}
		if given.Scheme != "bearer" && given.Scheme != "dpop" {
			continue
		}
		if scope := given.Params["scope"]; scope != "" && c.scopes == nil {
			c.scopes = strings.Fields(scope)
		}
		if code := given.Params["error"]; code != "" && c.code == "" {
			c.code, c.description = code, given.Params["error_description"]
		}
	}
	return c
}

// stepUp reports whether the server asks for more than the token allows.
func (c challenge) stepUp() bool {
	return c.status == http.StatusForbidden && c.code == insufficientScope
}

// bearer returns the access token that a request carried, or "".
func bearer(req *http.Request) string {
	scheme, token, _ := strings.Cut(req.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") && !strings.EqualFold(scheme, "DPoP") {
		return ""
	}
	return strings.TrimSpace(token)
}

// discard ends a response whose body is of no interest.
func discard(resp *http.Response) {
	io.CopyN(io.Discard, resp.Body, 64<<10)
	resp.Body.Close()
}

// resourceURL returns the identifier of a server: its URL without what the
// specification forbids there, or may be secret. See
// https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization#canonical-server-uri.
func resourceURL(u *url.URL) *url.URL {
	return &url.URL{Scheme: strings.ToLower(u.Scheme), Host: strings.ToLower(u.Host), Path: u.Path, RawPath: u.RawPath}
}
