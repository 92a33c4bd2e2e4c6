package stdio

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/langchaingo-mcp/mcpadapters/internal/redact"
)

const (
	// maxQuoted is how much of one line of output is quoted.
	maxQuoted = 512

	// minSecret is the length from which on a value is taken out of quotes.
	// Shorter ones are words such as "debug" or "true".
	minSecret = 8
)

// escapes are the sequences by which programs colour text, move the cursor and
// set titles. Taking out only the control characters would leave their rests.
var escapes = regexp.MustCompile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[@-Z\\\\^_])")

// A quoter makes what a server wrote fit for errors and logs.
type quoter struct {
	secrets *strings.Replacer
	longest int // of the secrets, in bytes
}

func newQuoter(env map[string]string, secrets []string) *quoter {
	q := &quoter{}
	shown := map[string]string{} // what stands for each value
	for _, value := range secrets {
		shown[value] = redact.Hidden
	}
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(env))) {
		if value := env[name]; len(value) >= minSecret {
			shown[value] = "${" + name + "}"
		}
	}
	q.secrets, q.longest = redact.Replacer(shown)
	return q
}

// hide returns text with the values of variables replaced by their names.
func (q *quoter) hide(text string) string { return q.secrets.Replace(text) }

// line returns the beginning of a line, as plain text.
func (q *quoter) line(line []byte) string {
	window := 2*maxQuoted + q.longest
	if len(line) <= window {
		return cut(plain(q.hide(string(line))), maxQuoted)
	}
	// The window may end within a value, whose beginning is then not found.
	text := q.hide(string(line[:window]))
	return cut(plain(text[:len(text)-min(len(text), q.longest)]), maxQuoted)
}

// plain returns a line of a terminal as valid UTF-8 without anything that does
// not print. What a carriage return would have overwritten is left out.
func plain(line string) string {
	line = strings.TrimRightFunc(line, unicode.IsSpace)
	line = line[strings.LastIndexByte(line, '\r')+1:]
	line = escapes.ReplaceAllLiteralString(line, "")
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsPrint(r):
			return r
		case unicode.IsSpace(r):
			return ' '
		}
		return -1
	}, strings.ToValidUTF8(line, "\uFFFD"))
}

// cut returns at most the first n bytes of valid UTF-8, whole characters.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}
