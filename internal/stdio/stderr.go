package stdio

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"strings"
	"sync"
)

const (
	tailLines = 20
	tailBytes = 4 << 10
)

// A stderrLog reads standard error of a process all the time, passes it on, and
// keeps its end.
type stderrLog struct {
	source *source
	writer io.Writer // nil once it failed
	logger *slog.Logger
	quote  *quoter
	eof    chan struct{} // closed when reading has ended

	line []byte // for the logger: a line that is not complete

	mu   sync.Mutex
	tail []byte // as it was written
	over bool   // whether the tail had a beginning that is gone
}

func newStderrLog(source *source, command Command, quote *quoter) *stderrLog {
	return &stderrLog{
		source: source,
		writer: command.Stderr,
		logger: command.Logger,
		quote:  quote,
		eof:    make(chan struct{}),
	}
}

// run reads until the end.
func (s *stderrLog) run() {
	defer close(s.eof)
	defer s.source.Close()
	buf := make([]byte, 8<<10)
	for {
		n, err := s.source.Read(buf)
		if n > 0 {
			s.keep(buf[:n])
			s.pass(buf[:n])
			s.log(buf[:n])
		}
		if err != nil {
			s.log([]byte("\n"))
			return
		}
	}
}

// pass hands b to the writer.
func (s *stderrLog) pass(b []byte) {
	if s.writer == nil {
		return
	}
	if _, err := s.writer.Write(b); err != nil {
		s.logger.Warn("the writer for standard error failed and gets no more", "error", err)
		s.writer = nil
	}
}

// log hands the lines that b completes to the logger.
func (s *stderrLog) log(b []byte) {
	if !s.logger.Enabled(context.Background(), slog.LevelDebug) {
		return
	}
	for len(b) > 0 {
		part, rest, complete := bytes.Cut(b, []byte("\n"))
		b = rest
		// Nothing after what is quoted is needed.
		if room := 3*maxQuoted + s.quote.longest - len(s.line); room > 0 {
			s.line = append(s.line, part[:min(len(part), room)]...)
		}
		if complete {
			if text := s.quote.line(s.line); text != "" {
				s.logger.Debug("standard error", "line", text)
			}
			s.line = s.line[:0]
		}
	}
}

// keep appends b to the tail. The tail is longer than what is shown by the
// longest value that must not be: one whose beginning was cut off could not be
// told from other text.
func (s *stderrLog) keep(b []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tail = append(s.tail, b...)
	if size := tailBytes + s.quote.longest; len(s.tail) > size {
		s.over = true
		s.tail = append(s.tail[:0], s.tail[len(s.tail)-size:]...)
	}
}

// last returns the last lines, as plain text.
func (s *stderrLog) last() string {
	s.mu.Lock()
	text, over := string(s.tail), s.over
	s.mu.Unlock()
	text = s.quote.hide(text)
	if over {
		text = text[min(len(text), s.quote.longest):]
		if _, rest, ok := strings.Cut(strings.TrimRight(text, "\n"), "\n"); ok {
			text = rest // The first line is the end of one.
		}
	}
	var kept []string
	for line := range strings.Lines(text) {
		if line = plain(line); line != "" {
			kept = append(kept, line)
		}
	}
	text = strings.Join(kept[max(0, len(kept)-tailLines):], "\n")
	return strings.ToValidUTF8(text[max(0, len(text)-tailBytes):], "")
}
