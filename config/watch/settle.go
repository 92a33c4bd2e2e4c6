package watch

import (
	"context"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settle returns when something that concerns has happened and then nothing
// for the delay, or after ten delays. It reports whether it has, and returns
// false if the context or the events end. An error is taken for something that
// concerns: it says that events were lost.
func settle(ctx context.Context, delay time.Duration, events <-chan fsnotify.Event, errs <-chan error, concerns func(fsnotify.Event) bool) bool {
	var quiet, late <-chan time.Time
	stir := func() {
		quiet = time.After(delay)
		if late == nil {
			late = time.After(10 * delay)
		}
	}
	for {
		select {
		case <-ctx.Done():
			return false
		case e, ok := <-events:
			if !ok {
				return false
			}
			if concerns(e) {
				stir()
			}
		case _, ok := <-errs:
			if !ok {
				return false
			}
			stir()
		case <-quiet:
			return true
		case <-late:
			return true
		}
	}
}
