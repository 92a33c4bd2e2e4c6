package gateway

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// ErrClosed is returned by a gateway that has been closed.
var ErrClosed = errors.New("gateway: closed")

// A Gateway serves the servers of several connections as one. All of its
// methods are safe for concurrent use.
type Gateway struct {
	connections config.Connections
	opts        Options
	waiting     waiting

	mu     sync.Mutex
	peers  map[*peer]struct{}
	shared *peer // of clients without sessions; nil until there is one
	closed bool
}

// New returns a gateway. It does no I/O, and fails only on an invalid
// configuration or an unusable option. Nil options are the zero [Options]. The
// gateway must be closed.
func New(connections config.Connections, options *Options) (*Gateway, error) {
	opts, err := options.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("gateway: %w", err)
	}
	if err := connections.Validate(); err != nil {
		return nil, fmt.Errorf("gateway: %w", err)
	}
	for _, name := range slices.Sorted(maps.Keys(connections)) {
		if connections[name].Common().SessionPolicy == config.SessionPerIdentity {
			return nil, fmt.Errorf("gateway: connection %q has a session for each identity, which a gateway does not take: its clients with a session have connections of their own", name)
		}
	}
	// Whatever is wrong shows here rather than when the first client comes.
	probe, err := multiclient.New(connections, &opts.Client)
	if err != nil {
		return nil, fmt.Errorf("gateway: %w", err)
	}
	if err := probe.Close(); err != nil {
		return nil, fmt.Errorf("gateway: %w", err)
	}
	return &Gateway{
		connections: connections,
		opts:        opts,
		waiting: waiting{
			most: opts.MaxWaiting, mostOfClient: opts.MaxWaitingPerClient,
			parked: map[string]*exchange{}, clients: map[string]int{},
		},
		peers: map[*peer]struct{}{},
	}, nil
}

// Format prints the name of the gateway only: its connections hold secrets.
func (g *Gateway) Format(f fmt.State, _ rune) {
	fmt.Fprintf(f, "Gateway(%d servers)", len(g.connections))
}

// Run serves one client over the transport, such as [mcp.StdioTransport], until
// the client leaves or ctx ends, and then ends the connections to the servers.
// It returns nil when the client leaves. It can be called several times, also
// concurrently.
func (g *Gateway) Run(ctx context.Context, t mcp.Transport) error {
	p, err := g.newPeer(false)
	if err != nil {
		return err
	}
	defer p.close()
	// Before the SDK waits for the calls in flight.
	defer context.AfterFunc(ctx, p.close)()
	return p.server.Run(ctx, t)
}

// newPeer returns what serves one client or, if shared, all those that have no
// session.
func (g *Gateway) newPeer(shared bool) (*peer, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.newPeerLocked(shared)
}

func (g *Gateway) newPeerLocked(shared bool) (*peer, error) {
	if g.closed {
		return nil, ErrClosed
	}
	p := newPeer(g, shared)
	g.peers[p] = struct{}{}
	return p, nil
}

// sharedPeer returns what serves the clients without sessions.
func (g *Gateway) sharedPeer() (*peer, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shared == nil || g.closed {
		p, err := g.newPeerLocked(true)
		if err != nil {
			return nil, err
		}
		g.shared = p
	}
	return g.shared, nil
}

func (g *Gateway) forget(p *peer) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.peers, p)
}

// Close ends all sessions with clients and servers, and every call. It returns
// within the close timeouts of the connections and a few seconds, with an error if
// something was left running then. Calling it again does no harm.
func (g *Gateway) Close() error {
	g.mu.Lock()
	g.closed = true
	var all []*peer
	for p := range g.peers {
		all = append(all, p)
	}
	g.mu.Unlock()
	g.waiting.close()
	var wg sync.WaitGroup
	for _, p := range all {
		wg.Go(p.close)
	}
	wg.Wait()
	var errs []error
	for _, p := range all {
		errs = append(errs, p.closeErr)
	}
	return errors.Join(errs...)
}

// perCall returns the connections with a session for each call where the
// transport does not tell the events of several calls apart and the settings
// do not say how to share a session.
func perCall(connections config.Connections) config.Connections {
	own := make(config.Connections, len(connections))
	for name, c := range connections {
		if c.Common().SessionPolicy != "" {
			own[name] = c
			continue
		}
		switch c := reflect.Indirect(reflect.ValueOf(c)).Interface().(type) {
		case config.Stdio:
			c.SessionPolicy = config.SessionPerCall
			own[name] = c
		case config.SSE:
			c.SessionPolicy = config.SessionPerCall
			own[name] = c
		case config.InMemory:
			c.SessionPolicy = config.SessionPerCall
			own[name] = c
		case config.Custom:
			c.SessionPolicy = config.SessionPerCall
			own[name] = c
		case config.Connection: // streamable HTTP tells them apart
			own[name] = c
		}
	}
	return own
}
