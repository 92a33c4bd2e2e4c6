package gateway

import (
	"context"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	sessionHeader = "Mcp-Session-Id"
	versionHeader = "Mcp-Protocol-Version"
)

type peerKey struct{}

// Handler serves any number of clients by streamable HTTP, on every path: those
// of protocol version 2026-07-28 without sessions, others with one each. Who is
// let in is up to what the handler is wrapped in; with the SDK's package auth
// sessions and calls that wait for answers stay with the user who began them.
//
// Beyond [Options].MaxSessions a new session is refused by status 503.
func (g *Gateway) Handler() http.Handler {
	// What versions there are is asked for before there is a session.
	idle := mcp.NewServer(g.opts.Implementation, nil)
	sessions := mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		if p, ok := r.Context().Value(peerKey{}).(*peer); ok {
			return p.server
		}
		return idle
	}, &mcp.StreamableHTTPOptions{Logger: g.opts.Logger, SessionTimeout: g.opts.SessionTimeout})
	requests := mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		p, _ := r.Context().Value(peerKey{}).(*peer)
		return p.server
	}, &mcp.StreamableHTTPOptions{Logger: g.opts.Logger, Stateless: true, PropagateRequestCancellation: true})

	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get(sessionHeader)
		switch {
		case id == "" && r.Header.Get(versionHeader) >= stateless:
			p, err := g.sharedPeer()
			if err != nil {
				refuseClosed(w)
				return
			}
			requests.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), peerKey{}, p)))
		case id == "" && r.Method == http.MethodPost:
			g.beginSession(w, r, sessions)
		case r.Method == http.MethodDelete:
			// The SDK waits for calls in flight before it answers.
			if p := g.peerOf(id, userFrom(r)); p != nil {
				p.cancelCalls()
			}
			sessions.ServeHTTP(w, r)
		default:
			sessions.ServeHTTP(w, r)
		}
	})
}

func refuseClosed(w http.ResponseWriter) {
	http.Error(w, "the gateway is closed", http.StatusServiceUnavailable)
}

// beginSession serves the request that a session begins with.
func (g *Gateway) beginSession(w http.ResponseWriter, r *http.Request, sessions http.Handler) {
	g.mu.Lock()
	full := len(g.peers) >= g.opts.MaxSessions && !g.closed
	var p *peer
	var err error
	if !full {
		p, err = g.newPeerLocked(false)
	}
	g.mu.Unlock()
	switch {
	case full:
		w.Header().Set("Retry-After", "30")
		http.Error(w, "no more sessions at the moment", http.StatusServiceUnavailable)
		return
	case err != nil:
		refuseClosed(w)
		return
	}
	p.user = userFrom(r)
	sessions.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), peerKey{}, p)))
	if ss := p.theSession(); ss == nil || ss.InitializeParams() == nil {
		p.close() // it was no handshake
	}
}

func userFrom(r *http.Request) string {
	if info := auth.TokenInfoFromContext(r.Context()); info != nil {
		return info.UserID
	}
	return ""
}

func (g *Gateway) peerOf(id, user string) *peer {
	g.mu.Lock()
	defer g.mu.Unlock()
	for p := range g.peers {
		if !p.shared && p.id == id && p.user == user {
			return p
		}
	}
	return nil
}

// cancelCalls ends the calls of a session that is about to end.
func (p *peer) cancelCalls() {
	p.cancel()
	select {
	case <-p.opened:
		if p.client != nil {
			_ = p.client.Close()
		}
	default:
	}
}
