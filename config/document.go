package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// A document is a whole file: valid UTF-8 and valid JSON.
type document []byte

// readDocument returns the document, or why data is none.
func readDocument(data []byte) (doc document, problem string) {
	if len(data) > maxFileSize {
		return nil, fmt.Sprintf("is larger than %d MiB", maxFileSize>>20)
	}
	// Editors on Windows write a byte order mark.
	doc = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if at := invalidUTF8(doc); at >= 0 {
		return nil, doc.position(at) + ": is not UTF-8 text"
	}
	var whole json.RawMessage
	if err := json.Unmarshal(doc, &whole); err != nil {
		var syntax *json.SyntaxError
		if errors.As(err, &syntax) {
			// Offset counts the bytes up to and with the offending one.
			return nil, doc.position(int(syntax.Offset)-1) + ": " + err.Error()
		}
		return nil, err.Error()
	}
	return doc, ""
}

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

// position returns the line and column of a byte, both from 1, the column in
// characters.
func (d document) position(at int) string {
	before := d[:max(0, min(at, len(d)))]
	start := bytes.LastIndexByte(before, '\n') + 1
	line := bytes.Count(before, []byte("\n")) + 1
	return fmt.Sprintf("line %d, column %d", line, utf8.RuneCount(before[start:])+1)
}

// lines returns the line, from 1, on which each member is. They are in order,
// which allows to count in one pass however many there are.
func (d document) lines(members []member) []int {
	lines := make([]int, len(members))
	line, at := 1, 0
	for i, m := range members {
		line += bytes.Count(d[at:m.at], []byte("\n"))
		at = m.at
		lines[i] = line
	}
	return lines
}

// A value is a part of a document.
type value struct {
	raw json.RawMessage
	at  int // where it starts in the document
}

// A member is a key of an object and what it holds.
type member struct {
	key string
	value
}

// value returns the whole document.
func (d document) value() value {
	const space = " \t\r\n"
	raw := bytes.TrimLeft(d, space)
	return value{raw: bytes.TrimRight(raw, space), at: len(d) - len(raw)}
}

// kind names the type of the value, as messages do.
func (v value) kind() string {
	switch v.raw[0] {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	default:
		return "number"
	}
}

// text returns the characters of a string.
func (v value) text() string {
	var s string
	// It cannot fail: the document is valid JSON, and callers know the kind.
	_ = json.Unmarshal(v.raw, &s)
	return s
}

// elements returns what an array holds.
func (v value) elements() []value {
	var raws []json.RawMessage
	_ = json.Unmarshal(v.raw, &raws) // See text.
	values := make([]value, len(raws))
	for i, raw := range raws {
		values[i] = value{raw: raw, at: v.at}
	}
	return values
}

// members returns what an object holds, in order and with duplicates, neither
// of which encoding/json would keep. Of other kinds it returns nothing.
func (v value) members() []member {
	if v.kind() != "object" {
		return nil
	}
	var members []member
	decoder := json.NewDecoder(bytes.NewReader(v.raw))
	_, err := decoder.Token()
	for err == nil && decoder.More() {
		var (
			m     member
			token json.Token
		)
		if token, err = decoder.Token(); err != nil {
			break
		}
		m.key, _ = token.(string)
		err = decoder.Decode(&m.raw)
		m.at = v.at + int(decoder.InputOffset()) - len(m.raw)
		members = append(members, m)
	}
	return members
}

// eachDuplicate calls f for each member whose key an earlier one has, with the
// indexes of both.
func eachDuplicate(members []member, f func(first, again int)) {
	seen := make(map[string]int, len(members))
	for i, m := range members {
		if first, ok := seen[m.key]; ok {
			f(first, i)
			continue
		}
		seen[m.key] = i
	}
}
