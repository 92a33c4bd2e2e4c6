package multiclient

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

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
	mu      sync.Mutex
	timer   *time.Timer // not nil while one is due
	first   time.Time   // the first announcement since the last refresh
	running bool
	again   bool // there was an announcement since it runs
}

// soon has run called after a while in which soon is not called, and not before it
// has returned when it was called last.
func (r *refresh) soon(run func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.running {
		r.again = true
		return
	}
	if r.timer == nil {
		r.first = time.Now()
		r.timer = time.AfterFunc(refreshDelay, func() { r.run(run) })
		return
	}
	if left := refreshLatest - time.Since(r.first); left > 0 {
		r.timer.Reset(min(refreshDelay, left))
	}
}

// run calls run, and again soon if there was an announcement meanwhile.
func (r *refresh) run(run func()) {
	r.mu.Lock()
	r.timer = nil
	if r.running { // it was put off when it had begun already
		r.again = true
		r.mu.Unlock()
		return
	}
	r.running = true
	r.mu.Unlock()
	run()
	r.mu.Lock()
	again := r.again
	r.running, r.again = false, false
	r.mu.Unlock()
	if again {
		r.soon(run)
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
	r.again = false
}

// listChanged notes what a server has announced. It does not block.
func (s *server) listChanged(generation int, method string) {
	if s.catalogue.changed(generation, method) && s.watchesTools {
		s.refresh.soon(s.relist)
	}
	switch method {
	case "notifications/prompts/list_changed":
		s.promptsWatch.listSoon()
	case "notifications/resources/list_changed":
		s.resourceWatch.listSoon()
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
	if _, err := s.tools(s.base); err != nil && s.base.Err() == nil {
		s.opts.Logger.Warn("tools that have changed could not be listed", "server", s.name, "error", err)
	}
}

// difference says how a list differs from that of before, or reports that it does
// not. Entries are told apart by their keys.
func difference[T any](before, after map[string]T) (change callbacks.Change[T], differ bool) {
	for _, key := range slices.Sorted(maps.Keys(after)) {
		old, ok := before[key]
		switch {
		case !ok:
			change.Added = append(change.Added, after[key])
		case !sameEntry(old, after[key]):
			change.Changed = append(change.Changed, after[key])
		}
	}
	for _, key := range slices.Sorted(maps.Keys(before)) {
		if _, ok := after[key]; !ok {
			change.Removed = append(change.Removed, before[key])
		}
	}
	return change, len(change.Added)+len(change.Changed)+len(change.Removed) > 0
}

// sameEntry compares entries by what the protocol says of them.
func sameEntry(a, b any) bool {
	x, xErr := json.Marshal(a)
	y, yErr := json.Marshal(b)
	return xErr == nil && yErr == nil && bytes.Equal(x, y)
}
