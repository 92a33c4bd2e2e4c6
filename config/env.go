package config

import (
	"bytes"
	"errors"
	"path/filepath"

	"github.com/hashicorp/go-envparse"
)

// env returns the variables of a process: those of the file that envFile
// names, then those that envVars passes on, then those of env, of which each
// replaces earlier ones.
func (s *server) env() map[string]string {
	env := map[string]string{}
	s.envFile(env)
	s.envVars(env)
	own := map[string]bool{}
	s.pairs("env", envKey, func(at, name, text string) {
		if own[name] {
			s.add(at, "is there more than once")
		}
		own[name] = true
		env[name] = text
	})
	if len(env) == 0 {
		return nil
	}
	return env
}

func (s *server) envFile(env map[string]string) {
	path := s.text("envFile")
	if path == "" || s.faulty[s.spell("envFile")] {
		return
	}
	data, err := s.r.readFile(s.resolvePath(path))
	if err != nil {
		s.fail("envFile", fileProblem(err), err)
		return
	}
	variables, err := envparse.Parse(bytes.NewReader(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))))
	if err != nil {
		// Nothing but its line: what is there may be a secret.
		problem := "is no file of NAME=value lines"
		if e, ok := errors.AsType[*envparse.ParseError](err); ok {
			problem += ": look at line " + itoa(e.Line)
		}
		s.add("envFile", problem)
		return
	}
	for name, value := range variables {
		env[name] = value
		s.secret(value)
	}
}

// envVars reads the names of variables that are passed on if they are set.
func (s *server) envVars(env map[string]string) {
	n, ok := s.get("envVars", kindArray, "an array of names of variables")
	if !ok {
		return
	}
	for i, element := range n.elements {
		at := "envVars[" + itoa(i) + "]"
		s.places[s.spell(at)] = element.at
		name := element
		if m, ok := element.find("name"); ok {
			name = m.node
		}
		if name.kind != kindString || !isVariableName(name.text) {
			s.add(at, "expected the name of a variable (letters, digits and \"_\")")
			continue
		}
		if source, ok := element.find("source"); ok && source.text != "local" {
			s.warn(source.at, s.spell(at)+".source", "has no effect: only variables of this process are known")
			continue
		}
		if value, ok := s.r.opts.LookupEnv(name.text); ok {
			env[name.text] = value
			s.secret(value)
		}
	}
}

// resolvePath makes a path relative to the folder of the configuration file.
func (s *server) resolvePath(path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(s.d.folder, path)
}

// credential notes that a text is secret for sure.
func (s *server) credential(text string) {
	s.secret(text)
	if text != "" {
		s.credentials = append(s.credentials, text)
	}
}

// secret notes that a text must not be shown.
func (s *server) secret(text string) {
	if text != "" {
		s.secrets = append(s.secrets, text)
	}
}
