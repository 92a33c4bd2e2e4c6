package multiclient

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A healthCheck is what has become of one.
type healthCheck struct {
	at  time.Time
	err error
}

// checkHealth checks the session with the server at an interval, until ctx ends.
func (s *server) checkHealth(ctx context.Context, interval time.Duration) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	var alone time.Time // until when the server is left alone, as was told
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			s.check(ctx, &alone)
		}
	}
}

// check asks the server for a sign of life, on a new session if the one it had is
// lost. A server that there has never been a session with is left alone: it may
// want a user to sign in. One that does not answer loses its session, unless calls
// are in flight, for which it may be busy.
func (s *server) check(ctx context.Context, alone *time.Time) {
	st := s.manager.Status()
	if !st.Used || !s.gate.enter() {
		return
	}
	defer s.gate.leave()
	ctx, cancel := s.within(ctx, s.listTimeout()+s.connectTimeout())
	defer cancel()
	_, err := ask(ctx, s, PhaseCall, func(ctx context.Context, cs *mcp.ClientSession) (struct{}, error) {
		return inTime(ctx, s, func(ctx context.Context) (struct{}, error) { return struct{}{}, signOfLife(ctx, cs) })
	})
	switch {
	case errors.Is(err, context.Canceled):
		return
	case err == nil, errors.Is(err, ErrRefused):
		s.checked.Store(&healthCheck{at: time.Now()})
		return
	}
	s.checked.Store(&healthCheck{time.Now(), err})
	if e := (*Error)(nil); errors.As(err, &e) && !e.RetryAt.IsZero() {
		if e.RetryAt.Equal(*alone) {
			return // it was not asked, and why has been told
		}
		*alone = e.RetryAt
	}
	s.opts.Logger.Warn("the health check failed", "server", s.name, "error", err)
	if now := s.manager.Status(); errors.Is(err, context.DeadlineExceeded) && now.Session != nil && now.Session == st.Session && now.Session.InFlight() == 0 {
		st.Session.MarkLost(fmt.Errorf("health check: %w", errors.Unwrap(err))) // which names no server
		s.manager.Discard(st.Session)
	}
}

// signOfLife asks for something that every server has: a ping, or, since there is
// none as of 2026-07-28, the first page of the tools.
func signOfLife(ctx context.Context, cs *mcp.ClientSession) error {
	if cs.InitializeResult().ProtocolVersion < "2026-07-28" {
		return cs.Ping(ctx, nil)
	}
	_, err := request[*mcp.ListToolsResult](ctx, cs, "tools/list", &mcp.ListToolsParams{})
	return err
}
