package config

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Error lists everything that is wrong with a configuration. It is the only
// error type of this package. Nothing in it is secret: values of variables and
// headers, expanded references and URLs are left out.
type Error struct {
	// File is the path of the source if there was only one, as with [Load],
	// and empty otherwise.
	File string

	// Faults is never empty. It is in the order of the files and of the places
	// in them, and of servers and keys where there is no place.
	Faults []Fault

	causes []error
}

// Unwrap returns the errors of the file system and of callbacks that are
// behind faults.
func (e *Error) Unwrap() []error { return e.causes }

// A Fault is one thing that is wrong.
type Fault struct {
	// Server is the name of the connection.
	Server string

	// Key is what is wrong with it, spelled as in a file, such as "command",
	// "args[2]", "env.TOKEN" or "headers.Authorization"; the field of the Go
	// type has the same name with a capital. It is empty when the fault
	// concerns the connection as a whole. Of the name of a variable or header
	// that cannot be one, only the part that is surely no value is shown.
	//
	// Server and Key are both empty for what concerns no single server, such
	// as a syntax error.
	Key string

	// Problem says what is wrong and what to do.
	Problem string

	// File is the path of the source, and empty for what comes from none.
	File string

	// Line and Column are where it is in the source, from 1, the column in
	// characters. They are 0 for what concerns a file as a whole, and for
	// what comes from none.
	Line, Column int
}

// String returns the fault on one line, which begins with "file:line:column: "
// as far as they are known.
func (f Fault) String() string {
	var b strings.Builder
	if f.File != "" {
		b.WriteString(printable(f.File))
	}
	if f.Line > 0 {
		if f.File != "" {
			b.WriteString(":")
		}
		fmt.Fprintf(&b, "%d:%d", f.Line, f.Column)
	}
	if b.Len() > 0 {
		b.WriteString(": ")
	}
	if f.Server != "" || f.Key != "" {
		fmt.Fprintf(&b, "server %s: ", strconv.Quote(shortenTo(mostOfName, f.Server)))
	}
	if f.Key != "" {
		fmt.Fprintf(&b, "%s: ", printable(f.Key))
	}
	b.WriteString(f.Problem)
	return b.String()
}

// Error lists the faults: a single one on the same line, several on a line
// each, of which those after the twentieth are only counted.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("config: ")
	if len(e.Faults) == 1 {
		b.WriteString(e.Faults[0].String())
		return b.String()
	}
	fmt.Fprintf(&b, "%d faults:", len(e.Faults))
	listed := min(len(e.Faults), mostListed)
	for _, f := range e.Faults[:listed] {
		b.WriteString("\n  " + f.String())
	}
	if more := len(e.Faults) - listed; more > 0 {
		fmt.Fprintf(&b, "\n  and %d more", more)
	}
	return b.String()
}

// newError returns nil when there are no faults. They are in the order of the
// sources.
func newError(sources []Source, faults []Fault, causes []error) error {
	if len(faults) == 0 {
		return nil
	}
	inOrder(faults, sources)
	return &Error{File: commonFile(sources), Faults: slices.Compact(faults), causes: causes}
}

// inOrder sorts faults, or warnings, by their places.
func inOrder(faults []Fault, sources []Source) {
	index := func(file string) int {
		return slices.IndexFunc(sources, func(s Source) bool { return s.Path == file })
	}
	slices.SortStableFunc(faults, func(a, b Fault) int {
		return cmp.Or(
			cmp.Compare(index(a.File), index(b.File)),
			cmp.Compare(a.File, b.File),
			cmp.Compare(a.Line, b.Line),
			cmp.Compare(a.Column, b.Column),
			cmp.Compare(a.Server, b.Server),
			cmp.Compare(a.Key, b.Key),
			cmp.Compare(a.Problem, b.Problem),
		)
	})
}

// quote makes something out of a file fit for a message: bounded, and without
// control characters.
func quote(s string) string { return strconv.Quote(shorten(s)) }

// printable is quote, but leaves plain text without quotation marks.
func printable(s string) string { return printableUpTo(mostShown, s) }

func printableUpTo(most int, s string) string {
	s = shortenTo(most, s)
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsGraphic(r) }) {
		return strconv.Quote(s)
	}
	return s
}

const (
	// mostShown is how much of a text of a file a message shows, in bytes.
	mostShown = 80
	// mostOfName is how much of what stands where the name of a server is: in
	// a file of something else that may be anything.
	mostOfName = 40
	// mostListed is how many faults a message lists.
	mostListed = 20
)

func shorten(s string) string { return shortenTo(mostShown, s) }

func shortenTo(most int, s string) string {
	if len(s) <= most {
		return s
	}
	cut := most
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
