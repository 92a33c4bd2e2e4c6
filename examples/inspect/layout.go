package main

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// A table aligns its columns, and has no spaces at the end of its lines.
type table struct {
	w       io.Writer
	text    bytes.Buffer
	aligned *tabwriter.Writer
}

// newTable returns a table, which has to be flushed.
func newTable(w io.Writer, heading ...string) *table {
	t := &table{w: w}
	t.aligned = tabwriter.NewWriter(&t.text, 0, 0, 2, ' ', 0)
	t.row(heading...)
	return t
}

// row adds a row. Each cell is put on one line.
func (t *table) row(cells ...string) {
	for i, c := range cells {
		cells[i] = strings.Map(func(r rune) rune {
			if unicode.IsSpace(r) {
				return ' '
			}
			return r
		}, clean(strings.TrimRight(c, "\n")))
	}
	fmt.Fprintln(t.aligned, strings.Join(cells, "\t"))
}

func (t *table) flush() {
	t.aligned.Flush() // into memory, which does not fail
	for line := range strings.Lines(t.text.String()) {
		fmt.Fprintln(t.w, strings.TrimRight(line, " \n"))
	}
}

const (
	noLimit = 1 << 20
	// summary is how many characters of a description a list shows.
	summary = 72
	// lineWidth is where text is wrapped.
	lineWidth = 80
)

// cell puts a text on one line of at most limit characters. It is cut between
// words if one ends near the limit.
func cell(s string, limit int) string {
	s = strings.Join(strings.Fields(clean(s)), " ")
	runes := []rune(s)
	if len(runes) <= limit {
		return s
	}
	s = string(runes[:limit-1])
	if i := strings.LastIndexByte(s, ' '); i > 0 && len(s)-i < 16 {
		s = s[:i]
	}
	return s + "…"
}

// clean makes the text of a server fit for a terminal: what does not print,
// such as the escape that begins a control sequence, becomes U+FFFD. Newlines
// and tabs stay, and so do the two invisible joiners that languages need.
func clean(s string) string {
	const zeroWidthNonJoiner, zeroWidthJoiner = '\u200c', '\u200d'
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsGraphic(r), r == '\n', r == '\t', r == zeroWidthNonJoiner, r == zeroWidthJoiner:
			return r
		}
		return utf8.RuneError
	}, s)
}

// escapeUnprintable escapes in JSON what encoding/json leaves as it is though
// a terminal may act on it: DEL, the controls beyond ASCII and the marks that
// change the direction of text. Such characters only occur within strings.
func escapeUnprintable(json []byte) []byte {
	var b strings.Builder
	for _, r := range string(json) {
		switch {
		case r == '\n' || unicode.IsPrint(r):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return []byte(b.String())
}

// wrap writes pieces of text, a space between them. Lines break between the
// pieces, or within those that are longer than a line. The first line is
// indented by first, the others by rest.
func wrap(w io.Writer, first, rest string, pieces []string) {
	line, empty := first, true
	length := utf8.RuneCountInString
	for len(pieces) > 0 {
		piece := pieces[0]
		pieces = pieces[1:]
		before := rest
		if empty {
			before = line
		}
		switch words := strings.Fields(piece); {
		case length(before)+length(piece) > lineWidth && len(words) > 1:
			pieces = append(words, pieces...)
			continue
		case empty:
			line += piece
		case length(line)+1+length(piece) <= lineWidth:
			line += " " + piece
		default:
			fmt.Fprintln(w, line)
			line = rest + piece
		}
		empty = false
	}
	if !empty {
		fmt.Fprintln(w, line)
	}
}

func orDash(s string) string { return orElse(s, "-") }

func orElse(s, otherwise string) string {
	if cell(s, noLimit) == "" {
		return otherwise
	}
	return s
}
