package multiclient_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// breakable connects to a server by a pipe, and can break the connection.
func breakable(s *testserver.Server, settings config.Settings) (connection config.Connection, breakIt func()) {
	var mu sync.Mutex
	var last net.Conn
	return config.Custom{Settings: settings, NewTransport: func(ctx context.Context) (mcp.Transport, error) {
			server, client := net.Pipe()
			_, err := s.Connect(context.WithoutCancel(ctx), &mcp.IOTransport{Reader: server, Writer: server}, nil)
			mu.Lock()
			defer mu.Unlock()
			last = server
			return &mcp.IOTransport{Reader: client, Writer: client}, err
		}}, func() {
			mu.Lock()
			defer mu.Unlock()
			last.Close()
		}
}

// A log of strings, in order.
type journal struct {
	mu    sync.Mutex
	lines []string
}

func (j *journal) add(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, fmt.Sprintf(format, args...))
}

func (j *journal) list() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return append([]string(nil), j.lines...)
}

func (j *journal) states() callbacks.Callbacks {
	return callbacks.Callbacks{
		OnConnectionState: func(_ context.Context, cc callbacks.CallbackContext, c callbacks.ConnectionChange) {
			j.add("%v: %s %d", cc, c.State, c.Generation)
		},
	}
}

func TestConcurrentConnectionStates(t *testing.T) {
	const sessions = 10
	s := testserver.New("one")
	connection, breakIt := breakable(s, config.Settings{ProtocolVersion: stateful})
	var j journal
	c := newClient(t, config.Connections{"one": connection}, &multiclient.Options{Callbacks: j.states()})
	var want []string
	for i := 1; i <= sessions; i++ {
		call(t, c, "one", "echo", map[string]any{"text": "x"})
		want = append(want, fmt.Sprintf("one: connecting %d", i), fmt.Sprintf("one: connected %d", i))
		if i == sessions {
			break
		}
		breakIt() // and several callers notice at the same time
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() { c.CallTool(t.Context(), "one", "echo", map[string]any{"text": "x"}) })
		}
		wg.Wait()
		want = append(want, fmt.Sprintf("one: disconnected %d", i))
	}
	want = append(want, "one: closed 10")
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, j.list()); diff != "" {
		t.Errorf("the states (-want +got):\n%s", diff)
	}
}

func TestConnectionStatesOnEachWire(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		s := testserver.New("one")
		var j journal
		c := newClient(t, config.Connections{"one": w.connect(t, s, config.Settings{})}, &multiclient.Options{Callbacks: j.states()})
		call(t, c, "one", "echo", map[string]any{"text": "x"})
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff([]string{"one: connecting 1", "one: connected 1", "one: closed 1"}, j.list()); diff != "" {
			t.Errorf("the states (-want +got):\n%s", diff)
		}
	})
}

func TestFailedAndLostConnectionsAreTold(t *testing.T) {
	s := testserver.New("one")
	connection, breakIt := breakable(s, config.Settings{ProtocolVersion: stateful})
	custom := connection.(config.Custom)
	dial, ready := custom.NewTransport, false
	custom.NewTransport = func(ctx context.Context) (mcp.Transport, error) {
		if !ready {
			return nil, errors.New("not yet")
		}
		return dial(ctx)
	}
	changes, messages := make(chan callbacks.ConnectionChange, 16), make(chan callbacks.Message, 16)
	c := newClient(t, config.Connections{"one": custom}, &multiclient.Options{Callbacks: callbacks.Callbacks{
		OnConnectionState: func(_ context.Context, _ callbacks.CallbackContext, c callbacks.ConnectionChange) { changes <- c },
		OnMessage: func(_ context.Context, cc callbacks.CallbackContext, msg callbacks.Message) {
			if cc.ServerName != "one" || cc.ToolName != "" {
				t.Errorf("%v was of %v", msg, cc)
			}
			messages <- msg
		},
	}})
	next := func(state callbacks.ConnectionState, generation int, says string) {
		t.Helper()
		c := receive(t, changes, "change of state")
		if c.State != state || c.Generation != generation || (c.Err == nil) != (says == "") || c.Err != nil && !strings.Contains(c.Err.Error(), says) {
			t.Errorf("the change is %+v", c)
		}
	}
	if _, err := c.CallTool(t.Context(), "one", "echo", map[string]any{"text": "x"}); !errors.Is(err, multiclient.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
	next(callbacks.Connecting, 1, "")
	next(callbacks.Disconnected, 1, "not yet")
	ready = true
	call(t, c, "one", "echo", map[string]any{"text": "x"})
	next(callbacks.Connecting, 2, "")
	next(callbacks.Connected, 2, "")
	breakIt()
	// Without anybody using the connection.
	next(callbacks.Disconnected, 2, "closed")
	if msg := receive(t, messages, "message"); msg.Err == nil || msg.Method != "" {
		t.Errorf("OnMessage got %+v", msg)
	}
}
