package gateway

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// unsubscribeTimeout bounds what goes on after a client has left.
const unsubscribeTimeout = 30 * time.Second

// subscriptions count who has subscribed to which resource: clients that share
// the connections to the servers share subscriptions too.
type subscriptions struct {
	mu      sync.Mutex
	clients map[string]map[*mcp.ServerSession]bool // by URI
	turns   map[string]*turn                       // by URI
}

// A turn is held by the one change of a subscription that is under way: the end
// of the last subscription must not overtake, at the server, the beginning of
// another client's.
type turn struct {
	free  chan struct{} // holds a value while nobody has the turn
	users int
}

// enter waits for the turn.
func (s *subscriptions) enter(ctx context.Context, uri string) (leave func(), err error) {
	s.mu.Lock()
	t := s.turns[uri]
	if t == nil {
		if s.turns == nil {
			s.turns = map[string]*turn{}
		}
		t = &turn{free: make(chan struct{}, 1)}
		t.free <- struct{}{}
		s.turns[uri] = t
	}
	t.users++
	s.mu.Unlock()
	done := func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if t.users--; t.users == 0 {
			delete(s.turns, uri)
		}
	}
	select {
	case <-t.free:
		return func() {
			t.free <- struct{}{}
			done()
		}, nil
	case <-ctx.Done():
		done()
		return nil, context.Cause(ctx)
	}
}

// add reports whether it is the first of the resource.
func (s *subscriptions) add(uri string, ss *mcp.ServerSession) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clients == nil {
		s.clients = map[string]map[*mcp.ServerSession]bool{}
	}
	first := len(s.clients[uri]) == 0
	if first {
		s.clients[uri] = map[*mcp.ServerSession]bool{}
	}
	s.clients[uri][ss] = true
	return first
}

// remove reports whether it was the last of the resource.
func (s *subscriptions) remove(uri string, ss *mcp.ServerSession) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.clients[uri][ss] {
		return false
	}
	delete(s.clients[uri], ss)
	if len(s.clients[uri]) > 0 {
		return false
	}
	delete(s.clients, uri)
	return true
}

func (p *peer) subscribe(ctx context.Context, req *mcp.SubscribeRequest) error {
	uri := req.Params.URI
	server, ok := p.features.serverOf(uri)
	if !ok {
		return mcp.ResourceNotFoundError(uri)
	}
	leave, err := p.subscriptions.enter(ctx, uri)
	if err != nil {
		return err
	}
	defer leave()
	// Each asks, also if others have: the server may have lost it.
	p.subscriptions.add(uri, req.Session)
	if err := p.client.Subscribe(ctx, server, uri); err != nil {
		p.subscriptions.remove(uri, req.Session)
		return wireError(err)
	}
	return nil
}

func (p *peer) unsubscribe(ctx context.Context, req *mcp.UnsubscribeRequest) error {
	uri := req.Params.URI
	// The end of a subscription is often the end of its request.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), unsubscribeTimeout)
	defer cancel()
	leave, err := p.subscriptions.enter(ctx, uri)
	if err != nil {
		p.subscriptions.remove(uri, req.Session)
		return err
	}
	defer leave()
	if !p.subscriptions.remove(uri, req.Session) {
		return nil
	}
	server, ok := p.features.serverOf(uri)
	if !ok {
		return nil
	}
	return wireError(p.client.Unsubscribe(ctx, server, uri))
}
