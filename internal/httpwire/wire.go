package httpwire

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/url"
	"sync"
	"sync/atomic"
	"time"
)

// ErrClosed is why requests fail after [Transport.Close].
var ErrClosed = errors.New("the HTTP transport of the session is closed")

// A wire is what the transports of one session have in common.
type wire struct {
	hooks           Hooks
	logger          *slog.Logger
	ctx             context.Context // of the session
	close           context.CancelCauseFunc
	ending          atomic.Bool // the SDK ends the session, and the server its streams
	discoverTimeout time.Duration
	maxMessage      int
	sse             bool
	endpoint        atomic.Pointer[url.URL]
	secrets         secrets
	auth            credential
	scanners        sync.Pool
	taken           []byte       // see takenTail
	major           atomic.Int32 // of the HTTP that the last response came by; 0 before the first
}

func newWire(opts Options) *wire {
	w := &wire{
		hooks:           opts.Hooks,
		logger:          cmp.Or(opts.Logger, slog.New(slog.DiscardHandler)),
		discoverTimeout: opts.DiscoverTimeout,
		maxMessage:      cmp.Or(opts.MaxMessage, DefaultMaxMessage),
		sse:             opts.SSE,
		taken:           takenTail(opts.Hooks.Taken),
	}
	ctx := opts.Context
	if ctx == nil {
		ctx = context.Background()
	}
	w.ctx, w.close = context.WithCancelCause(ctx)
	if opts.Endpoint != nil {
		w.endpoint.Store(opts.Endpoint)
		w.secrets.noteURL(opts.Endpoint)
	}
	for _, value := range opts.Secrets {
		w.secrets.note(value, minCredential)
	}
	w.auth.changed = make(chan struct{})
	w.scanners.New = func() any { return new(scanner) }
	return w
}

// within returns a context with the values of one, which ends with either. The
// end of the session is its cause if that comes first.
func (w *wire) within(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(w.ctx, func() { cancel(context.Cause(w.ctx)) })
	return ctx, func(cause error) {
		stop()
		cancel(cause)
	}
}

// cause returns why a context that within has made, or one within it, has ended,
// or nil. The end of the session counts at once, as its connections do not wait
// until every context knows of it.
func (w *wire) cause(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	return context.Cause(w.ctx)
}

// why returns why a request got no answer, for the owner and for the SDK: the end of
// its context, where that is what ended it. The owner is also told of headers that
// were waited for until then.
func (w *wire) why(ctx context.Context, err error) (owner, sdk error) {
	cause := w.cause(ctx)
	if cause == nil {
		return err, err
	}
	if failed := (*HeadersError)(nil); errors.As(err, &failed) {
		return err, cause
	}
	return cause, cause
}

// until is within for a request whose answer may outlive what it was made for:
// stop keeps the context from ending with the first one.
func (w *wire) until(ctx context.Context) (_ context.Context, _ context.CancelCauseFunc, stop func() bool) {
	own, cancel := w.within(undone{ctx})
	stop = context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	return own, func(cause error) {
		stop()
		cancel(cause)
	}, stop
}

// undone is a context without its end.
type undone struct{ context.Context }

func (undone) Done() <-chan struct{} { return nil }
func (undone) Err() error            { return nil }

// responded tells the owner how far a request got.
func (w *wire) responded(ctx context.Context, a Answer) {
	if w.hooks.Responded != nil {
		w.hooks.Responded(ctx, a)
	}
}

// result returns the result of a response to a method as the SDK is to see it,
// and whether it was changed.
func (w *wire) result(method string, m *message) (result []byte, changed bool) {
	if w.hooks.Result == nil || m.err != nil {
		return m.result, false
	}
	if other, changed := w.hooks.Result(method, m.result); changed {
		return other, true
	}
	return m.result, false
}

// dropped tells of a message that was lost.
func (w *wire) dropped(err error) {
	w.logger.Warn("message dropped: " + err.Error())
	if w.hooks.Dropped != nil {
		w.hooks.Dropped(err)
	}
}

func (w *wire) lost(err error) {
	if w.hooks.Lost != nil {
		w.hooks.Lost(err)
	}
}

// A credential is the Authorization header that the SDK last put on a request.
// Streams that are opened again need it fresh.
type credential struct {
	mu      sync.Mutex
	value   string
	changed chan struct{} // closed when there is a new one
}

func (c *credential) set(value string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if value == "" || value == c.value {
		return
	}
	c.value = value
	close(c.changed)
	c.changed = make(chan struct{})
}

func (c *credential) get() (string, <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.value, c.changed
}

// sleep waits, and reports whether it did to the end.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}
