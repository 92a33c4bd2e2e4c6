package session_test

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/session"
)

var errDown = errors.New("the server is down")

// A host is where a server runs, or does not.
type host struct {
	server *mcp.Server
	opened func(context.Context, *session.Session) error // may be nil

	mu       sync.Mutex
	down     int // attempts that fail from now on; negative means all
	hang     bool
	attempts []time.Time
	open     []mcp.Connection
}

func newHost() *host {
	return &host{server: mcp.NewServer(&mcp.Implementation{Name: "s"}, nil)}
}

// connect is the factory of the connection.
func (h *host) connect(ctx context.Context) (mcp.Transport, error) {
	h.mu.Lock()
	h.attempts = append(h.attempts, time.Now())
	down, hang := h.down != 0, h.hang
	if h.down > 0 {
		h.down--
	}
	h.mu.Unlock()
	if down {
		return nil, errDown
	}
	server, client := mcp.NewInMemoryTransports()
	if hang {
		return client, nil
	}
	conn, err := server.Connect(ctx)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	h.open = append(h.open, conn)
	h.mu.Unlock()
	_, err = h.server.Connect(context.WithoutCancel(ctx), already{conn}, nil)
	return client, err
}

type already struct{ mcp.Connection }

func (a already) Connect(context.Context) (mcp.Connection, error) { return a.Connection, nil }

// set says how the next attempts go.
func (h *host) set(down int, hang bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.down, h.hang = down, hang
}

// cut ends the connections.
func (h *host) cut() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, conn := range h.open {
		conn.Close()
	}
	h.open = nil
}

// since returns the times between the attempts.
func (h *host) delays() []time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	var delays []time.Duration
	for i := 1; i < len(h.attempts); i++ {
		delays = append(delays, h.attempts[i].Sub(h.attempts[i-1]))
	}
	return delays
}

func (h *host) tried() int { return len(h.delays()) + 1 }

const (
	connectTimeout = 10 * time.Second
	closeTimeout   = time.Second
	coolDown       = time.Minute
)

func (h *host) manager(t *testing.T) *session.Manager {
	t.Helper()
	return h.managerWith(t, callbacks.Callbacks{})
}

func (h *host) managerWith(t *testing.T, cb callbacks.Callbacks) *session.Manager {
	t.Helper()
	m := session.New(session.Options{
		Server:          "s",
		Connection:      config.Custom{NewTransport: h.connect},
		ConnectTimeout:  connectTimeout,
		CloseTimeout:    closeTimeout,
		DiscoverTimeout: time.Second,
		Retry:           session.Retry{Attempts: 4, Delay: 200 * time.Millisecond, MaxDelay: time.Second, CoolDown: coolDown},
		ClientInfo:      &mcp.Implementation{Name: "c"},
		Callbacks:       cb,
		Opened:          h.opened,
		Logger:          slog.New(slog.DiscardHandler),
	})
	t.Cleanup(func() {
		h.cut()
		if !m.Close(context.Background()) {
			t.Error("the manager does not close")
		}
	})
	return m
}

// acquire fails the test if there is no session.
func acquire(t *testing.T, m *session.Manager) *session.Session {
	t.Helper()
	s, err := m.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}
