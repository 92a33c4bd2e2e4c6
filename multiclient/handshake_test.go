package multiclient_test

import (
	"context"
	"io"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/leak"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// old is the server's side of a connection whose server was written before
// server/discover.
type old struct {
	mcp.Connection
	discovered func() error // what reading server/discover does
}

func (o old) Connect(context.Context) (mcp.Connection, error) { return o, nil }

func (o old) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		msg, err := o.Connection.Read(ctx)
		if req, ok := msg.(*jsonrpc.Request); ok && req.Method == "server/discover" {
			if err := o.discovered(); err != nil {
				o.Close()
				return nil, err
			}
			continue
		}
		return msg, err
	}
}

func TestServersOlderThanDiscovery(t *testing.T) {
	for name, test := range map[string]struct {
		discovered func() error
		timeout    time.Duration
	}{
		"ignores it":  {func() error { return nil }, 20 * time.Millisecond},
		"exits on it": {func() error { return io.EOF }, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			leak.Check(t)
			s := testserver.New("s")
			var opened, asked atomic.Int32
			ctx, cancel := context.WithCancel(t.Context())
			c := newClient(t, config.Connections{"s": config.Custom{NewTransport: func(context.Context) (mcp.Transport, error) {
				opened.Add(1)
				server, client := mcp.NewInMemoryTransports()
				conn, err := server.Connect(ctx)
				if err != nil {
					return nil, err
				}
				_, err = s.Connect(ctx, old{conn, func() error { asked.Add(1); return test.discovered() }}, nil)
				return client, err
			}}}, &multiclient.Options{DiscoverTimeout: test.timeout})
			defer cancel()
			info, err := c.ServerInfo(t.Context(), "s")
			if err != nil || info.ProtocolVersion != stateful {
				t.Fatalf("server info: %+v, %v", info, err)
			}
			if got := call(t, c, "s", "echo", map[string]any{"text": "x"}); got != "x" {
				t.Errorf("got %q", got)
			}
			// What worked is remembered.
			before := opened.Load()
			for session := range s.Sessions() {
				session.Close()
			}
			eventually(t, func() bool { return c.Status()[0].State != multiclient.StateReady })
			call(t, c, "s", "echo", map[string]any{"text": "x"})
			if opened.Load() != before+1 || asked.Load() != 1 {
				t.Errorf("the second session took %d attempts, and discovery was tried %d times in all", opened.Load()-before, asked.Load())
			}
		})
	}
}

// What is remembered of a server does not outlast its update to a version that has
// no handshake any more.
func TestServersThatAreUpdated(t *testing.T) {
	leak.Check(t)
	before, after := testserver.New("s"), testserver.New("s")
	after.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method == "initialize" {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "there is no handshake"}
			}
			return next(ctx, method, req)
		}
	})
	var updated atomic.Bool
	var opened atomic.Int32
	ctx, cancel := context.WithCancel(t.Context())
	c := newClient(t, config.Connections{"s": config.Custom{NewTransport: func(context.Context) (mcp.Transport, error) {
		opened.Add(1)
		server, client := mcp.NewInMemoryTransports()
		if updated.Load() {
			_, err := after.Connect(ctx, server, nil)
			return client, err
		}
		conn, err := server.Connect(ctx)
		if err != nil {
			return nil, err
		}
		_, err = before.Connect(ctx, old{conn, func() error { return io.EOF }}, nil)
		return client, err
	}}}, nil)
	defer cancel()
	if info, err := c.ServerInfo(t.Context(), "s"); err != nil || info.ProtocolVersion != stateful {
		t.Fatalf("before: %+v, %v", info, err)
	}
	updated.Store(true)
	for session := range before.Sessions() {
		session.Close()
	}
	eventually(t, func() bool { return c.Status()[0].State != multiclient.StateReady })
	if info, err := c.ServerInfo(t.Context(), "s"); err != nil || info.ProtocolVersion != stateless {
		t.Errorf("after the update: %+v, %v", info, err)
	}
	if got := call(t, c, "s", "echo", map[string]any{"text": "x"}); got != "x" {
		t.Errorf("got %q", got)
	}
	// Nor is that what the session after it begins with.
	attempts := opened.Load()
	for session := range after.Sessions() {
		session.Close()
	}
	eventually(t, func() bool { return c.Status()[0].State != multiclient.StateReady })
	call(t, c, "s", "echo", map[string]any{"text": "x"})
	if n := opened.Load() - attempts; n != 1 {
		t.Errorf("another session took %d attempts", n)
	}
}

func TestPinnedVersion(t *testing.T) {
	s := testserver.New("s")
	for _, version := range mcp.SupportedProtocolVersions() {
		c := newClient(t, config.Connections{"s": config.InMemory{Server: s.Server, Settings: config.Settings{ProtocolVersion: version}}}, nil)
		info, err := c.ServerInfo(t.Context(), "s")
		if err != nil || info.ProtocolVersion != version {
			t.Errorf("pinned to %s: %+v, %v", version, info, err)
		}
	}
}
