package adapters

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// An ErrorKind says what sort of failure an [Error] is. It is itself an error,
// so that callers branch with errors.Is:
//
//	if errors.Is(err, adapters.ErrNameCollision) { ... }
type ErrorKind string

const (
	// ErrNameCollision: two tools would have the same exposed name.
	ErrNameCollision ErrorKind = "name collision"

	// ErrBadOption: an option given by the program cannot be used.
	ErrBadOption ErrorKind = "bad option"

	// ErrBadArguments: the input of a call is not the arguments of the tool.
	ErrBadArguments ErrorKind = "bad arguments"

	// ErrToolFailed: the tool ran and reported a failure (isError).
	ErrToolFailed ErrorKind = "tool failed"

	// ErrConversion: what a server sent has no langchaingo form.
	ErrConversion ErrorKind = "conversion"
)

// Error returns the name of the kind.
func (k ErrorKind) Error() string { return string(k) }

// Error is the error type of this package. Its message names the server and the
// tool, where there is one, quoted and cut since both come from outside.
type Error struct {
	// Kind is always set.
	Kind ErrorKind

	// Server is the connection concerned and Tool the name that the server
	// gives the tool. Each may be empty.
	Server, Tool string

	// OtherServer and OtherTool are the second party of an [ErrNameCollision],
	// the one that had the name first. They are empty for other kinds.
	OtherServer, OtherTool string

	// Err is the cause, or says what happened and what to do. It may be nil.
	Err error
}

// Error returns "adapters: kind: tool "t" of server "s": cause".
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("adapters: ")
	b.WriteString(string(e.Kind))
	if who := party(e.Server, e.Tool); who != "" {
		b.WriteString(": " + who)
	}
	if who := party(e.OtherServer, e.OtherTool); who != "" {
		b.WriteString(" and " + who)
	}
	if e.Err != nil {
		b.WriteString(": " + unnamed(e.Err.Error(), e.Server, e.Tool))
	}
	return b.String()
}

// unnamed returns the text of a cause without the names that package multiclient,
// which this one does not know, begins its errors with: they are said already.
func unnamed(cause, server, tool string) string {
	if server == "" {
		return cause
	}
	names := fmt.Sprintf("multiclient: server %q: ", server)
	return strings.NewReplacer(fmt.Sprintf("%stool %q: ", names, tool), "", names, "").Replace(cause)
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is the kind of e.
func (e *Error) Is(target error) bool {
	kind, ok := target.(ErrorKind)
	return ok && kind == e.Kind
}

func party(server, tool string) string {
	switch {
	case server == "" && tool == "":
		return ""
	case server == "":
		return "tool " + quoted(tool)
	case tool == "":
		return "server " + quoted(server)
	default:
		return "tool " + quoted(tool) + " of server " + quoted(server)
	}
}

// maxQuoted is how many bytes of a foreign name a message repeats.
const maxQuoted = 100

// quoted makes a foreign name fit for a message: no control characters, no
// invalid UTF-8, bounded.
func quoted(name string) string {
	if len(name) <= maxQuoted {
		return fmt.Sprintf("%q", name)
	}
	cut := maxQuoted
	for cut > 0 && !utf8.RuneStart(name[cut]) {
		cut--
	}
	return fmt.Sprintf("%q...", name[:cut])
}
