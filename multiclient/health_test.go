package multiclient_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
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

// A server that there has been no session with is not in use: a health check
// neither starts it again nor asks anybody to sign in. Of one that is left alone
// for a while the log tells once.
func TestHealthCheckOfServersThatAreDown(t *testing.T) {
	leak.Check(t)
	up, lost := testserver.New("up"), testserver.New("lost")
	gone := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return lost.Server },
		&mcp.StreamableHTTPOptions{Stateless: true})) // so that nothing is left when it is gone
	t.Cleanup(gone.Close)
	strange := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "who are you?", http.StatusUnauthorized)
	}))
	t.Cleanup(strange.Close)
	var log lines
	c := newClient(t, config.Connections{
		"up":      config.InMemory{Server: up.Server, Settings: config.Settings{ProtocolVersion: stateful}},
		"lost":    config.StreamableHTTP{URL: gone.URL, Settings: config.Settings{ProtocolVersion: stateful}},
		"strange": config.StreamableHTTP{URL: strange.URL},
	}, &multiclient.Options{
		HealthCheck: 10 * time.Millisecond,
		Reconnect:   multiclient.Reconnect{Attempts: 3, Delay: time.Millisecond, CoolDown: time.Hour},
		Logger:      slog.New(slog.NewTextHandler(&log, nil)),
	})
	if _, err := c.Tools(t.Context()); len(multiclient.ServerErrors(err)) != 1 {
		t.Fatal(err)
	}
	gone.CloseClientConnections()
	gone.Close()
	eventually(t, func() bool { return time.Until(c.Status()[0].RetryAt) > time.Minute })
	pings := func() int { n, _ := up.Received("ping"); return n }
	wait := func() { n := pings(); eventually(t, func() bool { return pings() > n+3 }) }
	wait() // for the checks that are under way
	told := log.with("server=lost")
	wait()
	if now := log.with("server=lost"); told == 0 || now != told {
		t.Errorf("%d lines about the server that is left alone, and then %d", told, now)
	}
	if n := c.Status()[1].Generation; n != 1 || log.with("server=strange") > 0 {
		t.Errorf("there were %d attempts at the server without a session", n)
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

// lines are what a log was given.
type lines struct {
	mu  sync.Mutex
	all []string
}

func (l *lines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, string(line))
	return len(line), nil
}

// with counts those that have the words.
func (l *lines) with(words string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, line := range l.all {
		if strings.Contains(line, words) {
			n++
		}
	}
	return n
}

// A server that is being taken out, or an identity that is being forgotten, is not
// checked while its last calls end.
func TestHealthChecksEndWithTheirServer(t *testing.T) {
	ends := map[string]func(context.Context, *multiclient.MultiServerClient) error{
		"RemoveServer": func(ctx context.Context, c *multiclient.MultiServerClient) error { return c.RemoveServer(ctx, "one") },
		"ForgetIdentity": func(ctx context.Context, c *multiclient.MultiServerClient) error {
			return c.ForgetIdentity(ctx, "user")
		},
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log lines
				g := newGated()
				c := newPersonal(t, config.Connections{
					"one": config.InMemory{Server: g.Server, Settings: own(config.Settings{CloseTimeout: time.Minute})},
				}, &multiclient.Options{HealthCheck: time.Second, Logger: slog.New(slog.NewTextHandler(&log, nil))})
				called := make(chan error, 1)
				go func() { _, err := c.CallTool(as(t.Context(), "user"), "one", "wait", nil); called <- err }()
				<-g.began
				ended := make(chan error, 1)
				go func() { ended <- end(t.Context(), c) }()
				time.Sleep(10 * time.Second)
				close(g.proceed)
				if err := errors.Join(<-called, <-ended); err != nil {
					t.Error(err)
				}
				if n := log.with("health check"); n > 0 {
					t.Errorf("the log tells of %d health checks that failed", n)
				}
			})
		})
	}
}
