package multiclient_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// connecting counts the attempts to connect that are under way at the same time:
// transports that were opened and not closed.
type connecting struct {
	mcp.Transport
	open, most *atomic.Int32
}

type counted struct {
	mcp.Connection
	end func()
}

func (c *connecting) Connect(ctx context.Context) (mcp.Connection, error) {
	conn, err := c.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	if n := c.open.Add(1); n > c.most.Load() {
		c.most.Store(n)
	}
	return &counted{conn, sync.OnceFunc(func() { c.open.Add(-1) })}, nil
}

func (c *counted) Close() error {
	c.end()
	return c.Connection.Close()
}

// Health checks of a server whose session is being opened again wait for the same
// attempt as everybody, and take nobody's session away.
func TestHealthChecksWhileReconnecting(t *testing.T) {
	for name, hang := range map[string]bool{"a server that hangs": true, "a server that is down": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var away atomic.Bool
				var open, most, tried atomic.Int32
				s := testserver.New("s")
				c, err := multiclient.New(config.Connections{"s": config.Custom{
					Settings: config.Settings{ProtocolVersion: stateful, ConnectTimeout: 2 * time.Second, ListTimeout: 500 * time.Millisecond},
					NewTransport: func(ctx context.Context) (mcp.Transport, error) {
						tried.Add(1)
						here, there := mcp.NewInMemoryTransports()
						counted := &connecting{here, &open, &most}
						switch {
						case !away.Load():
							_, err := s.Connect(context.WithoutCancel(ctx), there, nil)
							return counted, err
						case hang:
							return counted, nil
						}
						return nil, errors.New("down")
					},
				}}, &multiclient.Options{
					HealthCheck: time.Second,
					Reconnect:   multiclient.Reconnect{Attempts: 3, Delay: 100 * time.Millisecond, CoolDown: 5 * time.Second},
				})
				if err != nil {
					t.Fatal(err)
				}
				echo := func(ctx context.Context) error {
					_, err := c.CallTool(ctx, "s", "echo", map[string]any{"text": "x"})
					return err
				}
				if err := echo(t.Context()); err != nil {
					t.Fatal(err)
				}
				away.Store(true)
				for session := range s.Sessions() {
					session.Close()
				}
				var wg sync.WaitGroup
				for n := range 40 { // in half a minute
					time.Sleep(700 * time.Millisecond)
					wg.Go(func() {
						ctx, cancel := context.WithTimeout(t.Context(), time.Duration(n)*100*time.Millisecond)
						defer cancel()
						if err := echo(ctx); !errors.Is(err, multiclient.ErrUnavailable) && !errors.Is(err, context.DeadlineExceeded) {
							t.Errorf("call %d: %v", n, err)
						}
					})
				}
				wg.Wait()
				if n := most.Load(); n > 1 {
					t.Errorf("%d attempts at the same time", n)
				}
				// 3 before it is left alone for the first time, and one each time it was.
				if n := tried.Load(); n < 4 || n > 10 {
					t.Errorf("%d attempts", n)
				}

				away.Store(false)
				time.Sleep(10 * time.Second) // in which a health check finds out
				st := c.Status()[0]
				if st.State != multiclient.StateReady {
					t.Errorf("the status is %+v", st)
				}
				for range 10 {
					time.Sleep(10 * time.Second)
					if err := echo(t.Context()); err != nil {
						t.Error(err)
					}
				}
				if now := c.Status()[0]; now.Generation != st.Generation || open.Load() != 1 {
					t.Errorf("%d sessions are open, in generation %d after %d", open.Load(), now.Generation, st.Generation)
				}
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}
