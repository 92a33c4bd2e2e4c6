package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/langchaingo-mcp/mcpadapters/internal/calls"
)

// replies sees the responses that the SDK sends by POST to requests of the server.
type replies struct {
	next    http.RoundTripper
	tracker *calls.Tracker // is told of them; may be nil
	slots   chan struct{}  // holds a value for each that is being sent
}

// maxReplies bounds those that are sent at the same time: a server that leaves
// them waiting must not cost all connections that this process may have.
const maxReplies = 64

func (r *replies) RoundTrip(req *http.Request) (*http.Response, error) {
	if id := replyOf(req); id.IsValid() {
		if r.tracker != nil {
			defer r.tracker.Answering(id)()
			if ctx := r.tracker.Replied(req.Context(), id); ctx != req.Context() {
				req = req.WithContext(ctx)
			}
		}
		select {
		case r.slots <- struct{}{}:
			defer func() { <-r.slots }()
		case <-req.Context().Done():
			req.Body.Close()
			return nil, context.Cause(req.Context())
		}
	}
	return r.next.RoundTrip(req)
}

// replyOf returns the id of the response that a request carries.
func replyOf(req *http.Request) (id jsonrpc.ID) {
	if req.Method != http.MethodPost || req.GetBody == nil {
		return id
	}
	body, err := req.GetBody()
	if err != nil {
		return id
	}
	defer body.Close()
	return responseID(body)
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
