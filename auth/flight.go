package auth

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// A need is why somebody wants an authorization.
type need struct {
	rejected string   // the access token that was refused, or "" if there was none
	scopes   []string // that are missing, when the server asked for more
	stepUp   bool
}

// A flight is an authorization that callers wait for. It does not end with
// the one who began it.
type flight struct {
	need   need
	since  signOuts
	silent bool // begun ahead of time: its failure concerns nobody
	done   chan struct{}
	err    error // set before done is closed
}

// A failure is an authorization that failed a short while ago.
type failure struct {
	need  need
	err   error
	until time.Time
}

// answers reports whether what failed would fail again for n.
func (f failure) answers(n need, now time.Time) bool {
	return f.err != nil && now.Before(f.until) && f.need.rejected == n.rejected &&
		f.need.stepUp == n.stepUp && covers(f.need.scopes, n.scopes)
}

// wait waits for a flight. It reports whether it has ended; otherwise ctx has.
func (f *flight) wait(ctx context.Context) bool {
	select {
	case <-f.done:
		return true
	default:
	}
	select {
	case <-f.done:
		return true
	case <-ctx.Done():
		return false
	}
}

// errBound is the cause of the end of an authorization's context.
type errBound struct{ after time.Duration }

func (e errBound) Error() string {
	return fmt.Sprintf("it took longer than the bound of %v", e.after)
}

func (errBound) Is(target error) bool { return target == context.DeadlineExceeded }

// errEnded is the cause of the end of an authorization's context, when the
// handler was closed.
var errEnded = errors.New("the handler was closed")

// detached runs an authorization with a bound of its own, or until end is
// closed, and makes an error of a panic in what the caller gave.
func detached(ctx context.Context, bound time.Duration, end <-chan struct{}, run func(context.Context) error) (err error) {
	ctx, cancel := context.WithTimeoutCause(context.WithoutCancel(ctx), bound, errBound{bound})
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	returned := make(chan struct{})
	defer close(returned)
	go func() {
		select {
		case <-end:
			stop(errEnded)
		case <-returned:
		}
	}()
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("auth: a callback panicked: %v", v)
		}
	}()
	return run(ctx)
}
