package skim

import (
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

const (
	maxKey = 16      // longer than the names that matter
	maxID  = 1 << 10 // longer ids are of no message of ours
)

// A Kind says what a message is.
type Kind int

const (
	Unknown  Kind = iota // nothing that tells was read yet
	Request              // or a notification
	Response             // with a result or an error
)

// A Message is what is known of a message.
type Message struct {
	// ID is not valid if none was read, which that of a notification never is.
	ID   jsonrpc.ID
	Kind Kind
}

// Known reports whether the rest of the message would tell nothing more.
func (m Message) Known() bool { return m.ID.IsValid() && m.Kind != Unknown }

// A Skimmer reads one message. The zero value is ready. It is not safe for
// concurrent use.
type Skimmer struct {
	depth             int
	inString, escaped bool
	array             bool // the outermost value is none that has members
	atKey, inKey      bool // in the outermost object
	key, id           []byte
	inID              bool
	m                 Message
}

// Reset begins a new message.
func (s *Skimmer) Reset() { *s = Skimmer{key: s.key[:0], id: s.id[:0]} }

// Message returns what is known so far.
func (s *Skimmer) Message() Message { return s.m }

// Write takes the next part of the message. It never fails, and keeps nothing
// of b.
func (s *Skimmer) Write(b []byte) (int, error) {
	for _, c := range b {
		if s.inString {
			s.string(c)
		} else {
			s.other(c)
		}
	}
	return len(b), nil
}

// string takes a byte inside a string.
func (s *Skimmer) string(c byte) {
	switch {
	case s.escaped:
		s.escaped = false
	case c == '\\':
		s.escaped = true
	case c == '"':
		s.inString = false
	}
	switch {
	case s.inKey && !s.inString:
		s.inKey = false
	case s.inKey && len(s.key) < maxKey:
		s.key = append(s.key, c)
	}
	s.keep(c)
}

// other takes a byte outside of strings.
func (s *Skimmer) other(c byte) {
	outer := s.depth == 1 && !s.array
	switch c {
	case '"':
		s.inString = true
		if outer && s.atKey {
			s.inKey, s.atKey, s.key = true, false, s.key[:0]
		}
		s.keep(c)
	case '{', '[':
		s.inID = false // an id is neither
		if s.depth++; s.depth == 1 {
			s.array, s.atKey = c == '[', true
		}
	case '}', ']':
		if outer {
			s.endID()
		}
		s.depth--
	case ',':
		if outer {
			s.endID()
			s.atKey = true
		}
	case ':':
		if outer {
			s.value()
		}
	case ' ', '\t', '\r', '\n':
	default:
		s.keep(c)
	}
}

// value notes that the value of a member of the outermost object begins.
func (s *Skimmer) value() {
	kind := Unknown
	switch string(s.key) {
	case "id":
		s.inID, s.id = true, s.id[:0]
	case "method", "params":
		kind = Request
	case "result", "error":
		kind = Response
	}
	if s.m.Kind == Unknown {
		s.m.Kind = kind
	}
}

// keep takes a byte that may be one of an id.
func (s *Skimmer) keep(c byte) {
	if !s.inID {
		return
	}
	if len(s.id) == maxID {
		s.inID = false
		return
	}
	s.id = append(s.id, c)
}

func (s *Skimmer) endID() {
	if !s.inID {
		return
	}
	s.inID = false
	var raw any
	if json.Unmarshal(s.id, &raw) == nil {
		s.m.ID, _ = jsonrpc.MakeID(raw) // invalid if it is none
	}
}
