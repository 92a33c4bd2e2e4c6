package callbacks

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/semaphore"
)

// OneAtATime returns the callbacks with OnElicitation waiting in a line: the
// user is asked one question at a time, in order of arrival, by all servers
// and all calls of all clients that share the result or the line. Nil means a
// line of its own. The other fields stay as they are.
//
// A question whose context ends while it waits is not asked; its error is the
// cause. A question that is being asked has its turn until the function
// returns. Calls wait along with their questions, so that the time a user
// takes counts towards the timeouts of the calls behind.
//
// A function that itself calls a tool with its context may be asked from
// within: see [Line.Wait].
func OneAtATime(cb Callbacks, line *Line) Callbacks {
	ask := cb.OnElicitation
	if ask == nil {
		return cb
	}
	if line == nil {
		line = new(Line)
	}
	cb.OnElicitation = func(ctx context.Context, cc CallbackContext, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		ctx, done, err := line.Wait(ctx)
		if err != nil {
			return nil, err
		}
		defer done()
		return ask(ctx, cc, req)
	}
	return cb
}

// A Line is where questions to the user wait for their turn. The zero value is
// an empty line. It must not be copied after first use, and is safe for
// concurrent use.
//
// Elicitations join it by [OneAtATime]. Other questions, such as whether a
// model may be asked on behalf of a server, call Wait.
type Line struct {
	once sync.Once
	turn *semaphore.Weighted
}

// Wait blocks until it is the caller's turn, first come first served. Done
// ends the turn, and must be called; calling it again does nothing. If ctx ends
// first, the error is its cause, and there is nothing to end.
//
// The context returned is ctx and says that a turn is being had. A Wait with it
// or a context made from it, before done, does not wait for that turn, which
// would be for ever: what is asked from within is part of the turn. Several
// questions from within go one at a time among themselves.
func (l *Line) Wait(ctx context.Context) (inTurn context.Context, done func(), err error) {
	within, _ := ctx.Value(turnKey{}).(*turn)
	line := l
	for t := within; t != nil; t = t.within {
		if t.of == l && !t.over.Load() {
			line = &t.inner
			break
		}
	}
	line.once.Do(func() { line.turn = semaphore.NewWeighted(1) })
	if line.turn.Acquire(ctx, 1) != nil {
		return nil, nil, context.Cause(ctx)
	}
	t := &turn{of: l, within: within}
	return context.WithValue(ctx, turnKey{}, t), func() {
		if !t.over.Swap(true) {
			line.turn.Release(1)
		}
	}, nil
}

// InheritTurn returns ctx with the turn in a [Line] that one of the other
// contexts is in, if any. It is for clients, when a question may belong to any
// of several calls: if one of those was made from within a turn, waiting for
// that turn might be for ever. Nothing else is taken from the others.
func InheritTurn(ctx context.Context, others ...context.Context) context.Context {
	for _, other := range others {
		t, _ := other.Value(turnKey{}).(*turn)
		for t != nil && t.over.Load() {
			t = t.within
		}
		if t != nil {
			return context.WithValue(ctx, turnKey{}, t)
		}
	}
	return ctx
}

type turnKey struct{}

// A turn is had by one question at a time, and by those asked from within it.
type turn struct {
	of     *Line
	within *turn // the turn that this one was asked from, of whatever line
	inner  Line  // where questions from within wait
	over   atomic.Bool
}
