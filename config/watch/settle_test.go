package watch

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
)

// start runs settle. The function it returns tells when it has returned, and
// what.
func start(ctx context.Context, events chan fsnotify.Event, errs chan error) func() (time.Duration, bool) {
	began := time.Now()
	done := make(chan bool)
	go func() {
		done <- settle(ctx, time.Second, events, errs, func(e fsnotify.Event) bool { return e.Name == "file" })
	}()
	return func() (time.Duration, bool) {
		changed := <-done
		return time.Since(began), changed
	}
}

func TestSettle(t *testing.T) {
	file, other := fsnotify.Event{Name: "file"}, fsnotify.Event{Name: "other"}
	tests := []struct {
		name  string
		steps func(events chan fsnotify.Event, errs chan error)
		want  time.Duration
		ok    bool
	}{
		{"one event", func(events chan fsnotify.Event, _ chan error) { events <- file }, time.Second, true},
		{"two events", func(events chan fsnotify.Event, _ chan error) {
			events <- file
			time.Sleep(900 * time.Millisecond)
			events <- file
		}, 1900 * time.Millisecond, true},
		{"another file", func(events chan fsnotify.Event, _ chan error) {
			events <- other
			time.Sleep(5 * time.Second)
			events <- file
			events <- other
		}, 6 * time.Second, true},
		{"never quiet", func(events chan fsnotify.Event, _ chan error) {
			for range 20 {
				events <- file
				time.Sleep(500 * time.Millisecond)
			}
		}, 10 * time.Second, true},
		{"events were lost", func(_ chan fsnotify.Event, errs chan error) { errs <- fsnotify.ErrEventOverflow }, time.Second, true},
		{"no more events", func(events chan fsnotify.Event, _ chan error) { close(events) }, 0, false},
		{"no more errors", func(_ chan fsnotify.Event, errs chan error) { close(errs) }, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				events, errs := make(chan fsnotify.Event), make(chan error)
				end := start(t.Context(), events, errs)
				tt.steps(events, errs)
				if after, ok := end(); ok != tt.ok || after != tt.want {
					t.Errorf("%v after %v, want %v after %v", ok, after, tt.ok, tt.want)
				}
			})
		})
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if after, ok := start(ctx, nil, nil)(); ok || after != time.Minute {
			t.Errorf("the end of the context: %v after %v", ok, after)
		}
	})
}
