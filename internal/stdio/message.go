package stdio

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/langchaingo-mcp/mcpadapters/internal/skim"
)

// maxDepth is how deeply the SDK lets the values of a message nest.
const maxDepth = 1000

// appendMessages appends the JSON-RPC messages in line to out: none, one, or
// those of a batch, which protocol versions from 2025-06-18 on do not have and
// the SDK then fails on. Messages share the memory of line. What is no message
// is passed to stray.
//
// Everything that it lets through can be decoded by the SDK. What cannot would
// end the session, be it only a log line that happens to be JSON.
func appendMessages(out [][]byte, line []byte, stray func([]byte)) [][]byte {
	if !json.Valid(line) {
		stray(line)
		return appendFailure(out, line)
	}
	if line[0] != '[' {
		return appendMessage(out, line, stray)
	}
	strays := 0
	walk(line, func(_, element []byte) {
		out = appendMessage(out, element, func([]byte) { strays++ })
	})
	if strays > 0 {
		stray(line)
	}
	return out
}

// appendMessage is appendMessages for a single value.
func appendMessage(out [][]byte, value []byte, stray func([]byte)) [][]byte {
	var m envelope
	if value[0] != '{' || !m.read(value) || !m.request() && !m.response() {
		stray(value)
		return appendFailure(out, value)
	}
	if !m.request() && !m.errorReadable() {
		// The call that it answers would wait for ever if it was dropped.
		stray(value)
		return append(out, m.repaired())
	}
	return append(out, value)
}

// codeTransport is the code of the error for a call whose answer is none, the
// same as with HTTP.
const codeTransport = -32050

// appendFailure appends an error response if the text, which is no message, was
// plainly meant to be the response to a call, which would wait for ever.
func appendFailure(out [][]byte, text []byte) [][]byte {
	if !bytes.Contains(text[:min(len(text), maxQuoted)], []byte(`"jsonrpc"`)) && !bytes.Contains(text[max(0, len(text)-maxQuoted):], []byte(`"jsonrpc"`)) {
		return out
	}
	var s skim.Skimmer
	s.Write(text)
	m := s.Message()
	if m.Kind != skim.Response || !m.ID.IsValid() {
		return out
	}
	failure, err := jsonrpc.EncodeMessage(&jsonrpc.Response{ID: m.ID, Error: &jsonrpc.Error{
		Code: codeTransport, Message: "the server's answer is not JSON-RPC: " + cut(plain(string(text[:min(len(text), 4*maxQuoted)])), maxQuoted),
	}})
	if err != nil {
		return out
	}
	return append(out, failure)
}

// An envelope holds the raw values of a message that say what it is, nil for
// those that it does not have.
type envelope struct {
	version, id, method, err []byte
}

// read fills m in from a valid JSON object. It reports whether it is of a kind
// that can be judged by this package as the SDK would.
func (m *envelope) read(object []byte) bool {
	plain := true
	set := func(field *[]byte, value []byte) {
		// The SDK would look at all of several values.
		plain = plain && *field == nil
		*field = value
	}
	depth := walk(object, func(key, value []byte) {
		switch string(key) {
		case "jsonrpc":
			set(&m.version, value)
		case "id":
			set(&m.id, value)
		case "method":
			set(&m.method, value)
		case "error":
			set(&m.err, value)
		default:
			// "\u0069d" is "id" to the SDK. Nobody writes so.
			plain = plain && bytes.IndexByte(key, '\\') < 0
		}
	})
	return plain && depth <= maxDepth && string(m.version) == `"2.0"`
}

// request reports whether m is a request or notification.
func (m *envelope) request() bool {
	if m.method == nil || m.id != nil && !m.idReadable() && !null(m.id) {
		return false
	}
	return m.method[0] == '"' && m.errorReadable()
}

// response reports whether m answers a call.
func (m *envelope) response() bool { return m.method == nil && m.idReadable() }

// idReadable reports whether the id is a string or a number.
func (m *envelope) idReadable() bool {
	if len(m.id) == 0 {
		return false
	}
	if m.id[0] == '"' {
		return true
	}
	_, err := strconv.ParseFloat(string(m.id), 64)
	return err == nil
}

// errorReadable reports whether the error is absent or has the form it must
// have.
func (m *envelope) errorReadable() bool {
	if m.err == nil || null(m.err) {
		return true
	}
	var wire struct {
		Code    int64  `json:"code"`
		Message string `json:"message"`
	}
	return json.Unmarshal(m.err, &wire) == nil
}

// repaired returns a response to the same call with an error in the right form.
func (m *envelope) repaired() []byte {
	text := cut(plain(string(m.err)), maxQuoted)
	message, _ := json.Marshal("the server answered with a malformed error: " + text) // cannot fail for a string
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32603,"message":%s}}`, m.id, message)
}

func null(value []byte) bool { return slices.Equal(value, []byte("null")) }

// walk calls visit for each member of a JSON object, or element of an array,
// with its raw value and, in an object, its raw key without quotes. It returns
// how deeply the values nest, b itself included. b must be valid JSON.
func walk(b []byte, visit func(key, value []byte)) (depth int) {
	object := b[0] == '{'
	depth = 1
	for i := skipTo(b, 1); i < len(b) && b[i] != '}' && b[i] != ']'; i = skipTo(b, i) {
		var key []byte
		if object {
			end := stringEnd(b, i)
			key = b[i+1 : end-1]
			i = skipTo(b, end)
		}
		end, inner := valueEnd(b, i)
		visit(key, b[i:end:end])
		depth = max(depth, 1+inner)
		i = end
	}
	return depth
}

// skipTo returns the index of the next byte from i on that is not space, comma
// or colon.
func skipTo(b []byte, i int) int {
	for i < len(b) {
		switch b[i] {
		case ' ', '\t', '\r', '\n', ',', ':':
			i++
		default:
			return i
		}
	}
	return i
}

// stringEnd returns the index after the string that begins at i.
func stringEnd(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}

// valueEnd returns the index after the value that begins at i, and how deeply
// it nests: 0 for a scalar.
func valueEnd(b []byte, i int) (end, depth int) {
	open := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i = stringEnd(b, i)
		case '{', '[':
			open++
			depth = max(depth, open)
			i++
			continue
		case '}', ']':
			if open == 0 {
				return i, depth // the end of what a scalar is in
			}
			open--
			i++
		case ',', ' ', '\t', '\r', '\n':
			if open == 0 {
				return i, depth
			}
			i++
			continue
		default:
			i++
			continue
		}
		if open == 0 {
			return i, depth
		}
	}
	return i, depth
}
