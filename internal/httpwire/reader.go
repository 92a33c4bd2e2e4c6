package httpwire

import (
	"context"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// drainSize and drainTimeout bound what is read of a stream after the response
// to its call, so that the connection can be used again.
const (
	drainSize    = 256 << 10
	drainTimeout = time.Second
)

// A reader is the body of a response whose events pass a filter. It reads from
// the server when the SDK reads from it, so that it needs no goroutine.
type reader struct {
	f      *filter
	cancel context.CancelCauseFunc // ends reading from up
	// ended, if not nil, is called at the end of up. It returns nil if there
	// is a new one, and else what the SDK gets when it has read f.out.
	ended func(err error) error
	// outlive, if not nil, is called when the response has been read: the caller
	// may then be gone before the rest of the stream is, without which the
	// connection is of no more use.
	outlive func() bool
	// begun, if not nil, is called when the first event has been read.
	begun func()

	closed atomic.Bool
	mu     sync.Mutex // held while reading
	up     io.ReadCloser
	sc     *scanner // nil when done
	read   int      // how much of f.out
	err    error
}

func newReader(up io.ReadCloser, f *filter, cancel context.CancelCauseFunc) *reader {
	r := &reader{f: f, cancel: cancel, up: up, sc: f.w.scanners.Get().(*scanner)}
	r.sc.reset(up, f.w.maxMessage)
	return r
}

func (r *reader) Read(p []byte) (n int, err error) {
	r.mu.Lock()
	for len(r.f.out) == 0 && r.err == nil {
		r.step()
	}
	if len(r.f.out) > 0 {
		n, r.read = r.f.take(p, r.read)
	} else {
		err = r.err
	}
	r.mu.Unlock()
	if r.closed.Load() {
		r.finish()
	}
	return n, err
}

// step reads one event, or what comes in its place.
func (r *reader) step() {
	if r.f.answered {
		timer := time.AfterFunc(drainTimeout, func() { r.cancel(nil) })
		_, _ = io.CopyN(io.Discard, r.up, drainSize)
		timer.Stop()
		r.err = io.EOF
		return
	}
	ev, err := r.sc.next()
	if err == nil {
		r.f.event(ev)
		if r.f.answered && r.outlive != nil {
			r.outlive()
		}
		if r.begun != nil {
			r.begun()
			r.begun = nil
		}
		return
	}
	if r.ended != nil {
		err = r.ended(err)
	} else if cause := r.f.w.cause(r.f.ctx); cause != nil {
		err = cause
	}
	r.err = err
}

// replace goes on with another stream.
func (r *reader) replace(up io.ReadCloser) {
	r.up.Close()
	r.up = up
	r.sc.reset(up, r.f.w.maxMessage)
}

func (r *reader) Close() error {
	r.closed.Store(true)
	r.cancel(nil)
	r.finish()
	return nil
}

// finish frees what a closed reader holds, unless a Read is under way, which
// then does so at its end.
func (r *reader) finish() {
	if !r.mu.TryLock() {
		return
	}
	defer r.mu.Unlock()
	if r.sc == nil {
		return
	}
	r.up.Close()
	r.sc.src = nil
	r.f.w.scanners.Put(r.sc)
	r.sc = nil
	r.f.out = nil
	r.err = io.ErrClosedPipe
}
