package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// Bounds of the pauses after which servers that failed are asked again.
const (
	minRetry = 5 * time.Second
	maxRetry = 5 * time.Minute
)

// features are what the servers of a peer offer, as it was last listed. One
// kind at a time is brought up to date on the peer's server, which announces
// what changes.
type features struct {
	p      *peer
	filled chan struct{} // closed when all kinds have been listed once
	timers timers

	syncTools, syncPrompts, syncResources *syncer

	mu    sync.Mutex
	shown map[string]shown // by kind and name: what the peer's server has
	routes
}

// shown is a feature on the peer's server.
type shown struct {
	server string
	name   string // that the server gives it
	json   string // of the definition, to see changes
}

// A syncer lists one kind of feature, whenever it is told that it changed.
type syncer struct {
	list  func(ctx context.Context) error
	dirty chan struct{} // holds a value if the list may have changed
	pause time.Duration // before the next attempt after a failure
}

func newSyncer(list func(context.Context) error) *syncer {
	return &syncer{list: list, dirty: make(chan struct{}, 1), pause: minRetry}
}

func (f *features) init(p *peer) {
	f.p, f.filled = p, make(chan struct{})
	f.shown = map[string]shown{}
	f.syncTools = newSyncer(f.listTools)
	f.syncPrompts = newSyncer(f.listPrompts)
	f.syncResources = newSyncer(f.listResources)
}

// start lists everything, and then what changes until the peer is closed.
func (f *features) start() {
	var first sync.WaitGroup
	for _, s := range []*syncer{f.syncTools, f.syncPrompts, f.syncResources} {
		first.Add(1)
		f.changed(s)
		go func() {
			for once := sync.OnceFunc(first.Done); ; once() {
				select {
				case <-f.p.ctx.Done():
					once()
					return
				case <-s.dirty:
					f.run(s)
				}
			}
		}()
	}
	go func() {
		first.Wait()
		close(f.filled)
	}()
}

func (f *features) stop() { f.timers.stop() }

// changed notes that a list may have changed. It does not block.
func (f *features) changed(s *syncer) {
	select {
	case s.dirty <- struct{}{}:
	default:
	}
}

// run lists a kind, and once more later if servers have failed.
func (f *features) run(s *syncer) {
	err := s.list(f.p.ctx)
	if err == nil || f.p.ctx.Err() != nil {
		s.pause = minRetry
		return
	}
	f.p.g.opts.Logger.Warn("a list is not complete", "error", err)
	if retryable(err) {
		f.timers.after(s.pause, func() { f.changed(s) })
		s.pause = min(2*s.pause, maxRetry)
	}
}

// retryable reports whether a server may answer another time: what is wrong
// with the selection or the names stays wrong.
func retryable(err error) bool {
	for _, e := range multiclient.ServerErrors(err) {
		if e.Kind != multiclient.ErrUnknownTool {
			return true
		}
	}
	return false
}

// failedServers returns those whose features stay as they are.
func failedServers(err error) map[string]bool {
	failed := map[string]bool{}
	for _, e := range multiclient.ServerErrors(err) {
		if e.Kind != multiclient.ErrUnknownTool {
			failed[e.Server] = true
		}
	}
	return failed
}

// A change is a feature to show.
type change struct {
	name, server string
	original     string // the name that the server gives it, if that is another
	definition   any
	add          func()
}

// apply makes the peer's server show the features of a kind, and no others,
// except those of servers that failed. What is the same is left alone.
func (f *features) apply(kind string, want []change, failed map[string]bool, remove func(names ...string)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	wanted := map[string]bool{}
	for _, c := range want {
		key := kind + c.name
		wanted[key] = true
		raw, err := json.Marshal(c.definition)
		if err != nil {
			continue
		}
		now := shown{c.server, c.original, string(raw)}
		if f.shown[key] == now {
			continue
		}
		if err := attempt(c.add); err != nil {
			f.p.g.opts.Logger.Warn("a feature cannot be offered", "server", c.server, "feature", c.name, "error", err)
			continue
		}
		f.shown[key] = now
	}
	for key, s := range f.shown {
		if name, ok := strings.CutPrefix(key, kind); ok && !wanted[key] && !failed[s.server] {
			remove(name)
			delete(f.shown, key)
		}
	}
}

// attempt turns a panic, by which the SDK refuses a definition, into an error.
func attempt(add func()) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%v", v)
		}
	}()
	add()
	return nil
}

// maxInstructions bounds what a server adds to the instructions, in bytes.
const maxInstructions = 8 << 10

// instructions returns those of the gateway and of all servers.
func (p *peer) instructions() string {
	var parts []string
	if own := p.g.opts.Instructions; own != "" {
		parts = append(parts, own)
	}
	for _, status := range p.client.Status() {
		if status.Server == nil || strings.TrimSpace(status.Server.Instructions) == "" {
			continue
		}
		text := status.Server.Instructions
		if len(text) > maxInstructions {
			text = strings.ToValidUTF8(text[:maxInstructions], "") + "..."
		}
		parts = append(parts, "Server "+status.Name+": "+text)
	}
	return strings.Join(parts, "\n\n")
}

// timers are functions that run later, unless the end comes first.
type timers struct {
	mu      sync.Mutex
	running map[*time.Timer]struct{}
	stopped bool
}

func (t *timers) after(d time.Duration, f func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stopped {
		return
	}
	if t.running == nil {
		t.running = map[*time.Timer]struct{}{}
	}
	var timer *time.Timer
	timer = time.AfterFunc(d, func() {
		t.mu.Lock()
		delete(t.running, timer)
		t.mu.Unlock()
		f()
	})
	t.running[timer] = struct{}{}
}

func (t *timers) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.stopped = true
	for timer := range t.running {
		timer.Stop()
	}
}

// catchAll is a template for resources that no server lists, which links in
// results may lead to. It is not shown.
const catchAll = "{+uri}"

func withoutCatchAll(res *mcp.ListResourceTemplatesResult) {
	kept := make([]*mcp.ResourceTemplate, 0, len(res.ResourceTemplates))
	for _, t := range res.ResourceTemplates {
		if t.URITemplate != catchAll {
			kept = append(kept, t)
		}
	}
	res.ResourceTemplates = kept
}
