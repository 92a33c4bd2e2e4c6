package config

import (
	"net/url"
	"strconv"
	"strings"
)

func (c StreamableHTTP) faults(add func(key, problem string)) {
	if _, problem := parseURL(c.URL); problem != "" {
		add("url", problem)
	}
	c.HTTP.check(add)
	c.OAuth.check(add)
	c.Settings.check(add)
}

func (c SSE) faults(add func(key, problem string)) {
	if _, problem := parseURL(c.URL); problem != "" {
		add("url", problem)
	}
	c.HTTP.check(add)
	c.Settings.check(add)
}

func (h HTTP) check(add func(key, problem string)) {
	for name, values := range h.Headers {
		key := headerKey(name)
		if !isToken(name) {
			add(key, "is not a valid name of a header")
		}
		for _, value := range values {
			if strings.ContainsFunc(value, isControl) {
				add(key, "the value holds a control character, such as a line break")
				break
			}
		}
	}
	checkSize(add, "maxMessageSize", h.MaxMessageSize)
}

// parseURL returns what is wrong with the URL of a server in words that hold
// nothing of the URL: errors of net/url show passwords.
func parseURL(raw string) (u *url.URL, problem string) {
	if raw == "" {
		return nil, "is required"
	}
	if strings.ContainsFunc(raw, func(r rune) bool { return r == ' ' || isControl(r) }) {
		return nil, "holds a space or a control character"
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, "is not a URL: look at its port and its percent escapes"
	}
	switch u.Scheme {
	case "http", "https":
	case "ws", "wss":
		return nil, "websocket is not a transport of MCP: give a URL that starts with http:// or https://"
	default:
		return nil, "does not start with http:// or https://"
	}
	if u.Hostname() == "" {
		return nil, "names no host"
	}
	if port := u.Port(); port != "" {
		if _, err := strconv.ParseUint(port, 10, 16); err != nil {
			return nil, "has a port above 65535"
		}
	}
	return u, ""
}

// headerKey names a header in faults. Of what cannot be a name only the start
// is shown, since the rest may be a value: "Authorization: Bearer ...".
func headerKey(name string) string {
	if i := strings.IndexFunc(name, isNoTokenRune); i >= 0 {
		name = name[:i] + "…"
	}
	return "headers." + name
}

// isToken reports whether s is a token of RFC 9110, section 5.6.2.
func isToken(s string) bool { return s != "" && !strings.ContainsFunc(s, isNoTokenRune) }

func isNoTokenRune(r rune) bool {
	return !isAlphanumeric(r) && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
}

// isControl reports whether net/http refuses to send r in a value.
func isControl(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }
