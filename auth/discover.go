package auth

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
)

// A Target is a server and where to sign in for it.
type Target struct {
	// Server is the URL of the MCP server, without user information and query.
	Server string

	// Resource is how the server identifies itself to authorization servers
	// (RFC 8707).
	Resource string

	// Name is what the server calls itself, in one line, or empty.
	Name string

	// Scopes are those that the server's metadata name.
	Scopes []string

	// Metadata are those of the authorization server. If it publishes none,
	// they hold the endpoints of version 2025-03-26 of the protocol.
	Metadata *oauthex.AuthServerMeta
}

func (t *Target) fail(kind ErrorKind, err error) *Error {
	return &Error{Kind: kind, Server: t.Server, Issuer: t.Metadata.Issuer, Err: err}
}

// discover finds out where to sign in for a server: by the metadata that it
// names or has at the well-known places (RFC 9728), and those of its
// authorization server (RFC 8414).
func discover(ctx context.Context, client *http.Client, server *url.URL, named string) (*Target, error) {
	resource := resourceURL(server)
	t := &Target{Server: resource.String()}
	fail := func(err error) (*Target, error) {
		return nil, &Error{Kind: ErrDiscovery, Server: t.Server, Err: err}
	}
	prm, err := resourceMetadata(ctx, client, resource, named)
	if err != nil {
		return fail(err)
	}
	if len(prm.AuthorizationServers) == 0 {
		return fail(fmt.Errorf("the metadata of the server name no authorization server"))
	}
	issuer := prm.AuthorizationServers[0]
	if err := reachable(server, issuer); err != nil {
		return fail(err)
	}
	t.Resource, t.Name, t.Scopes = prm.Resource, clean(prm.ResourceName), prm.ScopesSupported
	t.Metadata, err = auth.GetAuthServerMetadata(ctx, issuer, client)
	if err != nil {
		return fail(fmt.Errorf("the metadata of the authorization server: %s", clean(err.Error())))
	}
	if t.Metadata == nil {
		// https://modelcontextprotocol.io/specification/2025-03-26/basic/authorization#fallbacks-for-servers-without-metadata-discovery
		base := strings.TrimSuffix(issuer, "/")
		t.Metadata = &oauthex.AuthServerMeta{
			Issuer:                        issuer,
			AuthorizationEndpoint:         base + "/authorize",
			TokenEndpoint:                 base + "/token",
			RegistrationEndpoint:          base + "/register",
			CodeChallengeMethodsSupported: []string{"S256"},
		}
	}
	if !slices.Contains(t.Metadata.CodeChallengeMethodsSupported, "S256") {
		return fail(fmt.Errorf("the authorization server %s does not support PKCE with S256", clean(issuer)))
	}
	for _, endpoint := range []string{t.Metadata.AuthorizationEndpoint, t.Metadata.TokenEndpoint, t.Metadata.RegistrationEndpoint} {
		if endpoint == "" {
			continue
		}
		if err := reachable(server, endpoint); err != nil {
			return fail(err)
		}
	}
	return t, nil
}

// resourceMetadata returns the metadata of a server. One that has none is its
// own authorization server, as in version 2025-03-26 of the protocol.
func resourceMetadata(ctx context.Context, client *http.Client, server *url.URL, named string) (*oauthex.ProtectedResourceMetadata, error) {
	var refused error
	for _, place := range metadataPlaces(server, named) {
		for _, resource := range place.resources {
			if err := reachable(server, place.url); err != nil {
				refused = err
				break
			}
			prm, err := oauthex.GetProtectedResourceMetadata(ctx, place.url, resource, client)
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if err == nil {
				return prm, nil
			}
			if absent(err) {
				break
			}
			if refused == nil {
				refused = fmt.Errorf("the metadata of the server: %s", clean(err.Error()))
			}
			if !strings.Contains(err.Error(), otherResource) {
				break // no use asking again
			}
		}
	}
	if refused != nil {
		return nil, refused
	}
	return &oauthex.ProtectedResourceMetadata{
		Resource:             server.String(),
		AuthorizationServers: []string{(&url.URL{Scheme: server.Scheme, Host: server.Host}).String()},
	}, nil
}

// otherResource is what the SDK says of metadata of another resource than the
// one that was asked for. Its errors have no types.
const otherResource = "got metadata resource"

// absent reports whether an error of the SDK says that
// there are no metadata, rather than wrong ones. Some servers answer every
// path with a page, or with an error in JSON.
func absent(err error) bool {
	text := err.Error()
	return strings.Contains(text, "bad status 4") || strings.Contains(text, "bad content type") ||
		strings.Contains(text, otherResource+` ""`)
}

// A place is where metadata may be, and the resources that they may be of.
type place struct {
	url       string
	resources []string
}

// metadataPlaces returns the places that the specification names, in order.
// The slash at the end of a resource is taken for insignificant, since common
// frameworks add one.
func metadataPlaces(server *url.URL, named string) []place {
	slash := func(u url.URL) []string {
		u.RawPath = ""
		u.Path = strings.TrimSuffix(u.Path, "/")
		with := u
		with.Path += "/"
		return []string{u.String(), with.String()}
	}
	exact := server.String()
	own := append([]string{exact}, slices.DeleteFunc(slash(*server), func(s string) bool { return s == exact })...)
	root := slash(url.URL{Scheme: server.Scheme, Host: server.Host})

	const wellKnown = "/.well-known/oauth-protected-resource"
	at := url.URL{Scheme: server.Scheme, Host: server.Host, Path: wellKnown}
	var places []place
	if named != "" {
		places = append(places, place{named, append(slices.Clone(own), root...)})
	}
	if path := strings.Trim(server.Path, "/"); path != "" {
		below := at
		below.Path += "/" + path
		places = append(places, place{below.String(), append(slices.Clone(own), root...)})
	}
	return append(places, place{at.String(), append(root, own...)})
}

// reachable refuses what a server must not make this program, or its user, talk
// to: plain HTTP, and this machine, unless the server is on it; and what is not
// the web, since a browser would start another program. The SDK refuses other
// private addresses.
func reachable(server *url.URL, target string) error {
	u, err := url.Parse(target)
	if err != nil || u.Host == "" {
		return fmt.Errorf("the server names an authorization server whose URL does not parse")
	}
	switch {
	case isLoopback(u) && !isLoopback(server):
		return fmt.Errorf("the server is elsewhere, but names %s, which is on this machine", clean(u.Host))
	case u.User != nil:
		return fmt.Errorf("the server names a URL at %s that has user information, which would mislead", clean(u.Host))
	case u.Scheme != "https" && (u.Scheme != "http" || !isLoopback(u)):
		return fmt.Errorf("%s://%s is not protected by TLS", clean(u.Scheme), clean(u.Host))
	}
	return nil
}

func isLoopback(u *url.URL) bool {
	host := u.Hostname()
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
