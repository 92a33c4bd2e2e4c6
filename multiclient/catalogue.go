package multiclient

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/internal/calls"
)

// A catalogue remembers the tools of a server until the server says that they
// have changed or its session is replaced.
type catalogue struct {
	busy chan struct{} // holds one value while the tools are listed

	mu         sync.Mutex
	tools      []*mcp.Tool
	byName     map[string]*mcp.Tool
	generation int    // of the session that listed them; 0 if none has
	stale      bool   // the server has announced a change since
	version    uint64 // of tools, among the lists of all servers
	versions   *atomic.Uint64
}

// changed notes a list-changed notification. It does not block.
func (c *catalogue) changed(generation int, method string) {
	if method != "notifications/tools/list_changed" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if generation >= c.generation {
		c.stale = true
	}
}

// fresh returns the tools if they are those of the session.
func (c *catalogue) fresh(generation int) ([]*mcp.Tool, uint64, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tools, c.version, c.generation == generation && !c.stale
}

// lookup returns the tool as it was last listed, or nil.
func (c *catalogue) lookup(name string) *mcp.Tool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.byName[name]
}

// count returns the number of tools last listed, or -1.
func (c *catalogue) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.generation == 0 {
		return -1
	}
	return len(c.tools)
}

func (c *catalogue) replace(generation int, tools []*mcp.Tool) uint64 {
	byName := make(map[string]*mcp.Tool, len(tools))
	for _, t := range tools {
		if _, ok := byName[t.Name]; !ok {
			byName[t.Name] = t
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tools, c.byName, c.generation = tools, byName, generation
	c.version = c.versions.Add(1)
	return c.version
}

// listed is the tools of a server and the version of the catalogue.
type listed struct {
	server  *server
	tools   []*mcp.Tool
	version uint64
}

// tools returns the tools of the server, from the catalogue if it is up to
// date. Concurrent callers share one listing.
func (s *server) tools(ctx context.Context) (listed, error) {
	ctx, cancel := withTimeout(ctx, "list timeout", s.listTimeout()+s.connectTimeout())
	defer cancel()
	select {
	case s.catalogue.busy <- struct{}{}:
		defer func() { <-s.catalogue.busy }()
	case <-ctx.Done():
		return listed{}, s.failure(ctx, PhaseList, "", nil, context.Cause(ctx))
	}
	sess, err := s.acquire(ctx)
	if err != nil {
		return listed{}, err
	}
	if tools, version, ok := s.catalogue.fresh(sess.Generation); ok {
		return listed{s, tools, version}, nil
	}
	tools, generation, err := s.listTools(ctx)
	if err != nil {
		return listed{}, err
	}
	return listed{s, tools, s.catalogue.replace(generation, tools)}, nil
}

// listTools lists the tools and says which session did.
func (s *server) listTools(ctx context.Context) ([]*mcp.Tool, int, error) {
	var generation int
	ctx, cancel := withTimeout(ctx, "list timeout", s.listTimeout())
	defer cancel()
	var tries resends
	for {
		sess, err := s.acquire(ctx)
		if err != nil {
			return nil, 0, err
		}
		generation = sess.Generation
		s.catalogue.mu.Lock()
		s.catalogue.stale = false // a change announced from now on counts
		s.catalogue.mu.Unlock()
		ctx, outcome := calls.WithOutcome(ctx)
		tools, err := pages(ctx, s, "tools", func(ctx context.Context, cursor string) ([]*mcp.Tool, string, error) {
			res, err := sess.Client.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
			if err != nil {
				return nil, "", err
			}
			return res.Tools, res.NextCursor, nil
		})
		switch {
		case err == nil:
			s.manager.Worked(sess)
			own := make([]*mcp.Tool, 0, len(tools))
			for _, t := range tools {
				if t != nil && t.Name != "" {
					// The SDK caches what it returned.
					copied := *t
					own = append(own, &copied)
				}
			}
			return own, generation, nil
		case methodNotFound(err) && !declares(sess.Client, func(c *mcp.ServerCapabilities) bool { return c.Tools != nil }):
			return nil, generation, nil
		case tries.again(ctx, s, outcome, s.lost(sess, err), true, err):
			continue
		}
		s.catalogue.mu.Lock()
		s.catalogue.stale = true
		s.catalogue.mu.Unlock()
		return nil, 0, s.failure(ctx, PhaseList, "", sess, err)
	}
}

// pages collects a list page by page: servers may make up pages for ever.
func pages[T any](ctx context.Context, s *server, what string, page func(ctx context.Context, cursor string) ([]T, string, error)) ([]T, error) {
	var all []T
	seen := map[string]bool{}
	cursor := ""
	for n := 1; ; n++ {
		items, next, err := page(ctx, cursor)
		if err != nil {
			return nil, err
		}
		all = append(all, items...)
		if next == "" && len(all) <= s.opts.MaxTools {
			return all, nil
		}
		var problem string
		switch {
		case len(all) > s.opts.MaxTools:
			problem = fmt.Sprintf("it has more than the %d items of option MaxTools", s.opts.MaxTools)
		case seen[next]:
			problem = fmt.Sprintf("page %d has the cursor of an earlier page", n)
		case n >= s.opts.MaxPages:
			problem = fmt.Sprintf("it goes on after the %d pages of option MaxPages", n)
		}
		if problem != "" {
			return nil, &Error{
				Kind: ErrBadList, Phase: PhaseList, Server: s.name,
				Err: fmt.Errorf("the list of %s was given up: %s", what, problem),
			}
		}
		seen[next] = true
		cursor = next
	}
}

func methodNotFound(err error) bool {
	var e *jsonrpc.Error
	return errors.As(err, &e) && e.Code == jsonrpc.CodeMethodNotFound
}

func declares(cs *mcp.ClientSession, has func(*mcp.ServerCapabilities) bool) bool {
	init := cs.InitializeResult()
	return init != nil && init.Capabilities != nil && has(init.Capabilities)
}
