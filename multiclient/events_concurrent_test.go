package multiclient_test

import (
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// Kinds of events that belong to calls.
const (
	kindProgress = "progress"
	kindLog      = "log"
	kindForm     = "form"
	kindURL      = "url"
	kindSampling = "sampling"
	kindRoots    = "roots"
	kindComplete = "complete"
)

// exact reports whether a wire tells which call an event belongs to.
func (w wire) exact(kind string) bool {
	switch kind {
	case kindProgress:
		return true
	case kindLog:
		return w.streams
	}
	return w.exactRequests()
}

// allKinds is what work_0 to work_7 can ask.
var allKinds = []string{kindForm, kindRoots, kindSampling, kindURL}

// TestConcurrentEventsOfAllKinds is the matrix: on each transport and version,
// 64 calls at a time on a shared session, and some on two others, of eight
// tools each.
func TestConcurrentEventsOfAllKinds(t *testing.T) {
	const n = 3
	calls := map[string]int{"one": 64, "two": 16, "three": 16}
	onEachWire(t, func(t *testing.T, w wire) {
		servers := slices.Collect(maps.Keys(calls))
		connections := config.Connections{}
		for _, name := range servers {
			connections[name] = w.connect(t, testserver.New(name), config.Settings{})
		}
		o := newOccurrences(t)
		c := newClient(t, connections, &multiclient.Options{Callbacks: o.callbacks()})
		var wg sync.WaitGroup
		for _, server := range servers {
			if err := c.Subscribe(t.Context(), server, "file:///readme.txt"); err != nil {
				t.Fatal(err)
			}
			for i := range calls[server] {
				wg.Go(func() { o.work(t.Context(), c, w, server, i, n, allKinds) })
			}
			for _, what := range []string{"tools", "prompts", "resources"} {
				wg.Go(func() { call(t, c, server, "announce", map[string]any{"what": what}) })
			}
		}
		wg.Wait()
		// What belongs to no call comes when it comes.
		for _, server := range servers {
			for _, what := range []string{"tools", "prompts", "resources"} {
				eventually(t, func() bool {
					// The server may have been told late that this client listens.
					call(t, c, server, "announce", map[string]any{"what": what})
					return o.elsewhereOf(what, server) > 0 && o.elsewhereOf("message notifications/"+what+"/list_changed", server) > 0
				})
			}
			eventually(t, func() bool {
				call(t, c, server, "announce", map[string]any{"what": "file:///readme.txt"})
				return o.elsewhereOf("file:///readme.txt", server) > 0 && o.elsewhereOf("message file:///readme.txt", server) > 0
			})
			for _, state := range []callbacks.ConnectionState{callbacks.Connecting, callbacks.Connected} {
				if got := o.elsewhereOf(string(state), server); got != 1 {
					t.Errorf("%s was %s %d times", server, state, got)
				}
			}
		}
		ids := map[string]string{}
		o.mu.Lock()
		defer o.mu.Unlock()
		if len(o.m) != 96 {
			t.Errorf("events came of %d calls, want 96", len(o.m))
		}
		for label, events := range o.m {
			for _, e := range events {
				if other, ok := ids[e.cc.CallID]; ok && other != label && e.cc.CallID != "" {
					t.Errorf("%s and %s have the same call id", label, other)
				}
				ids[e.cc.CallID] = label
			}
		}
	})
}

// TestEventsOfASingleCallAreExactEverywhere: with one call at a time, nothing
// is ambiguous.
func TestEventsOfASingleCallAreExactEverywhere(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		w.streams = true // as exact as if each call had a stream of its own
		o := newOccurrences(t)
		c := newClient(t, config.Connections{"one": w.connect(t, testserver.New("one"), config.Settings{})},
			&multiclient.Options{Callbacks: o.callbacks()})
		for i := range 8 {
			o.work(t.Context(), c, w, "one", i, 6, allKinds)
		}
	})
}
