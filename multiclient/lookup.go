package multiclient

import (
	"context"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

// allTools is the tools of all servers, for finding one without asking after
// the others.
type allTools struct {
	set     *toolsetEntry
	changes uint64    // the count of changes before they were listed
	expires time.Time // when the first list is over; zero if none ever is
}

// remember keeps the tools of all servers. The toolset may be nil.
func (t *toolset) remember(set *toolsetEntry, lists []listed, changes uint64) {
	if t == nil {
		return
	}
	all := allTools{set: set, changes: changes}
	for _, l := range lists {
		if !l.expires.IsZero() && (all.expires.IsZero() || l.expires.Before(all.expires)) {
			all.expires = l.expires
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all = all
}

// lookup returns the tool of the exposed name if nothing has changed since all
// tools were listed, and its server is there; or nil.
func (c *MultiServerClient) lookup(ctx context.Context, name string) *adapters.Tool {
	known, changes := c.view(ctx)
	if known == nil {
		return nil
	}
	known.mu.Lock()
	all := known.all
	known.mu.Unlock()
	if all.set == nil || all.changes != changes || !all.expires.IsZero() && !time.Now().Before(all.expires) {
		return nil
	}
	t, ok := all.set.byName[name]
	if !ok {
		return nil
	}
	s, ok := c.fleet.Load().servers[t.ServerName()]
	if !ok {
		return nil
	}
	if s = s.as(ctx); s == nil {
		return nil
	}
	st := s.manager.Status()
	if st.Session == nil {
		return nil
	}
	if _, ok := s.catalogue.fresh(s, st.Session.Generation); !ok {
		return nil
	}
	return t
}
