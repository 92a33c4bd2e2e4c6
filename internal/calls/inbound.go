package calls

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

// Methods of the protocol that concern a tracker.
const (
	methodElicit        = "elicitation/create"
	methodCreateMessage = "sampling/createMessage"
	methodListRoots     = "roots/list"
	methodProgress      = "notifications/progress"
	methodLog           = "notifications/message"
	methodToolsChanged  = "notifications/tools/list_changed"
	methodPromptsChange = "notifications/prompts/list_changed"
	methodResChanged    = "notifications/resources/list_changed"
)

// Inbound takes a message that the server sent, in the order of the stream
// that carried it, and reports whether it goes on to the SDK. ctx is that of
// the HTTP request that opened the stream, where there is one: if it belongs
// to a call, so does the message. Inbound may change the parameters of the
// message. It does not block on callbacks.
func (t *Tracker) Inbound(ctx context.Context, req *jsonrpc.Request) (forward bool) {
	switch req.Method {
	case methodProgress:
		t.progress(req.Params)
		return false
	case methodLog:
		t.log(t.streamOf(ctx), req.Params)
		return false
	case methodElicit, methodCreateMessage, methodListRoots:
		if req.IsCall() {
			t.mark(t.streamOf(ctx), req)
		}
	case methodToolsChanged, methodPromptsChange, methodResChanged:
		if t.changed != nil {
			t.changed(req.Method)
		}
	}
	return true
}

// streamOf returns the call that the stream of ctx belongs to, or nil.
func (t *Tracker) streamOf(ctx context.Context) *Call {
	if c := FromContext(ctx); c != nil && c.tracker == t {
		return c
	}
	return nil
}

// progress delivers a progress notification to the call whose token it
// carries. One with another token is nobody's: a late one, or a server's
// mistake, which must not be blamed on another call.
func (t *Tracker) progress(raw json.RawMessage) {
	if t.callbacks.OnProgress == nil {
		return
	}
	params := new(mcp.ProgressNotificationParams)
	if err := json.Unmarshal(raw, params); err != nil {
		t.logger.Warn("progress notification dropped: its parameters do not parse", "server", t.server, "error", err)
		return
	}
	token, _ := params.ProgressToken.(string)
	t.mu.Lock()
	c := t.calls[token]
	t.mu.Unlock()
	if c == nil {
		t.logger.Debug("progress notification dropped: no call in flight has its token", "server", t.server)
		return
	}
	params.ProgressToken = c.token
	c.queue.push(progressEvent, func(int) {
		c.run("OnProgress", func(ctx context.Context) {
			t.callbacks.OnProgress(ctx, c.context(), params)
		})
	})
}

func (t *Tracker) log(c *Call, raw json.RawMessage) {
	if t.callbacks.OnLoggingMessage == nil {
		return
	}
	params := new(mcp.LoggingMessageParams)
	if err := json.Unmarshal(raw, params); err != nil {
		t.logger.Warn("log message dropped: its parameters do not parse", "server", t.server, "error", err)
		return
	}
	var possible []*Call
	if c == nil {
		c, possible = t.owner()
	}
	if c != nil {
		c.queue.push(logEvent, func(dropped int) {
			cc := c.context()
			cc.Dropped = dropped
			c.run("OnLoggingMessage", func(ctx context.Context) {
				t.callbacks.OnLoggingMessage(ctx, cc, params)
			})
		})
		return
	}
	cc := t.ambiguous(possible)
	seq := t.shared.push(logEvent, func(dropped int) {
		cc.Dropped = dropped
		t.run("OnLoggingMessage", func(ctx context.Context) {
			t.callbacks.OnLoggingMessage(ctx, cc, params)
		})
	})
	for _, p := range possible {
		p.mu.Lock()
		p.shared = max(p.shared, seq)
		p.mu.Unlock()
	}
}

// run calls a callback with the context of the call, unless the call is over.
// A panic fails the call.
func (c *Call) run(name string, callback func(ctx context.Context)) {
	if c.ctx.Err() != nil {
		return
	}
	if err := c.tracker.guard(name, c.context(), func() { callback(c.ctx) }); err != nil {
		c.fail(err)
	}
}

// run calls a callback for an event that belongs to no one call.
func (t *Tracker) run(name string, callback func(ctx context.Context)) {
	if t.ctx.Err() != nil {
		return
	}
	cc := callbacks.CallbackContext{ServerName: t.server}
	if err := t.guard(name, cc, func() { callback(t.ctx) }); err != nil {
		t.logger.Error("callback panicked", "server", t.server, "callback", name, "error", err)
	}
}

// A PanicError says that a callback panicked.
type PanicError struct {
	Callback string
	Context  callbacks.CallbackContext
	Value    any
	Stack    []byte
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("callback %s panicked for %v: %v", e.Callback, e.Context, e.Value)
}

// Unwrap returns the value of the panic if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// guard runs f, counted, and turns a panic into an error.
func (t *Tracker) guard(name string, cc callbacks.CallbackContext, f func()) (err error) {
	t.enter()
	defer t.leave()
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{Callback: name, Context: cc, Value: v, Stack: debug.Stack()}
		}
	}()
	f()
	return nil
}
