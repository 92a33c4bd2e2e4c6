package multiclient

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/langchaingo-mcp/mcpadapters/internal/session"
)

// An ErrorKind says what sort of failure an [Error] is. It is itself an error,
// so that callers branch with errors.Is:
//
//	if errors.Is(err, multiclient.ErrLost) { ... }
type ErrorKind string

const (
	// ErrUnknownServer: no connection has the name.
	ErrUnknownServer ErrorKind = "unknown server"

	// ErrUnknownTool: every server has answered, and none lists a tool of the name,
	// or the selection leaves it out. [MultiServerClient.CallTool] does not look into
	// lists: a name that the server does not know is [ErrRefused], by the server.
	ErrUnknownTool ErrorKind = "unknown tool"

	// ErrBadArguments: the arguments are not those that the prompt declares, or
	// there are none for a completion. Nothing was sent.
	ErrBadArguments ErrorKind = "wrong arguments"

	// ErrUnavailable: there is no session with the server, or it could not be
	// reached. Nothing was executed, and the next use tries again. If that is for
	// the connect timeout, errors.Is finds [ErrTimeout] as well, unless the server is
	// left alone for a while now (see [Error].RetryAt).
	ErrUnavailable ErrorKind = "server unavailable"

	// ErrRefused: the server answered with a JSON-RPC error, which errors.As finds
	// as a *jsonrpc.Error; or, on a session that there is, it refused who asks with
	// HTTP status 401 or 403 (see [Error].Status), so that nothing was executed.
	ErrRefused ErrorKind = "refused by the server"

	// ErrLost: the session, or only the connection, was lost after a call had been
	// sent and before its answer was there. The tool may have run, or may still be
	// running; it was not called again because it does not say that this is safe.
	ErrLost ErrorKind = "answer lost, the tool may have run"

	// ErrBadAnswer: the server answered a call with what is of no use, such as a
	// message over the limit of size, one that is not of the protocol, or a status
	// of HTTP that is another error (see [Error].Status). The session lives on. The tool
	// may have run.
	ErrBadAnswer ErrorKind = "no usable answer, the tool may have run"

	// ErrBadHeaders: a header that an interceptor or a header source has given cannot
	// be sent, such as one with a line break. Nothing was sent, and the same will fail
	// again: errors.Is finds [fs.ErrInvalid], too.
	ErrBadHeaders ErrorKind = "headers cannot be sent"

	// ErrTimeout: a timeout of the connection or of the client has passed,
	// rather than the deadline of the caller's context. In phase call the tool may
	// have run, or may still be running; the server has been told to stop. In any
	// other, such as [PhaseQueue], it was not called.
	ErrTimeout ErrorKind = "timeout"

	// ErrNoCallback: the server asked for something that no callback of
	// Options.Callbacks answers; the error names the one that is missing.
	ErrNoCallback ErrorKind = "no callback for what the server asked"

	// ErrCallbackPanic: a callback panicked while it served the call. The tool
	// itself may well have succeeded.
	ErrCallbackPanic ErrorKind = "callback panicked"

	// ErrBadList: the server's list has no end, repeats itself, or is longer than
	// the options allow.
	ErrBadList ErrorKind = "list without end or too long"

	// ErrRemoved: the server was removed from the client, or replaced, while a
	// request to it waited or ran. A tool may have run.
	ErrRemoved ErrorKind = "server removed or replaced, the tool may have run"

	// ErrClosed: the client has been closed. A call that was in flight, in phase call,
	// may have run.
	ErrClosed ErrorKind = "client closed"

	// ErrFailed is any other failure; the cause tells.
	ErrFailed ErrorKind = "failed"
)

// Error returns the name of the kind.
func (k ErrorKind) Error() string { return string(k) }

// A Phase is what was being done for a server when it failed.
type Phase string

const (
	PhaseConfigure  Phase = "configure"  // taking over what the program has set up
	PhaseLookup     Phase = "lookup"     // finding the server, the tool or whose the request is
	PhaseQueue      Phase = "queue"      // waiting for other calls to end (see Options.MaxInFlight): nothing was sent
	PhaseSpawn      Phase = "spawn"      // starting its process
	PhaseConnect    Phase = "connect"    // reaching it
	PhaseInitialize Phase = "initialize" // the handshake of the protocol
	PhaseSession    Phase = "session"    // keeping the session, which was lost
	PhaseList       Phase = "list"       // listing what it offers
	PhaseClose      Phase = "close"      // ending its session, and its process
	PhaseCall       Phase = "call"       // a tool call, prompt, resource or completion
)

// Error is the error type of this package.
//
// When the caller's own context ends, errors.Is also finds its error, and when the
// server refuses who asks, with HTTP status 401 or 403, [fs.ErrPermission].
// For every timeout it finds [context.DeadlineExceeded], as it does for those of
// net/http: only for one of the connection or of the client it finds [ErrTimeout] too.
type Error struct {
	// Kind and Phase are always set.
	Kind  ErrorKind
	Phase Phase

	// Server is the connection concerned, and Tool the server's name of the
	// tool. Each may be empty.
	Server, Tool string

	// Status is the HTTP status that the server answered with, or 0.
	Status int

	// Detail is what the server's side said apart from the protocol: the last
	// lines of standard error of a process, or the beginning of an HTTP answer.
	// It is free of control characters other than newlines, and may be empty.
	Detail string

	// RetryAt is when the server is tried again, if it is not at the next use
	// because too many attempts have failed, this one perhaps the last of them: see
	// [Reconnect]. Otherwise it is the zero time. Kind is then [ErrUnavailable], and
	// nothing was sent. Package interceptors/retry waits until then.
	RetryAt time.Time

	// Err is the cause. It may be nil.
	Err error

	of     string // what the request was about, if no tool: a prompt or a resource
	hint   string // what may be wrong with the connection, and what to do
	unsent bool   // nothing was asked of the server that must not be asked twice
}

// Error returns one line, or more if Detail has more. A cause that is long is
// cut; Unwrap has all of it.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("multiclient: ")
	if e.Server != "" {
		fmt.Fprintf(&b, "server %q: ", e.Server)
	}
	if e.Tool != "" {
		fmt.Fprintf(&b, "tool %q: ", e.Tool)
	}
	if e.of != "" {
		b.WriteString(oneLine(e.of) + ": ")
	}
	fmt.Fprintf(&b, "%s: %s", e.Phase, string(e.Kind))
	if e.Status != 0 {
		fmt.Fprintf(&b, ": HTTP status %d", e.Status)
	}
	if e.hint != "" {
		fmt.Fprintf(&b, " (%s)", e.hint)
	}
	cause, detail := e.cause()
	if cause != "" {
		b.WriteString(": " + cause)
	}
	if detail != "" {
		b.WriteString(": " + detail)
	}
	return b.String()
}

// about returns err with what the request was about, where it is an [*Error] that
// does not say so yet. Others may have the same error, which stays as it is.
func about(err error, tool, other string) error {
	e, ok := err.(*Error)
	if !ok || e.Tool != "" || e.of != "" {
		return err
	}
	own := *e
	own.Tool, own.of = tool, other
	return &own
}

// sdkWords are what the SDK puts before, and after, an error of a request.
var sdkWords = regexp.MustCompile(`(calling|sending) "[^"]*": |failed to (connect|write): |: rejected by transport: [A-Z][A-Za-z -]*$|rejected by transport: `)

// cause returns the texts of Err and Detail, without what the other, Status or Kind
// says already.
func (e *Error) cause() (cause, detail string) {
	if e.Err == nil || e.Err == session.ErrClosed || e.Err == session.ErrRemoved {
		return "", e.Detail
	}
	cause = oneLine(e.Err.Error())
	if e.Kind == ErrRefused || e.Kind == ErrUnavailable {
		cause = sdkWords.ReplaceAllString(cause, "")
	}
	if e.Status == 0 {
		return cause, e.Detail
	}
	said := e.Detail
	if quoted, ok := strings.CutPrefix(e.Detail, "the server answered "); ok {
		said, _ = strconv.Unquote(quoted)
	}
	rest := sdkWords.ReplaceAllString(cause, "")
	rest = strings.Replace(strings.Replace(rest, "HTTP ", "", 1), strconv.Itoa(e.Status), "", 1)
	rest = strings.Replace(rest, http.StatusText(e.Status), "", 1)
	rest = strings.Trim(strings.Replace(rest, said, "", 1), ": ")
	switch {
	case rest == "":
		return "", e.Detail
	case said != "" && strings.Contains(cause, said):
		return cause, ""
	}
	return cause, e.Detail
}

// maxCause bounds the text of a cause in a message, in bytes: servers put
// whole pages into it.
const maxCause = 1000

// oneLine makes text that may be a server's fit for a line of a message. What
// were lines, such as joined errors, is set apart by semicolons.
func oneLine(s string) string {
	var lines []string
	for line := range strings.Lines(strings.ToValidUTF8(s, "\uFFFD")) {
		words := strings.FieldsFunc(line, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) })
		if len(words) > 0 {
			lines = append(lines, strings.Join(words, " "))
		}
	}
	s = strings.Join(lines, "; ")
	if len(s) <= maxCause {
		return s
	}
	cut := maxCause
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "..."
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is the kind of e, or [fs.ErrPermission] and e about a
// server that refuses who asks, or [fs.ErrInvalid] and e about headers, or
// [ErrTimeout] and e about one that there was no session with in time.
func (e *Error) Is(target error) bool {
	switch {
	case target == fs.ErrPermission:
		return e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden
	case target == fs.ErrInvalid:
		return e.Kind == ErrBadHeaders
	case target == ErrTimeout && e.Kind == ErrUnavailable:
		var open *session.OpenError // after a failure of others
		return errors.Is(e.Err, session.ErrConnectTimeout) && !errors.As(e.Err, &open)
	}
	kind, ok := target.(ErrorKind)
	return ok && kind == e.Kind
}

// ServerErrors returns one error for each server that failed, in the order of
// their names, from an error of a method that asks several servers. It returns
// nil if err holds none.
func ServerErrors(err error) []*Error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []*Error
		for _, err := range joined.Unwrap() {
			all = append(all, ServerErrors(err)...)
		}
		return all
	}
	var e *Error
	if errors.As(err, &e) {
		return []*Error{e}
	}
	return nil
}

// apart is a cause with the error of another request inside, such as one that a
// callback or a header source has made. Its text and the program's own errors are
// seen, but not its kind, which would say of this request what is true of that.
type apart struct{ err error }

// apartFrom returns err, without the kind of an [*Error] inside.
func apartFrom(err error) error {
	if other := (*Error)(nil); errors.As(err, &other) {
		return &apart{err}
	}
	return err
}

func (a *apart) Error() string { return a.err.Error() }

func (a *apart) Is(target error) bool {
	_, kind := target.(ErrorKind)
	return !kind && target != session.ErrConnectTimeout && errors.Is(a.err, target)
}

func (a *apart) As(target any) bool {
	_, own := target.(**Error)
	return !own && errors.As(a.err, target)
}
