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
	out   io.WriteCloser
	quote *quoter

	mu  sync.Mutex // held while writing
	buf []byte
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

// Write writes a message. It does not watch ctx but until it begins; Close, or
// the end of the process, ends it.
func (c *connection) Write(ctx context.Context, msg jsonrpc.Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	data, err := appendEncoded(c.buf[:0], msg)
	if err != nil {
		return fmt.Errorf("encoding a message: %w", err)
	}
	c.buf = data
	if _, err = c.out.Write(c.buf); cap(c.buf) > maxKept {
		c.buf = nil
	}
	return err
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
