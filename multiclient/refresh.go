package multiclient

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/internal/session"
)

const (
	// refreshDelay is how long no change must have been announced before the tools
	// are listed again, and refreshLatest how long after the first at the latest.
	refreshDelay  = 100 * time.Millisecond
	refreshLatest = time.Second
)

// A refresh lists the tools of a server again soon after they have changed.
type refresh struct {
	mu    sync.Mutex
	timer *time.Timer // not nil while one is due
	first time.Time   // the first announcement since the last refresh
}

// soon has run called after a while in which soon is not called.
func (r *refresh) soon(run func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.timer == nil {
		r.first = time.Now()
		r.timer = time.AfterFunc(refreshDelay, func() {
			r.mu.Lock()
			r.timer = nil
			r.mu.Unlock()
			run()
		})
		return
	}
	if left := refreshLatest - time.Since(r.first); left > 0 {
		r.timer.Reset(min(refreshDelay, left))
	}
}

// stop forgets what is due.
func (r *refresh) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.timer != nil {
		r.timer.Stop()
		r.timer = nil
	}
}

// listChanged notes what a server has announced. It does not block.
func (s *server) listChanged(generation int, method string) {
	if s.catalogue.changed(generation, method) && s.watchesTools {
		s.refresh.soon(s.relist)
	}
}

// relist lists the tools for a callback, if they were ever listed and there is a
// session.
func (s *server) relist() {
	st := s.manager.Status().State
	if s.catalogue.count() < 0 || st != session.StateReady && st != session.StateConnecting || !s.gate.enter() {
		return
	}
	defer s.gate.leave()
	if _, err := s.tools(context.Background()); err != nil {
		s.opts.Logger.Warn("tools that have changed could not be listed", "server", s.name, "error", err)
	}
}

// difference says how tools differ from those of before, or reports that they do
// not.
func difference(before, after map[string]*mcp.Tool) (change callbacks.ToolsChange, differ bool) {
	for name, tool := range after {
		old, ok := before[name]
		switch {
		case !ok:
			change.Added = append(change.Added, tool)
		case !sameTool(old, tool):
			change.Changed = append(change.Changed, tool)
		}
	}
	for name, tool := range before {
		if _, ok := after[name]; !ok {
			change.Removed = append(change.Removed, tool)
		}
	}
	for _, list := range [][]*mcp.Tool{change.Added, change.Changed, change.Removed} {
		slices.SortFunc(list, func(a, b *mcp.Tool) int { return cmp.Compare(a.Name, b.Name) })
		differ = differ || len(list) > 0
	}
	return change, differ
}

// sameTool compares tools by what the protocol says of them.
func sameTool(a, b *mcp.Tool) bool {
	x, xErr := json.Marshal(a)
	y, yErr := json.Marshal(b)
	return xErr == nil && yErr == nil && bytes.Equal(x, y)
}
