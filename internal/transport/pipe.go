package transport

import (
	"context"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ahead is how many messages an end takes that the other has not read yet: the
// SDK may write where it reads, on both ends at the same time.
const ahead = 16

// newPipe returns the two ends of a connection within this process. Messages go
// through it as they are: an [mcp.InMemoryTransport] writes and reads each as
// text, which takes most of the time of a call.
func newPipe() (one, other *pipeEnd) {
	there, back := make(chan jsonrpc.Message, ahead), make(chan jsonrpc.Message, ahead)
	one = &pipeEnd{in: back, out: there, closed: make(chan struct{})}
	other = &pipeEnd{in: there, out: back, closed: make(chan struct{})}
	one.gone, other.gone = other.closed, one.closed
	return one, other
}

type pipeEnd struct {
	in     <-chan jsonrpc.Message
	out    chan<- jsonrpc.Message
	gone   <-chan struct{} // closed with the other end
	once   sync.Once
	closed chan struct{}
}

// Read returns the next message. It returns io.EOF when this end is closed, and
// after the last message when the other is.
func (p *pipeEnd) Read(ctx context.Context) (jsonrpc.Message, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case msg := <-p.in:
		return msg, nil
	case <-p.gone:
		select {
		case msg := <-p.in:
			return msg, nil
		default:
			return nil, io.EOF
		}
	case <-p.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write returns when the other end can read the message, or never will if there
// is an error.
func (p *pipeEnd) Write(ctx context.Context, msg jsonrpc.Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	msg, err := handedOver(msg)
	if err != nil {
		return err
	}
	select {
	case <-p.gone:
		return io.ErrClosedPipe
	case <-p.closed:
		return io.ErrClosedPipe
	default: // also if there is room
	}
	select {
	case p.out <- msg:
		return nil
	case <-p.gone:
		return io.ErrClosedPipe
	case <-p.closed:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return ctx.Err()
	}
}

// handedOver returns a message as its receiver may keep it.
func handedOver(msg jsonrpc.Message) (jsonrpc.Message, error) {
	switch msg := msg.(type) {
	case *jsonrpc.Request:
		return &jsonrpc.Request{ID: msg.ID, Method: msg.Method, Params: msg.Params}, nil
	case *jsonrpc.Response:
		if msg.Error == nil && len(msg.Result) > 0 && msg.ID.IsValid() {
			return &jsonrpc.Response{ID: msg.ID, Result: msg.Result}, nil
		}
	}
	// An error is what its text says, on this side too.
	data, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return nil, err
	}
	return jsonrpc.DecodeMessage(data)
}

// Close ends reads and writes on both ends.
func (p *pipeEnd) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

// SessionID implements [mcp.Connection]; there is none.
func (p *pipeEnd) SessionID() string { return "" }

// Connect implements [mcp.Transport].
func (p *pipeEnd) Connect(context.Context) (mcp.Connection, error) { return p, nil }
