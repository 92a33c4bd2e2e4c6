package multiclient

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/session"
)

// A MultiServerClient uses the servers of several connections. All of its
// methods are safe for concurrent use.
type MultiServerClient struct {
	opts     Options
	fleet    atomic.Pointer[fleet]
	toolset  toolset       // what Tools returned last
	versions atomic.Uint64 // of lists of tools
	changes  atomic.Uint64 // of what Tools might return otherwise
	people   people

	changing sync.Mutex // held while the fleet is replaced
	closed   bool
	closing  chan struct{}        // closed as soon as the client is
	leaving  map[*server]struct{} // that are no longer in the fleet, but not closed yet

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
	opts.warnOfUnknown(connections)
	c := &MultiServerClient{opts: opts, leaving: map[*server]struct{}{}, closing: make(chan struct{})}
	servers := make(map[string]*server, len(connections))
	for name, connection := range connections {
		servers[name] = c.newServer(name, connection, nil)
	}
	c.fleet.Store(newFleet(servers))
	return c, nil
}

// Format prints the names of the servers, since fmt would print headers and
// variables, which may be secret, of the connections inside.
func (c *MultiServerClient) Format(f fmt.State, _ rune) {
	fmt.Fprintf(f, "MultiServerClient%q", c.fleet.Load().names)
}

// Close ends every call and every session, and refuses new ones with an error
// of kind [ErrClosed]. Processes are stopped with everything that they
// started. It returns within the close timeouts of the connections and a
// second, whatever servers and callbacks do, with an error if something was
// left running then. Calling it again returns the same.
func (c *MultiServerClient) Close() error {
	c.closeOnce.Do(func() {
		c.changing.Lock()
		c.closed = true
		close(c.closing)
		f := c.fleet.Load()
		open := slices.Collect(maps.Keys(c.leaving))
		c.changing.Unlock()
		for _, name := range f.names {
			open = append(open, f.servers[name])
		}
		errs := make([]error, len(open))
		var wg sync.WaitGroup
		for i, s := range open {
			wg.Go(func() { errs[i] = s.close() })
		}
		wg.Wait()
		c.closeErr = errors.Join(errs...)
	})
	return c.closeErr
}

// unavailable turns an error of a session manager into one of this package.
func (s *server) unavailable(err error) *Error {
	e := &Error{Kind: ErrUnavailable, Phase: PhaseConnect, Server: s.name, Err: err}
	var f *session.Failure
	if errors.As(err, &f) {
		e.Phase, e.Status, e.Detail, e.hint, e.Err = Phase(f.Phase), f.Status, f.Detail, f.Hint, f.Err
	}
	if open, ok := err.(*session.OpenError); ok {
		last := open.Err
		if f != nil {
			last = f.Err
		}
		e.RetryAt = open.Until
		e.Err = &session.OpenError{Until: open.Until, Attempts: open.Attempts, Err: last}
	}
	return s.advised(e)
}
