package httpwire

import (
	"context"
	"io"
	"net/http"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/segmentio/encoding/json"
)

const methodCallTool = "tools/call"

// leadSize bounds what a stream may hold for the SDK before the SDK reads it.
const leadSize = 4 << 10

// take offers the owner the response to a call, and returns what the SDK is
// given instead if the owner takes it, or nil.
func (w *wire) take(ctx context.Context, c call, m *message) []byte {
	if w.hooks.Take == nil || c.method != methodCallTool || m.err != nil || !w.hooks.Take(ctx, m.result) {
		return nil
	}
	if id, ok := c.id.Raw().(int64); ok {
		return append(strconv.AppendInt([]byte(`{"jsonrpc":"2.0","id":`), id, 10), w.taken...)
	}
	return encodeResponse(c.id, nil, w.hooks.Taken)
}

// takenTail returns how such a message ends after its id.
func takenTail(taken *jsonrpc.Error) []byte {
	if taken == nil {
		return nil
	}
	tail := strconv.AppendInt([]byte(`,"error":{"code":`), taken.Code, 10)
	text, _ := json.Marshal(taken.Message) // cannot fail for a string
	return append(append(append(tail, `,"message":`...), text...), `}}`...)
}

// leads reports whether the response to a call may be waited for before the SDK
// sees anything of the answer, so that it need not at all if it is taken: reading
// it has to end with the request, and the SDK must not miss what only headers say.
func (x *exchange) leads() bool {
	if x.t.hooks.Take == nil || x.call.method != methodCallTool || x.t.streams.Jar != nil {
		return false
	}
	if id := x.resp.Header.Get(sessionIDHeader); id != "" && id != x.req.Header.Get(sessionIDHeader) {
		return false
	}
	_, ends := x.t.base.(*http.Transport)
	return ends
}

// lead reads until there is something for the SDK to read, and reports whether
// there will be nothing, as the response was taken.
func (r *reader) lead() (taken bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for !r.f.passed && !r.f.answered && r.err == nil && len(r.f.out) < leadSize {
		r.step()
	}
	return r.f.taken
}

// drained reads what follows the response, so that the connection can be used
// again, and closes the stream.
func (r *reader) drained() {
	_, _ = io.Copy(io.Discard, r)
	_ = r.Close()
}
