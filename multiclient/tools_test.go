package multiclient_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

func TestToolsOnEachWire(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		s := testserver.New("one")
		c := newClient(t, config.Connections{"one": w.connect(t, s, config.Settings{})}, &multiclient.Options{ToolNamePrefix: true})
		list, err := c.Tools(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range list {
			names = append(names, tool.Name())
		}
		for _, want := range []string{"one_echo", "one_add", "one_ask_7", "one_client_features"} {
			if !slices.Contains(names, want) {
				t.Errorf("there is no tool %q among %q", want, names)
			}
		}
		add, err := c.Tool(t.Context(), "one_add")
		if err != nil {
			t.Fatal(err)
		}
		if add.ServerName() != "one" || add.OriginalName() != "add" {
			t.Errorf("the tool is %s of %s", add.OriginalName(), add.ServerName())
		}
		got, err := add.Call(t.Context(), `{"a": 2, "b": 40}`)
		if err != nil || got != "42" {
			t.Errorf("add returned %q, %v", got, err)
		}
		fail, err := c.Tool(t.Context(), "one_fail")
		if err != nil {
			t.Fatal(err)
		}
		got, err = fail.Call(t.Context(), "")
		if err != nil || !strings.Contains(got, "failed as it should") {
			t.Errorf("fail returned %q, %v, want the tool's message as text", got, err)
		}
		info, err := c.ServerInfo(t.Context(), "one")
		if err != nil || info.ProtocolVersion != w.version || info.Instructions == "" {
			t.Errorf("server info is %+v, %v; want version %s and instructions", info, err, w.version)
		}
	})
}

func TestToolsOfSomeServers(t *testing.T) {
	c := newClient(t, config.Connections{
		"a": config.InMemory{Server: testserver.New("a").Server},
		"b": config.InMemory{Server: testserver.New("b").Server},
	}, nil)
	if _, err := c.Tools(t.Context()); !errors.Is(err, adapters.ErrNameCollision) {
		t.Errorf("the tools of two servers of the same tools gave %v, want a collision", err)
	}
	list, err := c.Tools(t.Context(), "b")
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list {
		if tool := tool.(*adapters.Tool); tool.ServerName() != "b" || tool.Name() != tool.OriginalName() {
			t.Fatalf("tool %q is of server %q", tool.Name(), tool.ServerName())
		}
	}
	if _, err := c.Tools(t.Context(), "b", "c"); !errors.Is(err, multiclient.ErrUnknownServer) || !strings.Contains(err.Error(), `"c"`) {
		t.Errorf("an unknown server gave %v", err)
	}
	if _, err := c.CallTool(t.Context(), "c", "echo", nil); !errors.Is(err, multiclient.ErrUnknownServer) {
		t.Errorf("a call to an unknown server gave %v", err)
	}
}

func TestCollisionPolicies(t *testing.T) {
	one := mcp.NewServer(&mcp.Implementation{Name: "one"}, nil)
	two := mcp.NewServer(&mcp.Implementation{Name: "two"}, nil)
	for _, s := range []*mcp.Server{one, two} {
		s.AddTool(&mcp.Tool{Name: "search", InputSchema: map[string]any{"type": "object"}}, nil)
	}
	one.AddTool(&mcp.Tool{Name: "only", InputSchema: map[string]any{"type": "object"}}, nil)
	for policy, want := range map[adapters.CollisionPolicy]string{
		adapters.CollisionPrefix: "one_search only two_search",
		adapters.CollisionFirst:  "only search",
	} {
		c := newClient(t, config.Connections{"one": config.InMemory{Server: one}, "two": config.InMemory{Server: two}},
			&multiclient.Options{Collisions: policy})
		list, err := c.Tools(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range list {
			names = append(names, tool.Name())
		}
		slices.Sort(names)
		if got := strings.Join(names, " "); got != want {
			t.Errorf("%v: tools are %q, want %q", policy, got, want)
		}
	}
}

func TestUnknownTool(t *testing.T) {
	c := newClient(t, config.Connections{"a": config.InMemory{Server: testserver.New("a").Server}}, nil)
	if _, err := c.Tool(t.Context(), "nothing"); !errors.Is(err, multiclient.ErrUnknownTool) {
		t.Errorf("got %v, want an unknown tool", err)
	}
	res, err := c.CallTool(t.Context(), "a", "nothing", nil)
	if !errors.Is(err, multiclient.ErrRefused) || !strings.Contains(err.Error(), `"a"`) || !strings.Contains(err.Error(), `"nothing"`) {
		t.Errorf("calling a tool that does not exist gave %v, %v", res, err)
	}
}

func TestVanishedTool(t *testing.T) {
	s := testserver.New("a")
	c := newClient(t, config.Connections{"a": config.InMemory{Server: s.Server}}, nil)
	tool, err := c.Tool(t.Context(), "echo")
	if err != nil {
		t.Fatal(err)
	}
	s.RemoveTools("echo")
	_, err = tool.Invoke(t.Context(), map[string]any{"text": "x"})
	if !errors.Is(err, multiclient.ErrRefused) || !strings.Contains(err.Error(), "echo") {
		t.Errorf("invoking a tool that vanished gave %v", err)
	}
	got, err := tool.Call(t.Context(), `{"text":"x"}`)
	if err != nil || !strings.Contains(got, "echo") {
		t.Errorf("calling a tool that vanished gave %q, %v; want text for the model", got, err)
	}
}

func TestListChangedRefreshes(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		if strings.HasPrefix(w.name, "stdio") {
			return // its server cannot be changed from here
		}
		s := testserver.New("a")
		c := newClient(t, config.Connections{"a": w.connect(t, s, config.Settings{})}, nil)
		if _, err := c.Tool(t.Context(), "late"); !errors.Is(err, multiclient.ErrUnknownTool) {
			t.Fatalf("got %v, want an unknown tool", err)
		}
		s.AddTool(&mcp.Tool{Name: "late", InputSchema: map[string]any{"type": "object"}}, nil)
		eventually(t, func() bool {
			_, err := c.Tool(t.Context(), "late")
			return err == nil
		})
	})
}

func TestSchemaOfTheServerIsNotChanged(t *testing.T) {
	s := mcp.NewServer(&mcp.Implementation{Name: "s"}, nil)
	s.AddTool(&mcp.Tool{Name: "t", InputSchema: map[string]any{"type": "object", "$defs": map[string]any{}}}, nil)
	c := newClient(t, config.Connections{"s": config.InMemory{Server: s}}, nil)
	for range 2 {
		tool, err := c.Tool(t.Context(), "t")
		if err != nil {
			t.Fatal(err)
		}
		schema := tool.MCPTool().InputSchema.(map[string]any)
		if _, ok := schema["$defs"]; !ok || len(schema) != 2 {
			t.Fatalf("the schema is %v", schema)
		}
		schema["type"] = "changed by the caller"
		tool.Schema()["type"] = "changed by the caller"
	}
}
