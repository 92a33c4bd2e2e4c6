package multiclient_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/leak"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

func TestServersComeAndGo(t *testing.T) {
	leak.Check(t)
	for _, w := range []wire{wires[0], wires[3], wires[4]} {
		leak.Check(t)
		one, two := testserver.New("one"), testserver.New("two")
		c := newClient(t, nil, nil)
		if list, err := c.Tools(t.Context()); len(list) != 0 || err != nil {
			t.Fatalf("without servers: %d tools, %v", len(list), err)
		}
		connection := w.connect(t, one, config.Settings{})
		if err := c.AddServer("s", connection); err != nil {
			t.Fatal(err)
		}
		if err := c.AddServer("s", connection); err == nil {
			t.Error("the same name was added twice")
		}
		tool, err := c.Tool(t.Context(), "count")
		if err != nil {
			t.Fatal(err)
		}
		if got, err := tool.Call(t.Context(), ""); err != nil || got != "1" {
			t.Errorf("count returned %q, %v", got, err)
		}
		if err := c.ReplaceServer(t.Context(), "s", w.connect(t, two, config.Settings{})); err != nil {
			t.Fatal(err)
		}
		if got, err := tool.Call(t.Context(), ""); err != nil || got != "1" {
			t.Errorf("count of the server that replaced the first returned %q, %v", got, err)
		}
		if err := c.RemoveServer(t.Context(), "s"); err != nil {
			t.Fatal(err)
		}
		if _, err := tool.Call(t.Context(), ""); !errors.Is(err, multiclient.ErrUnknownServer) {
			t.Errorf("the tool of the removed server gave %v", err)
		}
		if n := len(c.Status()); n != 0 {
			t.Errorf("there are %d servers in the status", n)
		}
		for _, err := range []error{c.RemoveServer(t.Context(), "s"), c.ReplaceServer(t.Context(), "s", connection)} {
			if !errors.Is(err, multiclient.ErrUnknownServer) {
				t.Errorf("a server that is not there gave %v", err)
			}
		}
	}
}

func TestInvalidChangeChangesNothing(t *testing.T) {
	s := testserver.New("s")
	c := newClient(t, config.Connections{"s": config.InMemory{Server: s.Server}}, nil)
	call(t, c, "s", "echo", map[string]any{"text": "x"})
	var bad *config.Error
	if err := c.AddServer("t", config.Stdio{}); !errors.As(err, &bad) {
		t.Errorf("AddServer: %v", err)
	}
	if err := c.ReplaceServer(t.Context(), "s", nil); !errors.As(err, &bad) {
		t.Errorf("ReplaceServer: %v", err)
	}
	if changes, err := c.SetConnections(t.Context(), config.Connections{"t": config.InMemory{Server: s.Server}, "u": config.SSE{}}); changes != nil || !errors.As(err, &bad) {
		t.Errorf("SetConnections: %v, %v", changes, err)
	}
	if st := c.Status(); len(st) != 1 || st[0].Generation != 1 || st[0].State != multiclient.StateReady {
		t.Errorf("the status is %+v", st)
	}
}

func TestChangesOfAClosedClient(t *testing.T) {
	connection := config.InMemory{Server: testserver.New("s").Server}
	c := newClient(t, config.Connections{"s": connection}, nil)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := c.SetConnections(t.Context(), nil)
	for _, err := range []error{c.AddServer("t", connection), c.RemoveServer(t.Context(), "s"), c.ReplaceServer(t.Context(), "s", connection), err} {
		if !errors.Is(err, multiclient.ErrClosed) {
			t.Errorf("got %v", err)
		}
	}
}

func TestCallsInFlightOnAServerThatGoes(t *testing.T) {
	for name, change := range map[string]func(context.Context, *multiclient.MultiServerClient, config.Connection) error{
		"removed": func(ctx context.Context, c *multiclient.MultiServerClient, _ config.Connection) error {
			return c.RemoveServer(ctx, "s")
		},
		"replaced": func(ctx context.Context, c *multiclient.MultiServerClient, other config.Connection) error {
			return c.ReplaceServer(ctx, "s", other)
		},
	} {
		t.Run(name, func(t *testing.T) {
			leak.Check(t)
			s := testserver.New("s")
			proceed := make(chan struct{})
			type none struct{}
			mcp.AddTool(s.Server, &mcp.Tool{Name: "wait"}, func(context.Context, *mcp.CallToolRequest, none) (*mcp.CallToolResult, any, error) {
				s.Blocked <- struct{}{}
				<-proceed
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "done"}}}, nil, nil
			})
			// The bound is long where the call ends, and short where it does not.
			c := newClient(t, config.Connections{"s": config.InMemory{Server: s.Server, Settings: config.Settings{CloseTimeout: time.Minute}}}, nil)
			type end struct {
				res *mcp.CallToolResult
				err error
			}
			ended := make(chan end, 1)
			start := func(tool string) {
				go func() { res, err := c.CallTool(t.Context(), "s", tool, nil); ended <- end{res, err} }()
				receive(t, s.Blocked, "call in flight")
			}
			start("wait")
			changed := make(chan error, 1)
			other := config.InMemory{Server: s.Server, Settings: config.Settings{CloseTimeout: 50 * time.Millisecond}}
			go func() { changed <- change(t.Context(), c, other) }()
			eventually(t, func() bool { st := c.Status(); return len(st) == 0 || st[0].Generation == 0 })
			close(proceed)
			if e := receive(t, ended, "end of the call"); e.err != nil || textOf(e.res) != "done" {
				t.Errorf("the call that could end gave %v, %v", e.res, e.err)
			}
			if err := receive(t, changed, "change"); err != nil {
				t.Error(err)
			}
			if name == "removed" {
				if err := c.AddServer("s", other); err != nil {
					t.Fatal(err)
				}
			}
			start("block")
			if err := change(t.Context(), c, other); err != nil {
				t.Error(err)
			}
			if e := receive(t, ended, "end of the call"); !errors.Is(e.err, multiclient.ErrRemoved) {
				t.Errorf("the call that could not end gave %v, %v", e.res, e.err)
			}
		})
	}
}

// A call that waits for a session with a server that hangs gets one with the
// server that replaces it.
func TestCallThatWaitsGoesToTheNewServer(t *testing.T) {
	leak.Check(t)
	for _, policy := range []config.SessionPolicy{config.SessionShared, config.SessionPerCall} {
		dialling := make(chan struct{}, 2)
		hanging := config.Custom{NewTransport: func(ctx context.Context) (mcp.Transport, error) {
			dialling <- struct{}{}
			<-ctx.Done()
			return nil, ctx.Err()
		}, Settings: config.Settings{SessionPolicy: policy}}
		c := newClient(t, config.Connections{"s": hanging}, nil)
		type end struct {
			res *mcp.CallToolResult
			err error
		}
		ended := make(chan end, 2)
		go func() { res, err := c.CallTool(t.Context(), "s", "count", nil); ended <- end{res, err} }()
		receive(t, dialling, "attempt to connect")
		s := testserver.New("s")
		if err := c.ReplaceServer(t.Context(), "s", config.InMemory{Server: s.Server}); err != nil {
			t.Fatal(err)
		}
		if e := receive(t, ended, "end of the call"); e.err != nil || textOf(e.res) != "1" {
			t.Errorf("%s: the call gave %v, %v", policy, e.res, e.err)
		}
		if err := c.AddServer("h", hanging); err != nil {
			t.Fatal(err)
		}
		go func() { res, err := c.CallTool(t.Context(), "h", "count", nil); ended <- end{res, err} }()
		receive(t, dialling, "attempt to connect")
		if err := c.RemoveServer(t.Context(), "h"); err != nil {
			t.Fatal(err)
		}
		if e := receive(t, ended, "end of the call"); !errors.Is(e.err, multiclient.ErrUnknownServer) {
			t.Errorf("%s: the call to the removed server gave %v, %v", policy, e.res, e.err)
		}
	}
}

func TestRemovingEndsWithItsContext(t *testing.T) {
	leak.Check(t)
	s := testserver.New("s")
	c := newClient(t, config.Connections{"s": config.InMemory{Server: s.Server, Settings: config.Settings{CloseTimeout: time.Minute}}}, nil)
	ended := make(chan error, 1)
	go func() { _, err := c.CallTool(t.Context(), "s", "block", nil); ended <- err }()
	receive(t, s.Blocked, "call in flight")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.RemoveServer(ctx, "s"); err != nil && !errors.Is(err, multiclient.ErrTimeout) {
		t.Errorf("RemoveServer: %v", err)
	}
	if err := receive(t, ended, "end of the call"); !errors.Is(err, multiclient.ErrRemoved) {
		t.Errorf("the call gave %v", err)
	}
}

// Whatever happens to a server, calls by route give its result or a typed
// error.
func TestChangesUnderCalls(t *testing.T) {
	leak.Check(t)
	one, two := testserver.New("one"), testserver.New("two")
	connections := []config.Connection{config.InMemory{Server: one.Server}, config.InMemory{Server: two.Server}}
	c := newClient(t, config.Connections{"s": connections[0]}, nil)
	tool, err := c.Tool(t.Context(), "echo")
	if err != nil {
		t.Fatal(err)
	}
	stop := make(chan struct{})
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				got, err := tool.Call(t.Context(), `{"text":"x"}`)
				if err != nil && !errors.Is(err, multiclient.ErrRemoved) && !errors.Is(err, multiclient.ErrUnknownServer) || err == nil && got != "x" {
					t.Errorf("a call gave %q, %v", got, err)
					return
				}
				if _, err := c.Tools(t.Context()); err != nil {
					t.Errorf("Tools: %v", err)
					return
				}
			}
		})
	}
	for i := range 15 {
		var err error
		switch i % 3 {
		case 0:
			err = c.ReplaceServer(t.Context(), "s", connections[1])
		case 1:
			_, err = c.SetConnections(t.Context(), config.Connections{"s": connections[0]})
		case 2:
			if err = c.RemoveServer(t.Context(), "s"); err == nil {
				err = c.AddServer("s", connections[0])
			}
		}
		if err != nil {
			t.Error(err)
		}
	}
	close(stop)
	callers.Wait()
	call(t, c, "s", "echo", map[string]any{"text": "x"})
}
