package config

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Every connection type formats itself, so that no verb of package fmt, no log
// handler and no encoder comes upon the fields that hold secrets.

// String returns the program and the number of arguments, such as
// `stdio "python" (1 arg)`. What a variable of a file has put into the program
// is replaced by "…".
func (s Stdio) String() string {
	// A whole command line in Command cannot be started, but must not show
	// its options either.
	program, _, cut := strings.Cut(hide(s.Command, s.secrets), " -")
	if cut {
		program += " …"
	}
	switch n := len(s.Args); n {
	case 0:
		return "stdio " + quote(program)
	case 1:
		return "stdio " + quote(program) + " (1 arg)"
	default:
		return fmt.Sprintf("stdio %s (%d args)", quote(program), n)
	}
}

// String returns the transport and the URL without its secret parts, such as
// "streamable_http https://example.com/mcp". Parts of the path that may be
// keys, as some services have them, are replaced by "…", and so are a host and
// parts of the path that hold the value of a variable of a file.
func (c StreamableHTTP) String() string { return c.Transport() + " " + redactURL(c.URL, c.secrets) }

// String returns the transport and the URL without its secret parts: see
// [StreamableHTTP.String].
func (c SSE) String() string { return c.Transport() + " " + redactURL(c.URL, c.secrets) }

// String returns "in_memory".
func (c InMemory) String() string { return c.Transport() }

// String returns the transport and the name, such as `custom "pipe"`.
func (c Custom) String() string {
	if c.Name == "" {
		return c.Transport()
	}
	return c.Transport() + " " + quote(c.Name)
}

// Format writes [Stdio.String] for every verb.
func (s Stdio) Format(f fmt.State, verb rune) { format(f, verb, s.String()) }

// Format writes [StreamableHTTP.String] for every verb.
func (c StreamableHTTP) Format(f fmt.State, verb rune) { format(f, verb, c.String()) }

// Format writes [SSE.String] for every verb.
func (c SSE) Format(f fmt.State, verb rune) { format(f, verb, c.String()) }

// Format writes [InMemory.String] for every verb.
func (c InMemory) Format(f fmt.State, verb rune) { format(f, verb, c.String()) }

// Format writes [Custom.String] for every verb.
func (c Custom) Format(f fmt.State, verb rune) { format(f, verb, c.String()) }

// Format writes the number of headers for every verb.
func (h HTTP) Format(f fmt.State, verb rune) { format(f, verb, h.description()) }

// MarshalText returns [Stdio.String]: what JSON, and logs in JSON, show. It
// is not meant to be read back.
func (s Stdio) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalText returns [StreamableHTTP.String]: see [Stdio.MarshalText].
func (c StreamableHTTP) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// MarshalText returns [SSE.String]: see [Stdio.MarshalText].
func (c SSE) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// MarshalText returns [InMemory.String]: see [Stdio.MarshalText].
func (c InMemory) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// MarshalText returns [Custom.String]: see [Stdio.MarshalText].
func (c Custom) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// MarshalText returns the number of headers: see [Stdio.MarshalText].
func (h HTTP) MarshalText() ([]byte, error) { return []byte(h.description()), nil }

func (h HTTP) description() string {
	if len(h.Headers) == 1 {
		return "http (1 header)"
	}
	return "http (" + strconv.Itoa(len(h.Headers)) + " headers)"
}

func format(f fmt.State, verb rune, s string) {
	if !strings.ContainsRune("sqxX", verb) {
		verb = 's'
	}
	fmt.Fprintf(f, fmt.FormatString(f, verb), s)
}

func redactURL(raw string, secrets []string) string {
	u, problem := parseURL(raw)
	if problem != "" {
		return "(invalid URL)"
	}
	hidden := parts(secrets)
	holds := func(s string) bool {
		return slices.ContainsFunc(hidden, func(part string) bool { return strings.Contains(strings.ToLower(s), part) })
	}
	segments := strings.Split(u.Path, "/")
	for i, s := range segments {
		if !plainSegment(s) || holds(s) {
			segments[i] = "…"
		}
	}
	// The path is not given to url.URL, which would escape the ellipsis.
	origin := url.URL{Scheme: u.Scheme, Host: u.Host}
	if holds(u.Host) {
		return u.Scheme + "://…" + strings.Join(segments, "/")
	}
	return origin.String() + strings.Join(segments, "/")
}

// parts takes values of variables apart at what separates the parts of a URL,
// in lower case.
func parts(secrets []string) []string {
	var all []string
	for _, secret := range secrets {
		forms := []string{secret}
		if decoded, err := url.PathUnescape(secret); err == nil {
			forms = append(forms, decoded)
		}
		for _, form := range forms {
			all = append(all, strings.FieldsFunc(strings.ToLower(form), func(r rune) bool { return strings.ContainsRune("/:?#@[]", r) })...)
		}
	}
	return all
}

// hide replaces the values of variables in a text, long ones first, since one
// may be part of another.
func hide(text string, secrets []string) string {
	longest := slices.SortedFunc(slices.Values(secrets), func(a, b string) int { return len(b) - len(a) })
	for _, secret := range longest {
		text = strings.ReplaceAll(text, secret, "…")
	}
	return text
}

// plainSegment reports whether a part of a path is surely no key: some
// services have them there.
func plainSegment(s string) bool {
	const most = 20
	return len(s) <= most && !strings.ContainsFunc(s, func(r rune) bool {
		return !isAlphanumeric(r) && !strings.ContainsRune("._~-", r)
	})
}

func isAlphanumeric(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}
