package multiclient

import (
	"context"
	"errors"
	"sync"
)

// ForgetIdentity ends the sessions of an identity with all servers, and its
// subscriptions, such as when a user signs out or has got other rights. Requests
// in flight may end, for as long as the close timeout of the connection and no
// longer than ctx; those that have not then end with an error of kind
// [ErrRemoved]. A request that comes later, or still waits for a session, opens
// a new one, with what [Identities].Connection says then.
//
// It returns when the sessions are closed, or with an error of kind [ErrTimeout]
// when that takes too long; it then goes on in the background. An identity
// without sessions is no error.
func (c *MultiServerClient) ForgetIdentity(ctx context.Context, identity string) error {
	var ends []func(context.Context) error
	forget := func(s *server) {
		if s.pool == nil {
			return
		}
		ends = append(ends, s.pool.forget(identity)...)
	}
	c.changing.Lock() // or what takes the place of a server might inherit the identity
	for _, s := range c.fleet.Load().servers {
		forget(s)
	}
	for s := range c.leaving {
		forget(s)
	}
	c.changing.Unlock()
	errs := make([]error, len(ends))
	var wg sync.WaitGroup
	for i, end := range ends {
		wg.Go(func() { errs[i] = end(ctx) })
	}
	wg.Wait()
	return errors.Join(errs...)
}
