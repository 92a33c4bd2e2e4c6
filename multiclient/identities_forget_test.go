package multiclient_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// The sessions of one identity end at all servers; those of others stay.
func TestForgetIdentity(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGated()
		connections := g.connection()
		connections["two"] = connections["one"]
		connections["plain"] = config.InMemory{Server: g.Server}
		c := newPersonal(t, connections, nil)
		for _, server := range []string{"two", "plain"} {
			if _, err := c.ServerInfo(as(t.Context(), "ann"), server); err != nil {
				t.Fatal(err)
			}
		}
		if got := session(t, c, "ann") + session(t, c, "bob"); got != "12" {
			t.Fatalf("sessions %s", got)
		}
		if err := c.Subscribe(as(t.Context(), "ann"), "one", "file:///r"); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error)
		for range 2 {
			go func() { _, err := c.CallTool(as(t.Context(), "ann"), "one", "wait", nil); ended <- err }()
			<-g.began
		}
		g.proceed <- struct{}{} // one of them ends in time
		if err := <-ended; err != nil {
			t.Error(err)
		}
		start := time.Now()
		if err := c.ForgetIdentity(t.Context(), "ann"); err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took < multiclient.DefaultCloseTimeout {
			t.Errorf("the call in flight had %v to end", took)
		}
		if err := <-ended; !errors.Is(err, multiclient.ErrRemoved) {
			t.Errorf("the call that did not end: %v", err)
		}
		if got := session(t, c, "ann") + session(t, c, "bob"); got != "32" {
			t.Errorf("sessions %s, want a new one for ann and the same for bob", got)
		}
		time.Sleep(2 * multiclient.DefaultIdleTimeout)
		if n := g.open(); n != 1 {
			t.Errorf("%d sessions, want only that of the plain server: subscriptions are forgotten too", n)
		}
		if err := c.ForgetIdentity(t.Context(), "carol"); err != nil {
			t.Errorf("an identity without sessions: %v", err)
		}
	})
}

// Forgetting is bounded by the context, and goes on.
func TestForgetIdentityIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGated()
		c := newPersonal(t, g.connection(), nil)
		ended := make(chan error)
		go func() { _, err := c.CallTool(as(t.Context(), "ann"), "one", "wait", nil); ended <- err }()
		<-g.began
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := c.ForgetIdentity(ctx, "ann"); err != nil && !errors.Is(err, multiclient.ErrTimeout) {
			t.Errorf("error %v", err)
		}
		if err := <-ended; !errors.Is(err, multiclient.ErrRemoved) {
			t.Errorf("the call: %v", err)
		}
		if s := session(t, c, "ann"); s != "1" { // the first that was asked for its number
			t.Errorf("session %s", s)
		}
	})
}

// Who is forgotten has no subscriptions that wait for them either.
func TestForgottenIdentitiesHaveNoSubscriptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, after := newGated(), newGated()
		c := newPersonal(t, g.connection(), nil)
		if err := c.Subscribe(as(t.Context(), "ann"), "one", "file:///r"); err != nil {
			t.Fatal(err)
		}
		if err := c.ReplaceServer(t.Context(), "one", after.connection()["one"]); err != nil {
			t.Fatal(err)
		}
		if err := c.ForgetIdentity(t.Context(), "ann"); err != nil {
			t.Fatal(err)
		}
		session(t, c, "ann")
		time.Sleep(2 * multiclient.DefaultIdleTimeout)
		if n := after.open(); n != 0 {
			t.Errorf("%d sessions are held by a subscription", n)
		}
	})
}

// Who is forgotten while a server is replaced has no session with the one that
// takes its place.
func TestConcurrentForgettingAndReplacing(t *testing.T) {
	for range 100 {
		synctest.Test(t, func(t *testing.T) {
			g, after := newGated(), newGated()
			c := newPersonal(t, g.connection(), nil)
			if err := c.Subscribe(as(t.Context(), "ann"), "one", "file:///r"); err != nil {
				t.Fatal(err)
			}
			var wg sync.WaitGroup
			wg.Go(func() {
				if err := c.ReplaceServer(t.Context(), "one", after.connection()["one"]); err != nil {
					t.Error(err)
				}
			})
			wg.Go(func() {
				if err := c.ForgetIdentity(t.Context(), "ann"); err != nil {
					t.Error(err)
				}
			})
			wg.Wait()
			time.Sleep(time.Second) // within which sessions are opened again
			if n := c.Status()[0].Identities; n != 0 {
				t.Errorf("%d identities have a session", n)
			}
		})
	}
}

// Who forgets an identity that is being forgotten waits for the same.
func TestForgettingTwiceWaitsTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGated()
		c := newPersonal(t, config.Connections{
			"one": config.InMemory{Server: g.Server, Settings: own(config.Settings{CloseTimeout: time.Minute})},
		}, nil)
		called := make(chan error, 1)
		go func() { _, err := c.CallTool(as(t.Context(), "user"), "one", "wait", nil); called <- err }()
		<-g.began
		forgotten := make(chan error, 2)
		for range 2 {
			go func() { forgotten <- c.ForgetIdentity(t.Context(), "user") }()
			synctest.Wait()
		}
		if len(forgotten) > 0 {
			t.Error("the identity is forgotten while its call runs")
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := c.ForgetIdentity(ctx, "user"); !errors.Is(err, multiclient.ErrTimeout) {
			t.Errorf("who has no time for it got %v", err)
		}
		g.proceed <- struct{}{}
		if err := errors.Join(<-called, <-forgotten, <-forgotten); err != nil {
			t.Error(err)
		}
		synctest.Wait() // the server notices what the client has closed
		if n := g.open(); n != 0 {
			t.Errorf("%d sessions are open", n)
		}
	})
}
