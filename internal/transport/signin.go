package transport

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"github.com/langchaingo-mcp/mcpadapters/internal/httpwire"
)

// signIn returns the handler for the SDK's transport, or nil if there is none.
func (h *httpLink) signIn(logger *slog.Logger, handler auth.OAuthHandler, endpoint *url.URL) auth.OAuthHandler {
	if handler == nil {
		return nil
	}
	server := *endpoint
	server.User, server.RawQuery, server.ForceQuery, server.Fragment, server.RawFragment = nil, "", false, "", ""
	return &signIn{OAuthHandler: containedHandler{handler, logger}, link: h, server: server}
}

// A signIn tells a handler the path of the server, which the SDK may not know
// since it may be secret, and the link why a sign-in failed.
type signIn struct {
	auth.OAuthHandler
	link   *httpLink
	server url.URL
}

func (s *signIn) Authorize(ctx context.Context, req *http.Request, resp *http.Response) error {
	if *req.URL == *s.link.public {
		own := *req
		own.URL = &s.server
		req = &own
	}
	err := s.authorize(ctx, req, resp)
	s.link.mu.Lock()
	defer s.link.mu.Unlock()
	s.link.refused = err
	return err
}

func (s *signIn) authorize(ctx context.Context, req *http.Request, resp *http.Response) error {
	if s.link.signingIn != nil {
		defer s.link.signingIn()()
	}
	return s.OAuthHandler.Authorize(ctx, req, resp)
}

// noteRefusal keeps in mind that the server wants to be signed in to, which
// what comes later may hide: the SDK goes on with initialize after any failure
// of server/discover. h.mu is held.
func (h *httpLink) noteRefusal(a httpwire.Answer) {
	switch {
	case refuses(a.Status):
		if h.refused == nil {
			h.refused = refusal{method: a.Method, status: a.Status}
		}
		h.refusedStatus = a.Status
	case a.Status/100 == 2:
		h.refused = nil
	}
}

// tellRefusal adds to a diagnosis what later answers hide. h.mu is held.
func (h *httpLink) tellRefusal(d *Diagnosis) {
	if _, plain := h.refused.(refusal); h.refused == nil || plain && refuses(d.Status) {
		return // it is told already
	}
	d.Refused, d.Status = h.refused, h.refusedStatus
}

func refuses(status int) bool {
	return status == http.StatusUnauthorized || status == http.StatusForbidden
}

// A refusal is a request that the server answered with status 401 or 403.
type refusal struct {
	method string
	status int
}

func (r refusal) Error() string {
	return fmt.Sprintf("the server wants to be signed in to, or refuses who is: %s was answered with HTTP status %d", r.method, r.status)
}
