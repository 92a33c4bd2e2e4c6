package multiclient_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// The name of a tool does not depend on which servers are asked for it, in which
// order, or on whether another is down.
func TestPrefixedNamesAreStable(t *testing.T) {
	one, two := mcp.NewServer(&mcp.Implementation{Name: "one"}, nil), mcp.NewServer(&mcp.Implementation{Name: "two"}, nil)
	for _, s := range []*mcp.Server{one, two} {
		addPlain(s, "search", "")
	}
	addPlain(one, "only", "")
	for name, options := range map[string]*multiclient.Options{
		"by collision": {Collisions: adapters.CollisionPrefix},
		"always":       {ToolNamePrefix: true},
	} {
		t.Run(name, func(t *testing.T) {
			connection, breakIt := breakable(&testserver.Server{Server: two}, config.Settings{})
			c := newClient(t, config.Connections{"one": config.InMemory{Server: one}, "two": connection}, options)
			only := "only"
			if options.ToolNamePrefix {
				only = "one_only"
			}
			check := func(want string, servers ...string) {
				t.Helper()
				list, err := c.Tools(t.Context(), servers...)
				names := strings.Fields(want)
				got := toolNames(list)
				slices.Sort(names)
				slices.Sort(got)
				if !slices.Equal(got, names) || err != nil {
					t.Errorf("the tools of %q are %q, %v; want %q", servers, got, err, names)
				}
			}
			check("one_search "+only, "one")
			check("two_search", "two")
			check("one_search " + only + " two_search")
			breakIt()
			check("one_search "+only, "one")
			if _, err := c.Tool(t.Context(), "one_search"); err != nil {
				t.Error(err)
			}
			if err := c.RemoveServer(t.Context(), "two"); err != nil {
				t.Fatal(err)
			}
			if options.ToolNamePrefix {
				check("one_only one_search")
			} else {
				check("only search")
			}
		})
	}
}

// A server that cannot be listed does not keep the others from being.
func TestNamesWithAServerThatIsDown(t *testing.T) {
	one := mcp.NewServer(&mcp.Implementation{Name: "one"}, nil)
	addPlain(one, "search", "")
	c := newClient(t, config.Connections{"one": config.InMemory{Server: one}, "two": config.Stdio{Command: "no-such-program-anywhere"}},
		&multiclient.Options{Collisions: adapters.CollisionPrefix, RequireAll: true})
	for range 2 {
		list, err := c.Tools(t.Context(), "one")
		if err != nil || len(list) != 1 || list[0].Name() != "search" {
			t.Errorf("got %q, %v", toolNames(list), err)
		}
	}
}
