package multiclient

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tmc/langchaingo/tools"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

// Tools returns the tools of the named servers, or of all, as langchaingo
// tools, each an [*adapters.Tool]. They are ordered by server (as named, or
// sorted) and then as the server lists them, and keep working when sessions
// are replaced.
//
// A server that fails takes no other with it: the tools of the others are
// returned along with an error that joins one [*Error] for each that failed
// (see [ServerErrors] and [Options].RequireAll). The next use tries again.
//
// Lists are kept until the server announces a change or its session is
// replaced.
func (c *MultiServerClient) Tools(ctx context.Context, servers ...string) ([]tools.Tool, error) {
	set, err := c.tools(ctx, servers)
	if set == nil {
		return nil, err
	}
	return slices.Clone(set.tools), err
}

// Tool returns the tool of the exposed name among the tools of all servers.
// The name is matched exactly.
func (c *MultiServerClient) Tool(ctx context.Context, name string) (*adapters.Tool, error) {
	set, err := c.tools(ctx, nil)
	if set != nil {
		if t, ok := set.byName[name]; ok {
			return t, nil
		}
	}
	unknown := &Error{Kind: ErrUnknownTool, Phase: PhaseConfigure, Tool: name, Err: errors.New("no server lists a tool of this name")}
	if err == nil {
		return nil, unknown
	}
	unknown.Err = fmt.Errorf("no server that answered lists a tool of this name: %w", err)
	return nil, unknown
}

// A toolset remembers the last answer of Tools, for as long as it holds.
type toolset struct {
	mu   sync.Mutex
	last *toolsetEntry
}

type toolsetEntry struct {
	key    string
	tools  []tools.Tool
	byName map[string]*adapters.Tool
}

// tools lists and names the tools of the servers. The entry is nil if nothing
// is to be returned.
func (c *MultiServerClient) tools(ctx context.Context, names []string) (*toolsetEntry, error) {
	servers, err := c.choose(names)
	if err != nil {
		return nil, err
	}
	lists, err := each(ctx, c, servers, func(ctx context.Context, s *server) (listed, error) {
		return s.tools(ctx)
	})
	if lists == nil {
		return nil, err
	}
	var key strings.Builder
	for i, s := range servers {
		fmt.Fprintf(&key, "%q:%d,", s.name, lists[i].version)
	}
	c.toolset.mu.Lock()
	last := c.toolset.last
	c.toolset.mu.Unlock()
	if last != nil && last.key == key.String() {
		return last, err
	}
	set, nameErr := c.build(servers, lists)
	if nameErr != nil {
		return nil, errors.Join(nameErr, err)
	}
	set.key = key.String()
	c.toolset.mu.Lock()
	c.toolset.last = set
	c.toolset.mu.Unlock()
	return set, err
}

// build names the tools and makes langchaingo tools of them.
func (c *MultiServerClient) build(servers []*server, lists []listed) (*toolsetEntry, error) {
	var named []adapters.Named
	for i, s := range servers {
		for _, t := range lists[i].tools {
			named = append(named, adapters.Named{Server: s.name, Tool: t.Name})
		}
	}
	exposed, err := adapters.AssignNames(named, adapters.NameOptions{
		Prefix:    c.opts.ToolNamePrefix,
		Separator: c.opts.ToolNameSeparator,
		Collision: c.opts.Collisions,
	})
	if err != nil {
		return nil, err
	}
	set := &toolsetEntry{byName: make(map[string]*adapters.Tool, len(named))}
	for i, s := range servers {
		for _, t := range lists[i].tools {
			name := exposed[0]
			exposed = exposed[1:]
			if name == "" {
				continue // another of the same name comes first
			}
			tool, err := adapters.NewTool(adapters.ToolConfig{
				Name:       name,
				ServerName: s.name,
				Tool:       t,
				Handler:    s.handler,
				Options:    c.opts.Tool,
			})
			if err != nil {
				return nil, err
			}
			set.tools = append(set.tools, tool)
			set.byName[name] = tool
		}
	}
	return set, nil
}
