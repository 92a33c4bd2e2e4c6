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
// So is a name in [config.Settings].Tools or [Options].Selection that no tool
// has, by an [*Error] of kind [ErrUnknownTool], and a change in the latter that
// cannot be made, which leaves its tool out.
//
// So are tools of several servers that would have the same name, all of which are
// left out: by an [*adapters.Error] of kind [adapters.ErrNameCollision] for each but
// the first, unless [Options].Collisions or ToolNamePrefix gives them other names.
//
// Lists are kept until the server announces a change, the time is over that it
// gave for them, or its session is replaced. A server that neither announces
// changes nor gives a time is asked each time.
func (c *MultiServerClient) Tools(ctx context.Context, servers ...string) ([]tools.Tool, error) {
	set, err := c.tools(ctx, servers)
	if set == nil {
		return nil, err
	}
	err = errors.Join(err, set.err, set.collisions())
	if c.withheld(set) {
		return nil, err
	}
	return slices.Clone(set.tools), err
}

// withheld reports whether the caller wants all or nothing, and not all is there.
func (c *MultiServerClient) withheld(set *toolsetEntry) bool {
	return c.opts.RequireAll && (set.err != nil || len(set.collided) > 0)
}

// Tool returns the tool of the exposed name among the tools of all servers.
// The name is matched exactly.
//
// It fails with an [*Error] of kind [ErrUnknownTool] only if every server has
// answered and none lists it. If some have failed and the others do not list it,
// the error is of the kind that these have in common, or [ErrUnavailable], wraps
// theirs, and tells in RetryAt when the first of them is tried again. A name that
// tools of several servers would have is an error of kind [ErrFailed], for which
// errors.Is finds [adapters.ErrNameCollision].
func (c *MultiServerClient) Tool(ctx context.Context, name string) (*adapters.Tool, error) {
	if t := c.lookup(ctx, name); t != nil && ctx.Err() == nil {
		return t, nil
	}
	set, err := c.tools(ctx, nil)
	if set != nil && !c.withheld(set) {
		if t, ok := set.byName[name]; ok {
			return t, nil
		}
	}
	return nil, c.missing(ctx, name, set, err)
}

// A toolset remembers the last answer of Tools, for as long as it holds.
type toolset struct {
	mu   sync.Mutex
	last *toolsetEntry
	all  allTools
}

type toolsetEntry struct {
	key    string
	tools  []tools.Tool
	byName map[string]*adapters.Tool
	err    error // what is wrong with the selection

	collided []collision // in the order of the tools
}

// A collision is a tool that has no name since another would have the same.
type collision struct {
	name string // in lower case
	err  error
}

// collisions joins the errors of the names that collide.
func (e *toolsetEntry) collisions() error {
	var errs []error
	for _, c := range e.collided {
		errs = append(errs, c.err)
	}
	return errors.Join(errs...)
}

// latest returns the last answer, or nil. The toolset may be nil.
func (t *toolset) latest() *toolsetEntry {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last
}

// keep makes the answer the last. The toolset may be nil.
func (t *toolset) keep(set *toolsetEntry) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = set
}

// tools lists and names the tools of the servers. The entry is nil if nothing
// is to be returned; the error is of the servers alone.
func (c *MultiServerClient) tools(ctx context.Context, names []string) (*toolsetEntry, error) {
	_, changes := c.view(ctx)
	servers, lists, err := each(ctx, c, names, func(ctx context.Context, s *server) (listed, error) {
		return s.tools(ctx)
	})
	if lists == nil {
		return nil, err
	}
	others := c.others(ctx, lists)
	key := key(servers, lists, others)
	known, _ := c.view(ctx)
	set := known.latest()
	if set == nil || set.key != key {
		var nameErr error
		if set, nameErr = c.build(lists, others); nameErr != nil {
			return nil, errors.Join(nameErr, err)
		}
		set.key = key
	}
	known.keep(set)
	if len(names) == 0 && err == nil && !c.withheld(set) {
		known.remember(set, lists, changes)
	}
	return set, err
}

// chosen returns the tools that are selected, as they are to be shown, and what
// is wrong with the selection. Most have no name yet.
func (c *MultiServerClient) chosen(lists []listed) (chosen []adapters.ToolConfig, wrong []error) {
	all := len(lists) == len(c.fleet.Load().names)
	for _, l := range lists {
		s := l.server
		if s == nil {
			all = false
			continue
		}
		kept, errs := s.selected(l.tools)
		wrong = append(wrong, errs...)
		for _, t := range kept {
			cfg := adapters.ToolConfig{ServerName: s.name, Tool: t, Handler: s.handler, Options: c.opts.Tool}
			if change, ok := c.opts.Selection.Changes[s.name][t.Name]; ok {
				// A tool whose arguments could not be hidden is better not there.
				var err error
				if cfg, err = change.Apply(cfg); err != nil {
					wrong = append(wrong, err)
					continue
				}
			}
			chosen = append(chosen, cfg)
		}
	}
	if all {
		wrong = append(wrong, c.opts.Selection.unknownNames(lists)...)
	}
	return chosen, wrong
}

// build selects and names the tools and makes langchaingo tools of them.
func (c *MultiServerClient) build(lists, others []listed) (*toolsetEntry, error) {
	chosen, wrong := c.chosen(lists)
	var named []adapters.Named
	for _, cfg := range chosen {
		if cfg.Name == "" {
			named = append(named, adapters.Named{Server: cfg.ServerName, Tool: cfg.Tool.Name})
		}
	}
	named = append(named, c.competing(others)...)
	exposed, err := adapters.AssignNames(named, adapters.NameOptions{
		Prefix:    c.opts.ToolNamePrefix,
		Separator: c.opts.ToolNameSeparator,
		Collision: c.opts.Collisions,
	})
	if err != nil && exposed == nil {
		return nil, err
	}
	set := &toolsetEntry{byName: make(map[string]*adapters.Tool, len(chosen)), err: errors.Join(wrong...)}
	set.collided = collidedNames(err)
	sharing := make(map[string][]adapters.ToolConfig, len(chosen))
	for i := range chosen {
		if cfg := &chosen[i]; cfg.Name == "" {
			cfg.Name, exposed = exposed[0], exposed[1:]
		}
		key := strings.ToLower(chosen[i].Name)
		sharing[key] = append(sharing[key], chosen[i])
	}
	for _, cfg := range chosen {
		key := strings.ToLower(cfg.Name)
		switch same := sharing[key]; {
		case cfg.Name == "": // another of the same name comes first, or all collide
		case len(same) > 1:
			if first := same[0]; first.ServerName != cfg.ServerName || first.Tool.Name != cfg.Tool.Name {
				set.collided = append(set.collided, collision{key, &adapters.Error{
					Kind: adapters.ErrNameCollision, Server: cfg.ServerName, Tool: cfg.Tool.Name,
					OtherServer: first.ServerName, OtherTool: first.Tool.Name,
					Err: fmt.Errorf("both are left out, since they are to be called %q, by a name in Selection.Changes", cfg.Name),
				}})
			}
		default:
			tool, err := adapters.NewTool(cfg)
			if err != nil {
				return nil, err
			}
			set.tools = append(set.tools, tool)
			set.byName[cfg.Name] = tool
		}
	}
	return set, nil
}
