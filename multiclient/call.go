package multiclient

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
	"github.com/langchaingo-mcp/mcpadapters/internal/calls"
	"github.com/langchaingo-mcp/mcpadapters/internal/httpwire"
	"github.com/langchaingo-mcp/mcpadapters/internal/session"
)

// CallTool calls a tool by the name that its server gives it (not by one with a
// prefix, see [MultiServerClient.Tool] for that), through the interceptors. Nil
// arguments are an empty object. The tool does not have to be listed.
//
// A result whose IsError is set is no error: the tool ran and reported a
// failure. An error is a [*Error], or what an interceptor returned.
func (c *MultiServerClient) CallTool(ctx context.Context, server, tool string, arguments map[string]any) (*mcp.CallToolResult, error) {
	s, err := c.server(server)
	if err != nil {
		return nil, err
	}
	res, err := s.handler(ctx, &interceptors.Request{
		ServerName: server,
		ToolName:   tool,
		Arguments:  arguments,
		Tool:       s.definition(ctx, tool),
	})
	if err != nil {
		if own := s.as(ctx); own != nil {
			err = own.ownName(tool, err)
		}
	}
	return res, err
}

// definition returns the tool as it was last listed, for the identity of ctx where
// each has its own, or nil.
func (s *server) definition(ctx context.Context, tool string) *mcp.Tool {
	if s = s.as(ctx); s == nil {
		return nil
	}
	return s.catalogue.lookup(tool)
}

// route returns the handler inside the interceptors: it finds the server when it
// is called, so that tools survive that it is replaced.
func (c *MultiServerClient) route(name string) interceptors.Handler {
	return func(ctx context.Context, req *interceptors.Request) (*mcp.CallToolResult, error) {
		res, err := with(ctx, c, name, callBound, func(ctx context.Context, s *server) (*mcp.CallToolResult, error) { return s.call(ctx, req) })
		return res, about(err, req.ToolName, "")
	}
}

// call calls a tool, within ctx.
func (s *server) call(ctx context.Context, req *interceptors.Request) (*mcp.CallToolResult, error) {
	if err := s.checkSelected(ctx, req.ToolName); err != nil {
		return nil, err
	}
	if err := s.checkHeaders(req); err != nil {
		return nil, err
	}
	inSlot, leave, err := s.waitSlot(ctx)
	if err != nil {
		return nil, s.notStarted(ctx, req.ToolName, err)
	}
	ctx = inSlot
	defer leave()
	if len(req.Headers) > 0 || calls.Headers(ctx) != nil {
		ctx = calls.WithHeaders(ctx, req.Headers)
	}
	relisted := false
	var tries resends
	for {
		sess, release, err := s.sessionForCall(ctx)
		if err != nil {
			phase := PhaseConnect
			if relisted || tries.made() > 0 {
				phase = PhaseCall // of which the server may know
			}
			e := s.failure(ctx, phase, req.ToolName, nil, err)
			e.unsent = true // or it may be repeated
			return nil, e
		}
		start := time.Now()
		callCtx, outcome := calls.WithOutcome(ctx, tries.made())
		var res *mcp.CallToolResult
		if err = s.prepareCall(ctx, sess); err == nil {
			res, err = sess.Client.CallTool(callCtx, s.params(req))
		}
		if err == nil {
			s.manager.Worked(sess)
			s.took(time.Since(start))
			release()
			return calls.Exact(res), nil
		}
		lost := s.lost(sess, err)
		release()
		switch {
		case tries.again(ctx, s, outcome, lost, s.repeatable(req) != "", err):
			s.tellRepeated(ctx, req, &tries, outcome, s.callFailure(ctx, req.ToolName, sess, outcome, lost, err))
			continue
		case ctx.Err() == nil && !relisted && headerMismatch(err):
			// The server's schema says that arguments go into headers, which
			// the SDK does only for tools that it has listed on this session.
			relisted = true
			if s.settings.SessionPolicy == config.SessionPerCall {
				s.listsFirst.Store(true)
				continue
			}
			if s.listAgain(ctx) == nil {
				continue
			}
		}
		return nil, s.callFailure(ctx, req.ToolName, sess, outcome, lost, err)
	}
}

// checkHeaders returns an error if headers cannot be sent that would be. It is told
// before anything is, since over HTTP+SSE a request that fails costs the session.
func (s *server) checkHeaders(req *interceptors.Request) error {
	switch s.connection.(type) {
	case config.StreamableHTTP, config.SSE:
	default:
		return nil
	}
	if err := httpwire.CheckHeaders(req.Headers); err != nil {
		return &Error{Kind: ErrBadHeaders, Phase: PhaseCall, Server: s.name, Tool: req.ToolName, Err: fmt.Errorf("Request.Headers: %w", err)}
	}
	return nil
}

// callFailure turns what went wrong with a call that was made, which may have cost
// the session, into an error of this package.
func (s *server) callFailure(ctx context.Context, tool string, sess *session.Session, outcome *calls.Outcome, lost bool, err error) *Error {
	e := s.requestFailure(ctx, PhaseCall, tool, outcome, sess, err)
	e.unsent = outcome.NotExecuted()
	if e.Kind != ErrFailed || ctx.Err() != nil {
		return e
	}
	switch {
	case outcome.NotExecuted() && (lost || undelivered(err)):
		e.Kind = ErrUnavailable
	case !lost && badAnswer(err, outcome):
		e.Kind = ErrBadAnswer
	case lost, undelivered(err):
		e.Kind = ErrLost
	}
	return e
}

// params returns the parameters of a call. The SDK writes into them and into their
// _meta, and what the program has added to the SDK may into all.
func (s *server) params(req *interceptors.Request) *mcp.CallToolParams {
	if s.opts.ConfigureClient != nil || req.Arguments == nil {
		req = req.Clone()
	}
	return &mcp.CallToolParams{Meta: maps.Clone(req.Meta), Name: req.ToolName, Arguments: req.Arguments}
}

// sessionForCall returns the session for one call, by the policy of the
// connection, and what to do with it afterwards.
func (s *server) sessionForCall(ctx context.Context) (*session.Session, func(), error) {
	if s.settings.SessionPolicy != config.SessionPerCall {
		sess, err := s.manager.Acquire(ctx)
		return sess, func() {}, err
	}
	sess, err := s.manager.Dial(ctx)
	if err != nil {
		return nil, nil, err
	}
	return sess, func() { s.manager.Discard(sess) }, nil
}

// prepareCall lists the tools on the session of one call if the server is one that
// wants arguments in headers, which the SDK does only for tools it has listed there.
func (s *server) prepareCall(ctx context.Context, sess *session.Session) error {
	if s.settings.SessionPolicy != config.SessionPerCall || !s.listsFirst.Load() {
		return nil
	}
	_, _, err := s.toolPages(ctx, sess)
	return err
}

// stay makes the server, which the caller uses, be in use until leave is called.
func (s *server) stay() (leave func()) {
	in := s
	if s.member != nil {
		in = s.member.pool.server
		s.member.hold()
	}
	counted := in.gate.enter() // or it ends soon in any case
	return func() {
		if counted {
			in.gate.leave()
		}
		if s.member != nil {
			s.member.leave()
		}
	}
}

func headerMismatch(err error) bool {
	var e *jsonrpc.Error
	return !ofCallback(err) && errors.As(err, &e) && e.Code == mcp.CodeHeaderMismatch
}

// Session leases the SDK's session with a server, opening it if there is none,
// for what this package does not offer. Its Close must not be called; release
// must be, when it is no longer used, and may be called more than once. Both are
// nil with an error. A session that is lost meanwhile is not replaced under the
// caller.
//
// Calls on it do not pass the interceptors; their events reach the callbacks
// like those of any other. Each asks the server: the SDK's cache, which is the same
// for all users, keeps nothing, and what it would keep has a TTL of 0. With
// [config.SessionPerCall] the session is the caller's alone until it is released.
func (c *MultiServerClient) Session(ctx context.Context, serverName string) (leased *mcp.ClientSession, release func(), err error) {
	leased, err = with(ctx, c, serverName, ownBound, func(ctx context.Context, s *server) (*mcp.ClientSession, error) {
		sess, end, err := s.sessionForCall(ctx)
		if err != nil {
			return nil, s.failure(ctx, PhaseConnect, "", nil, err)
		}
		leave := s.stay()
		release = sync.OnceFunc(func() {
			end()
			leave()
		})
		return sess.Client, nil
	})
	return leased, release, err
}

// ServerInfo returns what a server said of itself when the session was opened:
// its name and version, its capabilities, its instructions, and the version of
// the protocol. It opens a session if there is none. The result must not be
// changed.
func (c *MultiServerClient) ServerInfo(ctx context.Context, serverName string) (*mcp.InitializeResult, error) {
	return with(ctx, c, serverName, ownBound, func(ctx context.Context, s *server) (*mcp.InitializeResult, error) {
		sess, err := s.acquire(ctx)
		if err != nil {
			return nil, err
		}
		init := sess.Client.InitializeResult()
		if init == nil {
			return nil, &Error{Kind: ErrFailed, Phase: PhaseInitialize, Server: serverName, Err: fmt.Errorf("the session has no result of its handshake")}
		}
		return init, nil
	})
}
