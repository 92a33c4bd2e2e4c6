package multiclient_test

import (
	"context"
	"sync"
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
