package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// expand replaces the references to variables in a value, once: what they are
// replaced by is not looked at again. It adds a fault for each that cannot be
// replaced, without showing anything of the value but the names of variables.
func (s *server) expand(key, text string) string {
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '$')
		if i < 0 || i+1 == len(text) {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:i])
		text = text[i:]
		switch {
		case strings.HasPrefix(text, "$${"):
			b.WriteString("${")
			text = text[3:]
		case text[1] == '{':
			reference, rest, closed := strings.Cut(text[2:], "}")
			if !closed {
				s.add(key, `holds "${" without a "}" after it: write "$${" for a literal "${"`)
				return b.String()
			}
			b.WriteString(s.reference(key, reference))
			text = rest
		case s.d.dialect == DialectGeminiCLI:
			text = s.bare(key, text, &b)
		default:
			b.WriteByte('$')
			text = text[1:]
		}
	}
}

// bare replaces $NAME at the beginning of a text, and returns what follows.
func (s *server) bare(key, text string, b *strings.Builder) string {
	if strings.HasPrefix(text, "$$") && len(leadingName(text[2:])) > 0 {
		b.WriteByte('$')
		name := leadingName(text[2:])
		b.WriteString(name)
		return text[2+len(name):]
	}
	name := leadingName(text[1:])
	if name == "" {
		b.WriteByte('$')
		return text[1:]
	}
	value, ok := s.r.opts.LookupEnv(name)
	if !ok {
		s.add(key, fmt.Sprintf(`the variable %[1]s is not set: set it, write ${%[1]s:-default}, or "$$%[1]s" for a literal "$%[1]s"`, shorten(name)))
	}
	s.secret(value)
	b.WriteString(value)
	return text[1+len(name):]
}

// leadingName returns the name of a variable that a text begins with, or "".
func leadingName(text string) string {
	n := 0
	for n < len(text) && isVariableName(text[:n+1]) {
		n++
	}
	return text[:n]
}

// reference returns the value of what is between the braces.
func (s *server) reference(key, reference string) string {
	value, secret, problem, err := s.resolve(reference)
	if problem != "" {
		s.fail(key, problem, err)
	}
	if secret {
		s.secret(value)
	}
	return value
}

func (s *server) resolve(reference string) (value string, secret bool, problem string, err error) {
	switch reference {
	case "workspaceFolder", "workspaceFolderBasename":
		folder := s.r.opts.WorkspaceFolder
		if folder == "" {
			return "", false, "holds ${" + reference + "}, and no folder is known: set ParseOptions.WorkspaceFolder", nil
		}
		if reference == "workspaceFolderBasename" {
			folder = filepath.Base(folder)
		}
		return folder, false, "", nil
	case "userHome":
		if home := s.r.opts.UserHome; home != "" {
			return home, false, "", nil
		}
		home, err := os.UserHomeDir()
		if err != nil {
			return "", false, "holds ${userHome}, which is not known: set ParseOptions.UserHome", err
		}
		return home, false, "", nil
	case "pathSeparator", "/":
		return string(filepath.Separator), false, "", nil
	}
	if prefix, rest, found := strings.Cut(reference, ":"); found {
		switch prefix {
		case "input":
			a := s.ask(rest)
			if a.password {
				s.credential(a.value)
			}
			return a.value, true, a.problem, a.err
		case "file":
			return s.file(rest)
		case "command", "config":
			return "", false, fmt.Sprintf("holds ${%s:...}, which is not supported: use a variable, as in ${NAME}", prefix), nil
		}
	}
	value, secret, problem = s.environment(strings.TrimPrefix(reference, "env:"))
	return value, secret, problem, nil
}

// environment returns the value of NAME or NAME:-default.
func (s *server) environment(reference string) (value string, secret bool, problem string) {
	name, fallback, hasFallback := strings.Cut(reference, ":-")
	if !isVariableName(name) {
		return "", false, `holds "${" with something that is no name of a variable (letters, digits and "_"): write "$${" for a literal "${"`
	}
	if strings.Contains(fallback, "${") {
		return "", false, fmt.Sprintf("the default of ${%s:-...} holds another reference: references do not nest", shorten(name))
	}
	value, set := s.r.opts.LookupEnv(name)
	switch {
	case hasFallback && (!set || value == ""):
		return fallback, false, ""
	case !set:
		return "", false, fmt.Sprintf("the variable %[1]s is not set: set it, or write ${%[1]s:-default}", shorten(name))
	default:
		return value, true, ""
	}
}

// file returns what is in a file, without the line break at its end.
func (s *server) file(path string) (value string, secret bool, problem string, err error) {
	if !s.r.opts.FileReferences {
		return "", false, "holds ${file:...}, which is not allowed: set ParseOptions.FileReferences, or use a variable, as in ${NAME}", nil
	}
	if path == "" || strings.Contains(path, "${") {
		return "", false, "holds ${file:...} without the path of a file", nil
	}
	if home, ok := strings.CutPrefix(path, "~/"); ok {
		folder, _, problem, err := s.resolve("userHome")
		if problem != "" {
			return "", false, problem, err
		}
		path = filepath.Join(folder, home)
	}
	data, err := s.r.readFile(s.resolvePath(path))
	if err != nil {
		return "", false, "the file of ${file:...} " + fileProblem(err), err
	}
	return strings.TrimRight(string(data), " \t\r\n"), true, "", nil
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

func itoa(n int) string { return strconv.Itoa(n) }
