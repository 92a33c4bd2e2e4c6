package terminal

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

// Lengths of server text, in runes.
const (
	maxLabel       = 60
	maxTitle       = 120
	maxDescription = 400
	maxChoiceTitle = 80
	maxMessage     = 200
	maxLogger      = 40
	maxLevel       = 16
	maxLogData     = 2000
	maxQuestion    = 2000
	maxInput       = 4000
)

// clean makes one line of at most limit runes of a text that a server sent.
// White space of any kind becomes a space, what does not print U+FFFD. Two
// invisible joiners stay, which languages need: they are zero wide.
func clean(s string, limit int) string {
	return cleanRunes(s, limit, false)
}

// cleanLines is clean, except that newlines stay.
func cleanLines(s string, limit int) string {
	return strings.Trim(cleanRunes(s, limit, true), "\n")
}

func cleanRunes(s string, limit int, newlines bool) string {
	var b strings.Builder
	n := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		if r == '\r' && i < len(s) && s[i] == '\n' {
			continue
		}
		if n == limit {
			b.WriteRune('…')
			break
		}
		n++
		const zeroWidthNonJoiner, zeroWidthJoiner = '\u200c', '\u200d'
		switch {
		case r == '\n' && newlines:
		case r == '\n', r == '\r', r == '\t', unicode.Is(unicode.Zs, r):
			r = ' '
		case unicode.IsPrint(r), r == zeroWidthNonJoiner, r == zeroWidthJoiner:
		default:
			r = utf8.RuneError
		}
		b.WriteRune(r)
	}
	return b.String()
}

// labelOf names the server and the tool. CallbackContext quotes what does not
// print.
func labelOf(cc callbacks.CallbackContext) string {
	return clean(cc.String(), maxLabel)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
