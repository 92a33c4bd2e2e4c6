package transport

import (
	"context"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/langchaingo-mcp/mcpadapters/internal/httpwire"
	"github.com/langchaingo-mcp/mcpadapters/internal/skim"
	"github.com/langchaingo-mcp/mcpadapters/internal/stdio"
)

// maxRefusing bounds the requests of a server that are being refused, which
// takes until it reads.
const maxRefusing = 16

// oversize reports whether err says that a message was too large, and lost. It
// is then told of, and costs no more than who waits for it: a call gets the
// response that is returned, and the server's request an error.
func (c *conn) oversize(err error) (failure *jsonrpc.Response, over bool) {
	long, over := errors.AsType[*stdio.LineTooLongError](err)
	if !over {
		return nil, false
	}
	text := fmt.Sprintf("the server sent a message of more than %d bytes: ask it for less, or raise MaxMessageSize", long.Limit)
	if !long.Again {
		c.dropped(errors.New(text))
	}
	m := long.Message
	switch {
	case !m.Known():
	case m.Kind == skim.Response:
		return &jsonrpc.Response{ID: m.ID, Error: &jsonrpc.Error{Code: httpwire.CodeTransport, Message: text}}, true
	case c.refusing.Add(1) <= maxRefusing:
		// Not waited for, since the server may read only when it is read.
		go func() {
			defer c.refusing.Add(-1)
			refusal := &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: fmt.Sprintf("the message has more than %d bytes", long.Limit)}
			_ = c.Connection.Write(context.Background(), &jsonrpc.Response{ID: m.ID, Error: refusal}) // the session's end is noticed by Read
		}()
	default:
		c.refusing.Add(-1)
	}
	return nil, true
}
