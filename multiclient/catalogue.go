package multiclient

import (
	"context"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
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
	personal   bool      // they are only for who had them listed
	number     uint64    // of the list that they are of
	begun      uint64    // lists
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

// begin notes that the tools are listed, and returns which time that is. A change
// announced from now on counts.
func (c *catalogue) begin() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stale = false
	c.begun++
	return c.begun
}

// lists returns how many lists were begun.
func (c *catalogue) lists() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.begun
}

// later returns the tools of the session if their list was begun after that of the
// number: whoever waited meanwhile needs no other, however short it holds.
func (c *catalogue) later(s *server, generation int, number uint64) (listed, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return listed{s, c.tools, c.version, c.expires}, c.generation == generation && !c.personal && c.number > number
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
	c.personal, c.number = l.personal, l.number
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
// date. Concurrent callers share one listing, which is begun when all of them have
// asked.
func (s *server) tools(ctx context.Context) (listed, error) {
	ctx, cancel := s.within(ctx, s.listTimeout()+s.connectTimeout())
	defer cancel()
	begun := s.catalogue.lists()
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
	if l, ok := s.catalogue.later(s, sess.Generation, begun); ok {
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
