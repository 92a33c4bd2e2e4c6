package multiclient_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

func headerSource(value string) func(context.Context) (http.Header, error) {
	return func(context.Context) (http.Header, error) { return http.Header{"X": {value}}, nil }
}

func TestSameConnections(t *testing.T) {
	source := headerSource("a")
	client := &http.Client{}
	one, two := testserver.New("one"), testserver.New("two")
	factory := func(name string) func(context.Context) (mcp.Transport, error) {
		return func(context.Context) (mcp.Transport, error) { return nil, os.ErrNotExist }
	}
	fixed := factory("a")
	web := func(change func(*config.StreamableHTTP)) config.StreamableHTTP {
		c := config.StreamableHTTP{URL: "http://h/mcp", HTTP: config.HTTP{Headers: http.Header{"A": {"b"}}}}
		change(&c)
		return c
	}
	process := config.Stdio{Command: "x", Args: []string{"a"}, Env: map[string]string{"A": "b"}}
	for name, test := range map[string]struct {
		a, b config.Connection
		same bool
	}{
		"stdio":            {process, config.Stdio{Command: "x", Args: []string{"a"}, Env: map[string]string{"A": "b"}}, true},
		"pointer":          {process, &process, true},
		"nil and empty":    {config.Stdio{Command: "x"}, config.Stdio{Command: "x", Args: []string{}, Env: map[string]string{}}, true},
		"argument":         {process, config.Stdio{Command: "x", Args: []string{"b"}, Env: map[string]string{"A": "b"}}, false},
		"fewer arguments":  {process, config.Stdio{Command: "x", Env: map[string]string{"A": "b"}}, false},
		"variable":         {process, config.Stdio{Command: "x", Args: []string{"a"}, Env: map[string]string{"A": "c"}}, false},
		"name of variable": {process, config.Stdio{Command: "x", Args: []string{"a"}, Env: map[string]string{"B": "b"}}, false},
		"settings":         {process, config.Stdio{Command: "x", Args: []string{"a"}, Env: map[string]string{"A": "b"}, Settings: config.Settings{CallTimeout: time.Second}}, false},
		"writer":           {config.Stdio{Command: "x", Stderr: os.Stderr}, config.Stdio{Command: "x", Stderr: os.Stderr}, true},
		"other writer":     {config.Stdio{Command: "x", Stderr: os.Stderr}, config.Stdio{Command: "x", Stderr: io.Discard}, false},
		"no writer":        {config.Stdio{Command: "x", Stderr: os.Stderr}, config.Stdio{Command: "x"}, false},
		"transport":        {config.SSE{URL: "http://h"}, config.StreamableHTTP{URL: "http://h"}, false},
		"http":             {web(func(c *config.StreamableHTTP) {}), web(func(c *config.StreamableHTTP) {}), true},
		"header":           {web(func(c *config.StreamableHTTP) {}), web(func(c *config.StreamableHTTP) { c.Headers = http.Header{"A": {"c"}} }), false},
		"source":           {web(func(c *config.StreamableHTTP) { c.HeaderSource = source }), web(func(c *config.StreamableHTTP) { c.HeaderSource = source }), true},
		"other source":     {web(func(c *config.StreamableHTTP) { c.HeaderSource = source }), web(func(c *config.StreamableHTTP) { c.HeaderSource = headerSource("b") }), false},
		"no source":        {web(func(c *config.StreamableHTTP) { c.HeaderSource = source }), web(func(c *config.StreamableHTTP) {}), false},
		"client":           {web(func(c *config.StreamableHTTP) { c.Client = client }), web(func(c *config.StreamableHTTP) { c.Client = client }), true},
		"other client":     {web(func(c *config.StreamableHTTP) { c.Client = client }), web(func(c *config.StreamableHTTP) { c.Client = &http.Client{} }), false},
		"server":           {config.InMemory{Server: one.Server}, config.InMemory{Server: one.Server}, true},
		"other server":     {config.InMemory{Server: one.Server}, config.InMemory{Server: two.Server}, false},
		"factory":          {config.Custom{NewTransport: fixed}, config.Custom{NewTransport: fixed}, true},
		"other factory":    {config.Custom{NewTransport: fixed}, config.Custom{NewTransport: factory("b")}, false},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClient(t, config.Connections{"s": test.a}, nil)
			changes, err := c.SetConnections(t.Context(), config.Connections{"s": test.b})
			if err != nil {
				t.Fatal(err)
			}
			if same := len(changes.Replaced) == 0; same != test.same {
				t.Errorf("taken for the same: %v, want %v", same, test.same)
			}
		})
	}
}

func TestSetConnectionsKeepsWhatIsTheSame(t *testing.T) {
	kept, changed := testserver.New("kept"), testserver.New("changed")
	c := newClient(t, config.Connections{
		"kept":    config.InMemory{Server: kept.Server},
		"changed": config.InMemory{Server: changed.Server},
		"gone":    config.InMemory{Server: changed.Server},
	}, &multiclient.Options{ToolNamePrefix: true})
	before, err := c.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	session := call(t, c, "kept", "session", nil)
	changes, err := c.SetConnections(t.Context(), config.Connections{
		"kept":    &config.InMemory{Server: kept.Server},
		"changed": config.InMemory{Server: changed.Server, Settings: config.Settings{ProtocolVersion: stateful}},
		"new":     config.InMemory{Server: changed.Server},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := &multiclient.Changes{Added: []string{"new"}, Removed: []string{"gone"}, Replaced: []string{"changed"}}
	if diff := cmp.Diff(want, changes); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
	if again := call(t, c, "kept", "session", nil); again != session {
		t.Errorf("the session is %s, was %s", again, session)
	}
	after, err := c.Tools(t.Context())
	if err != nil || len(after) != len(before) {
		t.Errorf("%d tools, %v; want %d", len(after), err, len(before))
	}
	for _, st := range c.Status() {
		if st.Generation != 1 {
			t.Errorf("server %s is in generation %d", st.Name, st.Generation)
		}
	}
	if info, err := c.ServerInfo(t.Context(), "changed"); err != nil || info.ProtocolVersion != stateful {
		t.Errorf("the replaced server speaks %v, %v", info, err)
	}
}
