package stdio

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
)

// stdin is standard input of a process. Both methods are safe to call at any
// time and from anywhere.
type stdin struct {
	file    *os.File
	process *Process
	closed  atomic.Bool // by this side
	rawOnce sync.Once
	raw     syscall.RawConn
}

// writeNow writes as much as the pipe takes at once, and returns how much. Where the
// system cannot tell, or writing fails, that is nothing.
func (s *stdin) writeNow(b []byte) (n int) {
	s.rawOnce.Do(func() { s.raw, _ = s.file.SyscallConn() }) // fails once the file is closed
	if s.raw != nil {
		n = writeBuffered(s.raw, b)
	}
	return n
}

// Write implements the writer that [Process.Writer] describes.
func (s *stdin) Write(b []byte) (int, error) {
	n, err := s.file.Write(b)
	if err == nil {
		return n, nil
	}
	if s.closed.Load() {
		return n, fmt.Errorf("stdio: standard input of the server is closed: %w", io.ErrClosedPipe)
	}
	// It is about to be known how the server ended, if that is why.
	if await(waitDelay, s.process.done, s.process.closing) && s.process.Exit() != running {
		// What it said before often tells why, and may not have been read yet.
		await(waitDelay, s.process.stdout.over, s.process.stdout.closed)
		return n, fmt.Errorf("stdio: the server %s: %w", s.process.Exit(), io.ErrClosedPipe)
	}
	return n, fmt.Errorf("stdio: the server reads no more: %w (%w)", io.ErrClosedPipe, err)
}

// Close asks the server to exit.
func (s *stdin) Close() error {
	s.closed.Store(true)
	s.process.asked.Store(true)
	return s.end()
}

// end closes the pipe without asking anything.
func (s *stdin) end() error {
	if err := s.file.Close(); !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}
