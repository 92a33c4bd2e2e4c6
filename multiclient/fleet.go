package multiclient

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/langchaingo-mcp/mcpadapters/internal/session"
)

// A fleet is the servers of a client at one time. It is replaced as a whole and
// never changed.
type fleet struct {
	servers map[string]*server
	names   []string // sorted
	// personal says that some have a session for each identity.
	personal bool
}

func newFleet(servers map[string]*server) *fleet {
	f := &fleet{servers: servers, names: slices.Sorted(maps.Keys(servers))}
	for _, s := range servers {
		f.personal = f.personal || s.pool != nil
	}
	return f
}

// server returns the server of the name. Where each identity has a session of its
// own, what is known of it is nobody's: see with and as.
func (c *MultiServerClient) server(name string) (*server, error) {
	f := c.fleet.Load()
	if s, ok := f.servers[name]; ok {
		return s, nil
	}
	select {
	case <-c.closing:
		return nil, &Error{Kind: ErrClosed, Phase: PhaseLookup, Server: name, Err: session.ErrClosed}
	default:
		return nil, unknownServer(name, f.names)
	}
}

func unknownServer(name string, names []string) *Error {
	return &Error{
		Kind: ErrUnknownServer, Phase: PhaseLookup, Server: name,
		Err: fmt.Errorf("no connection has this name%s; there are %q", didYouMean(name, names), names),
	}
}

// A bound is what limits the time of a request, by its name; without a name there
// is none.
type bound func(*server) (name string, d time.Duration)

func callBound(s *server) (string, time.Duration) { return "call timeout", s.callTimeout() }

// ownBound is for requests that see to it themselves.
func ownBound(*server) (string, time.Duration) { return "", 0 }

// with calls do, within the bound, with the server of the name, which stays until
// it returns or its time to leave has passed: where each identity has a session
// of its own, that of the identity. If that server goes before do has asked
// anything of it, do is called again with the one that has taken its place.
func with[T any](ctx context.Context, c *MultiServerClient, name string, limit bound, do func(context.Context, *server) (T, error)) (T, error) {
	for {
		s, err := c.server(name)
		if err != nil {
			var zero T
			return zero, err
		}
		if !s.gate.enter() {
			continue // the fleet has been replaced before the gate was shut
		}
		res, err := within(ctx, s, limit, do)
		var e *Error
		if errors.As(err, &e) && e.Kind == ErrRemoved && e.unsent && ctx.Err() == nil {
			continue
		}
		return res, err
	}
}

// within does for a server whose gate has been entered what with says.
func within[T any](ctx context.Context, s *server, limit bound, do func(context.Context, *server) (T, error)) (T, error) {
	defer s.gate.leave()
	what, d := limit(s)
	if s.pool == nil {
		ctx, cancel := s.bounded(ctx, what, d, d)
		defer cancel()
		return do(ctx, s)
	}
	begun := time.Now()
	entering, cancel := withTimeout(ctx, what, d)
	defer cancel()
	m, err := s.pool.enter(entering, what == "")
	if err != nil {
		var zero T
		return zero, err
	}
	defer m.leave()
	ctx, cancelCall := m.server.bounded(ctx, what, d, d-time.Since(begun))
	defer cancelCall()
	return do(ctx, m.server)
}

// choose returns the names in their order, without repetition, or those of all
// servers, sorted, if there are none.
func (c *MultiServerClient) choose(names []string) ([]string, error) {
	if len(names) == 0 {
		return c.fleet.Load().names, nil
	}
	var chosen []string
	var errs []error
	for _, name := range names {
		_, err := c.server(name)
		switch {
		case err != nil:
			errs = append(errs, err)
		case !slices.Contains(chosen, name):
			chosen = append(chosen, name)
		}
	}
	return chosen, errors.Join(errs...)
}

// each calls get for the named servers, or for all if there are no names, in
// parallel. It returns the names in their order and the results in the same: the
// zero value for those that failed. The error joins one *Error for each of them.
// Of a server that nobody has named and that is removed meanwhile there is
// nothing to tell.
func each[T any](ctx context.Context, c *MultiServerClient, named []string, get func(context.Context, *server) (T, error)) ([]string, []T, error) {
	names, err := c.choose(named)
	if err != nil {
		return nil, nil, err
	}
	results, errs := gather(ctx, c, names, get)
	if !slices.ContainsFunc(errs, func(err error) bool { return !errors.Is(err, ErrClosed) }) && len(errs) > 0 {
		return nil, nil, &Error{Kind: ErrClosed, Phase: PhaseLookup, Err: session.ErrClosed} // once, and not of each server
	}
	for i, err := range errs {
		if len(named) == 0 && errors.Is(err, ErrUnknownServer) {
			errs[i] = nil
		}
	}
	err = errors.Join(errs...)
	servers := c.fleet.Load().servers
	for i, failed := range errs {
		s := servers[names[i]]
		if failed != nil && (c.opts.RequireAll || s != nil && s.settings.Required) {
			return nil, nil, err
		}
	}
	return names, results, err
}

// gather calls get for the named servers in parallel, and returns the results and
// errors in the order of the names.
func gather[T any](ctx context.Context, c *MultiServerClient, names []string, get func(context.Context, *server) (T, error)) ([]T, []error) {
	results := make([]T, len(names))
	errs := make([]error, len(names))
	var group errgroup.Group
	group.SetLimit(c.opts.MaxConnecting)
	for i, name := range names {
		group.Go(func() error {
			results[i], errs[i] = with(ctx, c, name, ownBound, get)
			return nil
		})
	}
	group.Wait()
	return results, errs
}
