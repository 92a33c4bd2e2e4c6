package callbacks_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

func accept() *mcp.ElicitResult { return &mcp.ElicitResult{Action: "accept"} }

func TestOneAtATimeEveryField(t *testing.T) {
	eachField(t, func(t *testing.T, function string, fields []string) {
		var log []string
		got := callbacks.OneAtATime(with(t, &log, "x", fields...), nil)
		if diff := cmp.Diff(fields, set(got)); diff != "" {
			t.Fatalf("fields set (-want +got)\n%s", diff)
		}
		call(got, function)
		if diff := cmp.Diff([]string{"x " + function}, log); diff != "" {
			t.Errorf("called (-want +got)\n%s", diff)
		}
	})
}

// Two clients share a line; questions are asked in the order in which they
// come.
func TestOneAtATimeConcurrent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var open atomic.Int32
		var asked []string
		ask := callbacks.Callbacks{OnElicitation: func(_ context.Context, cc callbacks.CallbackContext, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			if n := open.Add(1); n != 1 {
				t.Errorf("%d questions are open", n)
			}
			defer open.Add(-1)
			asked = append(asked, cc.ServerName)
			<-time.After(time.Second) // by the clock of the bubble
			return accept(), nil
		}}
		var line callbacks.Line
		clients := []callbacks.Callbacks{callbacks.OneAtATime(ask, &line), callbacks.OneAtATime(ask, &line)}
		var want []string
		var wg sync.WaitGroup
		for i := range 10 {
			server := fmt.Sprint(i)
			want = append(want, server)
			wg.Go(func() {
				res, err := clients[i%2].OnElicitation(t.Context(), callbacks.CallbackContext{ServerName: server}, nil)
				if err != nil || res.Action != "accept" {
					t.Errorf("got %v, %v", res, err)
				}
			})
			synctest.Wait()
		}
		wg.Wait()
		if diff := cmp.Diff(want, asked); diff != "" {
			t.Errorf("asked (-want +got)\n%s", diff)
		}
	})
}

// Who is not waiting any longer is not asked, and nobody behind waits for it.
func TestOneAtATimeGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answer := make(chan struct{})
		var asked []string
		cb := callbacks.OneAtATime(callbacks.Callbacks{
			OnElicitation: func(_ context.Context, cc callbacks.CallbackContext, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				asked = append(asked, cc.ServerName)
				<-answer
				return accept(), nil
			},
		}, nil)
		ask := func(ctx context.Context, server string) <-chan error {
			done := make(chan error, 1)
			go func() {
				_, err := cb.OnElicitation(ctx, callbacks.CallbackContext{ServerName: server}, nil)
				done <- err
			}()
			synctest.Wait()
			return done
		}
		gone := errors.New("the call is over")
		ctx, cancel := context.WithCancelCause(t.Context())
		first, second, third := ask(t.Context(), "first"), ask(ctx, "second"), ask(t.Context(), "third")
		cancel(gone)
		if err := <-second; err != gone {
			t.Errorf("second: %v", err)
		}
		if err := <-ask(ctx, "late"); err != gone {
			t.Errorf("late: %v", err)
		}
		answer <- struct{}{}
		answer <- struct{}{}
		if err := errors.Join(<-first, <-third); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff([]string{"first", "third"}, asked); diff != "" {
			t.Errorf("asked (-want +got)\n%s", diff)
		}
	})
}

// The answer to a question is found by calling tools, which ask too.
func TestOneAtATimeNested(t *testing.T) {
	for name, nested := range map[string]func(ctx context.Context) context.Context{
		"in the context": func(ctx context.Context) context.Context {
			ctx, cancel := context.WithTimeout(ctx, time.Hour)
			t.Cleanup(cancel)
			return ctx
		},
		"inherited": func(ctx context.Context) context.Context {
			return callbacks.InheritTurn(context.Background(), context.Background(), ctx)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var cb callbacks.Callbacks
				var log []string
				var mu sync.Mutex
				note := func(text string) {
					mu.Lock()
					defer mu.Unlock()
					log = append(log, text)
				}
				depths := map[string]int{"outer": 0, "a": 1, "b": 1, "a.a": 2, "a.b": 2, "b.a": 2, "b.b": 2, "other": 0}
				cb = callbacks.OneAtATime(callbacks.Callbacks{
					OnElicitation: func(ctx context.Context, cc callbacks.CallbackContext, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
						note("begin " + cc.ServerName)
						<-time.After(time.Second)
						if cc.ServerName != "other" && depths[cc.ServerName] < 2 {
							var wg sync.WaitGroup
							for _, tool := range []string{"a", "b"} {
								if cc.ServerName != "outer" {
									tool = cc.ServerName + "." + tool
								}
								wg.Go(func() {
									if _, err := cb.OnElicitation(nested(ctx), callbacks.CallbackContext{ServerName: tool}, req); err != nil {
										t.Error(err)
									}
								})
								synctest.Wait() // so that a is first
							}
							wg.Wait()
						}
						note("end " + cc.ServerName)
						return accept(), nil
					},
				}, nil)
				var wg sync.WaitGroup
				for _, server := range []string{"outer", "other"} {
					wg.Go(func() {
						if _, err := cb.OnElicitation(t.Context(), callbacks.CallbackContext{ServerName: server}, nil); err != nil {
							t.Error(err)
						}
					})
					synctest.Wait()
				}
				wg.Wait()
				want := []string{
					"begin outer",
					"begin a", "begin a.a", "end a.a", "begin a.b", "end a.b", "end a",
					"begin b", "begin b.a", "end b.a", "begin b.b", "end b.b", "end b",
					"end outer",
					"begin other", "end other",
				}
				if diff := cmp.Diff(want, log); diff != "" {
					t.Errorf("(-want +got)\n%s", diff)
				}
			})
		})
	}
}

// A context that outlives its turn is as good as any other.
func TestLineTurnIsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var line callbacks.Line
		first, done, err := line.Wait(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		done()
		done() // does nothing: the next has its turn for itself
		second, end, err := line.Wait(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for name, ctx := range map[string]context.Context{
			"kept":      first,
			"inherited": callbacks.InheritTurn(t.Context(), first),
			"plain":     callbacks.InheritTurn(t.Context()),
		} {
			ctx, cancel := context.WithTimeout(ctx, time.Minute)
			if _, _, err := line.Wait(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%s: did not wait: %v", name, err)
			}
			cancel()
		}
		// One turn is over, the one around it is not.
		inner, done, err := line.Wait(second)
		if err != nil {
			t.Fatal(err)
		}
		done()
		if _, done, err := line.Wait(callbacks.InheritTurn(t.Context(), inner)); err != nil {
			t.Error(err)
		} else {
			done()
		}
		end()
	})
}

func TestLinesAreIndependent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var users, money callbacks.Line
		ctx, done, err := users.Wait(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer done()
		ctx, done, err = money.Wait(ctx)
		if err != nil {
			t.Fatal(err)
		}
		defer done()
		if _, done, err := users.Wait(ctx); err != nil {
			t.Errorf("within both: %v", err)
		} else {
			done()
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if _, _, err := money.Wait(ctx); err == nil {
			t.Error("two turns at a time")
		}
	})
}

// A panic ends the turn.
func TestOneAtATimePanic(t *testing.T) {
	asked := 0
	cb := callbacks.OneAtATime(callbacks.Callbacks{
		OnElicitation: func(context.Context, callbacks.CallbackContext, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			if asked++; asked == 1 {
				panic("lost the terminal")
			}
			return accept(), nil
		},
	}, nil)
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		_, _ = cb.OnElicitation(t.Context(), callbacks.CallbackContext{}, nil)
	}()
	if _, err := cb.OnElicitation(t.Context(), callbacks.CallbackContext{}, nil); err != nil {
		t.Error(err)
	}
}
