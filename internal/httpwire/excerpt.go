package httpwire

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// excerptSize is the length of an excerpt in bytes.
const excerptSize = 200

// excerpt returns the beginning of text that a server sent, in one line and
// without what could act on a terminal or a log.
func excerpt(text []byte) string {
	var b strings.Builder
	gap := false
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		text = text[size:]
		if r == utf8.RuneError || !unicode.IsPrint(r) || r == ' ' {
			gap = b.Len() > 0
			continue
		}
		need := utf8.RuneLen(r)
		if gap {
			need++
		}
		if b.Len()+need > excerptSize {
			break
		}
		if gap {
			b.WriteByte(' ')
			gap = false
		}
		b.WriteRune(r)
	}
	return b.String()
}
