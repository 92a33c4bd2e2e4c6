package elicitation

import (
	"fmt"
	"strconv"
	"strings"
)

// Error lists what is wrong with a schema or with an answer, one entry a
// field. It never holds a value of an answer, which may be private.
type Error struct {
	// Fields is never empty. Entries are in the order of the fields.
	Fields []FieldError
}

// FieldError is what is wrong with one field.
type FieldError struct {
	// Name is the field's name as the server sent it. It is empty when the
	// problem is with the schema as a whole.
	Name string
	// Problem completes the sentence "the field ...", such as "is required".
	// It is one line; texts of the server in it are quoted.
	Problem string
}

// Error returns all problems on one line, with names quoted.
func (e *Error) Error() string {
	parts := make([]string, len(e.Fields))
	for i, f := range e.Fields {
		if f.Name == "" {
			parts[i] = f.Problem
		} else {
			parts[i] = quote(f.Name) + " " + f.Problem
		}
	}
	return strings.Join(parts, "; ")
}

// problem is one of the schema as a whole.
func problem(format string, args ...any) *Error {
	return &Error{Fields: []FieldError{{Problem: fmt.Sprintf(format, args...)}}}
}

// quote is for the texts of servers: no control character, no endless line.
func quote(s string) string {
	const limit = 80
	if r := []rune(s); len(r) > limit {
		s = string(r[:limit]) + "…"
	}
	return strconv.Quote(s)
}

func quoteAll(values []string) string {
	const limit = 10
	var b strings.Builder
	for i, v := range values {
		if i == limit {
			fmt.Fprintf(&b, " and %d more", len(values)-limit)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(quote(v))
	}
	return b.String()
}
