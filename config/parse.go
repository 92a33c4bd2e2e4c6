package config

import (
	"fmt"
	"os"
)

// ParseOptions configure [Parse] and [Load]. The zero value is useful.
type ParseOptions struct {
	// LookupEnv returns the value of a variable and whether it is set. Nil
	// means [os.LookupEnv].
	LookupEnv func(name string) (value string, ok bool)
}

// Parse reads connections from JSON, in any of the forms that the package
// documentation shows. Servers that are disabled are left out. What it returns
// is valid: see [Connections.Validate]. Without servers it is empty, not nil.
//
// Otherwise the error is an [*Error] that lists the faults of all servers, and
// the connections are nil. No value of a variable is in it.
//
// Nil options are fine.
func Parse(data []byte, opts *ParseOptions) (Connections, error) {
	return parse(data, opts, "")
}

func parse(data []byte, opts *ParseOptions, file string) (Connections, error) {
	lookup := os.LookupEnv
	if opts != nil && opts.LookupEnv != nil {
		lookup = opts.LookupEnv
	}

	doc, problem := readDocument(data)
	if problem != "" {
		return nil, newError(file, []Fault{{Problem: problem}})
	}
	entries, problem := serverEntries(doc)
	if problem != "" {
		return nil, newError(file, []Fault{{Problem: problem}})
	}

	var faults []Fault
	connections := Connections{}
	lines := doc.lines(entries)
	eachDuplicate(entries, func(first, again int) {
		faults = append(faults, Fault{Server: entries[again].key, Problem: fmt.Sprintf(
			"is there more than once: on line %d and on line %d", lines[first], lines[again])})
	})
	for _, entry := range entries {
		s := server{
			lookup: lookup,
			add: func(key, problem string) {
				faults = append(faults, Fault{Server: entry.key, Key: key, Problem: problem})
			},
		}
		if c := s.read(entry.value); c != nil {
			connections[entry.key] = c
		}
	}

	// A key that could not be read is missing or empty now: that this is a
	// fault too would only confuse.
	type place struct{ server, key string }
	known := map[place]bool{}
	for _, f := range faults {
		known[place{f.Server, f.Key}] = true
	}
	connections.faults(func(f Fault) {
		if !known[place{f.Server, f.Key}] {
			faults = append(faults, f)
		}
	})

	if err := newError(file, faults); err != nil {
		return nil, err
	}
	return connections, nil
}
