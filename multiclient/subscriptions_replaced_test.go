package multiclient_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
)

// What is subscribed to, or no longer, at the very moment at which a server is
// replaced is so at the one that takes its place. Each round hits that moment by
// chance.
func TestSubscriptionsWhileServersAreReplaced(t *testing.T) {
	const rounds, uri = 150, "file:///r"
	round := func(t *testing.T, settings config.Settings, subscribe bool) (is bool) {
		var mu sync.Mutex
		subscribed := map[*mcp.ServerSession]bool{}
		note := func(ss *mcp.ServerSession, is bool) error {
			mu.Lock()
			defer mu.Unlock()
			subscribed[ss] = is
			return nil
		}
		s := mcp.NewServer(&mcp.Implementation{Name: "one"}, &mcp.ServerOptions{
			SubscribeHandler:   func(_ context.Context, r *mcp.SubscribeRequest) error { return note(r.Session, true) },
			UnsubscribeHandler: func(_ context.Context, r *mcp.UnsubscribeRequest) error { return note(r.Session, false) },
		})
		s.AddResource(&mcp.Resource{Name: "r", URI: uri}, nil)
		connection := config.InMemory{Server: s, Settings: settings}
		c := newPersonal(t, config.Connections{"one": connection}, nil)
		ctx := as(t.Context(), "user")
		change := c.Unsubscribe
		if subscribe {
			change = c.Subscribe
			if _, err := c.Tools(ctx); err != nil {
				t.Fatal(err)
			}
		} else if err := c.Subscribe(ctx, "one", uri); err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		start := make(chan struct{})
		wg.Go(func() {
			<-start
			if err := change(ctx, "one", uri); err != nil {
				t.Error(err)
			}
		})
		wg.Go(func() {
			<-start
			if err := c.ReplaceServer(ctx, "one", connection); err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
		close(start)
		wg.Wait()
		time.Sleep(time.Minute) // in which the session is opened again, if it is awaited
		mu.Lock()
		defer mu.Unlock()
		for ss := range s.Sessions() {
			is = is || subscribed[ss]
		}
		return is
	}
	for name, settings := range map[string]config.Settings{
		"shared":       {ProtocolVersion: stateful},
		"per identity": own(config.Settings{ProtocolVersion: stateful}),
	} {
		for what, subscribe := range map[string]bool{"Subscribe": true, "Unsubscribe": false} {
			t.Run(what+"/"+name, func(t *testing.T) {
				wrong := 0
				for range rounds {
					synctest.Test(t, func(t *testing.T) {
						if round(t, settings, subscribe) != subscribe {
							wrong++
						}
					})
				}
				if wrong > 0 {
					t.Errorf("it got lost in %d of %d rounds", wrong, rounds)
				}
			})
		}
	}
}

// What the server that leaves makes of it in the end says nothing of the one that
// takes its place.
func TestSubscriptionsThatEndWithTheirServer(t *testing.T) {
	const uri = "file:///r"
	refused := errors.New("refused")
	for name, test := range map[string]struct {
		subscribe  bool  // or take it back
		old, young error // what the servers say
		gaveUp     bool  // the caller, before the old one has said anything
		fails      bool
		is         bool // subscribed to at the young one
	}{
		"Subscribe, refused by the old one":          {true, refused, nil, false, false, true},
		"Subscribe, refused by both":                 {true, refused, refused, false, true, false},
		"Subscribe, refused by the new one":          {true, nil, refused, false, true, false},
		"Subscribe, given up":                        {true, refused, nil, true, true, false},
		"Unsubscribe, refused by the old one":        {false, refused, nil, false, false, false},
		"Unsubscribe, refused by the new one, alone": {false, nil, refused, false, true, false},
	} {
		for policy, settings := range map[string]config.Settings{
			"shared":       {ProtocolVersion: stateful},
			"per identity": own(config.Settings{ProtocolVersion: stateful}),
		} {
			t.Run(name+"/"+policy, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var armed, is atomic.Bool
					release := make(chan struct{})
					server := func(young bool, says error) config.Connection {
						answer := func(subscribe bool) error {
							switch {
							case armed.Load() && !young:
								<-release
								return says
							case young && says != nil:
								return says
							case young:
								is.Store(subscribe)
							}
							return nil
						}
						s := mcp.NewServer(&mcp.Implementation{Name: "one"}, &mcp.ServerOptions{
							SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return answer(true) },
							UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return answer(false) },
						})
						s.AddResource(&mcp.Resource{Name: "r", URI: uri}, nil)
						return config.InMemory{Server: s, Settings: settings}
					}
					c := newPersonal(t, config.Connections{"one": server(false, test.old)}, nil)
					ctx, cancel := context.WithCancel(as(t.Context(), "user"))
					defer cancel()
					change := c.Subscribe
					if !test.subscribe {
						change = c.Unsubscribe
						if err := c.Subscribe(ctx, "one", uri); err != nil {
							t.Fatal(err)
						}
					}
					armed.Store(true)
					changed, replaced := make(chan error, 1), make(chan error, 1)
					go func() { changed <- change(ctx, "one", uri) }()
					synctest.Wait()
					go func() { replaced <- c.ReplaceServer(t.Context(), "one", server(true, test.young)) }()
					synctest.Wait()
					if test.gaveUp {
						cancel()
						synctest.Wait()
					}
					close(release)
					if err := <-changed; (err != nil) != test.fails {
						t.Errorf("got %v", err)
					}
					if err := <-replaced; err != nil {
						t.Error(err)
					}
					time.Sleep(time.Minute) // in which the session is opened again, if it is awaited
					if is.Load() != test.is {
						t.Errorf("subscribed to: %t", is.Load())
					}
					// Nor is it remembered for whoever comes next.
					is.Store(false)
					if err := c.ReplaceServer(t.Context(), "one", server(true, nil)); err != nil {
						t.Error(err)
					}
					time.Sleep(time.Minute)
					if is.Load() != test.is {
						t.Errorf("subscribed to at the next one: %t", is.Load())
					}
				})
			})
		}
	}
}
