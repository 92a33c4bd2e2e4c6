package auth

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An ErrorKind says what sort of failure an [Error] is. It is itself an error,
// so that callers branch with errors.Is:
//
//	if errors.Is(err, auth.ErrRequired) { ... }
type ErrorKind string

const (
	// ErrOptions: the options cannot be used.
	ErrOptions ErrorKind = "invalid options"

	// ErrRequired: a user has to sign in, and nobody is there to be asked.
	// [Error.Prompt] holds the URL to visit.
	ErrRequired ErrorKind = "authorization required"

	// ErrDeclined: the user or the authorization server said no, or the user has
	// signed out meanwhile.
	ErrDeclined ErrorKind = "authorization declined"

	// ErrDiscovery: it cannot be found out, or not be trusted, where to sign in.
	ErrDiscovery ErrorKind = "no usable authorization server"

	// ErrClient: the authorization server does not know this client and cannot
	// be made to.
	ErrClient ErrorKind = "no client for the authorization server"

	// ErrToken: the authorization server issued no token.
	ErrToken ErrorKind = "no token"

	// ErrRefused: the server does not accept a token that was issued for it.
	ErrRefused ErrorKind = "token refused by the server"

	// ErrTimeout: the authorization took longer than its bound.
	ErrTimeout ErrorKind = "authorization timed out"

	// ErrRevocation: the authorization server could not be told that tokens are
	// of no more use. They may be valid until they expire.
	ErrRevocation ErrorKind = "tokens not revoked"

	// ErrStore: the store of tokens failed.
	ErrStore ErrorKind = "token store failed"
)

// Error returns the name of the kind.
func (k ErrorKind) Error() string { return string(k) }

// Error is the error type of this package. It holds no secrets: neither
// tokens, codes and client secrets, nor what a server said of them.
type Error struct {
	// Kind is always set.
	Kind ErrorKind

	// Server is the URL of the MCP server, without what may be secret in it.
	// It is empty when the options are at fault.
	Server string

	// Issuer is the authorization server. It is empty if it is not known.
	Issuer string

	// Code is the error code of OAuth, such as "access_denied", or empty.
	Code string

	// Prompt says what a user has to visit and agree to. It is set for
	// ErrRequired only. Its URL is not part of the message of the error.
	Prompt *Prompt

	// Err is the cause. It may be nil.
	Err error
}

// Error returns one line.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("auth: " + string(e.Kind))
	if e.Server != "" {
		fmt.Fprintf(&b, " for %s", e.Server)
	}
	if e.Issuer != "" {
		fmt.Fprintf(&b, " from %s", e.Issuer)
	}
	if e.Code != "" {
		b.WriteString(": " + e.Code)
	}
	if e.Err != nil {
		b.WriteString(": " + e.Err.Error())
	}
	if e.Prompt != nil {
		b.WriteString(": visit the URL in the Prompt of this error")
	}
	return b.String()
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// Is reports whether target is the kind of e.
func (e *Error) Is(target error) bool {
	kind, ok := target.(ErrorKind)
	return ok && kind == e.Kind
}

// maxText bounds text of somebody else's in a message, in bytes.
const maxText = 300

// clean makes text of somebody else's fit for a message: one line, not long,
// without the given secrets, which servers like to repeat.
func clean(s string, secrets ...string) string {
	for _, secret := range secrets {
		if secret != "" {
			s = strings.ReplaceAll(s, secret, "…")
		}
	}
	s = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(s, "\uFFFD"), func(r rune) bool {
		return unicode.IsControl(r) || unicode.IsSpace(r)
	}), " ")
	if len(s) <= maxText {
		return s
	}
	cut := maxText
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
