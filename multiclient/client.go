package multiclient

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/session"
)

// A MultiServerClient uses the servers of several connections. All of its
// methods are safe for concurrent use.
type MultiServerClient struct {
	opts    Options
	names   []string // of the servers, sorted
	servers map[string]*server

	toolset toolset // what Tools returned last

	closeOnce sync.Once
	closeErr  error
}

// New returns a client for the connections. It does no I/O: a server is
// contacted when it is first needed. It fails only on an invalid
// configuration, with a [*config.Error] that lists every fault, or an
// unusable option.
//
// The connections and what they refer to must not be changed afterwards. Nil
// options are the zero [Options]. The client must be closed.
func New(connections config.Connections, options *Options) (*MultiServerClient, error) {
	if err := connections.Validate(); err != nil {
		return nil, err
	}
	opts := options.withDefaults()
	if err := opts.validate(connections); err != nil {
		return nil, err
	}
	c := &MultiServerClient{
		opts:    opts,
		names:   slices.Sorted(maps.Keys(connections)),
		servers: make(map[string]*server, len(connections)),
	}
	for name, connection := range connections {
		c.servers[name] = newServer(name, connection, &c.opts)
	}
	return c, nil
}

// Format prints the names of the servers, since fmt would print headers and
// variables, which may be secret, of the connections inside.
func (c *MultiServerClient) Format(f fmt.State, _ rune) {
	fmt.Fprintf(f, "MultiServerClient%q", c.names)
}

// validate reports every option that cannot be used.
func (o *Options) validate(connections config.Connections) error {
	var errs []error
	for name := range o.ServerCallbacks {
		if _, ok := connections[name]; !ok {
			errs = append(errs, fmt.Errorf("no connection has the name of ServerCallbacks[%q]", name))
		}
	}
	errs = append(errs, o.Selection.validate(connections)...)
	if _, err := adapters.AssignNames(nil, adapters.NameOptions{
		Prefix: o.ToolNamePrefix, Separator: o.ToolNameSeparator, Collision: o.Collisions,
	}); err != nil {
		errs = append(errs, err)
	}
	for name, d := range map[string]time.Duration{
		"ConnectTimeout":  o.ConnectTimeout,
		"DiscoverTimeout": o.DiscoverTimeout,
		"ListTimeout":     o.ListTimeout,
		"CloseTimeout":    o.CloseTimeout,
	} {
		if d < 0 {
			errs = append(errs, fmt.Errorf("option %s is negative (%v): use 0 for the default", name, d))
		}
	}
	slices.SortFunc(errs, func(a, b error) int {
		if a.Error() < b.Error() {
			return -1
		}
		return 1
	})
	if len(errs) > 0 {
		return &Error{Kind: ErrFailed, Phase: PhaseConfigure, Err: errors.Join(errs...)}
	}
	return nil
}

// server returns the server of the name.
func (c *MultiServerClient) server(name string) (*server, error) {
	if s, ok := c.servers[name]; ok {
		return s, nil
	}
	return nil, &Error{
		Kind:   ErrUnknownServer,
		Phase:  PhaseConfigure,
		Server: name,
		Err:    fmt.Errorf("no connection has this name; there are %q", c.names),
	}
}

// choose returns the servers of the names in their order, without repetition,
// or all of them, sorted by name, if there are no names.
func (c *MultiServerClient) choose(names []string) ([]*server, error) {
	if len(names) == 0 {
		names = c.names
	}
	var chosen []*server
	var errs []error
	for _, name := range names {
		s, err := c.server(name)
		switch {
		case err != nil:
			errs = append(errs, err)
		case !slices.Contains(chosen, s):
			chosen = append(chosen, s)
		}
	}
	return chosen, errors.Join(errs...)
}

// each calls get for the servers in parallel and returns the results in the
// order of the servers: the zero value for those that failed. The error joins
// one *Error for each of them.
func each[T any](ctx context.Context, c *MultiServerClient, servers []*server, get func(context.Context, *server) (T, error)) ([]T, error) {
	results := make([]T, len(servers))
	errs := make([]error, len(servers))
	var group errgroup.Group
	group.SetLimit(c.opts.MaxConnecting)
	for i, s := range servers {
		group.Go(func() error {
			results[i], errs[i] = get(ctx, s)
			return nil
		})
	}
	group.Wait()
	err := errors.Join(errs...)
	if err != nil && c.opts.RequireAll {
		return nil, err
	}
	return results, err
}

// Close ends every call and every session, and refuses new ones with an error
// of kind [ErrClosed]. Processes are stopped with everything that they
// started. It returns within the close timeouts of the connections and a
// second, whatever servers and callbacks do, with an error if something was
// left running then. Calling it again returns the same.
func (c *MultiServerClient) Close() error {
	c.closeOnce.Do(func() {
		bound := time.Second
		for _, s := range c.servers {
			bound = max(bound, s.closeTimeout()+time.Second)
		}
		ctx, cancel := context.WithTimeout(context.Background(), bound)
		defer cancel()
		var wg sync.WaitGroup
		errs := make([]error, len(c.names))
		for i, name := range c.names {
			wg.Go(func() {
				if !c.servers[name].manager.Close(ctx) {
					errs[i] = &Error{
						Kind: ErrTimeout, Phase: PhaseConnect, Server: name,
						Err: fmt.Errorf("closing has not ended within %v; it goes on in the background", bound),
					}
				}
			})
		}
		wg.Wait()
		c.closeErr = errors.Join(errs...)
	})
	return c.closeErr
}

// unavailable turns an error of a session manager into one of this package.
func unavailable(server string, err error) *Error {
	e := &Error{Kind: ErrUnavailable, Phase: PhaseConnect, Server: server, Err: err}
	var f *session.Failure
	switch {
	case errors.Is(err, session.ErrClosed):
		e.Kind, e.Phase = ErrClosed, PhaseConfigure
	case errors.As(err, &f):
		e.Phase, e.Status, e.Detail, e.Err = Phase(f.Phase), f.Status, f.Detail, f.Err
	}
	return e
}
