package calls

import (
	"context"
	"log/slog"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

// A Dispatcher brings what happens to the connection with a server, over all
// its sessions, to the callbacks: in order, one at a time.
type Dispatcher struct {
	*runner
	server    string
	identity  string
	callbacks callbacks.Callbacks
	queue     queue
	ctx       context.Context
	cancel    context.CancelFunc
}

// NewDispatcher returns a dispatcher for a server, as used by an identity if that
// is not empty.
func NewDispatcher(server, identity string, cb callbacks.Callbacks, logger *slog.Logger) *Dispatcher {
	d := &Dispatcher{runner: &runner{logger: logger}, server: server, identity: identity, callbacks: cb}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	return d
}

// State delivers a change of state. It does not block.
func (d *Dispatcher) State(change callbacks.ConnectionChange) {
	if d.callbacks.OnConnectionState == nil {
		return
	}
	d.push(noticeEvent, "OnConnectionState", func(ctx context.Context, cc callbacks.CallbackContext) {
		d.callbacks.OnConnectionState(ctx, cc, change)
	})
}

// Error delivers an error of a transport. It does not block.
func (d *Dispatcher) Error(err error) {
	if d.callbacks.OnMessage == nil || err == nil {
		return
	}
	// Of a kind of their own, or a flood would cost changes of state.
	d.push(logEvent, "OnMessage", func(ctx context.Context, cc callbacks.CallbackContext) {
		d.callbacks.OnMessage(ctx, cc, callbacks.Message{Err: err})
	})
}

// ToolsChanged, PromptsChanged and ResourcesChanged deliver a change of a list.
// They do not block.
func (d *Dispatcher) ToolsChanged(change callbacks.ToolsChange) {
	pushChange(d, "OnToolsChanged", d.callbacks.OnToolsChanged, change)
}

func (d *Dispatcher) PromptsChanged(change callbacks.PromptsChange) {
	pushChange(d, "OnPromptsChanged", d.callbacks.OnPromptsChanged, change)
}

func (d *Dispatcher) ResourcesChanged(change callbacks.ResourcesChange) {
	pushChange(d, "OnResourcesChanged", d.callbacks.OnResourcesChanged, change)
}

func pushChange[T any](d *Dispatcher, name string, callback func(context.Context, callbacks.CallbackContext, callbacks.Change[T]), change callbacks.Change[T]) {
	if callback != nil {
		d.push(noticeEvent, name, func(ctx context.Context, cc callbacks.CallbackContext) { callback(ctx, cc, change) })
	}
}

func (d *Dispatcher) push(kind eventKind, name string, call func(context.Context, callbacks.CallbackContext)) {
	d.queue.push(kind, func(dropped int) {
		cc := callbacks.CallbackContext{ServerName: d.server, Identity: d.identity, Dropped: dropped}
		d.guard(name, cc, func() { call(d.ctx, cc) }, d.report)
	})
}

// Close delivers what waits, until ctx ends, and refuses what comes.
func (d *Dispatcher) Close(ctx context.Context) {
	d.queue.wait(ctx, d.queue.last())
	d.queue.close()
	d.cancel()
}
