package multiclient

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/internal/session"
)

// subscriptions are the resources that a server has been asked to tell changes
// of.
type subscriptions struct {
	mu   sync.Mutex
	uris map[string]bool // whether somebody's request has succeeded
}

// add reports whether the resource is new.
func (s *subscriptions) add(uri string) (added bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.uris == nil {
		s.uris = map[string]bool{}
	}
	if _, ok := s.uris[uri]; ok {
		return false
	}
	s.uris[uri] = false
	return true
}

// inherit takes over the subscriptions of a server whose place is taken.
func (s *subscriptions) inherit(uris []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.uris = map[string]bool{}
	for _, uri := range uris {
		s.uris[uri] = true
	}
}

// settle notes how a request for a subscription has ended. One that failed takes it
// back, unless another has made it meanwhile.
func (s *subscriptions) settle(uri string, made bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case made:
		s.uris[uri] = true
	case !s.uris[uri]:
		delete(s.uris, uri)
	}
}

func (s *subscriptions) remove(uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.uris, uri)
}

func (s *subscriptions) list() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.uris))
}

// made returns those that somebody's request has succeeded for. One that is still
// under way goes on to the server that takes the place of this one.
func (s *subscriptions) made() (uris []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for uri, made := range s.uris {
		if made {
			uris = append(uris, uri)
		}
	}
	slices.Sort(uris)
	return uris
}

// Subscribe asks a server to tell when the resource changes, by
// Callbacks.OnResourceUpdated. The subscription is made again when the session
// is replaced, for which a lost session is replaced in the background: see
// [Reconnect]. Subscribing twice is the same as once.
func (c *MultiServerClient) Subscribe(ctx context.Context, name, uri string) error {
	added := false
	return c.subscription(ctx, name, uri, func(ctx context.Context, s *server, cs *mcp.ClientSession) error {
		// Before asking, or a session that replaces this one meanwhile would be
		// without it.
		again := !s.subscriptions.add(uri)
		added = added || !again
		err := error(nil)
		if sess := s.manager.Status().Session; !again && sess != nil && sess.Client == cs {
			err = sess.Subscribe(ctx, uri, func() error { return subscribe(ctx, cs, uri) })
		} else {
			err = subscribe(ctx, cs, uri)
		}
		if err == nil || added {
			s.subscriptions.settle(uri, err == nil)
		}
		return err
	})
}

// subscribe makes a subscription on a session. On 2026-07-28 the SDK does not
// wait for the server's answer, so that a server without subscriptions has to
// be told by its capabilities.
func subscribe(ctx context.Context, cs *mcp.ClientSession, uri string) error {
	const what = "subscriptions to resources"
	offered := func(c *mcp.ServerCapabilities) bool { return c.Resources != nil && c.Resources.Subscribe }
	if cs.InitializeResult().ProtocolVersion >= "2026-07-28" && !declares(cs, offered) {
		return undeclared(cs, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "nothing was sent"}, what, offered)
	}
	return undeclared(cs, cs.Subscribe(ctx, &mcp.SubscribeParams{URI: uri}), what, offered)
}

// Unsubscribe takes a subscription back.
func (c *MultiServerClient) Unsubscribe(ctx context.Context, name, uri string) error {
	return c.subscription(ctx, name, uri, func(ctx context.Context, s *server, cs *mcp.ClientSession) error {
		s.subscriptions.remove(uri)
		return cs.Unsubscribe(ctx, &mcp.UnsubscribeParams{URI: uri})
	})
}

func (c *MultiServerClient) subscription(ctx context.Context, name, uri string, change func(context.Context, *server, *mcp.ClientSession) error) error {
	for {
		var asked *server
		_, err := with(ctx, c, name, callBound, func(ctx context.Context, s *server) (struct{}, error) {
			asked = s
			return ask(ctx, s, PhaseCall, func(ctx context.Context, cs *mcp.ClientSession) (struct{}, error) {
				return struct{}{}, change(ctx, s, cs)
			})
		})
		if err != nil && ctx.Err() != nil || asked == nil || !c.replaced(asked) {
			return about(c.nearResources(ctx, name, uri, err), "", fmt.Sprintf("resource %q", uri))
		}
	}
}

// replaced reports whether another server has taken the place of the one, which may
// not have inherited what was changed last, and is the one to be asked. If not, what
// does so later will.
func (c *MultiServerClient) replaced(s *server) bool {
	if s.member != nil {
		s = s.member.pool.server
	}
	c.changing.Lock()
	defer c.changing.Unlock()
	other, ok := c.fleet.Load().servers[s.name]
	return ok && other != s
}

// passing reports whether an error says nothing of what was asked, but that the
// server is in trouble. The next session is another try.
func passing(err error) bool {
	var e *jsonrpc.Error
	return !errors.As(err, &e) || e.Code == jsonrpc.CodeInternalError || undelivered(err)
}

// resubscribe makes the subscriptions on a new session. Those that the server
// refuses now, since the resource may be gone, are given up.
func (s *server) resubscribe(ctx context.Context, sess *session.Session) error {
	for _, uri := range s.subscriptions.list() {
		err := subscribe(ctx, sess.Client, uri)
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, mcp.ErrConnectionClosed):
			return err
		default:
			if !passing(err) {
				s.subscriptions.remove(uri)
			}
			s.opts.Logger.Warn("a subscription could not be made again", "server", s.name, "error", err)
		}
	}
	return nil
}

// RootsChanged tells the servers that what Callbacks.OnListRoots returns has
// changed. Servers that are not connected, and those of protocol version
// 2026-07-28, ask anew in any case. It does not wait for them.
func (c *MultiServerClient) RootsChanged() {
	for _, s := range c.fleet.Load().servers {
		s.manager.AnnounceRoots()
		if s.pool != nil {
			for _, own := range s.pool.servers() {
				own.manager.AnnounceRoots()
			}
		}
	}
}
