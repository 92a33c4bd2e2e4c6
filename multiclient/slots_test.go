package multiclient_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

func TestMaxInFlight(t *testing.T) {
	for name, test := range map[string]struct {
		connection config.Settings
		client     int
	}{
		"of the client":     {config.Settings{}, 3},
		"of the connection": {config.Settings{MaxInFlight: 3}, 1},
	} {
		t.Run(name, func(t *testing.T) { testMaxInFlight(t, test.connection, test.client) })
	}
}

// testMaxInFlight tests a limit of 3.
func testMaxInFlight(t *testing.T, settings config.Settings, option int) {
	s := testserver.New("one")
	var running, most atomic.Int32
	proceed := make(chan struct{})
	type none struct{}
	mcp.AddTool(s.Server, &mcp.Tool{Name: "wait"}, func(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, any, error) {
		n := running.Add(1)
		defer running.Add(-1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		<-proceed
		return &mcp.CallToolResult{}, nil, nil
	})
	c := newClient(t, config.Connections{"one": config.InMemory{Server: s.Server, Settings: settings}}, &multiclient.Options{MaxInFlight: option})
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			if _, err := c.CallTool(t.Context(), "one", "wait", nil); err != nil {
				t.Error(err)
			}
		})
	}
	eventually(t, func() bool { st := c.Status()[0]; return running.Load() == 3 && st.Queued == 17 })
	// Waiting ends with the caller.
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { _, err := c.CallTool(ctx, "one", "wait", nil); ended <- err }()
	eventually(t, func() bool { return c.Status()[0].Queued == 18 })
	cancel()
	if err := receive(t, ended, "end of the call"); !errors.Is(err, context.Canceled) {
		t.Errorf("the call that waited gave %v", err)
	}
	// Lists do not wait.
	if _, err := c.Tools(t.Context()); err != nil {
		t.Error(err)
	}
	close(proceed)
	wg.Wait()
	if n := most.Load(); n != 3 {
		t.Errorf("%d calls ran at once, want 3", n)
	}
}

// A negative value is no limit, and that of the connection comes first.
func TestNoMaxInFlight(t *testing.T) {
	const more = multiclient.DefaultMaxInFlight + 1
	for name, test := range map[string]struct{ connection, client int }{
		"of the client": {0, -1}, "of the connection": {-1, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := testserver.New("one")
			var running atomic.Int32
			proceed := make(chan struct{})
			mcp.AddTool(s.Server, &mcp.Tool{Name: "wait"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
				running.Add(1)
				<-proceed
				return &mcp.CallToolResult{}, nil, nil
			})
			c := newClient(t, config.Connections{"one": config.InMemory{Server: s.Server, Settings: config.Settings{MaxInFlight: test.connection}}},
				&multiclient.Options{MaxInFlight: test.client})
			var wg sync.WaitGroup
			for range more {
				wg.Go(func() {
					if _, err := c.CallTool(t.Context(), "one", "wait", nil); err != nil {
						t.Error(err)
					}
				})
			}
			defer wg.Wait()
			defer close(proceed)
			eventually(t, func() bool { return running.Load() == more })
			if st := c.Status()[0]; st.Queued != 0 || st.InFlight != more {
				t.Errorf("%d queued, %d in flight", st.Queued, st.InFlight)
			}
		})
	}
}

// What a callback calls does not wait for the call that the callback is of.
func TestNestedCallsDoNotWait(t *testing.T) {
	for _, w := range []wire{wires[0], wires[1]} {
		t.Run(w.name, func(t *testing.T) {
			s := testserver.New("one")
			var c *multiclient.MultiServerClient
			cb := callbacks.Callbacks{OnElicitation: func(ctx context.Context, _ callbacks.CallbackContext, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				res, err := c.CallTool(ctx, "one", "echo", map[string]any{"text": "nested"})
				if err != nil {
					return nil, err
				}
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"word": textOf(res)}}, nil
			}}
			c = newClient(t, config.Connections{"one": w.connect(t, s, config.Settings{CallTimeout: 10 * time.Second})},
				&multiclient.Options{Callbacks: cb, MaxInFlight: 1})
			if got := call(t, c, "one", "ask_0", map[string]any{"id": "x"}); got != "accept: nested" {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestLimitsOfLists(t *testing.T) {
	s := mcp.NewServer(&mcp.Implementation{Name: "s"}, &mcp.ServerOptions{PageSize: 2})
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		s.AddTool(&mcp.Tool{Name: name, InputSchema: map[string]any{"type": "object"}}, nil)
	}
	for name, test := range map[string]struct {
		options multiclient.Options
		ok      bool
	}{
		"as many tools":  {multiclient.Options{MaxTools: 5}, true},
		"too many tools": {multiclient.Options{MaxTools: 4}, false},
		"as many pages":  {multiclient.Options{MaxPages: 3}, true},
		"too many pages": {multiclient.Options{MaxPages: 2}, false},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClient(t, config.Connections{"s": config.InMemory{Server: s}}, &test.options)
			if _, err := c.Tools(t.Context()); (err == nil) != test.ok || err != nil && !errors.Is(err, multiclient.ErrBadList) {
				t.Errorf("got %v", err)
			}
		})
	}
}
