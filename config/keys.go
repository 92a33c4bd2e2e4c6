package config

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// The methods here read one key of a server each. A key that is missing or
// null gives the zero value; what cannot be read adds a fault and gives the
// zero value too.

// given reports whether a key holds anything: a null or an empty string is
// what forms and generators write for nothing.
func (s *server) given(key string) bool {
	v, ok := s.keys[key]
	return ok && v.kind() != "null" && string(v.raw) != `""`
}

// get returns the value of a key if it has the right kind.
func (s *server) get(key, kind, expected string) (value, bool) {
	v, ok := s.keys[key]
	if !ok || v.kind() == "null" {
		return value{}, false
	}
	if v.kind() != kind {
		s.mismatch(key, expected, v)
		return value{}, false
	}
	return v, true
}

func (s *server) mismatch(key, expected string, found value) {
	s.add(key, "expected "+expected+", found "+found.kind())
}

// word returns a string as it is.
func (s *server) word(key string) string {
	v, ok := s.get(key, "string", "a string")
	if !ok {
		return ""
	}
	return v.text()
}

// text returns a string with its references expanded.
func (s *server) text(key string) string {
	v, ok := s.get(key, "string", "a string")
	if !ok {
		return ""
	}
	return s.expand(key, v.text())
}

// texts returns an array of strings with their references expanded.
func (s *server) texts(key string) []string {
	v, ok := s.get(key, "array", "an array of strings")
	if !ok {
		return nil
	}
	var texts []string
	for i, element := range v.elements() {
		at := fmt.Sprintf("%s[%d]", key, i)
		if element.kind() != "string" {
			s.mismatch(at, "a string", element)
			texts = append(texts, "") // Those after it keep their index.
			continue
		}
		texts = append(texts, s.expand(at, element.text()))
	}
	return texts
}

// pairs calls f for each member of an object with its value as text, in order.
// Numbers and booleans are taken as they are written, since PORT: 8080 can
// mean only one thing. name makes the key of a member in faults.
func (s *server) pairs(key string, name func(string) string, f func(at, name, text string)) {
	v, ok := s.get(key, "object", "an object of strings")
	if !ok {
		return
	}
	for _, m := range v.members() {
		at := name(m.key)
		switch m.kind() {
		case "string":
			f(at, m.key, s.expand(at, m.text()))
		case "number", "boolean":
			f(at, m.key, string(m.raw))
		default:
			s.mismatch(at, "a string", m.value)
		}
	}
}

func (s *server) env() map[string]string {
	env := map[string]string{}
	s.pairs("env", envKey, func(at, name, text string) {
		if _, twice := env[name]; twice {
			s.add(at, "is there more than once")
		}
		env[name] = text
	})
	if len(env) == 0 {
		return nil
	}
	return env
}

func (s *server) headers() http.Header {
	headers := http.Header{}
	s.pairs("headers", headerKey, func(at, name, text string) {
		if _, twice := headers[http.CanonicalHeaderKey(name)]; twice {
			s.add(at, "is there more than once: upper and lower case are the same in names of headers")
		}
		headers.Set(name, text)
	})
	if len(headers) == 0 {
		return nil
	}
	return headers
}

func (s *server) duration(key string) time.Duration {
	const expected = `a duration with its unit, such as "30s" or "5m"`
	v, ok := s.get(key, "string", expected)
	if !ok {
		return 0
	}
	d, err := time.ParseDuration(v.text())
	if err != nil {
		s.add(key, "expected "+expected+", found "+quote(v.text()))
	}
	return d
}

func (s *server) size(key string) int {
	const expected = "a whole number of bytes"
	v, ok := s.get(key, "number", expected)
	if !ok {
		return 0
	}
	var n int
	if err := json.Unmarshal(v.raw, &n); err != nil {
		s.add(key, "expected "+expected+", found "+shorten(string(v.raw)))
	}
	return n
}

func (s *server) flag(key string, missing bool) bool {
	v, ok := s.get(key, "boolean", "true or false")
	if !ok {
		return missing
	}
	return string(v.raw) == "true"
}
