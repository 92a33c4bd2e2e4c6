package multiclient

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/calls"
	"github.com/langchaingo-mcp/mcpadapters/internal/session"
)

// A toolList is the tools as a session has listed them.
type toolList struct {
	tools      []*mcp.Tool
	generation int
	expires    time.Time
	personal   bool
	number     uint64 // of the list
}

// expiry returns until when a list holds, or the zero time if until the server
// says that it has changed. A server that does neither is asked each time, as
// SEP-2549 says. So is one that has listed for one user only where others may
// come by the same connection. What middleware of the program has answered is asked
// of it each time.
func (s *server) expiry(cs *mcp.ClientSession, asked time.Time, f session.Freshness) time.Time {
	if f.Unknown {
		return asked
	}
	if cs.InitializeResult().ProtocolVersion < "2026-07-28" {
		return time.Time{}
	}
	announces := declares(cs, func(c *mcp.ServerCapabilities) bool { return c.Tools != nil && c.Tools.ListChanged })
	switch {
	case s.personal(f):
		return asked
	case f.Unsaid && !announces:
		return asked
	case f.TTL == 0:
		return time.Time{}
	default:
		return asked.Add(f.TTL)
	}
}

// personal reports whether a list is for one user only, and others may come by the
// same connection.
func (s *server) personal(f session.Freshness) bool { return f.Private && s.manyUsers() }

// manyUsers reports whether requests on the connection may carry the credentials
// of different users.
func (s *server) manyUsers() bool {
	if s.member != nil {
		return false
	}
	switch c := s.connection.(type) {
	case config.StreamableHTTP:
		return manyCredentials(c.HTTP)
	case config.SSE:
		return manyCredentials(c.HTTP)
	case config.Custom:
		return true // for all that is known
	}
	return false
}

func manyCredentials(c config.HTTP) bool {
	if c.HeaderSource != nil || c.Client == nil || c.Client.Transport == nil {
		return c.HeaderSource != nil
	}
	_, plain := c.Client.Transport.(*http.Transport)
	return !plain
}

// listTools lists the tools.
func (s *server) listTools(ctx context.Context) (toolList, error) {
	ctx, cancel := s.within(ctx, s.listTimeout())
	defer cancel()
	var tries resends
	for {
		sess, err := s.acquire(ctx)
		if err != nil {
			return toolList{}, err
		}
		sess.AwaitListening(ctx)
		number := s.catalogue.begin()
		ctx, outcome := calls.WithOutcome(ctx, tries.made())
		asked := time.Now()
		tools, freshness, err := s.toolPages(ctx, sess)
		switch {
		case err == nil:
			s.manager.Worked(sess)
			own := make([]*mcp.Tool, 0, len(tools))
			for _, t := range tools {
				if t != nil && t.Name != "" {
					// The SDK caches what it returned.
					copied := *t
					own = append(own, &copied)
				}
			}
			return toolList{own, sess.Generation, s.expiry(sess.Client, asked, freshness), s.personal(freshness), number}, nil
		case methodNotFound(err) && !declares(sess.Client, func(c *mcp.ServerCapabilities) bool { return c.Tools != nil }):
			return toolList{generation: sess.Generation, number: number}, nil
		case tries.again(ctx, s, outcome, s.lost(sess, err), true, err):
			continue
		}
		s.catalogue.mu.Lock()
		s.catalogue.outdate()
		s.catalogue.mu.Unlock()
		return toolList{}, s.requestFailure(ctx, PhaseList, "", outcome, sess, err)
	}
}

// toolPages lists the tools on a session.
func (s *server) toolPages(ctx context.Context, sess *session.Session) ([]*mcp.Tool, session.Freshness, error) {
	return session.ListTools(ctx, sess.Client, func(ctx context.Context, page session.Page) ([]*mcp.Tool, error) {
		return pages(ctx, s, "tools", s.opts.MaxTools, page)
	})
}

// pages collects a list page by page: servers may make up pages for ever.
func pages[T any](ctx context.Context, s *server, what string, most int, page func(ctx context.Context, cursor string) ([]T, string, error)) ([]T, error) {
	var all []T
	seen := map[string]bool{}
	cursor := ""
	for n := 1; ; n++ {
		items, next, err := page(ctx, cursor)
		if err != nil {
			return nil, err
		}
		all = append(all, items...)
		if next == "" && len(all) <= most {
			return all, nil
		}
		var problem string
		switch {
		case len(all) > most:
			problem = fmt.Sprintf("it has more than %d items", most)
		case seen[next]:
			problem = fmt.Sprintf("page %d has the cursor of an earlier page", n)
		case n >= s.opts.MaxPages:
			problem = fmt.Sprintf("it goes on after the %d pages of option MaxPages", n)
		}
		if problem != "" {
			return nil, &Error{
				Kind: ErrBadList, Phase: PhaseList, Server: s.name,
				Err: fmt.Errorf("the list of %s was given up: %s", what, problem),
			}
		}
		seen[next] = true
		cursor = next
	}
}

func methodNotFound(err error) bool {
	var e *jsonrpc.Error
	return errors.As(err, &e) && e.Code == jsonrpc.CodeMethodNotFound
}

func declares(cs *mcp.ClientSession, has func(*mcp.ServerCapabilities) bool) bool {
	init := cs.InitializeResult()
	return init != nil && init.Capabilities != nil && has(init.Capabilities)
}
