package calls

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// tagKey is the key in _meta that carries a tag from the wire to the SDK's
// middleware. Whatever a server puts there is removed.
const tagKey = "github.com/langchaingo-mcp/mcpadapters/tag"

// maxRequests bounds the requests of the server that are not answered yet.
const maxRequests = 1024

// maxRequestBytes bounds them together, but for one of them.
const maxRequestBytes = 64 << 20

// mark ties a request of the server to its call with a tag that only this
// process can know, until it is answered.
//
// What it does not mark is refused: by the SDK if the parameters do not parse
// or the id is in use, and by [Tracker.Receiving] if there are no parameters or
// too many requests.
func (t *Tracker) mark(c *Call, req *jsonrpc.Request) {
	params, meta, ok := objects(req)
	if !ok {
		return
	}
	delete(meta, tagKey)
	if req.Method == methodElicit {
		keepSchema(params, meta)
	}
	var possible []*Call
	if c == nil {
		c, possible = t.owner()
	}
	if r := t.remember(c, possible, req.ID, len(req.Params)); r != nil {
		meta[tagKey], _ = json.Marshal(r.tag)
		if m := t.missing(req.Method); m != nil {
			m.note(r) // now, since its call may end before it is handled
		}
	}
	if len(meta) > 0 {
		params["_meta"], _ = json.Marshal(meta)
	} else {
		delete(params, "_meta")
	}
	// It cannot fail: the values have just been read.
	req.Params, _ = json.Marshal(params)
}

// objects returns the parameters of a request and their _meta, if they are
// objects. Where none are required, there may be none.
func objects(req *jsonrpc.Request) (params, meta map[string]json.RawMessage, ok bool) {
	if len(req.Params) > 0 && json.Unmarshal(req.Params, &params) != nil {
		return nil, nil, false
	}
	if params == nil {
		if req.Method != methodListRoots {
			return nil, nil, false
		}
		params = map[string]json.RawMessage{}
	}
	if raw, ok := params["_meta"]; ok && json.Unmarshal(raw, &meta) != nil {
		return nil, nil, false
	}
	if meta == nil {
		meta = map[string]json.RawMessage{}
	}
	return params, meta, true
}

// remember gives a request its place in the order of its call's events. It
// returns nil if it cannot: the id is in use, or there are too many requests.
func (t *Tracker) remember(c *Call, possible []*Call, id jsonrpc.ID, size int) *request {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, used := t.byID[id]; used || len(t.requests) >= maxRequests || len(t.requests) > 0 && t.requestBytes+size > maxRequestBytes {
		return nil
	}
	r := t.newRequest(c, possible)
	r.id, r.tag, r.size = id, rand.Text(), size
	t.requestBytes += size
	t.byID[id], t.requests[r.tag] = r, r
	return r
}

// served ends the place of a request in the order of its call's events. Its id
// is known until the response is written, which happens in any case.
func (t *Tracker) served(r *request) {
	t.mu.Lock()
	t.drop(r)
	t.mu.Unlock()
	r.answer()
}

// drop takes a request out of those that wait. t.mu is held.
func (t *Tracker) drop(r *request) {
	if t.requests[r.tag] == r {
		delete(t.requests, r.tag)
		t.requestBytes -= r.size
	}
}

// forget ends it for a request whose response is on its way.
func (t *Tracker) forget(r *request) {
	t.mu.Lock()
	if t.byID[r.id] == r {
		delete(t.byID, r.id)
	}
	t.drop(r)
	t.mu.Unlock()
	r.answer()
}

// Replied records that the response to a request of the server is on its way,
// also where the SDK has refused it by itself. It returns the context to send
// it within: ctx, with the values and headers of the call that was asked,
// where that is known, since the answer is its user's.
func (t *Tracker) Replied(ctx context.Context, id jsonrpc.ID) context.Context {
	t.mu.Lock()
	r := t.byID[id]
	t.mu.Unlock()
	if r == nil {
		return ctx
	}
	t.forget(r)
	if r.call == nil {
		return ctx
	}
	return lent{ctx, context.WithValue(r.call.wireCtx, outcomeKey{}, nil)}
}

// lent is a context that has the values of another.
type lent struct {
	context.Context
	values context.Context
}

func (l lent) Value(key any) any {
	if v := l.values.Value(key); v != nil {
		return v
	}
	return l.Context.Value(key)
}

var errTooMany = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "too many requests at a time"}

// Receiving returns the middleware for the SDK's client that answers the
// requests of the server. They do not go on to the SDK, whose checks differ
// from those of requests that come inside results.
func (t *Tracker) Receiving() mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			answer, none := t.answering(req)
			if answer == nil {
				return contained(func() (mcp.Result, error) { return next(ctx, method, req) })
			}
			if none {
				return nil, invalidParams("%s without parameters", method)
			}
			r := t.take(req.GetParams())
			if r == nil {
				return nil, errTooMany
			}
			defer t.served(r)
			ctx = context.WithValue(ctx, requestKey{}, r)
			if m := t.missing(method); m != nil {
				return nil, m.refuse(ctx)
			}
			res, err := answer(ctx)
			if err == nil {
				err = t.sendable(method, res)
			}
			if err != nil {
				return nil, onWire(err)
			}
			return res, nil
		}
	}
}

// sendable returns an error if an answer cannot be sent, for which the SDK would
// send none.
func (t *Tracker) sendable(method string, answer mcp.Result) error {
	_, err := json.Marshal(answer)
	if err == nil {
		return nil
	}
	t.logger.Error("what a callback has returned cannot be sent", "server", t.server, "method", method, "error", err)
	return fmt.Errorf("what the client's callback returned cannot be sent: %w", err)
}

// onWire returns an error as the server receives it.
func onWire(err error) error {
	if err == nil {
		return nil
	}
	if e, ok := err.(*jsonrpc.Error); ok {
		return e
	}
	own := &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
	var wrapped *jsonrpc.Error
	if errors.As(err, &wrapped) {
		own.Code, own.Data = wrapped.Code, wrapped.Data
	}
	return own
}

// contained runs code of the SDK that is not safe from everything that a server
// may send, such as parameters that are missing.
func contained(f func() (mcp.Result, error)) (res mcp.Result, err error) {
	defer func() {
		if v := recover(); v != nil {
			res, err = nil, fmt.Errorf("what the server sent cannot be handled: %v", v)
		}
	}()
	return f()
}

// answering returns what answers a request of the server, and whether the
// request lacks parameters. It returns nil for what is left to the SDK.
func (t *Tracker) answering(req mcp.Request) (answer func(context.Context) (mcp.Result, error), noParams bool) {
	switch req := req.(type) {
	case *mcp.ElicitRequest:
		return func(ctx context.Context) (mcp.Result, error) { return orNil[mcp.Result](t.elicit(ctx, req)) }, req.Params == nil
	case *mcp.CreateMessageWithToolsRequest:
		return func(ctx context.Context) (mcp.Result, error) { return orNil[mcp.Result](t.sample(ctx, req)) }, req.Params == nil
	case *mcp.ListRootsRequest:
		return func(ctx context.Context) (mcp.Result, error) { return orNil[mcp.Result](t.listRoots(ctx, req)) }, req.Params == nil
	}
	return nil, false
}

// take returns the request that was marked when it was read, and removes the
// mark.
func (t *Tracker) take(params mcp.Params) *request {
	meta := params.GetMeta()
	tag, _ := meta[tagKey].(string)
	if delete(meta, tagKey); len(meta) == 0 && meta != nil {
		params.SetMeta(nil)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.requests[tag]
}
