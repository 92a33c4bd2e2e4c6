package loopback

import (
	"context"
	"errors"
	"net/url"
	"strconv"

	"github.com/langchaingo-mcp/mcpadapters/auth"
)

// At returns a receiver for the redirect URL of a client that was registered
// beforehand, such as "http://localhost:8080/callback". Without a port it
// listens on a free one, which authorization servers have to allow for such
// URLs (RFC 8252, section 7.3). It is an error if the URL is not one of this
// machine.
func At(redirectURL string, visit func(ctx context.Context, prompt *auth.Prompt) error) (*Receiver, error) {
	u, err := url.Parse(redirectURL)
	if err != nil || u.Scheme != "http" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || u.Path == "" ||
		u.Hostname() != "127.0.0.1" && u.Hostname() != "localhost" {
		return nil, errors.New("loopback: the redirect URL is none of this machine, such as http://127.0.0.1:8080/callback")
	}
	r := &Receiver{Visit: visit, Path: u.Path, Localhost: u.Hostname() == "localhost"}
	if port := u.Port(); port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil {
			return nil, errors.New("loopback: the redirect URL has a port above 65535")
		}
		r.Port = int(n)
	}
	return r, nil
}
