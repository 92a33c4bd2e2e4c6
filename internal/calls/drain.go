package calls

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// CancelWritten records that the notification of the cancellation of the call
// that ctx belongs to has been handed to the server, or could not be. The SDK
// sends it after the call has returned.
func (t *Tracker) CancelWritten(ctx context.Context) {
	c := t.streamOf(ctx)
	if c == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	c.cancelWritten = true
	delete(t.due, c)
	t.stir()
}

// IsCancel reports whether a message is the notification of a cancellation.
func IsCancel(msg jsonrpc.Message) bool {
	req, ok := msg.(*jsonrpc.Request)
	return ok && req.Method == methodCancelled
}

// stir wakes those that wait in Drain. t.mu is held.
func (t *Tracker) stir() {
	if t.stirred != nil {
		close(t.stirred)
		t.stirred = nil
	}
}

// Drain blocks until no call is in flight and the server has been told of all
// that were cancelled, or ctx ends.
func (t *Tracker) Drain(ctx context.Context) {
	for {
		t.mu.Lock()
		if len(t.calls) == 0 && len(t.due) == 0 {
			t.mu.Unlock()
			return
		}
		if t.stirred == nil {
			t.stirred = make(chan struct{})
		}
		stirred := t.stirred
		t.mu.Unlock()
		select {
		case <-stirred:
		case <-ctx.Done():
			return
		}
	}
}
