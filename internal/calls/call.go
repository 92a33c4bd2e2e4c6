package calls

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

// errOver is the cause of the end of a call's context once it has returned.
var errOver = errors.New("the call has returned")

// A Call is one request to the server that events may belong to.
type Call struct {
	// ID is unguessable and serves as the progress token too.
	ID string
	// Tool is the server's name for the tool, or empty for other requests.
	Tool string

	tracker *Tracker
	wireCtx context.Context // of the request: the caller's, with this call
	ctx     context.Context // of the callbacks: without what marks the request
	cancel  context.CancelCauseFunc
	queue   queue
	token   any  // the caller's own progress token, if any
	takes   bool // its results go past the SDK
	repeats int  // how often it was made before

	responded chan struct{} // closed when the SDK has returned

	mu      sync.Mutex
	failure error
	missing *MissingError // what the server asked for in vain
	// missingCertain says that it was surely for this call.
	missingCertain bool
	shared         uint64 // last event of the tracker's queue that may be this call's
	posted         bool
	taken          taken

	// Guarded by the tracker's mutex.
	wire          []jsonrpc.ID // requests that are not answered
	cancelWritten bool
}

func newCall(ctx context.Context, t *Tracker, tool string) *Call {
	c := &Call{ID: rand.Text(), Tool: tool, tracker: t, responded: make(chan struct{})}
	if o := outcome(ctx); o != nil {
		c.repeats = o.repeats
	}
	ctx, c.cancel = context.WithCancelCause(ctx)
	c.wireCtx = context.WithValue(ctx, callKey{}, c)
	c.ctx = aside{c.wireCtx}
	return c
}

// context returns what callbacks are told about events of the call.
func (c *Call) context() callbacks.CallbackContext {
	return callbacks.CallbackContext{
		ServerName: c.tracker.server, Identity: c.tracker.identity, ToolName: c.Tool, CallID: c.ID, Repeats: c.repeats,
	}
}

// fail records the first failure of a callback of this call.
func (c *Call) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failure == nil {
		c.failure = err
	}
}

// awaits records that the event seq of the tracker's queue may be this call's.
func (c *Call) awaits(seq uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.shared = max(c.shared, seq)
}

// settle waits until every event of the call that has been read is delivered,
// and returns what failed while they were. It gives up when ctx ends. What the
// server asked and did not wait for is dismissed.
func (c *Call) settle(ctx context.Context) error {
	close(c.responded)
	c.queue.finish(ctx)
	if !IsWithin(c.ctx, sharedKey{c.tracker}) {
		c.mu.Lock()
		shared := c.shared
		c.mu.Unlock()
		c.tracker.shared.wait(ctx, shared)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.failure
}
