package transport

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/internal/calls"
	"github.com/langchaingo-mcp/mcpadapters/internal/stdio"
)

const methodDiscover = "server/discover"

// watched is a transport with a single stream of messages, all of which pass
// the tracker.
//
// It must not be put around the SDK's streamable HTTP transport, whose
// connection has an unexported method that wrapping would hide.
type watched struct {
	mcp.Transport
	tracker *calls.Tracker
	// result returns what takes the place of the result of a method.
	result func(method string, result []byte) (other []byte, changed bool)
	// dropped is told of a message that was lost.
	dropped func(error)
	// discoverTimeout is how long a server may leave server/discover
	// unanswered before it is taken to be one that ignores it.
	discoverTimeout time.Duration
	// late is told of an answer to server/discover that comes after all.
	late func()
	// reopened is told that the changes that the server announces were asked for
	// again.
	reopened func()
	// pipe says that of a write that fails the server has not read the end.
	pipe bool
	// lost is told what the connection has failed with.
	lost func(error)
	// ended says that the server has ended the connection.
	ended atomic.Bool
}

func (t *watched) Connect(ctx context.Context) (mcp.Connection, error) {
	inner, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	c := &conn{
		Connection: inner, tracker: t.tracker, result: t.result, dropped: t.dropped, discoverTimeout: t.discoverTimeout, late: t.late, pipe: t.pipe, lost: t.lost, ended: &t.ended,
		listing: map[jsonrpc.ID]string{}, unanswered: make(chan jsonrpc.ID, 1),
	}
	c.listens = newListens(func(ctx context.Context, req *jsonrpc.Request) error { return inner.Write(ctx, req) }, t.reopened)
	return c, nil
}

type conn struct {
	mcp.Connection
	tracker         *calls.Tracker
	result          func(method string, result []byte) (other []byte, changed bool)
	dropped         func(error)
	discoverTimeout time.Duration
	late            func()
	pipe            bool
	lost            func(error)
	ended           *atomic.Bool
	closed          atomic.Bool  // by the SDK
	refusing        atomic.Int32 // requests of the server, being refused
	listens         *listens

	mu         sync.Mutex
	listing    map[jsonrpc.ID]string // the methods of requests for lists and content that are not answered
	discovery  *time.Timer
	unanswered chan jsonrpc.ID // is not read any more once the handshake is over

	// Used by Read only; Reads do not overlap. Until the handshake is over,
	// messages are read by a goroutine, so that Read can give up on one.
	settled bool
	unheard jsonrpc.ID // of server/discover, after its time was over
	pending chan readResult
}

type readResult struct {
	msg jsonrpc.Message
	err error
}

func (c *conn) Write(ctx context.Context, msg jsonrpc.Message) error {
	out := msg
	switch msg := msg.(type) {
	case *jsonrpc.Request:
		own := c.listens.written(msg)
		if own == nil {
			return nil
		}
		out = own
		if msg.Method == methodDiscover {
			c.expectDiscovery(msg.ID)
		}
		c.tracker.Written(ctx, msg)
		c.expectList(msg)
	case *jsonrpc.Response:
		ctx = c.tracker.Replied(ctx, msg.ID)
		defer c.tracker.Answering(msg.ID)()
	}
	if calls.IsCancel(msg) {
		defer c.tracker.CancelWritten(ctx)
	}
	err := c.Connection.Write(ctx, out)
	if err != nil && ctx.Err() == nil && !rejected(err) {
		c.broken(err)
	}
	unread := err != nil && c.pipe && !errors.Is(err, stdio.ErrUnfinished) // a message without its end is none
	if req, ok := msg.(*jsonrpc.Request); ok && req.IsCall() && (unread || errors.Is(err, errStuck)) {
		calls.MarkUnsent(ctx)
	}
	return err
}

// broken tells of what the SDK ends the session for, which it may not tell itself:
// what waits for an answer then fails with the end of the connection. A pipe
// breaks since its other end is gone, of which more is known elsewhere.
func (c *conn) broken(err error) {
	if !c.pipe && c.lost != nil {
		c.lost(err)
	}
}

// rejected reports whether the SDK takes the failure of a write for one of the
// message only.
func rejected(err error) bool {
	var e *jsonrpc.Error
	return errors.As(err, &e) && e.Code == codeRejected
}

// codeRejected is the code of the error by which transports of the SDK say so.
const codeRejected = -32005

// expectDiscovery starts the clock for the answer to server/discover.
func (c *conn) expectDiscovery(id jsonrpc.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.discovery = time.AfterFunc(c.discoverTimeout, func() {
		select {
		case c.unanswered <- id:
		default:
		}
	})
}

// maxListing bounds the requests for lists and content whose answers are
// awaited. There are never as many, but for a server that answers to none.
const maxListing = 1024

// expectList remembers a request for a list or content until it is answered.
func (c *conn) expectList(req *jsonrpc.Request) {
	_, isList := lists[req.Method]
	if _, isContent := contents[req.Method]; !isList && !isContent {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.listing) >= maxListing {
		clear(c.listing)
	}
	c.listing[req.ID] = req.Method
}

// listed returns the method of such a request that was answered, or "".
func (c *conn) listed(id jsonrpc.ID) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	method := c.listing[id]
	delete(c.listing, id)
	return method
}

func (c *conn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		msg, err := c.read(ctx)
		if failure, over := c.oversize(err); over {
			if failure == nil {
				continue
			}
			msg, err = failure, nil
		}
		if err != nil {
			switch {
			case !errors.Is(err, io.EOF):
				c.broken(err)
			case !c.closed.Load():
				c.ended.Store(true)
			}
			return nil, err
		}
		switch msg := msg.(type) {
		case *jsonrpc.Request:
			if !c.tracker.Inbound(context.Background(), msg) {
				continue
			}
		case *jsonrpc.Response:
			c.settled = true
			if c.unheard.IsValid() && c.unheard == msg.ID && msg.Error == nil && c.late != nil {
				c.late()
			}
			if !c.listens.ended(msg) {
				continue
			}
			call, method := c.tracker.Answered(msg.ID), c.listed(msg.ID)
			if msg.Error != nil {
				break
			}
			if call.Take(msg.Result, c.result) {
				msg.Result, msg.Error = nil, calls.ErrTaken
			} else if other, changed := c.result(method, msg.Result); changed {
				msg.Result = other
			}
		}
		return msg, nil
	}
}

// read returns the next message, or an error response in the place of an
// answer to server/discover that does not come.
func (c *conn) read(ctx context.Context) (jsonrpc.Message, error) {
	if c.pending == nil {
		if c.settled {
			return c.Connection.Read(ctx)
		}
		pending := make(chan readResult, 1)
		c.pending = pending
		go func() {
			msg, err := c.Connection.Read(ctx)
			pending <- readResult{msg, err}
		}()
	}
	select {
	case r := <-c.pending:
		c.pending = nil
		return r.msg, r.err
	case id := <-c.unanswered:
		c.unheard = id
		return &jsonrpc.Response{ID: id, Error: &jsonrpc.Error{
			Code:    jsonrpc.CodeMethodNotFound,
			Message: "the server did not answer " + methodDiscover,
		}}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (c *conn) Close() error {
	c.closed.Store(true)
	c.listens.close()
	c.mu.Lock()
	if c.discovery != nil {
		c.discovery.Stop()
	}
	c.mu.Unlock()
	return c.Connection.Close()
}
