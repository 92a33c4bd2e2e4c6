package transport

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// hide makes the client add what may be secret in the endpoint (its user
// information and query) to the requests for it, and returns the rest, which
// the SDK and net/http may put into errors.
//
// A path goes too if it looks as if it held a key, as some services have it,
// unless relative references are resolved against it.
func hide(client *http.Client, endpoint *url.URL, relative bool) *url.URL {
	public := *endpoint
	public.User, public.RawQuery, public.ForceQuery, public.Fragment, public.RawFragment = nil, "", false, "", ""
	if !relative && slices.ContainsFunc(strings.Split(endpoint.EscapedPath(), "/"), odd) {
		public.Path, public.RawPath = "/hidden", ""
	}
	if public != *endpoint {
		client.Transport = &private{next: client.Transport, endpoint: *endpoint, public: public}
	}
	return &public
}

// odd reports whether a segment of a path is not what people name things.
func odd(segment string) bool {
	return len(segment) > 20 || strings.Trim(segment, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._~-") != ""
}

type private struct {
	next             http.RoundTripper
	endpoint, public url.URL
}

func (p *private) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Scheme != p.public.Scheme || req.URL.Host != p.public.Host {
		return p.next.RoundTrip(req)
	}
	own := req.Clone(req.Context())
	p.reveal(own.URL)
	if user := p.endpoint.User; user != nil && own.Header.Get("Authorization") == "" {
		password, _ := user.Password()
		own.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password)))
	}
	resp, err := p.next.RoundTrip(own)
	if resp != nil {
		resp.Request = req
		p.redact(resp, own.URL)
	}
	return resp, err
}

// reveal puts back what was hidden in a URL of the endpoint's origin: that of
// the endpoint, or one that a redirect has led to.
func (p *private) reveal(u *url.URL) {
	if rest, ok := strings.CutPrefix(u.EscapedPath(), p.public.EscapedPath()); ok && p.public.Path != p.endpoint.Path {
		setPath(u, p.endpoint.EscapedPath()+rest)
	}
	if u.RawQuery == "" {
		u.RawQuery, u.ForceQuery = p.endpoint.RawQuery, p.endpoint.ForceQuery
	}
}

// redact hides it again in where a redirect leads.
func (p *private) redact(resp *http.Response, from *url.URL) {
	location := resp.Header.Get("Location")
	if location == "" {
		return
	}
	to, err := from.Parse(location)
	if err != nil || to.Scheme != p.public.Scheme || to.Host != p.public.Host {
		return
	}
	if rest, ok := strings.CutPrefix(to.EscapedPath(), p.endpoint.EscapedPath()); ok && p.public.Path != p.endpoint.Path {
		setPath(to, p.public.EscapedPath()+rest)
	}
	if to.RawQuery == p.endpoint.RawQuery {
		to.RawQuery = ""
	}
	to.User = nil
	resp.Header = resp.Header.Clone()
	resp.Header.Set("Location", to.String())
}

// setPath sets the path from its escaped form.
func setPath(u *url.URL, escaped string) {
	if path, err := url.PathUnescape(escaped); err == nil {
		u.Path, u.RawPath = path, escaped
	}
}
