package httpwire

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// The headers of the protocol that matter here.
const (
	sessionIDHeader   = "Mcp-Session-Id"
	lastEventIDHeader = "Last-Event-Id"
	paramPrefix       = "Mcp-Param-"
)

// MergeHeaders returns one header with those of all layers, in canonical form.
// Where layers differ, the later one has its way: its values replace those of
// earlier layers. Layers may be nil and are not changed.
func MergeHeaders(layers ...http.Header) http.Header {
	merged := http.Header{}
	for _, layer := range layers {
		if len(layer) == 0 {
			continue
		}
		// In a fixed order, for keys of one layer that differ only in case.
		for _, key := range slices.Sorted(maps.Keys(layer)) {
			if values := layer[key]; len(values) > 0 {
				merged[http.CanonicalHeaderKey(key)] = slices.Clone(values)
			}
		}
	}
	return merged
}

// A HeadersError says that the owner had no headers for a request, or such as
// cannot be sent, so that nothing was.
type HeadersError struct{ Err error }

func (e *HeadersError) Error() string { return "headers of the request: " + e.Err.Error() }

func (e *HeadersError) Unwrap() error { return e.Err }

// An InvalidHeader says which header cannot be sent, and why.
type InvalidHeader string

func (e InvalidHeader) Error() string { return string(e) }

// CheckHeaders returns an [InvalidHeader] if one of the owner's headers cannot be sent.
func CheckHeaders(headers http.Header) error {
	for _, key := range slices.Sorted(maps.Keys(headers)) {
		switch {
		case isReserved(http.CanonicalHeaderKey(key)):
		case strings.ContainsFunc(key, noToken) || key == "":
			// The rest may be a value: "Authorization: Bearer ...".
			return InvalidHeader(fmt.Sprintf("%q... is not a valid name of a header", key[:max(0, strings.IndexFunc(key, noToken))]))
		case slices.ContainsFunc(headers[key], func(v string) bool { return strings.ContainsFunc(v, isControl) }):
			return InvalidHeader(fmt.Sprintf("the value of %q cannot be sent: it holds a control character, such as a line break", key))
		}
	}
	return nil
}

// addHeaders puts headers of the owner on a request.
func addHeaders(req *http.Request, headers http.Header) error {
	if err := CheckHeaders(headers); err != nil {
		return err
	}
	for key, values := range MergeHeaders(headers) {
		switch {
		case isReserved(key):
		case key == "Host":
			req.Host = values[0]
		case strings.HasPrefix(key, paramPrefix) && len(req.Header[key]) > 0:
		default:
			req.Header[key] = values
		}
	}
	return nil
}

// noToken reports whether r may not be in the name of a header (RFC 9110, section
// 5.6.2).
func noToken(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r))
}

// isControl reports whether net/http refuses to send r in a value.
func isControl(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }

// isReserved reports whether a header, in canonical form, is the business of
// the SDK or of the encoding of messages.
func isReserved(key string) bool {
	switch key {
	case "Accept", "Accept-Encoding", "Transfer-Encoding", "Connection", lastEventIDHeader,
		sessionIDHeader, "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name":
		return true
	}
	return strings.HasPrefix(key, "Content-")
}

// sameOrigin reports whether headers for one URL may go to the other.
func sameOrigin(a, b *url.URL) bool {
	return strings.EqualFold(a.Scheme, b.Scheme) &&
		strings.EqualFold(a.Hostname(), b.Hostname()) &&
		port(a) == port(b)
}

func port(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	switch strings.ToLower(u.Scheme) {
	case "http":
		return "80"
	case "https":
		return "443"
	}
	return ""
}
