package multiclient_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// session returns the number of the session that a user's calls are made on.
func session(t testing.TB, c *multiclient.MultiServerClient, user string) string {
	t.Helper()
	res, err := c.CallTool(as(t.Context(), user), "one", "go", nil)
	if err != nil {
		t.Fatalf("a call of %s: %v", user, err)
	}
	return textOf(res)
}

// At the cap the longest unused session is closed for another identity.
func TestLongestUnusedSessionMakesRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGated()
		c := newPersonal(t, g.connection(), &multiclient.Options{Identities: multiclient.Identities{MaxPerServer: 2}})
		var got []string
		for _, user := range []string{"ann", "bob", "ann", "carol", "ann", "bob", "carol"} {
			got = append(got, session(t, c, user))
			time.Sleep(time.Second)
			if st := c.Status()[0]; g.open() > 2 || st.Identities > 2 {
				t.Errorf("%d sessions, status %+v", g.open(), st)
			}
		}
		// ann stays since she is used; bob goes for carol, and she for bob.
		if want := []string{"1", "2", "1", "3", "1", "4", "5"}; fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("sessions %v, want %v", got, want)
		}
	})
}

// Without a limit nobody makes room, and without an idle time nothing is closed.
func TestSessionsWithoutLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGated()
		c := newPersonal(t, g.connection(), &multiclient.Options{Identities: multiclient.Identities{MaxPerServer: -1, IdleTimeout: -1}})
		const users = multiclient.DefaultMaxPerServer + 20
		for range 2 {
			for u := range users {
				if s := session(t, c, fmt.Sprint("user", u)); s != fmt.Sprint(u+1) {
					t.Fatalf("user%d has session %s", u, s)
				}
			}
			time.Sleep(100 * multiclient.DefaultIdleTimeout)
		}
		if st := c.Status()[0]; g.open() != users || st.Identities != users {
			t.Errorf("%d sessions, status %+v", g.open(), st)
		}
	})
}

func TestUnusedSessionsAreClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGated()
		c := newPersonal(t, g.connection(), nil)
		if s := session(t, c, "ann"); s != "1" {
			t.Fatalf("session %s", s)
		}
		time.Sleep(multiclient.DefaultIdleTimeout / 2)
		session(t, c, "bob")
		time.Sleep(multiclient.DefaultIdleTimeout/2 + time.Second)
		if st := c.Status()[0]; g.open() != 1 || st.Identities != 1 {
			t.Errorf("%d sessions, status %+v: want only bob's", g.open(), st)
		}
		time.Sleep(multiclient.DefaultIdleTimeout)
		if st := c.Status()[0]; g.open() != 0 || st.Identities != 0 || st.State != multiclient.StateIdle {
			t.Errorf("%d sessions, status %+v: want none", g.open(), st)
		}
		if s := session(t, c, "ann"); s != "3" {
			t.Errorf("session %s, want another", s)
		}
	})
}

// What is in use is neither closed for others nor because time passes.
func TestSessionsInUseStay(t *testing.T) {
	asked, answer := make(chan callbacks.CallbackContext, 1), make(chan struct{})
	uses := map[string]func(t *testing.T, g *gated, c *multiclient.MultiServerClient, ann context.Context) (end func()){
		"a call": func(t *testing.T, g *gated, c *multiclient.MultiServerClient, ann context.Context) func() {
			ended := make(chan error)
			go func() { _, err := c.CallTool(ann, "one", "wait", nil); ended <- err }()
			<-g.began
			return func() {
				g.proceed <- struct{}{}
				if err := <-ended; err != nil {
					t.Errorf("the call that was in flight: %v", err)
				}
			}
		},
		"a lease": func(t *testing.T, _ *gated, c *multiclient.MultiServerClient, ann context.Context) func() {
			cs, release, err := c.Session(ann, "one")
			if err != nil {
				t.Fatal(err)
			}
			return func() {
				if err := cs.Ping(ann, nil); err != nil {
					t.Errorf("the session that was leased: %v", err)
				}
				release()
				release() // is the same as once
			}
		},
		"a subscription": func(t *testing.T, _ *gated, c *multiclient.MultiServerClient, ann context.Context) func() {
			if err := c.Subscribe(ann, "one", "file:///r"); err != nil {
				t.Fatal(err)
			}
			return func() {
				if err := c.Unsubscribe(ann, "one", "file:///r"); err != nil {
					t.Error(err)
				}
			}
		},
		"a question outside of any call": func(t *testing.T, g *gated, _ *multiclient.MultiServerClient, _ context.Context) func() {
			ended := make(chan error)
			for ss := range g.Sessions() {
				go func() {
					_, err := ss.Elicit(context.Background(), &mcp.ElicitParams{Message: "?", RequestedSchema: map[string]any{"type": "object"}})
					ended <- err
				}()
			}
			if cc := <-asked; cc.Identity != "ann" || cc.ToolName != "" {
				t.Errorf("%+v was asked", cc)
			}
			return func() {
				answer <- struct{}{}
				if err := <-ended; err != nil {
					t.Errorf("the question that was open: %v", err)
				}
			}
		},
	}
	for name, use := range uses {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked, answer = make(chan callbacks.CallbackContext, 1), make(chan struct{})
				g := newGated()
				c := newPersonal(t, g.connection(), &multiclient.Options{
					CallTimeout: -1, Identities: multiclient.Identities{MaxPerServer: 1},
					Callbacks: callbacks.Callbacks{
						OnElicitation: func(ctx context.Context, cc callbacks.CallbackContext, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
							asked <- cc
							<-answer
							return &mcp.ElicitResult{Action: "accept"}, nil
						},
					},
				})
				ann := as(t.Context(), "ann")
				session(t, c, "ann")
				end := use(t, g, c, ann)
				time.Sleep(3 * multiclient.DefaultIdleTimeout)
				if s := session(t, c, "ann"); s != "1" {
					t.Fatalf("session %s: the one in use was closed", s)
				}
				bob, cancel := context.WithTimeout(as(t.Context(), "bob"), time.Minute)
				defer cancel()
				_, err := c.CallTool(bob, "one", "go", nil)
				if !errors.Is(err, multiclient.ErrFull) || !errors.Is(err, context.DeadlineExceeded) ||
					!strings.Contains(err.Error(), "as many identities (1) have one as option Identities.MaxPerServer allows") {
					t.Errorf("error %v, want that all sessions are in use", err)
				}
				got := make(chan string)
				go func() { got <- session(t, c, "bob") }()
				synctest.Wait()
				if st := c.Status()[0]; st.Waiting != 1 || st.Identities != 1 {
					t.Errorf("status %+v, want one who waits", st)
				}
				end()
				if s := <-got; s != "2" {
					t.Errorf("bob has session %s", s)
				}
			})
		})
	}
}

// Who waits for a place gets it in order, and each only as long as the call takes.
func TestPlacesAreGivenInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGated()
		c := newPersonal(t, g.connection(), &multiclient.Options{Identities: multiclient.Identities{MaxPerServer: 1}})
		var want []string
		var calls sync.WaitGroup
		given := 0
		for u := range 10 {
			user := fmt.Sprint("user", u)
			ctx, cancel := context.WithCancel(as(t.Context(), user))
			defer cancel()
			calls.Go(func() {
				_, err := c.CallTool(ctx, "one", "wait", map[string]any{"who": user})
				if gaveUp := errors.Is(err, multiclient.ErrFull) && errors.Is(err, context.Canceled); gaveUp != (u == 5) || err != nil && !gaveUp {
					t.Errorf("%s: %v", user, err)
				}
			})
			synctest.Wait()
			if u == 5 {
				cancel() // and is not waited for
				continue
			}
			want = append(want, user)
		}
		var got []string
		for range want {
			got = append(got, <-g.began)
			if given++; c.Status()[0].Waiting != len(want)-given {
				t.Errorf("status %+v after %d", c.Status()[0], given)
			}
			g.proceed <- struct{}{}
			synctest.Wait()
		}
		calls.Wait()
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("the order was %v, want %v", got, want)
		}
	})
}

// A call that waits for a place ends by its own timeout.
func TestPlacesAreWaitedForWithinTheCallTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGated()
		c := newPersonal(t, g.connection(), &multiclient.Options{CallTimeout: time.Minute, Identities: multiclient.Identities{MaxPerServer: 1}})
		_, release, err := c.Session(as(t.Context(), "ann"), "one")
		if err != nil {
			t.Fatal(err)
		}
		defer release()
		start := time.Now()
		_, err = c.CallTool(as(t.Context(), "bob"), "one", "go", nil)
		if !errors.Is(err, multiclient.ErrFull) || !strings.Contains(err.Error(), "call timeout of 1m0s") || time.Since(start) != time.Minute {
			t.Errorf("error %v after %v", err, time.Since(start))
		}
		start = time.Now()
		_, _, err = c.Session(as(t.Context(), "bob"), "one")
		if !errors.Is(err, multiclient.ErrFull) || time.Since(start) != multiclient.DefaultConnectTimeout {
			t.Errorf("Session: error %v after %v", err, time.Since(start))
		}
	})
}

// However many calls wait for it, the connection of an identity is made once, for
// as long as any of them does.
func TestConcurrentCallsOfOneIdentityShareItsConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGated()
		var mu sync.Mutex
		made, ended := 0, 0
		proceed := make(chan struct{})
		c := newPersonal(t, g.connection(), &multiclient.Options{Identities: multiclient.Identities{
			Connection: func(ctx context.Context, user, _ string, connection config.Connection) (config.Connection, error) {
				mu.Lock()
				made++
				mu.Unlock()
				if whose, err := userOf(ctx); whose != user {
					t.Errorf("the context is of %q, %v", whose, err)
				}
				select {
				case <-proceed:
				case <-ctx.Done():
					mu.Lock()
					ended++
					mu.Unlock()
					return nil, ctx.Err()
				}
				return connection, nil
			},
		}})
		first, cancel := context.WithCancel(as(t.Context(), "ann"))
		var calls sync.WaitGroup
		for _, ctx := range []context.Context{first, as(t.Context(), "ann"), as(t.Context(), "ann")} {
			calls.Go(func() {
				_, err := c.CallTool(ctx, "one", "go", nil)
				if gaveUp := errors.Is(err, context.Canceled); gaveUp != (ctx == first) || err != nil && !gaveUp {
					t.Error(err)
				}
				if ctx == first && !strings.Contains(err.Error(), "Identities.Connection has not returned") {
					t.Errorf("error %v does not say what it waited for", err)
				}
			})
			synctest.Wait()
		}
		cancel()
		synctest.Wait()
		proceed <- struct{}{}
		calls.Wait()
		if made != 1 || ended != 0 {
			t.Errorf("made %d times, ended %d times", made, ended)
		}
		alone, cancel := context.WithCancel(as(t.Context(), "bob"))
		calls.Go(func() { c.CallTool(alone, "one", "go", nil) })
		synctest.Wait()
		cancel()
		calls.Wait()
		synctest.Wait()
		if made != 2 || ended != 1 {
			t.Errorf("made %d times, ended %d times: nobody waits for bob's any more", made, ended)
		}
		if n := c.Status()[0].Identities; n != 1 {
			t.Errorf("%d identities", n)
		}
	})
}
