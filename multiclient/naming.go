package multiclient

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

// others returns what is known of the tools of the servers that the lists lack:
// where names are prefixed they are settled among all servers, so that they are
// the same whoever is asked for and whoever is down.
//
// Where prefixes depend on the tools of other servers, those that have never been
// listed are, unless they have failed.
func (c *MultiServerClient) others(ctx context.Context, lists []listed) []listed {
	if !c.opts.ToolNamePrefix && c.opts.Collisions != adapters.CollisionPrefix {
		return nil
	}
	var known []listed
	var unknown []string
	f := c.fleet.Load()
	for _, name := range f.names {
		if slices.ContainsFunc(lists, func(l listed) bool { return l.server != nil && l.server.name == name }) {
			continue
		}
		s := f.servers[name].as(ctx)
		if s == nil {
			if !c.opts.ToolNamePrefix {
				unknown = append(unknown, name)
			}
			continue
		}
		l, ok := s.catalogue.last(s)
		switch state := State(s.manager.Status().State); {
		case ok:
			known = append(known, l)
		case !c.opts.ToolNamePrefix && state != StateFailed && state != StateClosed:
			unknown = append(unknown, name)
		}
	}
	if len(unknown) == 0 {
		return known
	}
	more, _ := gather(ctx, c, unknown, func(ctx context.Context, s *server) (listed, error) { return s.tools(ctx) })
	return append(known, slices.DeleteFunc(more, func(l listed) bool { return l.server == nil })...)
}

// last returns the tools as they were last listed, on whatever session.
func (c *catalogue) last(s *server) (listed, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return listed{s, c.tools, c.version, c.expires}, c.version > 0
}

// key is equal for lists that give the same tools and names.
func key(servers []string, lists, others []listed) string {
	var b strings.Builder
	for i, name := range servers {
		fmt.Fprintf(&b, "%q:%d,", name, lists[i].version)
	}
	for _, l := range others {
		fmt.Fprintf(&b, "(%q:%d)", l.server.name, l.version)
	}
	return b.String()
}

// competing returns the tools of other servers that compete for names.
func (c *MultiServerClient) competing(others []listed) []adapters.Named {
	var named []adapters.Named
	for _, l := range others {
		kept, _ := l.server.selected(l.tools)
		for _, t := range kept {
			if c.opts.Selection.Changes[l.server.name][t.Name].Name == "" {
				named = append(named, adapters.Named{Server: l.server.name, Tool: t.Name})
			}
		}
	}
	return named
}

// collidedNames takes the error of names that collide apart.
func collidedNames(err error) (all []collision) {
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return nil
	}
	for _, err := range joined.Unwrap() {
		var e *adapters.Error
		if !errors.As(err, &e) {
			continue
		}
		name := e.Tool
		if alone, err := adapters.AssignNames([]adapters.Named{{Server: e.Server, Tool: e.Tool}}, adapters.NameOptions{}); err == nil {
			name = alone[0]
		}
		all = append(all, collision{strings.ToLower(name), err})
	}
	return all
}
