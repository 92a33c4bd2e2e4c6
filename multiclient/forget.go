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
	f := c.fleet.Load()
	errs := make([]error, len(f.names))
	var wg sync.WaitGroup
	for i, name := range f.names {
		if p := f.servers[name].pool; p != nil {
			wg.Go(func() { errs[i] = p.forget(ctx, identity) })
		}
	}
	wg.Wait()
	return errors.Join(errs...)
}
