package multiclient

import (
	"context"
	"sync"
)

// A gate counts the requests that use a server, so that a server that is taken
// away can wait for them. The zero value is open.
type gate struct {
	mu     sync.Mutex
	inside int
	empty  chan struct{} // not nil once the gate is shut; closed when nobody is inside
}

// enter reports whether the gate is open. What has entered must leave.
func (g *gate) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.empty != nil {
		return false
	}
	g.inside++
	return true
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.inside--; g.inside == 0 && g.empty != nil {
		close(g.empty)
	}
}

// shut lets nobody in any more, once.
func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.empty = make(chan struct{})
	if g.inside == 0 {
		close(g.empty)
	}
}

// wait returns when nobody is inside the gate, which must be shut, or when ctx
// ends.
func (g *gate) wait(ctx context.Context) {
	select {
	case <-g.empty:
	case <-ctx.Done():
	}
}
