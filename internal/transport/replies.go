package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// replies tells of the responses that the SDK sends by POST to requests of the
// server.
type replies struct {
	next    http.RoundTripper
	replied func(ctx context.Context, id jsonrpc.ID) context.Context
}

func (r *replies) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Method == http.MethodPost && req.GetBody != nil {
		if body, err := req.GetBody(); err == nil {
			if id := responseID(body); id.IsValid() {
				if ctx := r.replied(req.Context(), id); ctx != req.Context() {
					req = req.WithContext(ctx)
				}
			}
			body.Close()
		}
	}
	return r.next.RoundTrip(req)
}

// responseID returns the id of the response that r begins with. The SDK writes
// it, and the method of a request, before anything long.
func responseID(r io.Reader) (id jsonrpc.ID) {
	var buf [96]byte
	n, _ := io.ReadFull(r, buf[:])
	if isRequest(buf[:n]) {
		return jsonrpc.ID{}
	}
	d := json.NewDecoder(io.MultiReader(bytes.NewReader(buf[:n]), r))
	if brace, err := d.Token(); err != nil || brace != json.Delim('{') {
		return jsonrpc.ID{}
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return jsonrpc.ID{}
		}
		switch key {
		case "jsonrpc", "id":
		case "result", "error":
			return id
		default:
			return jsonrpc.ID{}
		}
		value, err := d.Token()
		if err != nil {
			return jsonrpc.ID{}
		}
		if key == "id" {
			if id, err = jsonrpc.MakeID(value); err != nil {
				return jsonrpc.ID{}
			}
		}
	}
	return jsonrpc.ID{}
}

// isRequest reports whether a message begins as the SDK writes requests and
// notifications.
func isRequest(head []byte) bool {
	head, ok := bytes.CutPrefix(head, []byte(`{"jsonrpc":"2.0",`))
	if id, has := bytes.CutPrefix(head, []byte(`"id":`)); has {
		head = bytes.TrimPrefix(bytes.TrimLeft(id, "0123456789"), []byte(","))
	}
	return ok && bytes.HasPrefix(head, []byte(`"method":`))
}

// CloseIdleConnections is what [http.Client.CloseIdleConnections] calls.
func (r *replies) CloseIdleConnections() {
	if c, ok := r.next.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}
