package transport

import (
	"regexp"
	"strings"
)

// ended is how the SDK says of a request that the server has ended instead of
// answering it.
var ended = regexp.MustCompile(`^(connection closed: )?(calling "[a-z/]*": )?(client is closing: )?EOF$`)

// worded returns an error of the SDK in words that are true: of a connection that
// the server has ended it says that the client is closing.
func worded(err error) error {
	if err == nil {
		return nil
	}
	switch text := err.Error(); {
	case ended.MatchString(text):
		return &reworded{"the server has closed the connection", err}
	case strings.Contains(text, "client is closing: "):
		return &reworded{strings.Replace(text, "client is closing: ", "", 1), err}
	}
	return err
}

type reworded struct {
	text string
	err  error
}

func (e *reworded) Error() string { return e.text }
func (e *reworded) Unwrap() error { return e.err }
