package calls

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

// A stay is something that others wait for and that goes on until it is left:
// the turn of a call, or an event of a queue. What is done from within it must
// not wait for it, which would be for ever.
type stay struct {
	what any
	left atomic.Bool
}

type staysKey struct{}

// Within returns a context for what is done within something that others wait
// for, until left is called. What names it and must be comparable.
//
// Callbacks have such contexts too when it is not known which of several calls
// an event belongs to, if any of those is within it.
func Within(ctx context.Context, what any) (_ context.Context, left func()) {
	s := &stay{what: what}
	return context.WithValue(ctx, staysKey{}, append(stays(ctx), s)), s.leave
}

func (s *stay) leave() { s.left.Store(true) }

// IsWithin reports whether ctx is of something that is done within what.
func IsWithin(ctx context.Context, what any) bool {
	list, _ := ctx.Value(staysKey{}).([]*stay)
	return slices.ContainsFunc(list, func(s *stay) bool { return s.what == what && !s.left.Load() })
}

// stays returns a list of its own.
func stays(ctx context.Context) []*stay {
	list, _ := ctx.Value(staysKey{}).([]*stay)
	if list == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(list), func(s *stay) bool { return s.left.Load() })
}

// among returns the context for an event that any of the calls may own: that of
// the session, within everything that any of them is within.
func (t *Tracker) among(possible []*Call) context.Context {
	ctx := t.ctx
	var all []*stay
	for _, c := range possible {
		ctx = callbacks.InheritTurn(ctx, c.ctx) // with those so far
		for _, s := range stays(c.ctx) {
			if !slices.Contains(all, s) {
				all = append(all, s)
			}
		}
	}
	if len(all) == 0 {
		return ctx
	}
	return context.WithValue(ctx, staysKey{}, all)
}
