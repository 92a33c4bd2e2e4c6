package transport

import (
	"encoding/base64"
	"net/http"
	"net/url"
)

// hide makes the client add what may be secret in the endpoint (its user
// information and query) to the requests for it, and returns the rest, which
// the SDK and net/http may put into errors.
func hide(client *http.Client, endpoint *url.URL) *url.URL {
	public := *endpoint
	public.User, public.RawQuery, public.ForceQuery, public.Fragment, public.RawFragment = nil, "", false, "", ""
	if public != *endpoint {
		client.Transport = &private{next: client.Transport, endpoint: *endpoint, public: public}
	}
	return &public
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
