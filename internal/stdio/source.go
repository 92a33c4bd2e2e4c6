package stdio

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"
)

// maxBuffered is the most that a pipe is believed to hold. It bounds what is
// read of a pipe that was cut, which a stranger may go on filling.
const maxBuffered = 1 << 20

// past is a deadline that fails reading at once.
var past = time.Unix(1, 0)

// A source is this process's end of a pipe that the server writes to. Beyond a
// plain pipe it can be cut: a process that left the group may hold the other
// end for ever, so that no end of file ever comes.
type source struct {
	file *os.File

	mu          sync.Mutex
	interrupted bool
	over        bool
	buffered    int // how much was read since it is over
}

// Read reads from the pipe. Once it was cut it yields what the pipe still
// holds and then io.EOF. While it is interrupted it fails with
// [os.ErrDeadlineExceeded]. Only one goroutine may read at a time.
func (s *source) Read(b []byte) (int, error) {
	n, err := s.file.Read(b)
	if n > 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		return n, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.interrupted || !s.over {
		return 0, err
	}
	if s.buffered >= maxBuffered {
		return 0, io.EOF
	}
	// The deadline fails reads even when there is something to read.
	_ = s.file.SetReadDeadline(time.Time{})
	n, err = readBuffered(s.file, b)
	s.buffered += n
	_ = s.file.SetReadDeadline(past)
	return n, err
}

// interrupt ends the Read that is under way and fails those that follow, until
// resume. It reports whether the system can do that.
func (s *source) interrupt() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.interrupted = true
	err := s.file.SetReadDeadline(past)
	return err == nil || errors.Is(err, os.ErrClosed)
}

// resume undoes interrupt.
func (s *source) resume() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.interrupted = false
	if !s.over {
		_ = s.file.SetReadDeadline(time.Time{})
	}
}

// cut ends reading. Where pipes know no deadline it does nothing: there the
// processes that hold the other end are surely gone.
func (s *source) cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	_ = s.file.SetReadDeadline(past)
}

// Close closes the pipe and ends the Read that is under way. It may be called
// more than once.
func (s *source) Close() error {
	if err := s.file.Close(); !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}
