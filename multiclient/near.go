package multiclient

import (
	"fmt"
	"strings"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

// didYouMean names those of names that come near, for the end of a message, or
// is empty.
func didYouMean(name string, names []string) string {
	near := adapters.NearNames(name, names)
	if near == nil {
		return ""
	}
	quoted := make([]string, len(near))
	for i, n := range near {
		quoted[i] = fmt.Sprintf("%q", n)
	}
	return " (did you mean " + strings.Join(quoted, " or ") + "?)"
}

// ownName adds to the error of a call that the server refused how it calls the
// tool itself, if it does not list the name: agents know tools by other names,
// with a prefix for one.
func (s *server) ownName(tool string, err error) error {
	e, ok := err.(*Error) // not one inside what an interceptor returned
	if !ok || e.Kind != ErrRefused || s.catalogue.lookup(tool) != nil {
		return err
	}
	known, _ := s.catalogue.last(s)
	var names []string
	for _, t := range known.tools {
		names = append(names, t.Name)
	}
	near := didYouMean(tool, names)
	if near == "" {
		return err
	}
	own := *e
	own.Err = hinted{cause: e.Err, hint: "the server lists no tool of this name" + near}
	return &own
}

// A hinted error says something before its cause.
type hinted struct {
	cause error
	hint  string
}

func (h hinted) Error() string {
	if h.cause == nil {
		return h.hint
	}
	return h.hint + ": " + h.cause.Error()
}

func (h hinted) Unwrap() error { return h.cause }
