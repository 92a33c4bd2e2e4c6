package httpwire

import (
	"bytes"
	"io"
	"strconv"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/internal/skim"
)

const (
	// readSize is the size of a scanner's buffer.
	readSize = 16 << 10
	// keepSize is the largest buffer that is kept for the next event.
	keepSize = 64 << 10
	// maxEventID is the length up to which an event's id is remembered: it
	// goes back to the server in a header.
	maxEventID = 4 << 10
	// maxEventName is the length up to which the type of an event matters.
	maxEventName = 64
	// maxRetry caps the reconnection time that a server can ask for.
	maxRetry = 5 * time.Minute
)

// An event is a server-sent event, or the id and reconnection time that come
// without one.
type event struct {
	name     string
	id       string
	hasID    bool
	retry    time.Duration
	hasRetry bool
	data     []byte // valid until the next event is read
	hasData  bool
	oversize bool         // data was over the limit and is missing
	skimmed  skim.Message // what is known of data that is missing
}

// A scanner reads server-sent events as the HTML specification says (section
// 9.2.6), with one leniency: an event that the end of the stream cuts short
// counts if its data is a complete JSON value, as some servers leave out the
// last blank line. It hands on an event as soon as its blank line is read.
type scanner struct {
	src     io.Reader
	limit   int // of the data of an event
	buf     [readSize]byte
	r, w    int  // unread input is buf[r:w]
	skipLF  bool // the last line ended in CR
	started bool
	err     error
	line    []byte        // a line that does not lie in buf as a whole
	cut     bool          // the line is not all in line, as it is too long
	skim    *skim.Skimmer // of the data of ev, if it is over the limit
	ev      event
}

// reset starts a new stream.
func (s *scanner) reset(src io.Reader, limit int) {
	s.src, s.limit = src, limit
	s.r, s.w, s.skipLF, s.started, s.err = 0, 0, false, false, nil
}

// next returns the next event, which is valid until next is called again.
func (s *scanner) next() (*event, error) {
	data := s.ev.data[:0]
	if cap(data) > keepSize {
		data = nil
	}
	s.ev = event{data: data}
	for {
		line, err := s.readLine()
		if !s.started {
			s.started = true
			line = bytes.TrimPrefix(line, []byte("\uFEFF"))
		}
		if err != nil {
			return s.last(line, err)
		}
		if len(line) > 0 {
			s.field(line)
			continue
		}
		if s.ev.hasData || s.ev.hasID || s.ev.hasRetry || s.ev.oversize {
			s.skimmed()
			return &s.ev, nil
		}
		s.ev.name = ""
	}
}

// last returns the event that the end of the stream cut short, if it counts.
func (s *scanner) last(line []byte, err error) (*event, error) {
	if bytes.HasPrefix(line, []byte("data:")) {
		s.field(line)
	}
	s.skimmed()
	if s.ev.hasData && !s.ev.oversize && isWhole(s.ev.data) {
		return &s.ev, nil
	}
	return nil, err
}

// field takes a line that is not empty.
func (s *scanner) field(line []byte) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "data":
		s.data(value)
	case "event":
		s.ev.name = string(value[:min(len(value), maxEventName)])
	case "id":
		if validEventID(value) {
			s.ev.id, s.ev.hasID = string(value), true
		}
	case "retry":
		if ms, err := strconv.ParseUint(string(value), 10, 63); err == nil {
			s.ev.retry, s.ev.hasRetry = maxRetry, true
			if ms < uint64(maxRetry/time.Millisecond) {
				s.ev.retry = time.Duration(ms) * time.Millisecond
			}
		}
	}
}

func (s *scanner) data(value []byte) {
	if s.cut {
		return // skimmed already
	}
	size := len(s.ev.data) + len(value)
	if s.ev.hasData {
		size++
	}
	if s.ev.oversize || size > s.limit {
		s.overflow(value)
		return
	}
	if !s.ev.hasData {
		s.ev.hasData = true
		if len(s.line) > keepSize {
			// A long line has a buffer of its own, which is taken over.
			s.ev.data, s.line = value, nil
			return
		}
	} else {
		s.ev.data = append(s.ev.data, '\n')
	}
	s.ev.data = append(s.ev.data, value...)
}

// overflow takes more data of an event than there may be.
func (s *scanner) overflow(value []byte) {
	if !s.ev.oversize {
		s.skim = new(skim.Skimmer)
		s.skim.Write(s.ev.data)
		s.ev.oversize, s.ev.data = true, nil
	}
	s.skim.Write(value)
}

// skimmed notes in an event what is known of data that is missing.
func (s *scanner) skimmed() {
	if s.ev.oversize {
		s.ev.skimmed = s.skim.Message()
		s.skim = nil
	}
}

// readLine returns the next line without its end, valid until the next call.
// With an error, it returns what there is of an unfinished line. Of a line
// over the limit it returns the beginning.
func (s *scanner) readLine() ([]byte, error) {
	s.line, s.cut = s.line[:0], false
	if cap(s.line) > keepSize {
		s.line = nil
	}
	for {
		if s.skipLF && s.r < s.w {
			s.skipLF = false
			if s.buf[s.r] == '\n' {
				s.r++
			}
		}
		chunk := s.buf[s.r:s.w]
		if i := lineEnd(chunk); i >= 0 {
			s.skipLF = chunk[i] == '\r'
			s.r += i + 1
			if len(s.line) == 0 {
				return chunk[:i], nil
			}
			s.extend(chunk[:i])
			return s.line, nil
		}
		s.extend(chunk)
		s.r, s.w = 0, 0
		if s.err != nil {
			return s.line, s.err
		}
		s.fill()
	}
}

// extend adds to an unfinished line, until it is known to be too long.
func (s *scanner) extend(chunk []byte) {
	room := max(len("data: ")+s.limit+1-len(s.line), 0)
	if len(chunk) <= room {
		s.line = append(s.line, chunk...)
		return
	}
	s.line = append(s.line, chunk[:room]...)
	value, isData := bytes.CutPrefix(s.line, []byte("data:"))
	if isData && !s.cut {
		s.overflow(value)
	}
	s.cut = true
	if isData {
		s.overflow(chunk[room:])
	}
}

func (s *scanner) fill() {
	for range 100 {
		n, err := s.src.Read(s.buf[:])
		s.w, s.err = n, err
		if n > 0 || err != nil {
			return
		}
	}
	s.err = io.ErrNoProgress
}

func lineEnd(chunk []byte) int {
	lf := bytes.IndexByte(chunk, '\n')
	if lf >= 0 {
		chunk = chunk[:lf]
	}
	if cr := bytes.IndexByte(chunk, '\r'); cr >= 0 {
		return cr
	}
	return lf
}

// validEventID reports whether an id can be sent back in a header.
func validEventID(id []byte) bool {
	return len(id) <= maxEventID && !bytes.ContainsFunc(id, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// appendEvent appends an event in the form that the SDK reads: with a colon in
// each line, and LF at its end. An event without anything is left out.
func appendEvent(out []byte, name string, ev *event, data []byte) []byte {
	start := len(out)
	if name != "" {
		out = append(append(append(out, "event: "...), name...), '\n')
	}
	if ev.hasID && ev.id != "" {
		out = append(append(append(out, "id: "...), ev.id...), '\n')
	}
	if ev.hasRetry {
		out = append(strconv.AppendInt(append(out, "retry: "...), ev.retry.Milliseconds(), 10), '\n')
	}
	for len(data) > 0 {
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		out = append(append(append(out, "data: "...), line...), '\n')
		data = rest
	}
	if len(out) == start {
		return out
	}
	return append(out, '\n')
}
