package multiclient_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// A call that has only waited for its turn says so, however its time ends: nobody
// has to fear that the tool has run.
func TestCallsThatOnlyWaited(t *testing.T) {
	const bound = time.Minute
	why := errors.New("the user has left")
	for name, test := range map[string]struct {
		settings config.Settings
		context  func(context.Context) (context.Context, context.CancelFunc)
		kind     multiclient.ErrorKind
		is       []error
		behind   string
	}{
		"the caller's deadline": {
			config.Settings{MaxInFlight: 2}, func(ctx context.Context) (context.Context, context.CancelFunc) {
				return context.WithTimeout(ctx, bound)
			},
			multiclient.ErrFailed, []error{context.DeadlineExceeded}, "2 calls in flight",
		},
		"the caller": {
			config.Settings{MaxInFlight: 2}, func(ctx context.Context) (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancelCause(ctx)
				time.AfterFunc(bound, func() { cancel(why) })
				return ctx, func() { cancel(nil) }
			},
			multiclient.ErrFailed, []error{context.Canceled, why}, "2 calls in flight",
		},
		"the end of the client": {
			config.Settings{MaxInFlight: 2}, context.WithCancel, multiclient.ErrClosed, nil, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newGated()
				c := newClient(t, config.Connections{"one": config.InMemory{Server: g.Server, Settings: test.settings}}, nil)
				for range test.settings.MaxInFlight {
					go c.CallTool(t.Context(), "one", "wait", nil)
					<-g.began
				}
				ctx, cancel := test.context(t.Context())
				defer cancel()
				ended := make(chan error, 1)
				go func() {
					_, err := c.CallTool(ctx, "one", "echo", map[string]any{"text": "x"})
					ended <- err
				}()
				synctest.Wait()
				if st := c.Status()[0]; st.Queued != 1 {
					t.Fatalf("%d calls wait", st.Queued)
				}
				if test.kind == multiclient.ErrClosed {
					c.Close()
				}
				err := <-ended
				var e *multiclient.Error
				inTurn := test.kind == multiclient.ErrClosed && errors.As(err, &e) && e.Phase == multiclient.PhaseConnect // since the other call has ended first
				if !errors.As(err, &e) || e.Kind != test.kind || e.Phase != multiclient.PhaseQueue && !inTurn || e.Server != "one" || e.Tool != "echo" {
					t.Fatalf("got %v", err)
				}
				for _, want := range test.is {
					if !errors.Is(err, want) {
						t.Errorf("it is not %v: %v", want, err)
					}
				}
				if test.behind != "" && (!strings.Contains(err.Error(), "behind "+test.behind) || !strings.Contains(err.Error(), "nothing was sent")) {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}

// The call timeout of those that come at the same time is over at the same time.
func TestCallsWhoseTimeoutWasSpentWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGated()
		settings := config.Settings{SessionPolicy: config.SessionSerialized, CallTimeout: time.Minute}
		c := newClient(t, config.Connections{"one": config.InMemory{Server: g.Server, Settings: settings}}, nil)
		ended := make(chan error)
		const calls = 20
		for range calls {
			go func() {
				_, err := c.CallTool(t.Context(), "one", "wait", nil)
				ended <- err
			}()
		}
		waited := 0
		for range calls {
			err := <-ended
			var e *multiclient.Error
			if !errors.As(err, &e) || e.Kind != multiclient.ErrTimeout || !errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("got %v", err)
			}
			if e.Phase == multiclient.PhaseQueue {
				waited++
				if want := `multiclient: server "one": tool "wait": queue: timeout: nothing was sent, it waited for its turn behind 1 call in flight: no answer within the call timeout of 1m0s`; err.Error() != want {
					t.Errorf("got %v", err)
				}
			}
		}
		// Who gets a turn just then goes on.
		if sent := len(g.began); waited == 0 || waited > calls-sent {
			t.Errorf("%d calls were sent, and %d say that they were not", sent, waited)
		}
	})
}

// Nor has one that has only waited for a session, whoever else is told of that.
func TestCallsThatOnlyWaitedForASession(t *testing.T) {
	for _, policy := range []config.SessionPolicy{config.SessionShared, config.SessionPerCall} {
		t.Run(string(policy), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				settings := config.Settings{SessionPolicy: policy, CallTimeout: time.Second}
				c := newClient(t, config.Connections{"one": down(settings)}, &multiclient.Options{Reconnect: multiclient.Reconnect{Delay: time.Hour}})
				for range 2 { // the second waits for the next attempt
					_, err := c.CallTool(t.Context(), "one", "echo", nil)
					var e *multiclient.Error
					if !errors.As(err, &e) || e.Phase != multiclient.PhaseConnect {
						t.Errorf("got %v", err)
					}
				}
			})
		})
	}
}
