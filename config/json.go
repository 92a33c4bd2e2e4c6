package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// parseJSON reads JSON with comments and trailing commas.
func parseJSON(data []byte) (*node, *syntaxError) {
	// The parser calls itself for what is nested, without a bound.
	if at := tooDeep(data); at >= 0 {
		return nil, bounded(position{offset: at}, maxDepth+1, 0)
	}
	// The parser wants the end of a line after a comment, also the last one.
	value, err := hujson.Parse(append(bytes.Clone(data), '\n'))
	if err != nil {
		return nil, jsonError(data, err)
	}
	r := jsonReader{budget: maxNodes}
	return r.node(value, 0)
}

type jsonReader struct{ budget int }

func (r *jsonReader) node(v hujson.Value, depth int) (*node, *syntaxError) {
	n := &node{at: position{offset: v.StartOffset}}
	if err := r.spend(n.at, depth); err != nil {
		return nil, err
	}
	switch value := v.Value.(type) {
	case *hujson.Object:
		n.kind = kindObject
		for _, m := range value.Members {
			child, err := r.node(m.Value, depth+1)
			if err != nil {
				return nil, err
			}
			key, _ := m.Name.Value.(hujson.Literal)
			n.members = append(n.members, member{key.String(), position{offset: m.Name.StartOffset}, child})
		}
	case *hujson.Array:
		n.kind = kindArray
		for _, element := range value.Elements {
			child, err := r.node(element, depth+1)
			if err != nil {
				return nil, err
			}
			n.elements = append(n.elements, child)
		}
	case hujson.Literal:
		n.kind, n.text = literal(value)
	}
	return n, nil
}

func (r *jsonReader) spend(at position, depth int) *syntaxError {
	r.budget--
	return bounded(at, depth, r.budget)
}

// bounded refuses what is nested too deep or too much.
func bounded(at position, depth, budget int) *syntaxError {
	switch {
	case depth > maxDepth:
		return &syntaxError{fmt.Sprintf("is nested deeper than %d levels", maxDepth), at}
	case budget < 0:
		return &syntaxError{fmt.Sprintf("holds more than %d values", maxNodes), at}
	default:
		return nil
	}
}

func literal(l hujson.Literal) (kind, text string) {
	switch l.Kind() {
	case '"':
		return kindString, l.String()
	case 't', 'f':
		return kindBoolean, string(l)
	case 'n':
		return kindNull, string(l)
	default:
		return kindNumber, string(l)
	}
}

// tooDeep returns the offset of the bracket that nests deeper than allowed, or
// -1. It looks into neither strings nor comments.
func tooDeep(data []byte) int {
	depth := 0
	for i := 0; i < len(data); i++ {
		rest := data[i:]
		switch {
		case rest[0] == '{' || rest[0] == '[':
			if depth++; depth > maxDepth {
				return i
			}
		case rest[0] == '}' || rest[0] == ']':
			depth--
		case rest[0] == '"':
			for i++; i < len(data) && data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
		case bytes.HasPrefix(rest, []byte("//")):
			i += skip(rest, "\n")
		case bytes.HasPrefix(rest, []byte("/*")):
			i += skip(rest, "*/")
		}
	}
	return -1
}

// skip returns how many bytes there are before the end of a comment.
func skip(comment []byte, end string) int {
	if i := bytes.Index(comment[2:], []byte(end)); i >= 0 {
		return i + 1 + len(end)
	}
	return len(comment)
}

var jsonPlace = regexp.MustCompile(`^hujson: line (\d+), column (\d+): `)

// jsonError keeps of an error of the parser what shows nothing of the file.
func jsonError(data []byte, err error) *syntaxError {
	problem := err.Error()
	var at position
	if m := jsonPlace.FindStringSubmatch(problem); m != nil {
		problem = strings.TrimPrefix(problem, m[0])
		line, _ := strconv.Atoi(m[1])
		column, _ := strconv.Atoi(m[2])
		at = atByte(data, line, column)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) && !bytes.ContainsAny(data, "{[") {
		return &syntaxError{`is empty: write {"mcpServers": {}} if there are to be no servers`, position{}}
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		// The parser tells where it began to read what does not end.
		return &syntaxError{"ends before it is complete", position{offset: len(data)}}
	}
	if before, _, found := strings.Cut(problem, "invalid literal: "); found {
		problem = before + "is neither a string in double quotes, a number, true, false nor null"
	}
	return &syntaxError{problem, at}
}
