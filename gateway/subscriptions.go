package gateway

import (
	"context"
	"errors"
	"strings"
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
	clients map[subscription]map[*mcp.ServerSession]bool
	turns   map[string]*turn // by URI
}

// A subscription is that of a server to which it was made. Another may offer the
// resource meanwhile.
type subscription struct{ server, uri string }

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

func (s *subscriptions) add(of subscription, ss *mcp.ServerSession) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clients == nil {
		s.clients = map[subscription]map[*mcp.ServerSession]bool{}
	}
	if s.clients[of] == nil {
		s.clients[of] = map[*mcp.ServerSession]bool{}
	}
	s.clients[of][ss] = true
}

// remove removes the subscriptions of a client to a resource and returns the
// servers at which no other has one.
func (s *subscriptions) remove(uri string, ss *mcp.ServerSession) (last []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for of, clients := range s.clients {
		if of.uri != uri || !clients[ss] {
			continue
		}
		if delete(clients, ss); len(clients) == 0 {
			delete(s.clients, of)
			last = append(last, of.server)
		}
	}
	return last
}

// concerned returns the resources that clients have subscribed to and that an
// update of a server is about: the one that it names, or else those that it is a
// part of (2025-11-25, resources, "this might be a sub-resource of the one that
// the client actually subscribed to").
func (s *subscriptions) concerned(server, uri string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.clients[subscription{server, uri}] != nil {
		return []string{uri}
	}
	var whole []string
	for of := range s.clients {
		if rest, below := strings.CutPrefix(uri, of.uri); of.server == server && below && (strings.HasSuffix(of.uri, "/") || strings.IndexAny(rest, "/?#") == 0) {
			whole = append(whole, of.uri)
		}
	}
	return whole
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
	p.subscriptions.add(subscription{server, uri}, req.Session)
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
	var errs []error
	for _, server := range p.subscriptions.remove(uri, req.Session) {
		errs = append(errs, wireError(p.client.Unsubscribe(ctx, server, uri)))
	}
	return errors.Join(errs...)
}
