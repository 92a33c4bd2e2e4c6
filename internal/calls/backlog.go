package calls

import (
	"context"
	"sync"
)

// maxAnswering bounds the responses that are being sent to a server. It takes none
// if there are as many, and the questions whose callbacks run are not among them.
const maxAnswering = 1024

// A backlog is what a server has asked for and does not take. It is read no further
// when that is too much: the SDK would hold all of it.
type backlog struct {
	mu        sync.Mutex
	answering int
	bytes     int           // of the parameters of requests since nothing was
	room      chan struct{} // closed when there may be room; nil if nobody waits
}

// wait waits until there is room for a request with parameters of the size, or ctx
// or over ends.
func (b *backlog) wait(ctx, over context.Context, size int) {
	for {
		room := b.enter(size)
		if room == nil {
			return
		}
		select {
		case <-room:
		case <-ctx.Done():
			return
		case <-over.Done():
			return
		}
	}
}

// enter returns nil if there is room, which is then taken, and else what is closed
// when there may be.
func (b *backlog) enter(size int) <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.answering == 0 {
		b.bytes = 0
	} else if b.answering >= maxAnswering || b.bytes+size > maxRequestBytes {
		if b.room == nil {
			b.room = make(chan struct{})
		}
		return b.room
	}
	b.bytes += size
	return nil
}

// answer notes that a response is being sent, until done is called.
func (b *backlog) answer() (done func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answering++
	return b.answered
}

func (b *backlog) answered() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answering--
	if b.room != nil {
		close(b.room)
		b.room = nil
	}
}

// Answering records that a response to a request of the server is being sent,
// until done is called. While too many are, [Tracker.Inbound] blocks.
func (t *Tracker) Answering() (done func()) { return t.backlog.answer() }
