package multiclient

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/calls"
	"github.com/langchaingo-mcp/mcpadapters/internal/session"
)

// A catalogue remembers the tools of a server until the server says that they
// have changed, the time is over for which it said that they hold, or its session
// is replaced.
type catalogue struct {
	busy chan struct{} // holds one value while the tools are listed

	mu         sync.Mutex
	tools      []*mcp.Tool
	byName     map[string]*mcp.Tool
	generation int       // of the session that listed them; 0 if none has
	stale      bool      // the server has announced a change since
	expires    time.Time // zero if it holds until then
	version    uint64    // of tools, among the lists of all servers
	versions   *atomic.Uint64
	changes    *atomic.Uint64 // counts whatever makes a list of any server be out of date
}

// changed notes a list-changed notification, and reports whether it concerns the
// tools.
func (c *catalogue) changed(generation int, method string) bool {
	if method != "notifications/tools/list_changed" {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if generation < c.generation {
		return false
	}
	c.outdate()
	return true
}

// outdate makes the tools be listed again when they are needed next. c.mu is
// held.
func (c *catalogue) outdate() {
	c.stale = true
	c.changes.Add(1)
}

// fresh returns the tools if they are those of the session.
func (c *catalogue) fresh(s *server, generation int) (listed, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	over := !c.expires.IsZero() && !time.Now().Before(c.expires)
	return listed{s, c.tools, c.version, c.expires}, c.generation == generation && !c.stale && !over
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

// replace takes the tools of a list, and returns its version and the tools of the
// list before, which are nil if there was none.
func (c *catalogue) replace(l toolList) (version uint64, before map[string]*mcp.Tool) {
	byName := make(map[string]*mcp.Tool, len(l.tools))
	for _, t := range l.tools {
		if _, ok := byName[t.Name]; !ok {
			byName[t.Name] = t
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	before = c.byName
	c.tools, c.byName, c.generation, c.expires = l.tools, byName, l.generation, l.expires
	c.version = c.versions.Add(1)
	c.changes.Add(1)
	return c.version, before
}

// listed is the tools of a server and the version of the catalogue.
type listed struct {
	server  *server
	tools   []*mcp.Tool
	version uint64
	expires time.Time // zero if it holds until the server says otherwise
}

// tools returns the tools of the server, from the catalogue if it is up to
// date. Concurrent callers share one listing.
func (s *server) tools(ctx context.Context) (listed, error) {
	ctx, cancel := s.within(ctx, s.listTimeout()+s.connectTimeout())
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
	if l, ok := s.catalogue.fresh(s, sess.Generation); ok {
		return l, nil
	}
	l, err := s.listTools(ctx)
	if err != nil {
		return listed{}, err
	}
	return listed{s, l.tools, s.take(l), l.expires}, nil
}

// listAgain lists the tools although the catalogue seems up to date.
func (s *server) listAgain(ctx context.Context) error {
	s.catalogue.mu.Lock()
	s.catalogue.outdate()
	s.catalogue.mu.Unlock()
	_, err := s.tools(ctx)
	return err
}

// take puts a list into the catalogue, and tells the callbacks how it differs
// from the one before.
func (s *server) take(l toolList) (version uint64) {
	version, before := s.catalogue.replace(l)
	if s.watchesTools && before != nil {
		after := make(map[string]*mcp.Tool, len(l.tools))
		for _, t := range l.tools {
			if keep, _ := s.keeps(t); keep && after[t.Name] == nil {
				after[t.Name] = t
			}
		}
		maps.DeleteFunc(before, func(_ string, t *mcp.Tool) bool {
			keep, _ := s.keeps(t)
			return !keep
		})
		if change, differ := difference(before, after); differ {
			s.manager.Events().ToolsChanged(change)
		}
	}
	return version
}

// A toolList is the tools as a session has listed them.
type toolList struct {
	tools      []*mcp.Tool
	generation int
	expires    time.Time
}

// expiry returns until when a list holds, or the zero time if until the server
// says that it has changed. A server that does neither is asked each time, as
// SEP-2549 says. So is one that has listed for one user only where others may
// come by the same connection.
func (s *server) expiry(cs *mcp.ClientSession, asked time.Time, f *session.Freshness) time.Time {
	if cs.InitializeResult().ProtocolVersion < "2026-07-28" {
		return time.Time{}
	}
	announces := declares(cs, func(c *mcp.ServerCapabilities) bool { return c.Tools != nil && c.Tools.ListChanged })
	switch ttl := f.TTL(); {
	case f.Private() && s.manyUsers():
		return asked
	case ttl == 0 && announces:
		return time.Time{}
	default:
		return asked.Add(ttl)
	}
}

// manyUsers reports whether requests on the connection may carry the credentials
// of different users.
func (s *server) manyUsers() bool {
	if s.member != nil {
		return false
	}
	switch c := s.connection.(type) {
	case config.StreamableHTTP:
		return c.HeaderSource != nil
	case config.SSE:
		return c.HeaderSource != nil
	}
	return false
}

// listTools lists the tools.
func (s *server) listTools(ctx context.Context) (toolList, error) {
	ctx, cancel := s.within(ctx, s.listTimeout())
	defer cancel()
	var tries resends
	for {
		sess, err := s.acquire(ctx)
		if err != nil {
			return toolList{}, err
		}
		sess.AwaitListening(ctx)
		s.catalogue.mu.Lock()
		s.catalogue.stale = false // a change announced from now on counts
		s.catalogue.mu.Unlock()
		ctx, outcome := calls.WithOutcome(ctx)
		ctx, freshness := session.WithFreshness(ctx)
		asked := time.Now()
		tools, err := s.toolPages(ctx, sess)
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
			return toolList{own, sess.Generation, s.expiry(sess.Client, asked, freshness)}, nil
		case methodNotFound(err) && !declares(sess.Client, func(c *mcp.ServerCapabilities) bool { return c.Tools != nil }):
			return toolList{nil, sess.Generation, time.Time{}}, nil
		case tries.again(ctx, s, outcome, s.lost(sess, err), true, err):
			continue
		}
		s.catalogue.mu.Lock()
		s.catalogue.outdate()
		s.catalogue.mu.Unlock()
		return toolList{}, s.requestFailure(ctx, PhaseList, "", outcome, sess, err)
	}
}

// toolPages lists the tools on a session.
func (s *server) toolPages(ctx context.Context, sess *session.Session) ([]*mcp.Tool, error) {
	return pages(ctx, s, "tools", s.opts.MaxTools, func(ctx context.Context, cursor string) ([]*mcp.Tool, string, error) {
		res, err := sess.Client.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
		if err != nil {
			return nil, "", err
		}
		return res.Tools, res.NextCursor, nil
	})
}

// pages collects a list page by page: servers may make up pages for ever.
func pages[T any](ctx context.Context, s *server, what string, most int, page func(ctx context.Context, cursor string) ([]T, string, error)) ([]T, error) {
	var all []T
	seen := map[string]bool{}
	cursor := ""
	for n := 1; ; n++ {
		items, next, err := page(ctx, cursor)
		if err != nil {
			return nil, err
		}
		all = append(all, items...)
		if next == "" && len(all) <= most {
			return all, nil
		}
		var problem string
		switch {
		case len(all) > most:
			problem = fmt.Sprintf("it has more than %d items", most)
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
