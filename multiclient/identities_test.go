package multiclient_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/leak"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// Many users at once: each session only ever sees the token of one, and each user
// has one session whatever comes at the same time.
func TestConcurrentIdentitiesKeepApart(t *testing.T) {
	for _, generation := range []string{stateful, stateless} {
		t.Run(generation, func(t *testing.T) {
			leak.Check(t)
			a := &audit{}
			s := testserver.New("one")
			url := a.serve(t, generation == stateless, func(string) *mcp.Server { return s.Server })
			c := newPersonal(t, config.Connections{"one": config.StreamableHTTP{URL: url, Settings: own(config.Settings{})}},
				&multiclient.Options{Identities: multiclient.Identities{Connection: withTokens}})
			const users, calls = 32, 8
			everybody(t, c, users, calls, "user", "header", map[string]any{"name": "Authorization"}, func(user, text string) {
				if text != "Bearer "+tokenOf(user) {
					t.Errorf("the call of %s was sent with the token of another", user)
				}
			})
			st := c.Status()[0]
			if st.Identities != users || st.Generation != users || st.State != multiclient.StateReady || st.LastLatency == 0 {
				t.Errorf("status %+v, want one session for each of %d", st, users)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			if n := a.check(t); generation == stateful && n != users {
				t.Errorf("the server had %d sessions", n)
			}
		})
	}
}

// On every wire each identity has a session, and a process, of its own.
func TestSessionsOfIdentities(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		leak.Check(t)
		c := newPersonal(t, config.Connections{"one": w.connect(t, testserver.New("one"), own(config.Settings{}))}, nil)
		session := func(user string) string {
			t.Helper()
			res, err := c.CallTool(as(t.Context(), user), "one", "count", nil)
			if err != nil {
				t.Fatal(err)
			}
			return textOf(res)
		}
		got := []string{session("ann"), session("bob"), session("ann"), session("bob")}
		want := []string{"1", "2", "3", "4"} // of one server
		if w.process() {
			want = []string{"1", "1", "2", "2"}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("counts %v, want %v", got, want)
		}
		if st := c.Status()[0]; st.Identities != 2 || st.Generation != 2 {
			t.Errorf("status %+v, want two sessions", st)
		}
	})
}

// Nobody's request is never made on somebody's session.
func TestRequestsOfNobody(t *testing.T) {
	s := testserver.New("one")
	c := newPersonal(t, config.Connections{
		"one":   config.InMemory{Server: s.Server, Settings: own(config.Settings{})},
		"plain": config.InMemory{Server: testserver.New("plain").Server},
	}, &multiclient.Options{Collisions: adapters.CollisionPrefix, Identities: multiclient.Identities{
		Of: userOf,
	}})
	if _, err := c.CallTool(as(t.Context(), "ann"), "one", "count", nil); err != nil {
		t.Fatal(err)
	}
	tools, err := c.Tools(as(t.Context(), "ann"), "one")
	if err != nil {
		t.Fatal(err)
	}
	resource := `resource "file:///readme.txt"`
	subjects := map[string]string{"CallTool": `tool "count"`, "Prompt": `prompt "greet"`, "ReadResource": resource, "Subscribe": resource, "Unsubscribe": resource}
	before := s.Runs.Load()
	for name, ctx := range map[string]context.Context{"an error": t.Context(), "an empty identity": as(t.Context(), "")} {
		requests := map[string]func() error{
			"CallTool":     func() error { _, err := c.CallTool(ctx, "one", "count", nil); return err },
			"Tool.Call":    func() error { _, err := tools[0].(*adapters.Tool).Invoke(ctx, nil); return err },
			"Tools":        func() error { _, err := c.Tools(ctx, "one"); return err },
			"Tool":         func() error { _, err := c.Tool(ctx, "one_echo"); return err },
			"Prompts":      func() error { _, err := c.Prompts(ctx, "one"); return err },
			"Prompt":       func() error { _, err := c.Prompt(ctx, "one", "greet", nil); return err },
			"Resources":    func() error { _, err := c.Resources(ctx, "one"); return err },
			"Templates":    func() error { _, err := c.ResourceTemplates(ctx, "one"); return err },
			"ReadResource": func() error { _, err := c.ReadResource(ctx, "one", "file:///readme.txt"); return err },
			"Complete":     func() error { _, err := c.Complete(ctx, "one", &mcp.CompleteParams{}); return err },
			"Subscribe":    func() error { return c.Subscribe(ctx, "one", "file:///readme.txt") },
			"Unsubscribe":  func() error { return c.Unsubscribe(ctx, "one", "file:///readme.txt") },
			"ServerInfo":   func() error { _, err := c.ServerInfo(ctx, "one"); return err },
			"Session":      func() error { _, _, err := c.Session(ctx, "one"); return err },
		}
		for method, request := range requests {
			err := request()
			if !errors.Is(err, multiclient.ErrNoIdentity) || !strings.Contains(err.Error(), `"one"`) || !strings.Contains(err.Error(), subjects[method]) {
				t.Errorf("%s with %s: error %v, want one of no identity that names the server and %q", method, name, err, subjects[method])
			}
			if ctx == t.Context() && !errors.Is(err, errAnonymous) {
				t.Errorf("%s with %s: error %v hides why", method, name, err)
			}
		}
		all, err := c.Tools(ctx)
		if len(all) == 0 || len(multiclient.ServerErrors(err)) != 1 {
			t.Errorf("%d tools and the error %v, want those of the plain server and one error", len(all), err)
		}
	}
	if n := s.Runs.Load(); n != before {
		t.Errorf("%d calls were made for nobody", n-before)
	}
	if st := c.Status()[0]; st.Identities != 1 || st.Generation != 1 {
		t.Errorf("status %+v, want the one session of ann", st)
	}
}

// Each user sees the tools that the server lists for them, named among the tools
// that they see; a tool is nobody's.
func TestToolsOfIdentities(t *testing.T) {
	forUser := func(token string) *mcp.Server {
		s := mcp.NewServer(&mcp.Implementation{Name: "one"}, nil)
		user := strings.TrimPrefix(token, "Bearer "+tokenOf(""))
		add := func(name string) {
			mcp.AddTool(s, &mcp.Tool{Name: name}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: user + "'s " + name}}}, nil, nil
			})
		}
		add("common")
		add("of_" + user)
		if user == "bob" {
			add("echo") // as the plain server has one
		}
		return s
	}
	for _, generation := range []string{stateful, stateless} {
		t.Run(generation, func(t *testing.T) {
			url := (&audit{}).serve(t, generation == stateless, forUser)
			c := newPersonal(t, config.Connections{
				"one": config.StreamableHTTP{URL: url, Settings: own(config.Settings{})},
				"plain": config.InMemory{Server: testserver.New("plain").Server, Settings: config.Settings{
					Tools: config.ToolFilter{Allow: []string{"echo"}},
				}},
			}, &multiclient.Options{Collisions: adapters.CollisionPrefix, Identities: multiclient.Identities{Connection: withTokens}})
			want := map[string][]string{
				"ann": {"common", "of_ann", "echo"},
				"bob": {"common", "one_echo", "of_bob", "plain_echo"},
			}
			for range 3 {
				for user, names := range want {
					ctx := as(t.Context(), user)
					tools, err := c.Tools(ctx)
					if err != nil {
						t.Fatal(err)
					}
					var got []string
					for _, tool := range tools {
						got = append(got, tool.Name())
					}
					if fmt.Sprint(got) != fmt.Sprint(names) {
						t.Errorf("%s sees %q, want %q", user, got, names)
					}
					for _, name := range names {
						if tool, err := c.Tool(ctx, name); err != nil || tool.Name() != name {
							t.Errorf("%s: tool %q: %v", user, name, err)
						}
					}
				}
			}
			if _, err := c.Tool(as(t.Context(), "ann"), "of_bob"); !errors.Is(err, multiclient.ErrUnknownTool) {
				t.Errorf("ann finds the tool of bob: %v", err)
			}
			if _, err := c.Tool(t.Context(), "of_bob"); !errors.Is(err, multiclient.ErrNoIdentity) {
				t.Errorf("nobody finds the tool of bob: %v", err)
			}
			if _, err := c.CallTool(as(t.Context(), "bob"), "one", "of_an", nil); err == nil || strings.Contains(err.Error(), "of_ann") {
				t.Errorf("bob is told of the tool of ann: %v", err)
			}
			if _, err := c.CallTool(as(t.Context(), "ann"), "one", "of_an", nil); err == nil || !strings.Contains(err.Error(), "of_ann") {
				t.Errorf("ann is not told of her own tool: %v", err)
			}
			common, err := c.Tool(as(t.Context(), "ann"), "common")
			if err != nil {
				t.Fatal(err)
			}
			for _, user := range []string{"ann", "bob", "carol"} {
				if text, err := common.Call(as(t.Context(), user), "{}"); text != user+"'s common" {
					t.Errorf("called by %s: %q, %v", user, text, err)
				}
			}
		})
	}
}

// Arguments of prompts are judged by what the server lists to the user.
func TestPromptsOfIdentities(t *testing.T) {
	forUser := func(token string) *mcp.Server {
		s := mcp.NewServer(&mcp.Implementation{Name: "one"}, nil)
		p := &mcp.Prompt{Name: "greet"}
		if strings.HasSuffix(token, "ann") {
			p.Arguments = []*mcp.PromptArgument{{Name: "of_ann", Required: true}}
		}
		s.AddPrompt(p, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{}, nil
		})
		return s
	}
	c := newPersonal(t, config.Connections{"one": config.StreamableHTTP{
		URL: (&audit{}).serve(t, false, forUser), Settings: own(config.Settings{}),
	}}, &multiclient.Options{Identities: multiclient.Identities{Connection: withTokens}})
	for _, user := range []string{"ann", "bob", "ann"} {
		ctx := as(t.Context(), user)
		if _, err := c.Prompts(ctx); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Prompt(ctx, "one", "greet", nil); errors.Is(err, multiclient.ErrBadArguments) != (user == "ann") {
			t.Errorf("%s: %v", user, err)
		}
		if _, err := c.Prompt(as(t.Context(), "carol"), "one", "greet", nil); err != nil {
			t.Errorf("carol, who has listed nothing: %v", err)
		}
	}
}
