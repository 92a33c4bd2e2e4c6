package config

import (
	"fmt"
	"strings"
)

// The names of the transports that a file can ask for.
const (
	stdio          = "stdio"
	streamableHTTP = "streamable_http"
	sse            = "sse"
)

// transport returns the transport that the keys of a server ask for, or "" if
// they do not agree, which is a fault. url is the expanded one.
func (s *server) transport(url string) string {
	named, key, ok := s.namedTransport()
	command, hasURL := s.given("command"), s.given("url")
	switch {
	case command && hasURL:
		s.add("", `has both "command" (a program to start) and "url" (a server to connect to): keep one`)
		return ""
	case !ok:
		return ""
	case named == stdio && hasURL:
		s.addSpelled(key, `asks for "stdio", which needs "command", but there is "url"`)
		return ""
	case named != "" && named != stdio && command:
		s.addSpelled(key, fmt.Sprintf(`asks for %q, which needs "url", but there is "command"`, named))
		return ""
	case named != "":
		return named
	case command:
		return stdio
	case hasURL && endsInSSE(url):
		return sse
	case hasURL:
		return streamableHTTP
	default:
		s.add("", `has neither "command" (a program to start) nor "url" (a server to connect to)`+s.meant())
		return ""
	}
}

// namedTransport returns what "transport" or "type" says, and which key it was.
// The name is "" if neither is there; ok is false if they make no sense.
func (s *server) namedTransport() (name, key string, ok bool) {
	for _, spelling := range []string{"transport", "type", "transportType"} {
		for _, m := range s.members {
			if camel(m.key) != spelling || !given(m.node) {
				continue
			}
			n, problem := canonicalTransport(m.node)
			switch {
			case problem != "":
				s.addAt(m.at, m.key, problem)
				return "", m.key, false
			case name != "" && name != n:
				s.addAt(m.at, m.key, fmt.Sprintf("says %q, but %q says %q: keep one", n, key, name))
				return "", m.key, false
			}
			name, key = n, m.key
		}
	}
	return name, key, true
}

// canonicalTransport returns the transport that hosts call by the word.
func canonicalTransport(n *node) (name, problem string) {
	if n.kind != kindString {
		return "", "expected a string, found " + n.kind
	}
	word := n.text
	switch strings.ReplaceAll(strings.ToLower(word), "_", "-") {
	case "stdio", "local":
		return stdio, ""
	case "http", "streamable-http", "streamablehttp", "streamable", "remote":
		return streamableHTTP, ""
	case "sse":
		return sse, ""
	case "websocket", "ws":
		return "", quote(word) + ` is not supported, since it is no transport of MCP: use "http" if the server has it`
	default:
		return "", quote(word) + ` is not known: use "stdio" (or "local"), "http" (or "streamable_http", "streamable-http", "streamableHttp", "streamable", "remote") or "sse"`
	}
}

// endsInSSE tells by convention that a URL is one of the old transport.
func endsInSSE(url string) bool {
	u, problem := parseURL(url)
	return problem == "" && strings.HasSuffix(strings.TrimRight(u.Path, "/"), "/sse")
}
