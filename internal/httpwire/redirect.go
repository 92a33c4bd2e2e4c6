package httpwire

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/langchaingo-mcp/mcpadapters/internal/panics"
)

// maxRedirects is how many redirects one request may take.
const maxRedirects = 10

// errRedirect is why a redirect was not followed.
var errRedirect = errors.New("the server's redirect is not followed")

// redirects returns the function that decides on redirects: those that keep
// the method and the origin are followed, unless next objects. Others would
// take the message and what authorises it to somebody else, or arrive without
// it: clients turn a POST into a GET on 301, 302 and 303, and to repeat the POST
// instead might do things twice.
func (w *wire) redirects(next func(*http.Request, []*http.Request) error) func(*http.Request, []*http.Request) error {
	return func(req *http.Request, via []*http.Request) error {
		first, status := via[0], 0
		if req.Response != nil {
			status = req.Response.StatusCode
		}
		switch {
		case !sameOrigin(first.URL, req.URL):
			return fmt.Errorf("%w: HTTP %d leads from %s to %s, which is another origin and may not be told what was meant for the first; "+
				"if it is the server, use its URL for the connection", errRedirect, status, w.origin(first.URL), w.origin(req.URL))
		case req.Method != first.Method:
			return fmt.Errorf("%w: HTTP %d would turn the %s into a %s; use the URL that it leads to for the connection",
				errRedirect, status, first.Method, req.Method)
		case len(via) >= maxRedirects:
			return fmt.Errorf("%w: it is the %dth in a row", errRedirect, len(via))
		case next == nil:
			return nil
		}
		err := w.asked(next, req, via)
		if errors.Is(err, http.ErrUseLastResponse) {
			// The SDK would end the session at such a response.
			return fmt.Errorf("%w: CheckRedirect of the HTTP client says so (HTTP %d)", errRedirect, status)
		}
		return err
	}
}

// asked calls the CheckRedirect of the owner, whose panic nobody else could recover.
func (w *wire) asked(check func(*http.Request, []*http.Request) error, req *http.Request, via []*http.Request) (err error) {
	defer panics.Recover(w.logger, "CheckRedirect of the HTTP client", &err)
	return check(req, via)
}

// checkOrigin refuses requests for another origin than that of the connection:
// the transport of 2024-11-05 lets the server name the URL for messages.
func (w *wire) checkOrigin(req *http.Request) error {
	if endpoint := w.endpoint.Load(); endpoint != nil && !sameOrigin(endpoint, req.URL) {
		return fmt.Errorf("the server wants messages sent to %s, which is another origin than %s of the connection", w.origin(req.URL), w.origin(endpoint))
	}
	return nil
}

// origin names the origin of a URL.
func (w *wire) origin(u *url.URL) string {
	return w.secrets.excerpt([]byte((&url.URL{Scheme: u.Scheme, Host: u.Host}).String()))
}

// bareLocation leaves of where a response leads, if it is not to be followed,
// what may be shown: HTTP clients put it into their errors.
func (w *wire) bareLocation(resp *http.Response, from *url.URL) {
	if !isRedirect(resp) {
		return
	}
	to, err := from.Parse(resp.Header.Get("Location"))
	switch {
	case err != nil:
		resp.Header.Del("Location")
	case !sameOrigin(from, to):
		resp.Header.Set("Location", (&url.URL{Scheme: to.Scheme, Host: to.Host, Path: "/"}).String())
	}
}

// isRedirect reports whether an HTTP client follows a response.
func isRedirect(resp *http.Response) bool {
	switch resp.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return resp.Header.Get("Location") != ""
	}
	return false
}
