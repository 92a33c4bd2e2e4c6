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
		s.add(key, `asks for "stdio", which needs "command", but there is "url"`)
		return ""
	case named != "" && named != stdio && command:
		s.add(key, fmt.Sprintf(`asks for %q, which needs "url", but there is "command"`, named))
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
		s.add("", `has neither "command" (a program to start) nor "url" (a server to connect to)`)
		return ""
	}
}

// namedTransport returns what "transport" or "type" says, and which key it was.
// The name is "" if neither is there; ok is false if they make no sense.
func (s *server) namedTransport() (name, key string, ok bool) {
	for _, k := range []string{"transport", "type"} {
		word := s.word(k)
		if word == "" {
			continue
		}
		n, problem := canonicalTransport(word)
		switch {
		case problem != "":
			s.add(k, problem)
			return "", k, false
		case name != "" && name != n:
			s.add(k, fmt.Sprintf("says %q, but %q says %q: keep one", n, key, name))
			return "", k, false
		}
		name, key = n, k
	}
	return name, key, true
}

// canonicalTransport returns the transport that hosts call by the word.
func canonicalTransport(word string) (name, problem string) {
	switch strings.ReplaceAll(strings.ToLower(word), "_", "-") {
	case "stdio", "local":
		return stdio, ""
	case "http", "streamable-http", "streamablehttp", "streamable":
		return streamableHTTP, ""
	case "sse":
		return sse, ""
	case "websocket", "ws":
		return "", quote(word) + ` is not supported, since it is no transport of MCP: use "http" if the server has it`
	default:
		return "", quote(word) + ` is not known: use "stdio" (or "local"), "http" (or "streamable_http", "streamable-http", "streamableHttp", "streamable") or "sse"`
	}
}

// endsInSSE tells by convention that a URL is one of the old transport.
func endsInSSE(url string) bool {
	u, problem := parseURL(url)
	return problem == "" && strings.HasSuffix(strings.TrimRight(u.Path, "/"), "/sse")
}
