package config

import (
	"bytes"
	"unicode/utf8"
)

// A locator turns positions into lines and columns. It remembers the last one:
// they come nearly in order, so that all together cost about one pass over the
// file, also where that is one long line.
type locator struct {
	data []byte
	last position
}

// locate returns the line and column, from 1, the column in characters.
func (l *locator) locate(at position) (line, column int) {
	if at.line > 0 {
		return at.line, at.column
	}
	offset := max(0, min(at.offset, len(l.data)))
	from := l.last
	if from.line == 0 || offset < from.offset {
		from = position{line: 1, column: 1}
	}
	between := l.data[from.offset:offset]
	if i := bytes.LastIndexByte(between, '\n'); i >= 0 {
		from.line += bytes.Count(between, []byte("\n"))
		from.column = 1
		between = between[i+1:]
	}
	from.column += utf8.RuneCount(between)
	from.offset = offset
	l.last = from
	return from.line, from.column
}

// invalidUTF8 returns the offset of the first byte that is not UTF-8, or -1.
func invalidUTF8(data []byte) int {
	for at := 0; at < len(data); {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
	return -1
}

// atByte returns the position of a line and a column that counts bytes, both
// from 1, as some parsers tell them.
func atByte(data []byte, line, column int) position {
	offset := 0
	for range line - 1 {
		i := bytes.IndexByte(data[offset:], '\n')
		if i < 0 {
			break
		}
		offset += i + 1
	}
	return position{offset: min(offset+max(column-1, 0), len(data))}
}
