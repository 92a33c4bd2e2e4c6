package multiclient

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/internal/session"
)

// missing says why there is no tool of the name. The set is what was listed, or nil;
// err is of the servers.
func (c *MultiServerClient) missing(ctx context.Context, name string, set *toolsetEntry, err error) *Error {
	e := &Error{Kind: ErrFailed, Phase: PhaseLookup, Tool: name}
	asked := set != nil
	if !asked {
		set = &toolsetEntry{}
	}
	near := didYouMean(name, slices.Sorted(maps.Keys(set.byName)))
	var collided []error
	for _, collision := range set.collided {
		if collision.name == strings.ToLower(name) {
			collided = append(collided, collision.err)
		}
	}
	failed := ServerErrors(err)
	switch {
	case collided != nil:
		e.Err = errors.Join(collided...)
	case ctx.Err() != nil:
		e.Err = ended(ctx)
	case errors.Is(err, ErrClosed):
		e.Kind, e.Err = ErrClosed, session.ErrClosed
	case len(failed) > 0:
		e.Kind, e.RetryAt = together(failed)
		if e.Err = err; asked {
			e.Err = fmt.Errorf("no server that answered lists a tool of this name%s; of the others: %w", near, err)
		}
	case err != nil:
		e.Err = err
	case c.withheld(set):
		e.Err = errors.Join(set.err, set.collisions())
	case set.err != nil:
		e.Kind, e.Err = ErrUnknownTool, fmt.Errorf("no server lists a tool of this name%s, or the selection has left it out: %w", near, set.err)
	default:
		e.Kind, e.Err = ErrUnknownTool, errors.New("no server lists a tool of this name"+near)
	}
	return e
}

// together returns the kind that the failures of several servers have in common,
// and until when none of these is tried again.
func together(failed []*Error) (kind ErrorKind, retryAt time.Time) {
	kind, retryAt = failed[0].Kind, failed[0].RetryAt
	for _, e := range failed[1:] {
		if e.Kind != kind {
			kind = ErrUnavailable
		}
		if e.RetryAt.Before(retryAt) { // or the zero time, if that is at the next use
			retryAt = e.RetryAt
		}
	}
	return kind, retryAt
}
