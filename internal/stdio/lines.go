package stdio

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/langchaingo-mcp/mcpadapters/internal/skim"
)

const (
	// readSize is how much is read at once, and how long a line may be that
	// needs no copy.
	readSize = 64 << 10

	// maxKept is the capacity from which on the buffer for a long line is not
	// kept for the next one.
	maxKept = 1 << 20
)

// A LineTooLongError says that the server wrote a line, begun like a message,
// that is longer than allowed. The line is lost; those after it can be read.
type LineTooLongError struct {
	// Limit is [Command.MaxLine].
	Limit int
	// Message is what is known of the message on the line.
	Message skim.Message
	// Again says that the line was told of before, and that its end, where
	// some servers write the id, told more of it.
	Again bool
}

func (e *LineTooLongError) Error() string {
	return fmt.Sprintf("stdio: the server wrote a message of more than %d bytes: "+
		"ask it for less, or raise the limit for its messages", e.Limit)
}

// lines splits a stream into lines and passes on those that may be messages.
type lines struct {
	in    *bufio.Reader
	limit int
	stray func(line []byte) // gets the beginning of each other line that is not blank

	long []byte        // a line longer than the buffer of in
	skip bool          // whether the rest of the line is to be skipped
	skim *skim.Skimmer // of the line that is skipped, nil if nothing is to be learnt from it
}

func newLines(in io.Reader, limit int, stray func([]byte)) *lines {
	return &lines{in: bufio.NewReaderSize(in, readSize), limit: limit, stray: stray}
}

// next returns the next line that begins like a message, without space around
// it. It is good until the next call. The error is a [*LineTooLongError], after
// which next may be called again, or that of the stream, after which it may
// not; a line that the stream ends in is still a line.
func (l *lines) next() ([]byte, error) {
	if cap(l.long) > maxKept {
		l.long = nil
	}
	l.long = l.long[:0]
	for {
		part, err := l.in.ReadSlice('\n')
		full := errors.Is(err, bufio.ErrBufferFull)
		if err != nil && !full && !errors.Is(err, io.EOF) {
			return nil, err
		}
		first := len(l.long) == 0
		switch {
		case l.skip:
			l.skip = full
			if again := l.skimmed(part); again != nil {
				return nil, again
			}
		case first && !plausible(part):
			if len(bytes.TrimSpace(part)) > 0 {
				l.stray(part)
			}
			l.skip = full
		case len(l.long)+len(bytes.TrimRight(part, "\r\n")) > l.limit:
			l.skip = full
			return nil, l.tooLong(part)
		case first && !full:
			return trim(part), nil // The end of the stream is met again by the next call.
		default:
			l.long = append(l.long, part...)
			if !full {
				return trim(l.long), nil
			}
		}
		if errors.Is(err, io.EOF) {
			return nil, err
		}
	}
}

// tooLong returns the error for a line that part makes too long.
func (l *lines) tooLong(part []byte) *LineTooLongError {
	s := new(skim.Skimmer)
	s.Write(trim(l.long))
	s.Write(part)
	m := s.Message()
	if l.skip && !m.Known() {
		l.skim = s
	}
	return &LineTooLongError{Limit: l.limit, Message: m}
}

// skimmed takes a part of a line that is skipped. It returns an error once the
// line has told what was not known when it was found too long.
func (l *lines) skimmed(part []byte) error {
	if l.skim == nil {
		return nil
	}
	l.skim.Write(part)
	m := l.skim.Message()
	if !l.skip {
		l.skim = nil
	}
	if !m.Known() {
		return nil
	}
	l.skim = nil
	return &LineTooLongError{Limit: l.limit, Message: m, Again: true}
}

// trim takes space and a byte order mark off a line.
func trim(line []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(line), []byte("\uFEFF")))
}

// plausible reports whether a line, of which this is the beginning, may be a
// JSON object or an array of some. It spares what is plainly a line of a log,
// such as "[INFO] ready", from being collected and parsed.
func plausible(line []byte) bool {
	line = trim(line)
	if len(line) < 2 || line[0] != '{' && line[0] != '[' {
		return false
	}
	rest := bytes.TrimLeft(line[1:], " \t")
	if line[0] == '[' {
		return len(rest) > 0 && rest[0] == '{'
	}
	return len(rest) > 0 && rest[0] == '"'
}
