package multiclient_test

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// stubborn is a transport, and its connection, whose Write of a call, or of the end
// of one, returns when the connection is closed and not before.
type stubborn struct {
	mcp.Transport
	mcp.Connection
	writing *atomic.Int32
	once    sync.Once
	closed  chan struct{}
}

func (s *stubborn) Connect(ctx context.Context) (_ mcp.Connection, err error) {
	s.Connection, err = s.Transport.Connect(ctx)
	return s, err
}

func (s *stubborn) Write(ctx context.Context, msg jsonrpc.Message) error {
	if req, ok := msg.(*jsonrpc.Request); !ok || req.Method != "tools/call" && req.Method != "notifications/cancelled" {
		return s.Connection.Write(ctx, msg)
	}
	s.writing.Add(1)
	defer s.writing.Add(-1)
	<-s.closed
	return io.ErrClosedPipe
}

func (s *stubborn) Close() error {
	s.once.Do(func() { close(s.closed) })
	return s.Connection.Close()
}

// What a transport does not write although nobody waits for it any more is bounded:
// its session is then replaced, and the call that finds so is made on the new one.
func TestTransportThatDoesNotGiveUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const bound = 40
		s := testserver.New("one")
		var opened, writing atomic.Int32
		c, err := multiclient.New(config.Connections{"one": config.Custom{
			Settings: config.Settings{ProtocolVersion: stateful, CallTimeout: time.Minute},
			NewTransport: func(context.Context) (mcp.Transport, error) {
				here, there := mcp.NewInMemoryTransports()
				if _, err := s.Connect(t.Context(), there, nil); err != nil || opened.Add(1) > 1 {
					return here, err
				}
				return &stubborn{Transport: here, writing: &writing, closed: make(chan struct{})}, nil
			},
		}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for n := 1; ; n++ {
			_, err := c.CallTool(t.Context(), "one", "count", nil)
			time.Sleep(time.Minute) // in which the server is told that nobody waits any more
			if err == nil {
				break
			}
			if !errors.Is(err, multiclient.ErrTimeout) || n > bound || writing.Load() > bound {
				t.Errorf("call %d, while %d messages are being written: %v", n, writing.Load(), err)
				break
			}
		}
		if n := writing.Load(); n > 0 || opened.Load() != 2 || s.Runs.Load() != 1 {
			t.Errorf("%d messages are still being written, %d sessions were opened, the tool ran %d times", n, opened.Load(), s.Runs.Load())
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}
