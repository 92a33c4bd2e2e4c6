package stdio

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// decode is [jsonrpc.DecodeMessage] for what appendMessages let through, which
// is known to be valid. It shares the memory of message. The SDK's function
// sets up a decoder with a buffer of its own for each message and for parts of
// it, which costs more than everything else that is done with a small one.
func decode(message []byte) (jsonrpc.Message, error) {
	var id, method, params, result []byte
	plain := true
	set := func(field *[]byte, value []byte) {
		plain = plain && *field == nil && !null(value)
		*field = value
	}
	walk(message, func(key, value []byte) {
		switch string(key) {
		case "jsonrpc":
		case "id":
			set(&id, value)
		case "method":
			set(&method, value)
		case "params":
			set(&params, value)
		case "result":
			set(&result, value)
		default:
			plain = false // an error, or a key that nobody knows
		}
	})
	if !plain {
		return jsonrpc.DecodeMessage(message)
	}
	var own jsonrpc.ID
	if id != nil {
		var ok bool
		if own, ok = decodeID(id); !ok {
			return jsonrpc.DecodeMessage(message)
		}
	}
	if method == nil {
		return &jsonrpc.Response{ID: own, Result: result}, nil
	}
	name, ok := plainString(method)
	if !ok {
		return jsonrpc.DecodeMessage(message)
	}
	return &jsonrpc.Request{ID: own, Method: name, Params: params}, nil
}

// decodeID decodes an id that is a plain string or a small integer.
func decodeID(raw []byte) (jsonrpc.ID, bool) {
	if s, ok := plainString(raw); ok {
		id, err := jsonrpc.MakeID(s)
		return id, err == nil
	}
	if len(raw) > 15 { // more digits than a float64 has
		return jsonrpc.ID{}, false
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		return jsonrpc.ID{}, false
	}
	id, err := jsonrpc.MakeID(float64(n))
	return id, err == nil
}

// plainString decodes a string of printable ASCII without escapes.
func plainString(raw []byte) (string, bool) {
	if raw[0] != '"' {
		return "", false
	}
	raw = raw[1 : len(raw)-1]
	for _, c := range raw {
		if c < ' ' || c > '~' || c == '\\' {
			return "", false
		}
	}
	return string(raw), true
}

// appendEncoded appends what [jsonrpc.EncodeMessage] returns, and a newline.
func appendEncoded(b []byte, msg jsonrpc.Message) ([]byte, error) {
	if out, ok := appendPlain(b, msg); ok {
		return append(out, '\n'), nil
	}
	data, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return b, err
	}
	return append(append(b, data...), '\n'), nil
}

// appendPlain does so for messages whose parts need no work. The SDK would
// check and copy them once more.
func appendPlain(b []byte, msg jsonrpc.Message) ([]byte, bool) {
	b = append(b, `{"jsonrpc":"2.0"`...)
	switch msg := msg.(type) {
	case *jsonrpc.Request:
		ok := true
		if msg.ID.IsValid() {
			if b, ok = appendID(b, msg.ID); !ok {
				return b, false
			}
		}
		if b, ok = appendString(append(b, `,"method":`...), msg.Method); !ok || msg.Method == "" {
			return b, false
		}
		if len(msg.Params) > 0 {
			if b, ok = appendRaw(append(b, `,"params":`...), msg.Params); !ok {
				return b, false
			}
		}
	case *jsonrpc.Response:
		ok := msg.Error == nil && len(msg.Result) > 0 && msg.ID.IsValid()
		if !ok {
			return b, false
		}
		if b, ok = appendID(b, msg.ID); !ok {
			return b, false
		}
		if b, ok = appendRaw(append(b, `,"result":`...), msg.Result); !ok {
			return b, false
		}
	}
	return append(b, '}'), true
}

func appendID(b []byte, id jsonrpc.ID) ([]byte, bool) {
	b = append(b, `,"id":`...)
	switch id := id.Raw().(type) {
	case int64:
		return strconv.AppendInt(b, id, 10), true
	case string:
		return appendString(b, id)
	}
	return b, false
}

func appendString(b []byte, s string) ([]byte, bool) {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '\\' || c == '"' {
			return b, false
		}
	}
	return append(append(append(b, '"'), s...), '"'), true
}

// appendRaw appends JSON that has been made by the SDK or this library, and has
// no newline that would end the message.
func appendRaw(b []byte, raw json.RawMessage) ([]byte, bool) {
	if bytes.IndexByte(raw, '\n') >= 0 || bytes.IndexByte(raw, '\r') >= 0 {
		return b, false
	}
	return append(b, raw...), true
}
