package watch

import (
	"maps"
	"reflect"
	"slices"

	"github.com/langchaingo-mcp/mcpadapters/config"
)

// Changes are the difference between two readings: names of servers, sorted.
type Changes struct {
	Added, Removed, Changed []string
}

// Empty reports whether nothing has changed.
func (c Changes) Empty() bool {
	return len(c.Added)+len(c.Removed)+len(c.Changed) == 0
}

// Diff returns what has to be done to get from one set of connections to
// another. Connections are the same if all of their fields are equal, as
// [reflect.DeepEqual] has it: those of files have no functions, which never
// are.
func Diff(old, new config.Connections) Changes {
	var c Changes
	for _, name := range slices.Sorted(maps.Keys(old)) {
		connection, ok := new[name]
		switch {
		case !ok:
			c.Removed = append(c.Removed, name)
		case !reflect.DeepEqual(old[name], connection):
			c.Changed = append(c.Changed, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(new)) {
		if _, ok := old[name]; !ok {
			c.Added = append(c.Added, name)
		}
	}
	return c
}
