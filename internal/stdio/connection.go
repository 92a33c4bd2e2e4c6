package stdio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Transport returns the transport of the SDK over standard input and output,
// to be connected once.
//
// It does what an [mcp.IOTransport] over Reader and Writer does, and decodes
// each message once instead of three times. Its connection is not for the SDK
// as it is, which would end the session at a [*LineTooLongError].
func (p *Process) Transport() mcp.Transport { return transport{p} }

type transport struct{ process *Process }

// Connect implements [mcp.Transport].
func (t transport) Connect(context.Context) (mcp.Connection, error) {
	return &connection{in: t.process.stdout, out: t.process.stdin, quote: t.process.quote}, nil
}

type connection struct {
	in    *reader
	out   *stdin
	quote *quoter

	mu         sync.Mutex    // never held for as long as the server does not read
	unfinished chan struct{} // not nil while a message waits for that; closed then
	buf        []byte
}

// Read returns the next message. It does not watch ctx but until it begins;
// Close ends it. After a [*LineTooLongError] it may be called again.
func (c *connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	line, err := c.in.message()
	if err != nil {
		return nil, err
	}
	msg, err := decode(line)
	if resp, ok := msg.(*jsonrpc.Response); ok && resp.Error != nil {
		c.hide(resp)
	}
	return msg, err
}

// hide takes the values of variables out of the message of an error. Data of
// the error is the program's, not the reader's.
func (c *connection) hide(resp *jsonrpc.Response) {
	var e *jsonrpc.Error
	if errors.As(resp.Error, &e) {
		e.Message = c.quote.hide(e.Message)
	}
}

// ErrUnfinished is why a Write has returned before all of its message was written,
// which goes on when the server reads again: half a message would garble the next.
var ErrUnfinished = errors.New("the server does not read, and may get the message later")

// Write writes a message. It returns when ctx ends, whatever the server does: with
// an [ErrUnfinished] if the message had been begun by then. Close, or the end of the
// process, ends it too.
func (c *connection) Write(ctx context.Context, msg jsonrpc.Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.mu.Lock()
	for c.unfinished != nil {
		unfinished := c.unfinished
		c.mu.Unlock()
		select {
		case <-unfinished:
		case <-ctx.Done():
			return ctx.Err()
		}
		c.mu.Lock()
	}
	rest, err := c.begin(msg)
	c.mu.Unlock()
	if err != nil || rest == nil {
		return err
	}
	select {
	case <-rest.finished:
		return rest.err
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", ErrUnfinished, ctx.Err())
	}
}

// A rest is what is being written of a message.
type rest struct {
	finished chan struct{}
	err      error // set before finished is closed
}

// begin writes a message, in the background as far as the server does not read at
// present. c.mu is held.
func (c *connection) begin(msg jsonrpc.Message) (*rest, error) {
	data, err := appendEncoded(c.buf[:0], msg)
	if err != nil {
		return nil, fmt.Errorf("encoding a message: %w", err)
	}
	n := c.out.writeNow(data)
	if c.buf = data; cap(c.buf) > maxKept || n < len(data) {
		c.buf = nil
	}
	if n == len(data) {
		return nil, nil
	}
	r := &rest{finished: make(chan struct{})}
	c.unfinished = r.finished
	go func() {
		defer close(r.finished)
		_, r.err = c.out.Write(data[n:])
		c.mu.Lock()
		defer c.mu.Unlock()
		c.unfinished = nil
	}()
	return r, nil
}

// Close closes standard input, which asks the server to exit, and ends the
// Read that is under way.
func (c *connection) Close() error { return errors.Join(c.out.Close(), c.in.Close()) }

// SessionID implements [mcp.Connection]; there is none.
func (c *connection) SessionID() string { return "" }

// message returns the next message, which is the caller's own.
func (r *reader) message() ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case <-r.closed:
		return nil, io.EOF
	default:
	}
	message, err := r.next()
	if err != nil {
		return nil, err
	}
	return bytes.Clone(message), nil
}
