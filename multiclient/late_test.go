package multiclient_test

import (
	"context"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
)

// late holds back a method until it is let through.
type late struct {
	mcp.Connection
	method string
	let    <-chan struct{}
	msgs   chan jsonrpc.Message
	errs   chan error
}

func newLate(c mcp.Connection, method string, let <-chan struct{}) *late {
	l := &late{c, method, let, make(chan jsonrpc.Message), make(chan error, 1)}
	go func() {
		for {
			m, err := c.Read(context.Background())
			if err != nil {
				l.errs <- err
				return
			}
			if req, ok := m.(*jsonrpc.Request); ok && req.Method == method {
				go func() { <-let; l.msgs <- m }()
				continue
			}
			l.msgs <- m
		}
	}()
	return l
}

func (l *late) Connect(context.Context) (mcp.Connection, error) { return l, nil }
func (l *late) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-l.msgs:
		return m, nil
	case err := <-l.errs:
		return nil, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func lateConnection(t *testing.T, s *testserver.Server, method string, let <-chan struct{}) config.Connection {
	return config.Custom{NewTransport: func(context.Context) (mcp.Transport, error) {
		server, client := mcp.NewInMemoryTransports()
		conn, err := server.Connect(t.Context())
		if err != nil {
			return nil, err
		}
		_, err = s.Connect(t.Context(), newLate(conn, method, let), nil)
		return client, err
	}}
}

func TestChangesBeforeTheServerListens(t *testing.T) {
	s := testserver.New("s")
	let := make(chan struct{})
	c := newClient(t, config.Connections{"s": lateConnection(t, s, "subscriptions/listen", let)}, nil)
	before, err := c.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	call(t, c, "s", "announce", map[string]any{"what": "tools"}) // nobody listens yet
	close(let)
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		after, err := c.Tools(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(after) == len(before)+1 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("stale: %d tools, want %d", len(after), len(before)+1)
		}
	}
}
