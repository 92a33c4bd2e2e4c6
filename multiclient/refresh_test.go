package multiclient_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

func plainTool(name, description string) *mcp.Tool {
	return &mcp.Tool{Name: name, Description: description, InputSchema: map[string]any{"type": "object"}}
}

func addPlain(s *mcp.Server, name, description string) {
	s.AddTool(plainTool(name, description), func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{}, nil
	})
}

// changesOf receives changes of tools as text.
func changesOf(t testing.TB) (chan string, callbacks.Callbacks) {
	changes := make(chan string, 1024)
	return changes, callbacks.Callbacks{
		OnToolsChanged: func(_ context.Context, cc callbacks.CallbackContext, change callbacks.ToolsChange) {
			if cc.ServerName != "s" || cc.ToolName != "" {
				t.Errorf("the change is of %v", cc)
			}
			text := ""
			for sign, list := range map[string][]*mcp.Tool{"+": change.Added, "-": change.Removed, "~": change.Changed} {
				for _, tool := range list {
					text += fmt.Sprintf("%s%s(%s)", sign, tool.Name, tool.Description)
				}
			}
			changes <- text
		},
	}
}

func TestChangesOfTools(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		if w.process() {
			return // its server cannot be changed from here
		}
		s := mcp.NewServer(&mcp.Implementation{Name: "s"}, nil)
		addPlain(s, "a", "1")
		changes, cb := changesOf(t)
		c := newClient(t, config.Connections{"s": w.connect(t, &testserver.Server{Server: s}, config.Settings{})}, &multiclient.Options{Callbacks: cb})
		if list, err := c.Tools(t.Context()); err != nil || len(list) != 1 {
			t.Fatalf("%d tools, %v", len(list), err)
		}
		for _, step := range []struct {
			change func()
			want   string
		}{
			{func() { addPlain(s, "b", "1") }, "+b(1)"},
			{func() { addPlain(s, "a", "2") }, "~a(2)"},
			{func() { s.RemoveTools("b") }, "-b(1)"},
		} {
			step.change()
			if got := receive(t, changes, "change"); got != step.want {
				t.Errorf("the change is %q, want %q", got, step.want)
			}
		}
		if list, err := c.Tools(t.Context()); err != nil || len(list) != 1 {
			t.Errorf("%d tools, %v", len(list), err)
		}
	})
}

// Many changes in a row are listed few times, and none is lost.
func TestChangesAreListedTogether(t *testing.T) {
	s := testserver.New("s")
	changes, cb := changesOf(t)
	c := newClient(t, config.Connections{"s": config.InMemory{Server: s.Server}}, &multiclient.Options{Callbacks: cb})
	if _, err := c.Tools(t.Context()); err != nil {
		t.Fatal(err)
	}
	const n = 200
	for i := range n {
		addPlain(s.Server, fmt.Sprintf("new_%d", i), "")
	}
	seen := ""
	eventually(t, func() bool {
		select {
		case change := <-changes:
			seen += change
		default:
		}
		return len(seen) >= len("+new_0()")*n
	})
	if times, _ := s.Received("tools/list"); times > n/4 {
		t.Errorf("%d changes were listed %d times", n, times)
	}
}

// What is lost and comes back with other tools has changed too.
func TestChangesOverSessions(t *testing.T) {
	s := &testserver.Server{Server: mcp.NewServer(&mcp.Implementation{Name: "s"}, nil)}
	addPlain(s.Server, "a", "1")
	connection, breakIt := breakable(s, config.Settings{})
	changes, cb := changesOf(t)
	c := newClient(t, config.Connections{"s": connection}, &multiclient.Options{Callbacks: cb})
	if _, err := c.Tools(t.Context()); err != nil {
		t.Fatal(err)
	}
	lose(t, c, breakIt)
	addPlain(s.Server, "b", "1")
	if _, err := c.CallTool(t.Context(), "s", "a", nil); err != nil {
		t.Fatal(err)
	}
	if got := receive(t, changes, "change"); got != "+b(1)" {
		t.Errorf("the change is %q", got)
	}
}

// Tools that the program does not use are none of its business.
func TestChangesOfToolsThatAreLeftOut(t *testing.T) {
	s := mcp.NewServer(&mcp.Implementation{Name: "s"}, nil)
	addPlain(s, "a", "1")
	addPlain(s, "secret_a", "1")
	changes, cb := changesOf(t)
	c := newClient(t, config.Connections{"s": config.InMemory{Server: s, Settings: config.Settings{Tools: config.ToolFilter{Deny: []string{"secret_*"}}}}},
		&multiclient.Options{Callbacks: cb})
	if _, err := c.Tools(t.Context()); err != nil {
		t.Fatal(err)
	}
	addPlain(s, "secret_a", "2")
	addPlain(s, "secret_b", "1")
	addPlain(s, "b", "1")
	if got := receive(t, changes, "change"); got != "+b(1)" {
		t.Errorf("the change is %q", got)
	}
}

// hinting returns a server that says how long its lists hold, and does not
// announce changes.
func hinting(name string, ttl time.Duration, scope string, announces bool) *testserver.Server {
	return &testserver.Server{Name: name, Server: mcp.NewServer(&mcp.Implementation{Name: name}, &mcp.ServerOptions{
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: announces}, Resources: &mcp.ResourceCapabilities{}, Prompts: &mcp.PromptCapabilities{}},
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
			c.TTLMs, c.CacheScope = int(ttl.Milliseconds()), scope
		},
	})}
}

func TestHowLongAListHolds(t *testing.T) {
	for name, test := range map[string]struct {
		ttl       time.Duration
		announces bool
		want      int // tools after one has been added silently, and the list is asked for again
	}{
		"for an hour":                   {time.Hour, false, 1},
		"not at all":                    {0, false, 2},
		"until it is told":              {0, true, 1},
		"for a while":                   {time.Millisecond, true, 2},
		"longer than can be told apart": {1 << 62, false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			s := hinting("s", test.ttl, "public", test.announces)
			lists := 0
			s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
				return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
					res, err := next(ctx, method, req)
					if list, ok := res.(*mcp.ListToolsResult); ok {
						lists++
						for i := range lists {
							list.Tools = append(list.Tools, plainTool(fmt.Sprint("t", i), ""))
						}
					}
					return res, err
				}
			})
			c := newClient(t, config.Connections{"s": config.InMemory{Server: s.Server}}, nil)
			if list, err := c.Tools(t.Context()); err != nil || len(list) != 1 {
				t.Fatalf("%d tools, %v", len(list), err)
			}
			if test.ttl == time.Millisecond {
				eventually(t, func() bool { list, _ := c.Tools(t.Context()); return len(list) > 1 })
				return
			}
			if list, err := c.Tools(t.Context()); err != nil || len(list) != test.want {
				t.Errorf("%d tools, %v; want %d", len(list), err, test.want)
			}
		})
	}
}

// A list is one of the session that it was read on: a server that was started again
// may be another.
func TestToolsOfTheNextSession(t *testing.T) {
	before, after := testserver.New("s"), mcp.NewServer(&mcp.Implementation{Name: "s"}, nil)
	after.AddTool(&mcp.Tool{Name: "other", InputSchema: map[string]any{"type": "object"}}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{}, nil
	})
	server := before.Server
	c := newClient(t, config.Connections{"s": config.Custom{Settings: config.Settings{ProtocolVersion: stateful}, NewTransport: func(ctx context.Context) (mcp.Transport, error) {
		ours, theirs := mcp.NewInMemoryTransports()
		_, err := server.Connect(context.WithoutCancel(ctx), theirs, nil)
		return ours, err
	}}}, nil)
	if _, err := c.Tool(t.Context(), "echo"); err != nil {
		t.Fatal(err)
	}
	server = after
	for session := range before.Sessions() {
		session.Close()
	}
	eventually(t, func() bool { return c.Status()[0].State != multiclient.StateReady })
	call(t, c, "s", "other", nil) // opens the session
	if tool, err := c.Tool(t.Context(), "echo"); !errors.Is(err, multiclient.ErrUnknownTool) {
		t.Errorf("the tool of the session before is %v, %v", tool, err)
	}
	list, err := c.Tools(t.Context())
	if err != nil || len(list) != 1 || list[0].Name() != "other" {
		t.Errorf("the tools are %v, %v", list, err)
	}
}
