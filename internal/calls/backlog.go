package calls

import (
	"context"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxAnswering bounds the responses that are being sent to a server. It takes none
// if there are as many, and the questions whose callbacks run are not among them.
const maxAnswering = 1024

// A backlog is what a server has asked for and does not take. It is read no further
// when that is too much: the SDK would hold all of it.
type backlog struct {
	mu        sync.Mutex
	answering int
	// bytes are those of the parameters of requests since nothing was, less those
	// of what has been answered, which sizes has by their ids until it is.
	bytes int
	sizes map[jsonrpc.ID]int
	room  chan struct{} // closed when there may be room; nil if nobody waits
}

// wait waits until there is room for a request, or ctx or over ends.
func (b *backlog) wait(ctx, over context.Context, req *jsonrpc.Request) {
	for {
		room := b.enter(req.ID, len(req.Params))
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
func (b *backlog) enter(id jsonrpc.ID, size int) <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.answering == 0 {
		b.bytes = 0
		clear(b.sizes)
	} else if b.answering >= maxAnswering || b.bytes+size > maxRequestBytes {
		if b.room == nil {
			b.room = make(chan struct{})
		}
		return b.room
	}
	b.bytes += size
	if _, used := b.sizes[id]; !used { // or the SDK does not answer it
		if b.sizes == nil {
			b.sizes = map[jsonrpc.ID]int{}
		}
		b.sizes[id] = size
	}
	return nil
}

// answer notes that the response to a request is being sent, until done is called.
// The id may then be that of another.
func (b *backlog) answer(id jsonrpc.ID) (done func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answering++
	size := b.sizes[id]
	delete(b.sizes, id)
	return func() { b.answered(size) }
}

func (b *backlog) answered(size int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.answering--
	b.bytes -= size
	if b.room != nil {
		close(b.room)
		b.room = nil
	}
}

// Answering records that the response to a request of the server is being sent,
// until done is called. While too many are, [Tracker.Inbound] blocks.
func (t *Tracker) Answering(id jsonrpc.ID) (done func()) { return t.backlog.answer(id) }
