package httpwire

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/langchaingo-mcp/mcpadapters/internal/redact"
)

const (
	// maxSecrets is how many values are remembered, the latest.
	maxSecrets = 512
	// minSecret is the length from which on the value of a header, or of a
	// parameter, is taken out of what servers say, and minCredential that for
	// what is a credential for sure. Shorter ones are words such as "true".
	minSecret     = 8
	minCredential = 4
	// excerptWindow is how much of a text is looked at for an excerpt.
	excerptWindow = 4 << 10
)

// secrets are the values that were sent, which some servers repeat in their
// errors. The zero value is ready. It is safe for concurrent use.
type secrets struct {
	mu       sync.RWMutex
	known    map[string]bool
	order    []string          // of known, the oldest first
	replacer *strings.Replacer // nil if it has to be made anew
	longest  int
}

// noteURL remembers what may be secret in a URL.
func (s *secrets) noteURL(u *url.URL) {
	s.noteUser(u.User)
	for _, values := range u.Query() {
		for _, value := range values {
			s.note(value, minSecret)
		}
	}
	for segment := range strings.SplitSeq(u.Path, "/") {
		s.note(segment, 2*minSecret+5) // as long as is taken for a key where URLs are shown
	}
}

func (s *secrets) noteUser(user *url.Userinfo) {
	if user == nil {
		return
	}
	s.note(user.Username(), minSecret)
	password, _ := user.Password()
	s.note(password, minCredential)
}

// noteHeader remembers what may be secret in the header of a request.
func (s *secrets) noteHeader(h http.Header) {
	for key, values := range h {
		if isPublic(key) {
			continue
		}
		for _, value := range values {
			switch key {
			case "Authorization", "Proxy-Authorization":
				s.noteAuthorization(value)
			case "Cookie":
				for pair := range strings.SplitSeq(value, ";") {
					_, cookie, _ := strings.Cut(pair, "=")
					s.note(strings.TrimSpace(cookie), minCredential)
				}
			default:
				s.note(value, minSecret)
			}
		}
	}
}

func (s *secrets) noteAuthorization(value string) {
	scheme, credential, ok := strings.Cut(value, " ")
	if !ok {
		credential = value
	}
	credential = strings.TrimSpace(credential)
	s.note(credential, minCredential)
	if strings.EqualFold(scheme, "Basic") {
		pair, _ := base64.StdEncoding.DecodeString(credential)
		if user, password, ok := strings.Cut(string(pair), ":"); ok {
			s.note(user, minSecret)
			s.note(password, minCredential)
		}
	}
}

// isPublic reports whether a header, in canonical form, has no secrets.
func isPublic(key string) bool {
	switch key {
	case "User-Agent", "Origin", "Host", "Cache-Control", "Traceparent", "Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name", lastEventIDHeader:
		return true
	}
	return strings.HasPrefix(key, "Accept") || strings.HasPrefix(key, "Content-") || strings.HasPrefix(key, paramPrefix)
}

// note remembers a value, and the form that it has in URLs, if it is long
// enough.
func (s *secrets) note(value string, enough int) {
	if len(value) < enough {
		return
	}
	s.mu.RLock()
	known := s.known[value]
	s.mu.RUnlock()
	if known {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known = map[string]bool{}
	}
	for _, v := range []string{value, url.QueryEscape(value), url.PathEscape(value)} {
		if !s.known[v] {
			s.known[v] = true
			s.order = append(s.order, v)
		}
	}
	for len(s.order) > maxSecrets {
		delete(s.known, s.order[0])
		s.order = s.order[1:]
	}
	s.replacer = nil
}

// hide returns text without the values.
func (s *secrets) hide(text string) string {
	replacer, _ := s.current()
	return replacer.Replace(text)
}

// current returns what replaces the values, and the length of the longest.
func (s *secrets) current() (*strings.Replacer, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.replacer == nil {
		texts := make(map[string]string, len(s.order))
		for _, value := range s.order {
			texts[value] = redact.Hidden
		}
		s.replacer, s.longest = redact.Replacer(texts)
	}
	return s.replacer, s.longest
}

// excerpt is [excerpt] without the values.
func (s *secrets) excerpt(text []byte) string {
	replacer, longest := s.current()
	if len(text) <= excerptWindow+longest {
		return excerpt([]byte(replacer.Replace(string(text))))
	}
	// The window may end within a value, whose beginning is then not found.
	shown := replacer.Replace(string(text[:excerptWindow+longest]))
	return excerpt([]byte(shown[:max(0, len(shown)-longest)]))
}
