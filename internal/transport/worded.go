package transport

import (
	"regexp"
	"strings"
)

// closing is how the SDK says of a connection that the server has ended that a
// request could not be made.
const closing = "client is closing: "

// eof is what is left of that where nothing more is known.
var eof = regexp.MustCompile(`^(connection closed: )?(calling "[^"]*": )?EOF$`)

// Ended returns the error of a request that the server has ended its connection
// instead of answering, in words that say so.
func Ended(err error) error {
	text := strings.Replace(err.Error(), closing, "", 1)
	if eof.MatchString(text) {
		text = "the server has closed the connection"
	}
	if text == err.Error() {
		return err
	}
	return &reworded{text, err}
}

// worded is [Ended] for an error of a connection that may not have ended: the SDK
// says of an answer without a result, too, that it is at its end.
func (l *Link) worded(err error) error {
	if err == nil {
		return nil
	}
	w, ok := l.Transport.(*watched)
	if ok && w.ended.Load() || strings.Contains(err.Error(), closing) {
		return Ended(err)
	}
	return err
}

type reworded struct {
	text string
	err  error
}

func (e *reworded) Error() string { return e.text }
func (e *reworded) Unwrap() error { return e.err }
