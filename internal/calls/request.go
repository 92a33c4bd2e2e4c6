package calls

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

// tagKey is the key in _meta that carries a tag from the wire to the SDK's
// handler. Whatever a server puts there is removed.
const tagKey = "github.com/langchaingo-mcp/mcpadapters/tag"

// A request of the server holds its place in the order of its call's events
// from when it is read until it is answered.
type request struct {
	call     *Call // nil when it belongs to no one call
	possible []*Call
	turn     chan struct{} // closed when the events before it are delivered
	answered chan struct{}
	once     sync.Once
}

func (t *Tracker) newRequest(c *Call, possible []*Call) *request {
	r := &request{call: c, possible: possible, turn: make(chan struct{}), answered: make(chan struct{})}
	if c == nil || c.queue.push(requestEvent, func(int) {
		close(r.turn)
		select {
		case <-r.answered:
		case <-c.responded:
		case <-c.ctx.Done():
		}
	}) == 0 {
		close(r.turn)
	}
	return r
}

func (r *request) answer() { r.once.Do(func() { close(r.answered) }) }

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
	r := t.newRequest(c, possible)
	t.mu.Lock()
	t.requests[tag] = r
	t.mu.Unlock()
	req.Params = raw
}

// maxRequests bounds the marks that wait for the SDK, which discards requests
// that do not parse without a word.
const maxRequests = 1024

type requestKey struct{}

// Receiving returns the middleware for the SDK's client that finds the call of
// a request of the server by its tag.
func (t *Tracker) Receiving() mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			r := t.take(req)
			if r == nil {
				return next(ctx, method, req)
			}
			defer r.answer()
			return next(context.WithValue(ctx, requestKey{}, r), method, req)
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

// Elicit is the SDK's elicitation handler: it finds the call, waits for its
// turn and asks the callback.
func (t *Tracker) Elicit(ctx context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	return serve(ctx, t, "OnElicitation", &mcp.ElicitResult{Action: "cancel"},
		func(ctx context.Context, cc callbacks.CallbackContext) (*mcp.ElicitResult, error) {
			own := *req.Params
			res, err := t.callbacks.OnElicitation(ctx, cc, &mcp.ElicitRequest{Session: req.Session, Params: &own})
			switch {
			case err != nil:
				return nil, err
			case res == nil:
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the elicitation callback returned no result"}
			case res.Action == "accept" && res.Content == nil && own.URL == "":
				// So that the SDK fills in the defaults of the schema.
				filled := *res
				filled.Content = map[string]any{}
				return &filled, nil
			}
			return res, nil
		})
}

// serve runs a callback that answers a request of the server. When the call
// that the request belongs to ends first, dismissed is the answer.
func serve[R any](ctx context.Context, t *Tracker, name string, dismissed R,
	callback func(ctx context.Context, cc callbacks.CallbackContext) (R, error)) (R, error) {
	var zero R
	r, _ := ctx.Value(requestKey{}).(*request)
	if r == nil {
		if c := FromContext(ctx); c != nil && c.tracker == t {
			// The request came inside a result (2026-07-28): ctx is the call's.
			r = t.newRequest(c, nil)
		} else {
			c, possible := t.owner()
			r = t.newRequest(c, possible)
		}
		defer r.answer()
	}

	cc, base := t.ambiguous(r.possible), t.ctx
	var responded <-chan struct{}
	if r.call != nil {
		cc, base, responded = r.call.context(), r.call.ctx, r.call.responded
	}
	// Values come from the call, the end from whichever ends first.
	run, cancel := context.WithCancelCause(base)
	defer cancel(nil)
	defer context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })()

	select {
	case <-r.turn:
	case <-responded:
		return dismissedOr(ctx, dismissed)
	case <-run.Done():
		return dismissedOr(ctx, dismissed)
	}
	if run.Err() != nil {
		return dismissedOr(ctx, dismissed)
	}

	type answer struct {
		res R
		err error
	}
	// Its own goroutine, since a callback may not watch its context.
	done := make(chan answer, 1)
	go func() {
		a := answer{}
		panicked := t.guard(name, cc, func() { a.res, a.err = callback(run, cc) })
		if panicked != nil {
			if r.call != nil {
				r.call.fail(panicked)
			} else {
				t.logger.Error("callback panicked", "server", t.server, "callback", name, "error", panicked)
			}
			a = answer{zero, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the client's callback " + name + " failed"}}
		}
		done <- a
	}()
	select {
	case a := <-done:
		return a.res, a.err
	case <-responded:
		return dismissedOr(ctx, dismissed)
	case <-run.Done():
		return dismissedOr(ctx, dismissed)
	}
}

// dismissedOr returns the error of ctx if the request itself has ended, and
// dismissed if only its call has.
func dismissedOr[R any](ctx context.Context, dismissed R) (R, error) {
	if err := ctx.Err(); err != nil {
		var zero R
		return zero, context.Cause(ctx)
	}
	return dismissed, nil
}
