package stdio

import (
	"errors"
	"io"
	"os"
	"sync"
)

// A reader yields the messages among the lines of standard output.
type reader struct {
	source *source
	stray  func([]byte)
	gone   <-chan struct{} // closed when the process is reaped

	closeOnce sync.Once
	closed    chan struct{}

	overOnce sync.Once
	over     chan struct{} // closed when all there was has been read

	mu      sync.Mutex // held while reading
	lines   *lines
	queue   [][]byte // messages of the line read last
	rest    []byte   // of the message that is being delivered
	newline bool     // whether the newline after it is still to be delivered
}

func newReader(source *source, limit int, stray func([]byte), gone <-chan struct{}) *reader {
	return &reader{
		source: source,
		stray:  stray,
		gone:   gone,
		closed: make(chan struct{}),
		over:   make(chan struct{}),
		lines:  newLines(source, limit, stray),
	}
}

// Read implements the reader that [Process.Reader] describes.
func (r *reader) Read(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case <-r.closed:
		return 0, io.EOF
	default:
	}
	if len(b) == 0 {
		return 0, nil
	}
	if len(r.rest) == 0 && !r.newline {
		message, err := r.next()
		if err != nil {
			return 0, err
		}
		r.rest, r.newline = message, true
	}
	n := copy(b, r.rest)
	r.rest = r.rest[n:]
	if len(r.rest) == 0 && n < len(b) {
		b[n] = '\n'
		n++
		r.newline = false
	}
	return n, nil
}

// next returns the next message, good until it is called again.
func (r *reader) next() ([]byte, error) {
	for len(r.queue) == 0 {
		line, err := r.lines.next()
		if err != nil {
			if _, again := errors.AsType[*LineTooLongError](err); again {
				return nil, err
			}
			return nil, r.end(err)
		}
		r.queue = appendMessages(r.queue, line, r.stray)
	}
	message := r.queue[0]
	if len(r.queue) == 1 {
		r.queue = r.queue[:0]
	} else {
		r.queue = r.queue[1:]
	}
	return message, nil
}

// end returns the error for the end of the stream. It gives the process the
// time to be reaped, so that who reads io.EOF can ask how it ended.
func (r *reader) end(err error) error {
	r.overOnce.Do(func() { close(r.over) })
	await(waitDelay, r.gone, r.closed)
	if errors.Is(err, io.EOF) || errors.Is(err, os.ErrClosed) || errors.Is(err, os.ErrDeadlineExceeded) {
		return io.EOF
	}
	return err
}

// Close ends the Read that is under way. What the server still writes is read
// and thrown away, so that it can exit in its own way: a full or broken pipe
// would stop or kill it first.
func (r *reader) Close() error {
	r.closeOnce.Do(func() {
		close(r.closed)
		if !r.source.interrupt() {
			_ = r.source.Close()
			return
		}
		go func() {
			// The Read under way ends, and no other one will read. This is not
			// waited for before: it may be in an OnStray that called Close.
			r.mu.Lock()
			r.source.resume()
			r.mu.Unlock()
			_, _ = io.Copy(io.Discard, r.source)
			_ = r.source.Close()
		}()
	})
	return nil
}
