package callbacks

import (
	"context"
	"slices"
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
// questions from within go one at a time among themselves, and the next turn
// begins when they have been asked too.
func (l *Line) Wait(ctx context.Context) (inTurn context.Context, done func(), err error) {
	for {
		within := liveTurns(ctx)
		around := deepest(within, l)
		line := l
		if around != nil {
			line = &around.inner
		}
		if err := line.acquire(ctx); err != nil {
			return nil, nil, err
		}
		if around != nil && around.over.Load() {
			line.turn.Release(1)
			continue // where it is part of no turn, or of the one around that
		}
		t := &turn{of: l, within: within, depth: 1}
		for _, w := range within {
			t.depth = max(t.depth, w.depth+1)
		}
		return context.WithValue(ctx, turnsKey{}, []*turn{t}), func() { t.end(line) }, nil
	}
}

// acquire waits for the semaphore of the line. The error is the cause of the
// end of ctx.
func (l *Line) acquire(ctx context.Context) error {
	l.once.Do(func() { l.turn = semaphore.NewWeighted(1) })
	if l.turn.Acquire(ctx, 1) != nil {
		return context.Cause(ctx)
	}
	return nil
}

// InheritTurn returns ctx with the turns in a [Line] that the other contexts
// are in, if any. It is for clients, when a question may belong to any of
// several calls: if one of those was made from within a turn, waiting for that
// turn might be for ever. Nothing else is taken from the others.
func InheritTurn(ctx context.Context, others ...context.Context) context.Context {
	turns := liveTurns(append([]context.Context{ctx}, others...)...)
	if len(turns) == 0 {
		return ctx
	}
	return context.WithValue(ctx, turnsKey{}, turns)
}

type turnsKey struct{}

// A turn is had by one question at a time, and by those asked from within it.
type turn struct {
	of     *Line
	within []*turn // the turns that this one was asked from, of whatever lines
	depth  int     // one more than that of any of those
	inner  Line    // where questions from within wait
	over   atomic.Bool
}

// end makes room in the line that the turn was had in, when what is being asked
// from within has been: by a client that may have inherited the turn in vain,
// and does not end with it.
func (t *turn) end(line *Line) {
	if t.over.Swap(true) {
		return
	}
	t.inner.once.Do(func() { t.inner.turn = semaphore.NewWeighted(1) })
	if t.inner.turn.TryAcquire(1) {
		line.turn.Release(1)
		t.inner.turn.Release(1)
		return
	}
	go func() {
		_ = t.inner.acquire(context.Background()) // it does not end
		line.turn.Release(1)
		t.inner.turn.Release(1) // those that wait there find that it is over
	}()
}

// liveTurns returns the innermost turns that the contexts are in and that are
// not over.
func liveTurns(contexts ...context.Context) []*turn {
	var live []*turn
	var add func(turns []*turn)
	add = func(turns []*turn) {
		for _, t := range turns {
			if t.over.Load() {
				add(t.within)
			} else if !slices.Contains(live, t) {
				live = append(live, t)
			}
		}
	}
	for _, ctx := range contexts {
		turns, _ := ctx.Value(turnsKey{}).([]*turn)
		add(turns)
	}
	return live
}

// deepest returns the turn in the line that is within most others, or nil:
// those around it are waited for by whoever has it.
func deepest(turns []*turn, l *Line) *turn {
	var found *turn
	for _, t := range turns {
		if t.of != l || t.over.Load() {
			t = deepest(t.within, l)
		}
		if t != nil && (found == nil || t.depth > found.depth) {
			found = t
		}
	}
	return found
}
