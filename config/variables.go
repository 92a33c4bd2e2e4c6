package config

import (
	"fmt"
	"strings"
)

// expand replaces the references to variables in a value, once: what they are
// replaced by is not looked at again. It adds a fault for each that cannot be
// replaced, without showing anything of the value but the names of variables.
func (s *server) expand(key, text string) string {
	var b strings.Builder
	for {
		i := strings.Index(text, "${")
		switch {
		case i < 0:
			b.WriteString(text)
			return b.String()
		case i > 0 && text[i-1] == '$':
			b.WriteString(text[:i-1] + "${")
			text = text[i+2:]
			continue
		}
		b.WriteString(text[:i])
		reference, rest, closed := strings.Cut(text[i+2:], "}")
		if !closed {
			s.add(key, `holds "${" without a "}" after it: write "$${" for a literal "${"`)
			return b.String()
		}
		value, problem := s.resolve(reference)
		if problem != "" {
			s.add(key, problem)
		}
		b.WriteString(value)
		text = rest
	}
}

// resolve returns the value of what is between the braces of a reference.
func (s *server) resolve(reference string) (value, problem string) {
	name, fallback, hasFallback := strings.Cut(reference, ":-")
	name = strings.TrimPrefix(name, "env:")
	if prefix, _, found := strings.Cut(name, ":"); found {
		switch prefix {
		case "input", "file", "command", "config":
			return "", fmt.Sprintf("holds ${%s:...}, which is not supported: use a variable, as in ${NAME}", prefix)
		}
	}
	if !isVariableName(name) {
		return "", `holds "${" with something that is no name of a variable (letters, digits and "_"): write "$${" for a literal "${"`
	}
	if strings.Contains(fallback, "${") {
		return "", fmt.Sprintf("the default of ${%s:-...} holds another reference: references do not nest", shorten(name))
	}
	value, set := s.lookup(name)
	switch {
	case hasFallback && (!set || value == ""):
		return fallback, ""
	case !set:
		return "", fmt.Sprintf("the variable %[1]s is not set: set it, or write ${%[1]s:-default}", shorten(name))
	default:
		return value, ""
	}
}

func isVariableName(s string) bool {
	for i, r := range s {
		digit := '0' <= r && r <= '9'
		if r != '_' && !isAlphanumeric(r) || i == 0 && digit {
			return false
		}
	}
	return s != ""
}
