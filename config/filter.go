package config

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// A ToolFilter says which tools of a server are used, by the names that the
// server gives them. The zero value is all of them.
//
// An entry is a name, or a pattern as [path.Match] has them, save that "*", "?"
// and "[^...]" match "/" too: "*" is any number of any characters, "?" one, and
// "[a-c]" one of several; a backslash before a character makes it stand for
// itself. Upper and lower case differ.
type ToolFilter struct {
	// Allow lists the tools that are used. Nil allows all; a list that is there
	// but empty allows none, so that a list that was computed and came out
	// empty does not open everything.
	Allow []string

	// Deny lists tools that are not used, also if Allow names them.
	Deny []string
}

// Permits reports whether the tool is used. An entry that is no valid pattern
// matches only the tool of that very name.
func (f ToolFilter) Permits(tool string) bool {
	matches := func(entry string) bool { return matchTool(entry, tool) }
	if slices.ContainsFunc(f.Deny, matches) {
		return false
	}
	return f.Allow == nil || slices.ContainsFunc(f.Allow, matches)
}

// Names returns the entries that can match but one name, which is that of a
// tool, without repetition: those that a server should have.
func (f ToolFilter) Names() []string {
	var names []string
	for _, entry := range slices.Concat(f.Allow, f.Deny) {
		if !strings.ContainsAny(entry, `*?[\`) && !slices.Contains(names, entry) {
			names = append(names, entry)
		}
	}
	return names
}

func matchTool(entry, tool string) bool {
	if entry == tool {
		return true
	}
	// "/" is a character like others in the name of a tool.
	const slash = "\x00"
	ok, err := path.Match(strings.ReplaceAll(entry, "/", slash), strings.ReplaceAll(tool, "/", slash))
	return ok && err == nil
}

// check reports what is wrong, by the keys that files have for the lists.
func (f ToolFilter) check(add func(key, problem string)) {
	for key, list := range map[string][]string{"includeTools": f.Allow, "excludeTools": f.Deny} {
		for i, entry := range list {
			at := fmt.Sprintf("%s[%d]", key, i)
			if entry == "" {
				add(at, "is empty: give the name of a tool or a pattern")
			} else if _, err := path.Match(entry, ""); err != nil {
				add(at, quote(entry)+` is no valid pattern: close "[" by "]", and write "\\" before a character that stands for itself`)
			}
		}
	}
}
