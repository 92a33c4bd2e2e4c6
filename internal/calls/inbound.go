package calls

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

// Methods of the protocol that concern a tracker.
const (
	methodElicit           = "elicitation/create"
	methodCreateMessage    = "sampling/createMessage"
	methodListRoots        = "roots/list"
	methodProgress         = "notifications/progress"
	methodLog              = "notifications/message"
	methodElicitComplete   = "notifications/elicitation/complete"
	methodToolsChanged     = "notifications/tools/list_changed"
	methodPromptsChanged   = "notifications/prompts/list_changed"
	methodResourcesChanged = "notifications/resources/list_changed"
	methodResourceUpdated  = "notifications/resources/updated"
	methodCancelled        = "notifications/cancelled"
	methodAcknowledged     = "notifications/subscriptions/acknowledged"
)

// Inbound takes a message that the server sent, in the order of the stream
// that carried it, and reports whether it goes on to the SDK. ctx is that of
// the HTTP request that opened the stream, where there is one: if it belongs
// to a call, so does the message. Inbound may change the parameters of the
// message. It does not block on callbacks, but on a server that asks and takes no
// answer, until ctx ends or the tracker is closed.
func (t *Tracker) Inbound(ctx context.Context, req *jsonrpc.Request) (forward bool) {
	if req.IsCall() {
		t.backlog.wait(ctx, t.ctx, req)
		switch req.Method {
		case methodElicit, methodCreateMessage, methodListRoots:
			t.mark(t.streamOf(ctx), req)
		}
		return true
	}
	switch req.Method {
	case methodCancelled:
		return true
	case methodAcknowledged:
		t.acknowledged(req)
		return true
	case methodProgress:
		t.progress(req)
		return false
	case methodLog:
		t.log(t.streamOf(ctx), req)
		return false
	}
	t.other(t.streamOf(ctx), req)
	// Of completed elicitations the SDK has no use, and it does not survive one
	// without parameters.
	return req.Method != methodElicitComplete
}

// streamOf returns the call that the stream of ctx belongs to, or nil.
func (t *Tracker) streamOf(ctx context.Context) *Call {
	if c := FromContext(ctx); c != nil && c.tracker == t {
		return c
	}
	return nil
}

// parse decodes the parameters of a notification. Those that do not parse are
// dropped, but for OnMessage.
func parse[P any](t *Tracker, req *jsonrpc.Request) (*P, bool) {
	params := new(P)
	if len(req.Params) == 0 {
		return params, true
	}
	if err := json.Unmarshal(req.Params, params); err != nil {
		t.logger.Warn("a notification was dropped: its parameters do not parse", "server", t.server, "method", req.Method, "error", err)
		return nil, false
	}
	return params, true
}

// notice begins a notice with the catch-all.
func (t *Tracker) notice(kind eventKind, req *jsonrpc.Request) notice {
	n := notice{kind: kind, size: len(req.Params)}
	if t.callbacks.OnMessage != nil {
		msg := callbacks.Message{Method: req.Method, Params: req.Params}
		n.add("OnMessage", func(ctx context.Context, cc callbacks.CallbackContext) { t.callbacks.OnMessage(ctx, cc, msg) })
	}
	return n
}

// progress delivers a progress notification to the call whose token it
// carries. One with another token is nobody's: a late one, or a server's
// mistake, which must not be blamed on another call.
func (t *Tracker) progress(req *jsonrpc.Request) {
	if t.callbacks.OnProgress == nil && t.callbacks.OnMessage == nil {
		return
	}
	n := t.notice(progressEvent, req)
	params, ok := parse[mcp.ProgressNotificationParams](t, req)
	var c *Call
	if ok {
		token, _ := params.ProgressToken.(string)
		t.mu.Lock()
		c = t.calls[token]
		t.mu.Unlock()
	}
	if c == nil {
		n.kind = noticeEvent
		t.deliverShared(n, t.nobody())
		return
	}
	params.ProgressToken = c.token
	if t.callbacks.OnProgress != nil {
		n.add("OnProgress", func(ctx context.Context, cc callbacks.CallbackContext) { t.callbacks.OnProgress(ctx, cc, params) })
	}
	c.deliver(n)
}

// log delivers a log message to the call of its stream, or to whom it may
// belong.
func (t *Tracker) log(c *Call, req *jsonrpc.Request) {
	n := t.notice(logEvent, req)
	if t.callbacks.OnLoggingMessage != nil {
		if params, ok := parse[mcp.LoggingMessageParams](t, req); ok {
			n.add("OnLoggingMessage", func(ctx context.Context, cc callbacks.CallbackContext) { t.callbacks.OnLoggingMessage(ctx, cc, params) })
		}
	}
	var possible []*Call
	if c == nil {
		c, possible = t.owner()
	}
	if c != nil {
		c.deliver(n)
		return
	}
	t.deliverShared(n, t.ambiguous(possible), possible...)
}

// other delivers the notifications that are about the server rather than a
// call; those that come on the stream of a call are told to be of that call.
func (t *Tracker) other(c *Call, req *jsonrpc.Request) {
	n := t.notice(noticeEvent, req)
	cc := t.nobody()
	switch cb := &t.callbacks; req.Method {
	case methodToolsChanged:
		t.listChanged(req.Method)
		addParams(t, &n, req, "OnToolsListChanged", cb.OnToolsListChanged)
	case methodPromptsChanged:
		t.listChanged(req.Method)
		addParams(t, &n, req, "OnPromptsListChanged", cb.OnPromptsListChanged)
	case methodResourcesChanged:
		t.listChanged(req.Method)
		addParams(t, &n, req, "OnResourcesListChanged", cb.OnResourcesListChanged)
	case methodResourceUpdated:
		addParams(t, &n, req, "OnResourceUpdated", cb.OnResourceUpdated)
	case methodElicitComplete:
		if params, ok := parse[mcp.ElicitationCompleteParams](t, req); ok && params.ElicitationID != "" {
			if asked, ok := t.urls.owner(params.ElicitationID); ok {
				cc = asked
				c = t.find(asked.CallID)
			}
			// At the end, so that it has its place in the order of events
			// before what follows from it.
			defer t.urls.complete(params.ElicitationID)
		}
		addParams(t, &n, req, "OnElicitationComplete", cb.OnElicitationComplete)
	}
	if c != nil {
		c.deliver(n)
		return
	}
	t.deliverShared(n, cc, t.named(cc.Candidates)...)
}

// named returns the calls in flight of any of the tools.
func (t *Tracker) named(tools []string) []*Call {
	if len(tools) == 0 {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	var named []*Call
	for _, c := range t.calls {
		if slices.Contains(tools, c.Tool) {
			named = append(named, c)
		}
	}
	return named
}

// addParams appends the callback for a kind of notification, if it is set.
func addParams[P any](t *Tracker, n *notice, req *jsonrpc.Request, name string, callback func(context.Context, callbacks.CallbackContext, *P)) {
	if callback == nil {
		return
	}
	if params, ok := parse[P](t, req); ok {
		n.add(name, func(ctx context.Context, cc callbacks.CallbackContext) { callback(ctx, cc, params) })
	}
}

// acknowledged takes the word of a server that it announces changes from now on:
// what it has listed until then may have changed unnoticed.
func (t *Tracker) acknowledged(req *jsonrpc.Request) {
	params, ok := parse[mcp.SubscriptionsAcknowledgedParams](t, req)
	if !ok {
		return
	}
	for _, uri := range params.Notifications.ResourceSubscriptions {
		t.updates.wake(uri)
	}
	if params.Notifications.PromptsListChanged {
		t.listChanged(methodPromptsChanged)
	}
	if params.Notifications.ResourcesListChanged {
		t.listChanged(methodResourcesChanged)
	}
	if params.Notifications.ToolsListChanged {
		t.listChanged(methodToolsChanged)
		t.listenOnce.Do(func() { close(t.listening) }) // after it, for who lists then
	}
}

// subscribedWait bounds the wait for a server to acknowledge a subscription.
const subscribedWait = time.Second

// AwaitSubscribed makes a subscription to a resource, which the SDK does without
// waiting for the server (2026-07-28), and waits until its changes are announced,
// but not for long.
func (t *Tracker) AwaitSubscribed(ctx context.Context, uri string, subscribe func() error) error {
	done := t.updates.await(uri)
	defer t.updates.forget(uri, done)
	if err := subscribe(); err != nil {
		return err
	}
	wait := time.NewTimer(subscribedWait)
	defer wait.Stop()
	select {
	case <-done:
	case <-wait.C:
	case <-t.ctx.Done():
	case <-ctx.Done():
	}
	return nil
}

// Listening is closed when the server has said that it announces changes of its
// tools (2026-07-28).
func (t *Tracker) Listening() <-chan struct{} { return t.listening }

func (t *Tracker) listChanged(method string) {
	if t.changed != nil {
		t.changed(method)
	}
}

// find returns the call in flight of the id, or nil.
func (t *Tracker) find(id string) *Call {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.calls[id]
}
