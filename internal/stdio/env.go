package stdio

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// inherited are the variables that are passed on from this process where it is
// a Unix: those of the official SDKs, and those that say how to write text and
// time and where to put temporary files.
var inherited = []string{
	"HOME", "LANG", "LANGUAGE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER",
}

// inheritedPrefix is the prefix of the locale categories, such as LC_ALL.
const inheritedPrefix = "LC_"

// inheritedWindows is the same for Windows. Without SYSTEMROOT no program can
// use the network there, without COMSPEC and PATHEXT none can be found or run
// by a script.
var inheritedWindows = []string{
	"APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATH", "PATHEXT",
	"PROCESSOR_ARCHITECTURE", "PROGRAMFILES", "SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP",
	"USERNAME", "USERPROFILE", "WINDIR",
}

// environment returns the environment of a process as a sorted list of
// NAME=value: the inherited variables with what extra says on top. lookup and
// environ are those of package os; windows says whether names are alike when
// they differ in case only.
func environment(lookup func(string) (string, bool), environ []string, extra map[string]string, windows bool) ([]string, error) {
	env := make(map[string]string, len(extra)+len(inherited))
	inherit := func(name, value string) {
		// Shells export functions as values that start so.
		if !strings.HasPrefix(value, "()") {
			env[name] = value
		}
	}
	names := inherited
	if windows {
		names = inheritedWindows
	}
	for _, name := range names {
		if value, ok := lookup(name); ok {
			inherit(name, value)
		}
	}
	if !windows {
		for _, entry := range environ {
			if name, value, ok := strings.Cut(entry, "="); ok && strings.HasPrefix(name, inheritedPrefix) {
				inherit(name, value)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		switch {
		case name == "" || strings.ContainsAny(name, "=\x00"):
			return nil, fmt.Errorf("stdio: %q is no name for an environment variable", name)
		case strings.ContainsRune(extra[name], 0):
			return nil, fmt.Errorf("stdio: the value of environment variable %q contains a NUL byte", name)
		}
		if windows {
			maps.DeleteFunc(env, func(other, _ string) bool { return strings.EqualFold(name, other) })
		}
		env[name] = extra[name]
	}
	list := make([]string, 0, len(env))
	for name, value := range env {
		list = append(list, name+"="+value)
	}
	slices.Sort(list)
	return list, nil
}

// variable returns the value of a variable in such a list, or "".
func variable(env []string, name string, windows bool) string {
	for _, entry := range env {
		key, value, _ := strings.Cut(entry, "=")
		if key == name || windows && strings.EqualFold(key, name) {
			return value
		}
	}
	return ""
}
