package httpwire

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/segmentio/encoding/json"
)

const (
	// maxDepth is the nesting that the SDK's decoder accepts.
	maxDepth = 1000
	// maxBatch is the number of messages that a batch may have.
	maxBatch = 10000
)

// decoding is how the SDK decodes, but without copies: what is decoded shares
// memory with the input.
const decoding = json.ZeroCopy | json.DontMatchCaseInsensitiveStructFields

// A message is a JSON-RPC message that the SDK accepts. Its parts share memory
// with the data it was read from.
type message struct {
	isRequest bool // or notification
	id        jsonrpc.ID
	method    string
	params    []byte
	result    []byte
	err       *jsonrpc.Error
}

type envelope struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  json.RawMessage `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`
}

// parseMessage accepts what [jsonrpc.DecodeMessage] does, and error responses
// without an id. It validates without copying, where DecodeMessage takes a
// buffer of 32 KB for each message.
func parseMessage(data []byte) (message, error) {
	var env envelope
	if err := unmarshal(data, &env); err != nil {
		return message{}, err
	}
	if env.Version != "2.0" {
		return message{}, fmt.Errorf("its JSON-RPC version is %q, not \"2.0\"", excerpt([]byte(env.Version)))
	}
	var m message
	if len(env.ID) > 0 {
		id, err := parseID(env.ID)
		if err != nil {
			return message{}, err
		}
		m.id = id
	}
	if len(env.Method) > 0 {
		m.isRequest = true
		m.params = env.Params
		return m, unmarshal(env.Method, &m.method)
	}
	m.result = env.Result
	if len(env.Error) > 0 && !bytes.Equal(env.Error, []byte("null")) {
		m.err = new(jsonrpc.Error)
		if err := unmarshal(env.Error, m.err); err != nil {
			return message{}, err
		}
	}
	if !m.id.IsValid() && m.err == nil {
		return message{}, errors.New("it has neither a method nor an id")
	}
	return m, nil
}

// parseID copies, as an ID outlives the data it was read from.
func parseID(data []byte) (jsonrpc.ID, error) {
	var raw any
	if _, err := json.Parse(data, &raw, 0); err != nil {
		return jsonrpc.ID{}, err
	}
	return jsonrpc.MakeID(raw)
}

// unmarshal decodes the first value in data, as the SDK does.
func unmarshal(data []byte, v any) error {
	if tooDeep(data) {
		return fmt.Errorf("it is nested deeper than %d levels", maxDepth)
	}
	_, err := json.Parse(data, v, decoding)
	return err
}

// tooDeep keeps the decoder, which is recursive, from what would exhaust the
// stack.
func tooDeep(data []byte) bool {
	if bytes.Count(data, []byte("{"))+bytes.Count(data, []byte("[")) <= maxDepth {
		return false
	}
	depth, inString, escaped := 0, false, false
	for _, b := range data {
		switch {
		case escaped:
			escaped = false
		case inString:
			escaped = b == '\\'
			inString = b != '"'
		case b == '"':
			inString = true
		case b == '{', b == '[':
			if depth++; depth > maxDepth {
				return true
			}
		case b == '}', b == ']':
			depth = max(depth-1, 0)
		}
	}
	return false
}

// isWhole reports whether data is one complete JSON value.
func isWhole(data []byte) bool { return !tooDeep(data) && json.Valid(data) }

// splitBatch returns the elements of a JSON array, or nil if data is none.
func splitBatch(data []byte) ([]json.RawMessage, error) {
	if trimmed := bytes.TrimLeft(data, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '[' {
		return nil, nil
	}
	if n := countElements(data); n > maxBatch {
		return nil, fmt.Errorf("it is a batch of more than %d messages", maxBatch)
	}
	var elements []json.RawMessage
	if err := unmarshal(data, &elements); err != nil {
		return nil, err
	}
	return elements, nil
}

// countElements counts those of an array, up to one more than maxBatch.
func countElements(data []byte) int {
	n := 1
	for t := json.NewTokenizer(data); n <= maxBatch && t.Next(); {
		if t.Delim == ',' && t.Depth == 1 {
			n++
		}
	}
	return n
}

// request returns the message in the SDK's form, sharing no memory.
func (m *message) request() *jsonrpc.Request {
	return &jsonrpc.Request{ID: m.id, Method: string([]byte(m.method)), Params: bytes.Clone(m.params)}
}

// errorResponse returns the encoding of an error response of this package.
func errorResponse(id jsonrpc.ID, code int64, text string) []byte {
	return encodeResponse(id, nil, &jsonrpc.Error{Code: code, Message: text})
}

func encodeResponse(id jsonrpc.ID, result []byte, werr *jsonrpc.Error) []byte {
	resp := &jsonrpc.Response{ID: id, Result: result}
	if werr != nil {
		resp.Error = werr
	}
	data, err := jsonrpc.EncodeMessage(resp)
	if err != nil {
		// Only invalid JSON in the parts fails, and those were parsed.
		data, _ = jsonrpc.EncodeMessage(&jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: CodeTransport, Message: err.Error()}})
	}
	return data
}

// A call is what is known of the message that a POST carries.
type call struct {
	method string
	id     jsonrpc.ID // valid only for calls
}

func (c call) isCall() bool { return c.id.IsValid() && c.method != "" }

// peekCall reads the head of a message that the SDK wrote, in which the id
// comes before the method and both before anything long.
func peekCall(head []byte) call {
	if c, ok := plainCall(head); ok {
		return c
	}
	var c call
	key := ""
	for t := json.NewTokenizer(head); t.Next(); {
		switch {
		case t.Depth != 1 || t.Delim != 0:
			if t.Delim == ',' && t.Depth == 1 {
				key = ""
			}
		case t.IsKey:
			key = string(t.String())
			if key == "params" || key == "result" || key == "error" {
				return c
			}
		case key == "id":
			c.id, _ = parseID(t.Value)
		case key == "method":
			c.method = string(t.String())
			return c
		}
	}
	return c
}

// plainCall does so for a message as the SDK writes it: with an id that is a
// number, and its members in this order.
func plainCall(head []byte) (c call, ok bool) {
	rest, ok := bytes.CutPrefix(head, []byte(`{"jsonrpc":"2.0","id":`))
	if !ok {
		return c, false
	}
	id, rest, ok := bytes.Cut(rest, []byte(`,"method":"`))
	n, err := strconv.ParseUint(string(id), 10, 52)
	if !ok || err != nil {
		return c, false
	}
	method, _, ok := bytes.Cut(rest, []byte(`"`))
	if !ok || bytes.IndexByte(method, '\\') >= 0 {
		return c, false
	}
	c.method = string(method)
	c.id, err = jsonrpc.MakeID(float64(n))
	return c, err == nil
}
