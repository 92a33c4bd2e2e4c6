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
	if *req.URL != p.public {
		return p.next.RoundTrip(req)
	}
	own := req.Clone(req.Context())
	own.URL.Path, own.URL.RawPath = p.endpoint.Path, p.endpoint.RawPath
	own.URL.RawQuery, own.URL.ForceQuery = p.endpoint.RawQuery, p.endpoint.ForceQuery
	if user := p.endpoint.User; user != nil && own.Header.Get("Authorization") == "" {
		password, _ := user.Password()
		own.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password)))
	}
	resp, err := p.next.RoundTrip(own)
	if resp != nil {
		resp.Request = req
	}
	return resp, err
}
