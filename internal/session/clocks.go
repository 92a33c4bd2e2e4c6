package session

import (
	"context"
	"sync"
	"time"
)

// clocks are timeouts that stand still while somebody signs in to the server:
// users take minutes, and how many is bounded by who asks them. The zero value
// is ready. It is safe for concurrent use.
type clocks struct {
	mu        sync.Mutex
	signingIn int // authorizations that are under way
	running   map[*clock]struct{}
}

type clock struct {
	timer *time.Timer
	end   time.Time     // while it runs
	left  time.Duration // while it stands still
}

// signIn makes all clocks stand still until the function that it returns is
// called, once.
func (c *clocks) signIn() (end func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.signingIn++
	if c.signingIn == 1 {
		for k := range c.running {
			k.timer.Stop()
			k.left = time.Until(k.end)
		}
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.signingIn--
		if c.signingIn == 0 {
			for k := range c.running {
				k.start()
			}
		}
	}
}

func (k *clock) start() {
	k.end = time.Now().Add(k.left)
	k.timer.Reset(k.left)
}

// A bounded context ends as one with a deadline does, but has none to tell.
type bounded struct {
	context.Context // ends for cause when the clock has run down
	cause           error
	clocks          *clocks
	clock           *clock
	// done is not that of Context, so that what is derived from this one asks
	// it for its error.
	done chan struct{}
}

func (b *bounded) Done() <-chan struct{} { return b.done }

func (b *bounded) Err() error {
	if err := b.Context.Err(); err == nil || context.Cause(b.Context) != b.cause {
		return err
	}
	return context.DeadlineExceeded
}

// clockKey is the key of the innermost bounded context.
type clockKey struct{}

func (b *bounded) Value(key any) any {
	if key == (clockKey{}) {
		return b
	}
	return b.Context.Value(key)
}

// left returns how long the context lasts, if nobody signs in.
func (b *bounded) left() time.Duration {
	b.clocks.mu.Lock()
	defer b.clocks.mu.Unlock()
	if b.clocks.signingIn > 0 {
		return b.clock.left
	}
	return time.Until(b.clock.end)
}

// within returns a context that ends for the cause, as if by a deadline, when
// its clock has run for d.
func (c *clocks) within(ctx context.Context, d time.Duration, cause error) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	k := &clock{left: d}
	b := &bounded{Context: ctx, cause: cause, clocks: c, clock: k, done: make(chan struct{})}
	context.AfterFunc(ctx, func() { close(b.done) })
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.running == nil {
		c.running = map[*clock]struct{}{}
	}
	c.running[k] = struct{}{}
	k.timer = time.AfterFunc(d, func() { cancel(cause) })
	k.end = time.Now().Add(d)
	if c.signingIn > 0 {
		k.timer.Stop()
	}
	return b, func() {
		c.mu.Lock()
		delete(c.running, k)
		k.timer.Stop()
		c.mu.Unlock()
		cancel(context.Canceled)
	}
}

// Within returns a context that ends for the cause after d, not counting the
// time in which somebody signs in to the server. It is like one of
// [context.WithTimeoutCause], but tells no deadline.
func (m *Manager) Within(ctx context.Context, d time.Duration, cause error) (context.Context, context.CancelFunc) {
	return m.clocks.within(ctx, d, cause)
}
