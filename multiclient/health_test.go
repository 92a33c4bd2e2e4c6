package multiclient_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/leak"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// A session that is lost is replaced without anybody asking, and servers that
// nobody has used are left alone.
func TestHealthCheckReplacesSessions(t *testing.T) {
	leak.Check(t)
	for _, version := range []string{stateful, ""} {
		t.Run(version, func(t *testing.T) {
			s, idle := testserver.New("s"), testserver.New("idle")
			connection, breakIt := breakable(s, config.Settings{ProtocolVersion: version})
			c := newClient(t, config.Connections{"s": connection, "idle": config.InMemory{Server: idle.Server}}, &multiclient.Options{HealthCheck: 20 * time.Millisecond})
			call(t, c, "s", "echo", map[string]any{"text": "x"})
			method := "ping"
			if version == "" {
				method = "tools/list"
			}
			eventually(t, func() bool { n, _ := s.Received(method); return n > 2 })
			breakIt()
			eventually(t, func() bool { st := c.Status()[1]; return st.Generation > 1 && st.State == multiclient.StateReady })
			if st := c.Status()[0]; st.Generation != 0 {
				t.Errorf("the idle server is in generation %d", st.Generation)
			}
		})
	}
}

// A server that answers nothing any more loses its session, but not under a call.
func TestHealthCheckOfAServerThatHangs(t *testing.T) {
	leak.Check(t)
	s := testserver.New("s")
	var hang atomic.Bool
	over := make(chan struct{})
	defer close(over)
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method == "ping" && hang.Load() {
				select {
				case <-over:
				case <-ctx.Done():
				}
			}
			return next(ctx, method, req)
		}
	})
	c := newClient(t, config.Connections{"s": inMemory(stateful)(t, s, config.Settings{ListTimeout: 20 * time.Millisecond})},
		&multiclient.Options{HealthCheck: 20 * time.Millisecond})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { _, err := c.CallTool(ctx, "s", "block", nil); ended <- err }()
	receive(t, s.Blocked, "call in flight")
	generation := c.Status()[0].Generation
	hang.Store(true)
	before, _ := s.Received("ping")
	eventually(t, func() bool { n, _ := s.Received("ping"); return n > before+3 })
	if st := c.Status()[0]; st.State != multiclient.StateReady || st.Generation != generation {
		t.Errorf("under a call: %+v", st)
	}
	cancel()
	receive(t, ended, "end of the call")
	eventually(t, func() bool { return c.Status()[0].Generation > generation })
	hang.Store(false)
	call(t, c, "s", "echo", map[string]any{"text": "x"})
}
