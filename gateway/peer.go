package gateway

import (
	"context"
	"crypto/rand"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// stateless is the first version of the protocol where questions go inside
// results.
const stateless = "2026-07-28"

// A peer serves one client that has a session, or all of those that have none,
// with connections of its own to the servers.
type peer struct {
	g      *Gateway
	shared bool
	id     string // of the session over HTTP
	user   string // who opened it, if that is known
	server *mcp.Server

	ctx    context.Context
	cancel context.CancelFunc

	openOnce sync.Once
	opened   chan struct{} // closed when client is there or openErr tells why not
	client   *multiclient.MultiServerClient
	openErr  error

	readyOnce sync.Once
	ready     chan struct{} // closed when the client may be asked something

	mu      sync.Mutex
	session *mcp.ServerSession // nil until it is known; never known if shared

	inFlight      inFlight
	features      features
	subscriptions subscriptions

	closeOnce sync.Once
	closeErr  error
}

func newPeer(g *Gateway, shared bool) *peer {
	p := &peer{
		g: g, shared: shared, id: rand.Text(),
		opened: make(chan struct{}), ready: make(chan struct{}),
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.server = mcp.NewServer(g.opts.Implementation, &mcp.ServerOptions{
		Instructions:            g.opts.Instructions,
		Logger:                  g.opts.Logger,
		GetSessionID:            func() string { return p.id },
		CompletionHandler:       p.complete,
		SubscribeHandler:        p.subscribe,
		UnsubscribeHandler:      p.unsubscribe,
		RootsListChangedHandler: func(context.Context, *mcp.RootsListChangedRequest) { p.rootsChanged() },
		Capabilities: &mcp.ServerCapabilities{
			Logging:     &mcp.LoggingCapabilities{},
			Completions: &mcp.CompletionCapabilities{},
			Tools:       &mcp.ToolCapabilities{ListChanged: true},
			Prompts:     &mcp.PromptCapabilities{ListChanged: true},
			Resources:   &mcp.ResourceCapabilities{ListChanged: true, Subscribe: true},
		},
	})
	p.features.init(p)
	p.server.AddReceivingMiddleware(p.receive)
	p.server.AddSendingMiddleware(p.send)
	return p
}

// receive opens the connections to the servers when the client has said what it
// can do.
func (p *peer) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		ss, _ := req.GetSession().(*mcp.ServerSession)
		p.watch(ss)
		switch method {
		case "ping", "notifications/cancelled", "notifications/progress", "notifications/roots/list_changed":
			return next(ctx, method, req)
		case "notifications/initialized":
			p.readyOnce.Do(func() { close(p.ready) })
			return next(ctx, method, req)
		}
		if err := p.open(ctx, capabilities(req)); err != nil {
			return nil, wireError(err)
		}
		if version(req) >= stateless {
			// There is nothing that a client of it waits for.
			p.readyOnce.Do(func() { close(p.ready) })
		}
		res, err := next(ctx, method, req)
		switch res := res.(type) {
		case *mcp.InitializeResult:
			if res != nil {
				res.Instructions = p.instructions()
			}
		case *mcp.DiscoverResult:
			if res != nil {
				res.Instructions = p.instructions()
			}
		case *mcp.ListResourceTemplatesResult:
			if res != nil {
				withoutCatchAll(res)
			}
		}
		return res, err
	}
}

// capabilities returns what the client can do.
func capabilities(req mcp.Request) *mcp.ClientCapabilities {
	if params, ok := req.GetParams().(*mcp.InitializeParams); ok && params != nil {
		return params.Capabilities
	}
	if r, ok := req.(interface {
		ClientCapabilities() *mcp.ClientCapabilities
	}); ok {
		return r.ClientCapabilities()
	}
	return nil
}

func version(req mcp.Request) string {
	if r, ok := req.(interface{ ProtocolVersion() string }); ok {
		return r.ProtocolVersion()
	}
	return ""
}

// watch ends the peer with its session.
func (p *peer) watch(ss *mcp.ServerSession) {
	if p.shared || ss == nil {
		return
	}
	p.mu.Lock()
	known := p.session != nil
	if !known {
		p.session = ss
	}
	p.mu.Unlock()
	if !known {
		go func() {
			_ = ss.Wait()
			p.close()
		}()
	}
}

func (p *peer) theSession() *mcp.ServerSession {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.session
}

// open makes the connections, the first time that it is called, and waits until
// what the servers offer is known, within a bound.
func (p *peer) open(ctx context.Context, caps *mcp.ClientCapabilities) error {
	p.openOnce.Do(func() {
		defer close(p.opened)
		opts, connections := p.g.opts.Client, p.g.connections
		if p.shared {
			connections = perCall(connections)
		}
		opts.Callbacks = p.callbacks(caps)
		client, err := multiclient.New(connections, &opts)
		if err == nil && p.ctx.Err() != nil {
			client.Close()
			err = ErrClosed
		}
		if err != nil {
			p.openErr = err
			return
		}
		p.client = client
		p.features.start()
	})
	<-p.opened
	if p.openErr != nil {
		return p.openErr
	}
	timeout := time.NewTimer(p.g.opts.OpenTimeout)
	defer timeout.Stop()
	select {
	case <-p.features.filled:
	case <-timeout.C:
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-p.ctx.Done():
		return ErrClosed
	}
	return nil
}

// send keeps announcements from a client that has not finished its handshake,
// and lets the schema of an elicitation pass the SDK: see elicit.
func (p *peer) send(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch method {
		case "notifications/tools/list_changed", "notifications/prompts/list_changed", "notifications/resources/list_changed":
			select {
			case <-p.ready:
			default:
				return nil, nil // it has not listed anything yet
			}
		case "elicitation/create":
			req = withSchema(ctx, req)
		}
		return next(ctx, method, req)
	}
}

// close ends everything. It is bounded, since the SDK may wait for handlers for
// ever.
func (p *peer) close() {
	p.closeOnce.Do(func() {
		p.cancel()
		// Whoever opens now sees the end; nobody opens afterwards.
		p.openOnce.Do(func() {
			p.openErr = ErrClosed
			close(p.opened)
		})
		if p.client != nil {
			p.closeErr = p.client.Close()
		}
		p.features.stop()
		if ss := p.theSession(); ss != nil {
			done := make(chan struct{})
			go func() {
				defer close(done)
				_ = ss.Close()
			}()
			bound := time.NewTimer(2 * time.Second)
			defer bound.Stop()
			select {
			case <-done:
			case <-bound.C:
			}
		}
		p.g.forget(p)
	})
}

// rootsChanged passes on that the client's roots have changed.
func (p *peer) rootsChanged() {
	select {
	case <-p.opened:
		if p.client != nil {
			p.client.RootsChanged()
		}
	default:
	}
}
