package config

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
)

// The methods here read one key of a server each. A key that is missing or
// null gives the zero value; what cannot be read adds a fault and gives the
// zero value too.

// given reports whether a value is anything: a null or an empty string is
// what forms and generators write for nothing.
func given(n *node) bool {
	return n.kind != kindNull && (n.kind != kindString || n.text != "")
}

func (s *server) given(key string) bool {
	m, ok := s.keys[key]
	return ok && given(m.node)
}

// get returns the value of a key if it has the right kind.
func (s *server) get(key, kind, expected string) (*node, bool) {
	m, ok := s.keys[key]
	if !ok {
		return nil, false
	}
	if m.kind != kind {
		s.mismatch(key, expected, m.node)
		return nil, false
	}
	return m.node, true
}

func (s *server) mismatch(key, expected string, found *node) {
	s.add(key, "expected "+expected+", found "+found.kind)
}

// word returns a string as it is.
func (s *server) word(key string) string {
	if n, ok := s.get(key, kindString, "a string"); ok {
		return n.text
	}
	return ""
}

// text returns a string with its references expanded.
func (s *server) text(key string) string {
	n, ok := s.get(key, kindString, "a string")
	if !ok {
		return ""
	}
	return s.expand(key, n.text)
}

// texts returns an array of strings with their references expanded.
func (s *server) texts(key string) []string {
	return s.list(key, func(at, text string) string { return s.expand(at, text) })
}

// words returns an array of strings as they are.
func (s *server) words(key string) []string {
	return s.list(key, func(_, text string) string { return text })
}

func (s *server) list(key string, read func(at, text string) string) []string {
	n, ok := s.get(key, kindArray, "an array of strings")
	if !ok {
		return nil
	}
	texts := make([]string, 0, len(n.elements))
	for i, element := range n.elements {
		at := fmt.Sprintf("%s[%d]", key, i)
		s.places[s.spell(at)] = element.at
		if element.kind != kindString {
			s.mismatch(at, "a string", element)
			texts = append(texts, "") // Those after it keep their index.
			continue
		}
		texts = append(texts, read(at, element.text))
	}
	return texts
}

// pairs calls f for each member of an object with its value as text, in order.
// Numbers and booleans are taken as they are written, since PORT: 8080 can
// mean only one thing. name makes the key of a member in faults.
func (s *server) pairs(key string, name func(string) string, f func(at, name, text string)) {
	n, ok := s.get(key, kindObject, "an object of strings")
	if !ok {
		return
	}
	for _, m := range n.members {
		at := name(m.key)
		s.places[s.spell(at)] = m.at
		switch m.kind {
		case kindString:
			f(at, m.key, s.expand(at, m.text))
		case kindNumber, kindBoolean:
			f(at, m.key, m.text)
		case kindNull:
			if s.d.dialect == DialectVSCode {
				continue // It takes a variable away that is not passed on anyway.
			}
			fallthrough
		default:
			s.mismatch(at, "a string", m.node)
		}
	}
}

func (s *server) headers() http.Header {
	headers := http.Header{}
	set := func(at, name, text string) {
		if _, twice := headers[http.CanonicalHeaderKey(name)]; twice {
			s.add(at, "is there more than once: upper and lower case are the same in names of headers")
		}
		headers.Set(name, text)
	}
	s.pairs("headers", headerKey, set)
	s.pairs("envHttpHeaders", func(name string) string { return "envHttpHeaders." + name }, func(at, name, variable string) {
		if value, ok := s.variable(at, variable); ok {
			set(at, name, value)
		}
	})
	if name := s.word("bearerTokenEnvVar"); name != "" {
		if value, ok := s.variable("bearerTokenEnvVar", name); ok {
			set("bearerTokenEnvVar", "Authorization", "Bearer "+value)
		}
	}
	if m, ok := s.keys["auth"]; ok && s.bearer(m.node) {
		set("auth", "Authorization", "Bearer "+s.expand("auth", m.text))
	}
	if len(headers) == 0 {
		return nil
	}
	return headers
}

// variable returns the value of a variable that a key names, which has to have
// one.
func (s *server) variable(key, name string) (string, bool) {
	value, ok := s.r.opts.LookupEnv(name)
	switch {
	case !isVariableName(name):
		s.add(key, "expected the name of a variable (letters, digits and \"_\"), not its value")
	case !ok || value == "":
		s.add(key, fmt.Sprintf("the variable %s is not set", shorten(name)))
	default:
		s.credential(value)
		return value, true
	}
	return "", false
}

func (s *server) whole(key, expected string) int {
	n, ok := s.get(key, kindNumber, expected)
	if !ok {
		return 0
	}
	size, err := strconv.ParseInt(n.text, 0, strconv.IntSize)
	if number, ok := strconv.ParseFloat(n.text, 64); err != nil && ok == nil && number == math.Trunc(number) && math.Abs(number) < math.MaxInt32 {
		size, err = int64(number), nil // such as 1e6
	}
	if err != nil {
		s.add(key, "expected "+expected+", found "+shorten(n.text))
	}
	return int(size)
}

func (s *server) flag(key string, missing bool) bool {
	n, ok := s.get(key, kindBoolean, "true or false")
	if !ok {
		return missing
	}
	return n.text == "true"
}
