package multiclient

import (
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/internal/session"
)

// A watch tells how a list of a server differs from the one before, and lists
// again soon after the server has announced a change. Nil watches nothing.
type watch[T any] struct {
	refresh refresh
	list    func() // again
	key     func(T) string
	changed func(callbacks.Change[T])

	mu     sync.Mutex
	begun  uint64       // lists that were begun
	taken  uint64       // which of them was taken last; 0 if none was
	before map[string]T // its entries
}

// watchLists watches the lists of which the callbacks want the changes.
func (s *server) watchLists(cb callbacks.Callbacks) {
	events := s.manager.Events()
	if cb.OnPromptsChanged != nil {
		l := promptsListing()
		s.promptsWatch = newWatch(s, &l, func(p *mcp.Prompt) string { return p.Name }, events.PromptsChanged)
	}
	if cb.OnResourcesChanged != nil {
		l := resourcesListing()
		s.resourceWatch = newWatch(s, &l, func(r *mcp.Resource) string { return r.URI }, events.ResourcesChanged)
	}
}

func newWatch[T, S any](s *server, l *listing[T, S], key func(T) string, changed func(callbacks.Change[T])) *watch[T] {
	return &watch[T]{key: key, changed: changed, list: func() {
		st := s.manager.Status().State
		if st != session.StateReady && st != session.StateConnecting || !s.gate.enter() {
			return
		}
		defer s.gate.leave()
		if _, err := l.list(s.base, s); err != nil && s.base.Err() == nil {
			s.opts.Logger.Warn(l.what+" that have changed could not be listed", "server", s.name, "error", err)
		}
	}}
}

// listSoon has the list listed again, if it ever was.
func (w *watch[T]) listSoon() {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.begun > 0 {
		w.refresh.soon(w.list)
	}
}

func (w *watch[T]) stop() {
	if w != nil {
		w.refresh.stop()
	}
}

// begin notes that the list is being listed, and returns which time that is.
func (w *watch[T]) begin() uint64 {
	if w == nil {
		return 0
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begun++
	return w.begun
}

// take takes a list that was begun then, unless a later one was taken already.
func (w *watch[T]) take(begun uint64, list []T) {
	if w == nil {
		return
	}
	after := make(map[string]T, len(list))
	for _, entry := range list {
		after[w.key(entry)] = entry
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if begun < w.taken {
		return
	}
	before, first := w.before, w.taken == 0
	w.before, w.taken = after, begun
	if change, differ := difference(before, after); differ && !first {
		w.changed(change)
	}
}
