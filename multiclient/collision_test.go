package multiclient_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// plainServer is a server with tools of these names.
func plainServer(tools ...string) config.Connection {
	s := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
	for _, name := range tools {
		addPlain(s, name, "")
	}
	return config.InMemory{Server: s}
}

// collisions are the errors of names that collide, in an error of Tools.
func collisions(err error) (all []string) {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		for _, err := range joined.Unwrap() {
			all = append(all, collisions(err)...)
		}
		return all
	}
	var e *adapters.Error
	if errors.As(err, &e) && e.Kind == adapters.ErrNameCollision {
		all = append(all, e.Server+"/"+e.Tool+" and "+e.OtherServer+"/"+e.OtherTool)
	}
	return all
}

// A server that is added takes no tools of others with it but those whose names
// it has too.
func TestCollisionCostsTheToolsConcerned(t *testing.T) {
	t.Parallel()
	c := newClient(t, config.Connections{"a": plainServer("search", "fetch"), "b": plainServer("sleep")}, nil)
	if list, err := c.Tools(t.Context()); len(list) != 3 || err != nil {
		t.Fatalf("before: %q, %v", toolNames(list), err)
	}
	if err := c.AddServer("z", plainServer("Search", "sleep2")); err != nil {
		t.Fatal(err)
	}
	for range 2 { // from the cache, too
		list, err := c.Tools(t.Context())
		if got := toolNames(list); !slices.Equal(got, []string{"fetch", "sleep", "sleep2"}) {
			t.Errorf("tools are %q", got)
		}
		if diff := cmp.Diff([]string{"z/Search and a/search"}, collisions(err)); diff != "" || !errors.Is(err, adapters.ErrNameCollision) {
			t.Errorf("error %v (-want +got)\n%s", err, diff)
		}
		if failed := multiclient.ServerErrors(err); failed != nil {
			t.Errorf("servers failed: %v", failed)
		}
		if tool, err := c.Tool(t.Context(), "sleep"); err != nil || tool.ServerName() != "b" {
			t.Errorf("a tool that does not collide: %v", err)
		}
		for _, name := range []string{"search", "Search"} {
			_, err := c.Tool(t.Context(), name)
			if !errors.Is(err, adapters.ErrNameCollision) || errors.Is(err, multiclient.ErrUnknownTool) {
				t.Errorf("%s gave %v", name, err)
				continue
			}
			for _, want := range []string{`"a"`, `"z"`, `"` + name + `"`, "ToolNamePrefix", "Collisions"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%s: %q does not say %s", name, err, want)
				}
			}
		}
	}
	if list, err := c.Tools(t.Context(), "a", "b"); len(list) != 3 || err != nil {
		t.Errorf("without the other: %q, %v", toolNames(list), err)
	}
	if err := c.RemoveServer(t.Context(), "z"); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Tool(t.Context(), "search"); err != nil {
		t.Errorf("when the other is gone: %v", err)
	}
}

// Who wants all or nothing gets nothing, also when asking again.
func TestCollisionWithRequireAll(t *testing.T) {
	t.Parallel()
	c := newClient(t, config.Connections{"a": plainServer("search"), "b": plainServer("search", "sleep")}, &multiclient.Options{RequireAll: true})
	for range 2 {
		if list, err := c.Tools(t.Context()); list != nil || !errors.Is(err, adapters.ErrNameCollision) {
			t.Errorf("tools are %q, %v", toolNames(list), err)
		}
		for _, name := range []string{"search", "sleep", "nothing"} {
			if _, err := c.Tool(t.Context(), name); !errors.Is(err, adapters.ErrNameCollision) || errors.Is(err, multiclient.ErrUnknownTool) {
				t.Errorf("%s gave %v", name, err)
			}
		}
	}
}

// A name that the program gives wins over no other, either.
func TestCollisionWithAGivenName(t *testing.T) {
	t.Parallel()
	for _, policy := range []adapters.CollisionPolicy{adapters.CollisionError, adapters.CollisionFirst} {
		c := newClient(t, config.Connections{"a": plainServer("one", "other", "two"), "b": plainServer("three", "third")}, &multiclient.Options{
			Collisions: policy,
			Selection: multiclient.Selection{Changes: map[string]map[string]adapters.ToolChange{
				"a": {"one": {Name: "Taken"}}, "b": {"three": {Name: "taken"}},
			}},
		})
		if err := c.AddServer("c", plainServer("TAKEN")); err != nil {
			t.Fatal(err)
		}
		list, err := c.Tools(t.Context())
		if got := toolNames(list); !slices.Equal(got, []string{"other", "two", "third"}) {
			t.Errorf("%s: tools are %q", policy, got)
		}
		if diff := cmp.Diff([]string{"b/three and a/one", "c/TAKEN and a/one"}, collisions(err)); diff != "" {
			t.Errorf("%s: %v (-want +got)\n%s", policy, err, diff)
		}
		for _, name := range []string{"Taken", "taken", "TAKEN"} {
			if _, err := c.Tool(t.Context(), name); !errors.Is(err, adapters.ErrNameCollision) || !strings.Contains(err.Error(), "Selection.Changes") {
				t.Errorf("%s: %s gave %v", policy, name, err)
			}
		}
		if _, err := c.Tool(t.Context(), "one"); !errors.Is(err, multiclient.ErrUnknownTool) {
			t.Errorf("%s: the server's own name gave %v", policy, err)
		}
	}
}
