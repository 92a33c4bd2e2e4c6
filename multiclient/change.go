package multiclient

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/session"
)

// AddServer adds a server to the client. Like [New] it does no I/O. It fails,
// and changes nothing, if the connection is not valid, if there is a server of
// the name, for which errors.Is finds [fs.ErrExist], or if the client is closed.
// The callbacks are those that the options have for the name.
func (c *MultiServerClient) AddServer(name string, connection config.Connection) error {
	_, err := c.change(func(servers map[string]*server) error {
		if _, ok := servers[name]; ok {
			return configureError(ErrFailed, name, errNameInUse{})
		}
		return c.put(servers, name, connection)
	})
	return err
}

// errNameInUse says that another server has the name.
type errNameInUse struct{}

func (errNameInUse) Error() string {
	return "there is a server of this name already: use ReplaceServer"
}

func (errNameInUse) Is(target error) bool { return target == fs.ErrExist }

// RemoveServer takes a server out of the client. New requests to it fail with an
// error of kind [ErrUnknownServer] from then on, those of tools that were handed
// out before too. Requests in flight may end, for as long as the close timeout
// of the connection and no longer than ctx; those that have not then end with an
// error of kind [ErrRemoved], and so do at once those that still wait for a
// session, for their turn, or for a time at which the server wants to be asked again.
//
// It returns when the server's session is closed and its process has ended, or
// with an error of kind [ErrTimeout] when that takes too long; it then goes on in
// the background. Either way the server is removed. In a callback of the server it is
// always the latter, since the end of its session waits for callbacks.
func (c *MultiServerClient) RemoveServer(ctx context.Context, name string) error {
	gone, err := c.change(func(servers map[string]*server) error {
		if _, ok := servers[name]; !ok {
			return unknownServer(name, slices.Sorted(maps.Keys(servers)))
		}
		delete(servers, name)
		return nil
	})
	if err != nil {
		return err
	}
	return c.dismiss(ctx, gone)
}

// ReplaceServer gives a server another connection, or a new session by the same.
// Tools that were handed out go to the new connection. It fails, and changes
// nothing, if the connection is not valid, if there is no server of the name, or
// if the client is closed. The old connection ends as by
// [MultiServerClient.RemoveServer], except that requests that still wait for
// such go to the new connection. Subscriptions are made again on it.
//
// Requests that come meanwhile do not wait for the old connection to end, so that
// for a time there may be two processes, or sessions. Where a server must not run
// twice, since it holds a port, a lock or a file, use RemoveServer, which returns
// when its process has ended, and [MultiServerClient.AddServer] then. In between
// requests fail with an error of kind [ErrUnknownServer], and subscriptions are lost.
func (c *MultiServerClient) ReplaceServer(ctx context.Context, name string, connection config.Connection) error {
	gone, err := c.change(func(servers map[string]*server) error {
		if _, ok := servers[name]; !ok {
			return unknownServer(name, slices.Sorted(maps.Keys(servers)))
		}
		return c.put(servers, name, connection)
	})
	if err != nil {
		return err
	}
	return c.dismiss(ctx, gone)
}

// Changes are what [MultiServerClient.SetConnections] did: names of servers,
// sorted.
type Changes struct {
	Added, Removed, Replaced []string
}

// SetConnections makes these the connections of the client, such as after a
// file has changed. Servers whose connection is the same keep their session;
// others are added, removed and replaced as by the methods for one server, all
// at the same moment, so that what is replaced may run twice for a time. It fails,
// and changes nothing, if any connection is not valid, with a [*config.Error] that
// lists every fault, or if the client is closed. An error of kind [ErrTimeout] for
// a server says that ending its old connection goes on in the background; the
// changes have been made.
//
// Connections are the same if their fields are: maps and slices by what they
// hold, where nil is the same as empty; functions, HTTP clients, servers, writers
// and other things that are pointed to by their identity.
func (c *MultiServerClient) SetConnections(ctx context.Context, connections config.Connections) (*Changes, error) {
	if err := connections.Validate(); err != nil {
		return nil, err
	}
	changes := &Changes{}
	gone, err := c.change(func(servers map[string]*server) error {
		for name, s := range servers {
			connection, ok := connections[name]
			switch {
			case !ok:
				delete(servers, name)
				changes.Removed = append(changes.Removed, name)
			case !sameConnection(s.connection, connection):
				servers[name] = c.newServer(name, connection, s)
				changes.Replaced = append(changes.Replaced, name)
			}
		}
		for name, connection := range connections {
			if _, ok := servers[name]; !ok {
				servers[name] = c.newServer(name, connection, nil)
				changes.Added = append(changes.Added, name)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(changes.Added)
	slices.Sort(changes.Removed)
	slices.Sort(changes.Replaced)
	return changes, c.dismiss(ctx, gone)
}

func configureError(kind ErrorKind, name string, err error) *Error {
	return &Error{Kind: kind, Phase: PhaseConfigure, Server: name, Err: err}
}

// put adds a server to the map, in the place of another if there is one.
func (c *MultiServerClient) put(servers map[string]*server, name string, connection config.Connection) error {
	if err := (config.Connections{name: connection}).Validate(); err != nil {
		return err
	}
	servers[name] = c.newServer(name, connection, servers[name])
	return nil
}

// change lets edit change a copy of the servers, and makes it the client's. It
// returns the servers that are no more, which are to be dismissed.
func (c *MultiServerClient) change(edit func(servers map[string]*server) error) (gone []*server, err error) {
	c.changing.Lock()
	defer c.changing.Unlock()
	if c.closed {
		return nil, configureError(ErrClosed, "", session.ErrClosed)
	}
	old := c.fleet.Load().servers
	servers := maps.Clone(old)
	if err := edit(servers); err != nil {
		return nil, err
	}
	connections := config.Connections{}
	for name, s := range servers {
		connections[name] = s.connection
	}
	if errs := slices.Concat(signInFaults(connections), c.opts.Identities.faults(connections)); errs != nil {
		for name, s := range servers {
			if old[name] != s {
				s.stop()
			}
		}
		return nil, configureError(ErrFailed, "", errors.Join(errs...))
	}
	c.fleet.Store(newFleet(servers))
	c.changes.Add(1)
	for name, s := range old {
		if servers[name] != s {
			gone = append(gone, s)
			// What was announced to the one is so to the other.
			switch successor := servers[name]; {
			case successor == nil:
			case successor.pool != nil:
				successor.pool.restore()
			case s.manager.Status().Generation > 0:
				successor.sessionEnded(0)
			}
			c.leaving[s] = struct{}{}
			s.gate.shut()
			s.refuse(session.ErrRemoved)
		}
	}
	return gone, nil
}

// dismiss ends servers that the client no longer has.
func (c *MultiServerClient) dismiss(ctx context.Context, gone []*server) error {
	errs := make([]error, len(gone))
	var wg sync.WaitGroup
	for i, s := range gone {
		wg.Go(func() {
			drained, cancel := context.WithTimeout(ctx, s.closeTimeout())
			s.gate.wait(drained)
			cancel()
			errs[i] = s.untilClosed(ctx, func() error {
				err := s.close()
				c.changing.Lock()
				defer c.changing.Unlock()
				delete(c.leaving, s)
				return err
			})
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// untilClosed waits for the function that closes what there is of a server, until
// ctx ends.
func (s *server) untilClosed(ctx context.Context, closing func() error) error {
	ended := make(chan error, 1)
	go func() { ended <- closing() }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return &Error{
			Kind: ErrTimeout, Phase: PhaseClose, Server: s.name,
			Err: fmt.Errorf("its old session is used no more, and ending it goes on in the background: %w", context.Cause(ctx)),
		}
	}
}

// refuse opens no more sessions (see [session.Manager.Refuse]), and ends what is
// done in the background, which could only fail.
func (s *server) refuse(cause error) {
	s.stop()
	s.manager.Refuse(cause)
	if s.pool != nil {
		s.pool.refuse(cause)
	}
}

// close ends every session of the server, within its close timeout and a second.
func (s *server) close() error {
	s.refresh.stop()
	s.promptsWatch.stop()
	s.resourceWatch.stop()
	s.restoration.stop()
	s.stop()
	var err error
	if s.pool != nil {
		err = s.pool.close()
	}
	bound := s.closeTimeout() + time.Second
	ctx, cancel := context.WithTimeout(context.Background(), bound)
	defer cancel()
	if s.manager.Close(ctx) {
		s.background.Wait() // whose requests have ended
		return err
	}
	return errors.Join(err, &Error{
		Kind: ErrTimeout, Phase: PhaseClose, Server: s.name,
		Err: fmt.Errorf("closing has not ended within %v; it goes on in the background", bound),
	})
}
