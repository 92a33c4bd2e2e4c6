package multiclient_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/leak"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// describe returns a change as text.
func describe[T any](change callbacks.Change[T], name func(T) string) string {
	text := ""
	for _, part := range []struct {
		sign string
		list []T
	}{{"+", change.Added}, {"-", change.Removed}, {"~", change.Changed}} {
		for _, entry := range part.list {
			text += part.sign + name(entry)
		}
	}
	return text
}

// listWatcher receives the changes of prompts and resources.
func listWatcher() (prompts, resources chan string, cb callbacks.Callbacks) {
	prompts, resources = make(chan string, 1024), make(chan string, 1024)
	return prompts, resources, callbacks.Callbacks{
		OnPromptsChanged: func(_ context.Context, cc callbacks.CallbackContext, change callbacks.PromptsChange) {
			prompts <- cc.ServerName + describe(change, func(p *mcp.Prompt) string { return fmt.Sprintf("%s(%s)", p.Name, p.Description) })
		},
		OnResourcesChanged: func(_ context.Context, cc callbacks.CallbackContext, change callbacks.ResourcesChange) {
			resources <- cc.ServerName + describe(change, func(r *mcp.Resource) string { return fmt.Sprintf("%s(%s)", r.URI, r.Description) })
		},
	}
}

func addPrompt(s *mcp.Server, name, description string) {
	s.AddPrompt(&mcp.Prompt{Name: name, Description: description}, nil)
}

func addResource(s *mcp.Server, uri, description string) {
	s.AddResource(&mcp.Resource{Name: "r", URI: uri, Description: description}, nil)
}

func TestChangesOfPromptsAndResources(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		if w.process() {
			return // its server cannot be changed from here
		}
		leak.Check(t)
		s := &testserver.Server{Server: mcp.NewServer(&mcp.Implementation{Name: "s"}, nil)}
		t.Cleanup(func() {
			for session := range s.Sessions() {
				session.Close()
			}
		})
		addPrompt(s.Server, "a", "1")
		addResource(s.Server, "x:a", "1")
		prompts, resources, cb := listWatcher()
		c := newClient(t, config.Connections{"s": w.connect(t, s, config.Settings{})}, &multiclient.Options{Callbacks: cb})
		if list, err := c.Prompts(t.Context()); err != nil || len(list) != 1 {
			t.Fatalf("%d prompts, %v", len(list), err)
		}
		if list, err := c.Resources(t.Context()); err != nil || len(list) != 1 {
			t.Fatalf("%d resources, %v", len(list), err)
		}
		for _, step := range []struct {
			change            func()
			prompt, resources string
		}{
			{func() { addPrompt(s.Server, "b", "1"); addResource(s.Server, "x:b", "1") }, "s+b(1)", "s+x:b(1)"},
			{func() { addPrompt(s.Server, "a", "2"); addResource(s.Server, "x:a", "2") }, "s~a(2)", "s~x:a(2)"},
			{func() { s.RemovePrompts("b"); s.RemoveResources("x:b") }, "s-b(1)", "s-x:b(1)"},
		} {
			step.change()
			if got := receive(t, prompts, "change of prompts"); got != step.prompt {
				t.Errorf("the change is %q, want %q", got, step.prompt)
			}
			if got := receive(t, resources, "change of resources"); got != step.resources {
				t.Errorf("the change is %q, want %q", got, step.resources)
			}
		}
	})
}

// What is lost and comes back with other lists has changed too, without anybody
// asking; what was never listed has not.
func TestChangesOfListsOverSessions(t *testing.T) {
	leak.Check(t)
	s := &testserver.Server{Server: mcp.NewServer(&mcp.Implementation{Name: "s"}, nil)}
	addPrompt(s.Server, "a", "1")
	addResource(s.Server, "x:a", "1")
	connection, breakIt := breakable(s, config.Settings{ProtocolVersion: stateful})
	prompts, resources, cb := listWatcher()
	c := newClient(t, config.Connections{"s": connection}, &multiclient.Options{Callbacks: cb})
	if _, err := c.Prompts(t.Context()); err != nil {
		t.Fatal(err)
	}
	breakIt()
	addPrompt(s.Server, "b", "1")
	addResource(s.Server, "x:b", "1")
	if got := receive(t, prompts, "change of prompts"); got != "s+b(1)" {
		t.Errorf("the change is %q", got)
	}
	if len(resources) > 0 {
		t.Errorf("the change of what was never listed is %q", <-resources)
	}
}
