package calls

import (
	"context"
	"slices"
	"sync"
)

// Bounds of what waits for a slow callback, for each call.
const (
	maxPendingProgress = 64
	maxPendingLogs     = 1024
	maxPendingNotices  = 1024
	// maxPendingBytes bounds those of each kind together, but for one of them,
	// which may be as long as a message may be.
	maxPendingBytes = 8 << 20
)

type eventKind uint8

const (
	progressEvent eventKind = iota
	logEvent
	noticeEvent // any other notification
	requestEvent
)

// An event waits in a queue for its turn.
type event struct {
	kind    eventKind
	seq     uint64
	size    int
	dropped int
	deliver func(dropped int)
}

// A queue delivers events one at a time in the order of push. It holds a
// goroutine only while there is something to deliver.
type queue struct {
	mu      sync.Mutex
	events  []event
	waiting [requestEvent + 1]int // events of each kind
	bytes   [requestEvent + 1]int // of them
	pushed  uint64                // seq of the last event pushed
	done    uint64                // seq of the last event delivered
	running bool
	closed  bool
	waiters []waiter
}

type waiter struct {
	seq  uint64
	done chan struct{}
}

// push appends an event and returns its sequence number, or 0 if the queue is
// closed.
func (q *queue) push(kind eventKind, deliver func(dropped int)) uint64 {
	return q.pushSized(kind, 0, deliver)
}

// pushSized does the same for an event that holds so many bytes.
func (q *queue) pushSized(kind eventKind, size int, deliver func(dropped int)) uint64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return 0
	}
	q.pushed++
	e := event{kind: kind, seq: q.pushed, size: size, deliver: deliver}
	for old, ok := q.evict(kind, size); ok; old, ok = q.evict(kind, size) {
		if kind != progressEvent {
			e.dropped += old.dropped + 1
		}
	}
	q.events = append(q.events, e)
	q.waiting[kind]++
	q.bytes[kind] += size
	if !q.running {
		q.running = true
		go q.run()
	}
	return e.seq
}

// evict removes the newest waiting event of the kind if too many wait, so that
// the next takes its place at the end: order is kept, and so is the latest.
func (q *queue) evict(kind eventKind, size int) (event, bool) {
	limit := 0
	switch kind {
	case progressEvent:
		limit = maxPendingProgress
	case logEvent:
		limit = maxPendingLogs
	case noticeEvent:
		limit = maxPendingNotices
	default:
		return event{}, false
	}
	if n := q.waiting[kind]; n == 0 || n < limit && q.bytes[kind]+size <= maxPendingBytes {
		return event{}, false
	}
	last := len(q.events) - 1
	for q.events[last].kind != kind {
		last--
	}
	old := q.events[last]
	q.events = slices.Delete(q.events, last, last+1)
	q.waiting[kind]--
	q.bytes[kind] -= old.size
	return old, true
}

// run delivers until there is nothing more. A callback that ends the goroutine
// does not end the deliveries.
func (q *queue) run() {
	more := true
	defer func() {
		if more {
			go q.run()
		}
	}()
	for more {
		more = q.next()
	}
}

// next delivers one event and reports whether there was one.
func (q *queue) next() bool {
	q.mu.Lock()
	if len(q.events) == 0 {
		q.running = false
		q.done = q.pushed
		q.wake()
		q.mu.Unlock()
		return false
	}
	e := q.events[0]
	q.events[0] = event{}
	q.events = q.events[1:]
	q.waiting[e.kind]--
	q.bytes[e.kind] -= e.size
	q.mu.Unlock()

	defer func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.done = max(q.done, e.seq)
		q.wake()
	}()
	e.deliver(e.dropped)
	return true
}

// wake releases the waiters whose events are delivered. q.mu is held.
func (q *queue) wake() {
	q.waiters = slices.DeleteFunc(q.waiters, func(w waiter) bool {
		if w.seq > q.done {
			return false
		}
		close(w.done)
		return true
	})
}

// last returns the sequence number of the last event pushed.
func (q *queue) last() uint64 {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.pushed
}

// wait blocks until the event seq and all before it are delivered, or ctx
// ends.
func (q *queue) wait(ctx context.Context, seq uint64) {
	q.mu.Lock()
	if q.done >= seq {
		q.mu.Unlock()
		return
	}
	w := waiter{seq: seq, done: make(chan struct{})}
	q.waiters = append(q.waiters, w)
	q.mu.Unlock()
	select {
	case <-w.done:
	case <-ctx.Done():
	}
}

// finish blocks until everything that was pushed before is delivered and
// nothing is any more, or ctx ends. What comes later is refused.
func (q *queue) finish(ctx context.Context) {
	q.wait(ctx, q.last())
	q.close()
	q.wait(ctx, q.last()) // what is being delivered
}

// close discards what waits and refuses what comes. An event that is being
// delivered goes on.
func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	clear(q.events)
	q.events = nil
	q.waiting, q.bytes = [requestEvent + 1]int{}, [requestEvent + 1]int{}
}
