package calls

import (
	"context"
	"crypto/rand"
	"encoding/json"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// tagKey is the key in _meta that carries a tag from the wire to the SDK's
// handler. Whatever a server puts there is removed.
const tagKey = "github.com/langchaingo-mcp/mcpadapters/tag"

// mark ties a request of the server to its call with a tag that only this
// process can know.
func (t *Tracker) mark(c *Call, req *jsonrpc.Request) {
	var params map[string]json.RawMessage
	if len(req.Params) > 0 && json.Unmarshal(req.Params, &params) != nil {
		return // The SDK refuses it before any handler is called.
	}
	if params == nil {
		params = map[string]json.RawMessage{}
	}
	var meta map[string]json.RawMessage
	if raw, ok := params["_meta"]; ok && json.Unmarshal(raw, &meta) != nil {
		return
	}
	if meta == nil {
		meta = map[string]json.RawMessage{}
	}
	var possible []*Call
	if c == nil {
		c, possible = t.owner()
	}
	tag := rand.Text()
	meta[tagKey], _ = json.Marshal(tag)
	params["_meta"], _ = json.Marshal(meta)
	raw, err := json.Marshal(params)
	if err != nil {
		return
	}
	t.mu.Lock()
	full := len(t.requests) >= maxRequests
	t.mu.Unlock()
	if full {
		return // The handler finds the owner, as far as that is certain then.
	}
	if m := t.missing(req.Method); m != nil {
		for _, p := range append(possible, c) {
			if p != nil {
				p.lacks(m)
			}
		}
	}
	r := t.newRequest(c, possible)
	t.mu.Lock()
	t.requests[tag] = r
	t.mu.Unlock()
	req.Params = raw
}

// maxRequests bounds the marks that wait for the SDK, which discards requests
// that do not parse without a word.
const maxRequests = 1024

// Receiving returns the middleware for the SDK's client that finds the call of
// a request of the server by its tag.
func (t *Tracker) Receiving() mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if r := t.take(req); r != nil {
				defer r.answer()
				ctx = context.WithValue(ctx, requestKey{}, r)
			}
			if roots, ok := req.(*mcp.ListRootsRequest); ok {
				// The SDK has no handler for it, but a list of its own, which it
				// gives even to servers that were not offered any.
				if t.callbacks.OnListRoots == nil {
					return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "roots are not supported"}
				}
				return orNil[mcp.Result](t.ListRoots(ctx, roots))
			}
			return next(ctx, method, req)
		}
	}
}

// take returns the request that was marked when it was read, and removes the
// mark.
func (t *Tracker) take(req mcp.Request) *request {
	switch req.(type) {
	case *mcp.ElicitRequest, *mcp.CreateMessageRequest, *mcp.CreateMessageWithToolsRequest, *mcp.ListRootsRequest:
	default:
		return nil
	}
	params := req.GetParams()
	if params == nil {
		return nil
	}
	meta := params.GetMeta()
	tag, _ := meta[tagKey].(string)
	if delete(meta, tagKey); len(meta) == 0 && meta != nil {
		params.SetMeta(nil)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.requests[tag]
	delete(t.requests, tag)
	return r
}
