package calls

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

// cancelledFor is how long a cancelled call whose response has not been seen
// counts as a possible owner of events: its server may not have noticed yet,
// or may ignore cancellation altogether.
const cancelledFor = 5 * time.Minute

// Options of a [Tracker].
type Options struct {
	// Server is the name that events are stamped with.
	Server string
	// Identity is whose session it is, which events are stamped with too. It may
	// be empty.
	Identity string
	// Callbacks receive the events.
	Callbacks callbacks.Callbacks
	// LogLevel is asked for with each request on sessions of 2026-07-28 and
	// later. Empty asks for nothing.
	LogLevel mcp.LoggingLevel
	// ListChanged, when set, is called for each list-changed notification with
	// its method. It must not block.
	ListChanged func(method string)
	// Logger receives what no callback and no caller can be told. Required.
	Logger *slog.Logger
}

// A Tracker follows the calls of one session. It is safe for concurrent use.
type Tracker struct {
	*runner
	server    string
	identity  string
	callbacks callbacks.Callbacks
	logLevel  mcp.LoggingLevel
	changed   func(method string)

	completionWait time.Duration

	ctx     context.Context // of callbacks for events without a call
	cancel  context.CancelCauseFunc
	shared  queue // what belongs to no one call
	urls    visits
	backlog backlog

	updates    visits // subscriptions to resources that are not acknowledged
	listenOnce sync.Once
	listening  chan struct{}

	mu           sync.Mutex
	calls        map[string]*Call     // in flight, by ID
	wire         map[jsonrpc.ID]*Call // whose requests are not answered, in flight or cancelled
	cancelled    map[*Call]time.Time
	due          map[*Call]struct{}  // cancelled, and the server not told yet
	stirred      chan struct{}       // closed when calls or due change; nil if nobody waits
	requests     map[string]*request // of the server that are not answered, by tag
	requestBytes int                 // of their parameters
	byID         map[jsonrpc.ID]*request
	closed       error

	complete mcp.CallToolResult // see [emptyComplete]
}

// New returns a tracker for one session.
func New(opts Options) *Tracker {
	t := &Tracker{
		server:    opts.Server,
		identity:  opts.Identity,
		callbacks: opts.Callbacks,
		logLevel:  opts.LogLevel,
		changed:   opts.ListChanged,
		runner:    &runner{logger: opts.Logger},
		calls:     map[string]*Call{},
		wire:      map[jsonrpc.ID]*Call{},
		cancelled: map[*Call]time.Time{},
		due:       map[*Call]struct{}{},
		requests:  map[string]*request{},
		byID:      map[jsonrpc.ID]*request{},
		listening: make(chan struct{}),

		completionWait: completionWait,
		complete:       emptyComplete(),
	}
	t.ctx, t.cancel = context.WithCancelCause(context.Background())
	return t
}

// begin registers a call. It fails when the tracker is closed.
func (t *Tracker) begin(ctx context.Context, tool string) (*Call, error) {
	c := newCall(ctx, t, tool)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed != nil {
		c.cancel(t.closed)
		return nil, t.closed
	}
	t.calls[c.ID] = c
	return c, nil
}

// end forgets a call. If it was cancelled and its response has not been read,
// it stays a possible owner of events for a while.
func (t *Tracker) end(c *Call, cancelled bool) {
	c.cancel(errOver)
	c.queue.close()
	c.mu.Lock()
	posted := c.posted
	c.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.calls, c.ID)
	pending := len(c.wire) > 0 || posted
	if cancelled && pending && t.closed == nil {
		t.cancelled[c] = time.Now()
	} else {
		t.unwire(c)
	}
	if cancelled && pending {
		if !c.cancelWritten && len(t.due) < maxRequests {
			t.due[c] = struct{}{}
		}
	}
	t.stir()
}

// Written records that a message is on its way to the server within ctx. It is
// for transports with a single stream of messages, where responses are told to
// [Tracker.Answered].
func (t *Tracker) Written(ctx context.Context, msg jsonrpc.Message) {
	req, ok := msg.(*jsonrpc.Request)
	if !ok || !req.IsCall() {
		return
	}
	MarkSent(ctx)
	if c := t.streamOf(ctx); c != nil {
		t.mu.Lock()
		c.wire = append(c.wire, req.ID)
		t.wire[req.ID] = c
		t.mu.Unlock()
	}
}

// unwire forgets the requests of a call. t.mu is held.
func (t *Tracker) unwire(c *Call) {
	for _, id := range c.wire {
		if t.wire[id] == c {
			delete(t.wire, id)
		}
	}
	c.wire = nil
}

// Posted records that a request of the call that ctx belongs to was sent by
// HTTP, where its response cannot be told from the end of its stream.
func (t *Tracker) Posted(ctx context.Context) {
	if c := t.streamOf(ctx); c != nil {
		c.mu.Lock()
		c.posted = true
		c.mu.Unlock()
	}
}

// Answered records that the response to a request has been read. It returns the
// call that the request was made for, or nil.
func (t *Tracker) Answered(id jsonrpc.ID) *Call {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.wire[id]
	if c == nil {
		return nil
	}
	delete(t.wire, id)
	c.wire = slices.DeleteFunc(c.wire, func(other jsonrpc.ID) bool { return other == id })
	if len(c.wire) == 0 {
		delete(t.cancelled, c)
	}
	return c
}

// owner returns the one call that a message without any mark can belong to, or
// nil and every call that it may belong to.
func (t *Tracker) owner() (*Call, []*Call) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for c, since := range t.cancelled {
		if time.Since(since) > cancelledFor {
			delete(t.cancelled, c)
			t.unwire(c)
		}
	}
	if len(t.calls) == 1 && len(t.cancelled) == 0 {
		for _, c := range t.calls {
			return c, nil
		}
	}
	var possible []*Call
	for _, c := range t.calls {
		possible = append(possible, c)
	}
	for c := range t.cancelled {
		possible = append(possible, c)
	}
	return nil, possible
}

// nobody returns what callbacks are told about an event of no call.
func (t *Tracker) nobody() callbacks.CallbackContext {
	return callbacks.CallbackContext{ServerName: t.server, Identity: t.identity}
}

// ambiguous returns what callbacks are told about an event that any of the
// calls may own.
func (t *Tracker) ambiguous(possible []*Call) callbacks.CallbackContext {
	cc := t.nobody()
	for _, c := range possible {
		if c.Tool != "" {
			cc.Candidates = append(cc.Candidates, c.Tool)
		}
	}
	slices.Sort(cc.Candidates)
	cc.Candidates = slices.Compact(cc.Candidates)
	return cc
}

// Close refuses new calls and ends the contexts of those in flight, and of
// every callback, with the cause.
func (t *Tracker) Close(cause error) {
	t.mu.Lock()
	if t.closed == nil {
		t.closed = cause
	}
	inFlight := make([]*Call, 0, len(t.calls))
	for _, c := range t.calls {
		inFlight = append(inFlight, c)
	}
	clear(t.cancelled)
	clear(t.wire)
	t.mu.Unlock()
	t.cancel(cause)
	for _, c := range inFlight {
		c.cancel(cause)
	}
	t.shared.close()
}

// Busy reports whether a call is in flight, the server waits for an answer, or a
// callback runs.
func (t *Tracker) Busy() bool {
	t.mu.Lock()
	busy := len(t.calls) > 0 || len(t.requests) > 0
	t.mu.Unlock()
	return busy || t.active()
}

// InFlight returns the number of calls in flight.
func (t *Tracker) InFlight() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.calls)
}
