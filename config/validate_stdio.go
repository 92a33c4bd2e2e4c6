package config

import (
	"fmt"
	"strings"
)

func (s Stdio) faults(add func(key, problem string)) {
	if strings.TrimSpace(s.Command) == "" {
		add("command", "is required")
	}
	checkPath(add, "command", s.Command)
	for i, arg := range s.Args {
		checkNUL(add, fmt.Sprintf("args[%d]", i), arg)
	}
	for name, value := range s.Env {
		key := envKey(name)
		switch {
		case name == "":
			add(key, "the name of a variable is empty")
		case strings.Contains(name, "="):
			add(key, `the name of a variable holds "="`)
		default:
			checkNUL(add, key, name+value)
		}
	}
	checkPath(add, "cwd", s.Cwd)
	checkTimeout(add, "terminateTimeout", s.TerminateTimeout)
	checkTimeout(add, "killTimeout", s.KillTimeout)
	checkTimeout(add, "waitDelay", s.WaitDelay)
	checkSize(add, "maxMessageSize", s.MaxMessageSize)
	s.Settings.check(add)
}

func checkPath(add func(key, problem string), key, path string) {
	checkNUL(add, key, path)
	if path == "~" || strings.HasPrefix(path, "~/") {
		add(key, `starts with "~", which is not expanded: give the whole path`)
	}
}

func checkNUL(add func(key, problem string), key, s string) {
	if strings.Contains(s, "\x00") {
		add(key, "holds a NUL byte")
	}
}

// envKey names a variable in faults. What follows a "=" is left out, since it
// is a value that someone put in the wrong place.
func envKey(name string) string {
	if before, _, found := strings.Cut(name, "="); found {
		name = before + "=…"
	}
	return "env." + name
}
