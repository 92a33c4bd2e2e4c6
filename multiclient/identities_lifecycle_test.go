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
	"github.com/langchaingo-mcp/mcpadapters/internal/leak"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// block makes a call for each user that blocks, and returns their errors.
func block(t *testing.T, c *multiclient.MultiServerClient, s *testserver.Server, users int) <-chan error {
	t.Helper()
	ended := make(chan error, users)
	for u := range users {
		go func() {
			_, err := c.CallTool(as(t.Context(), fmt.Sprint("user", u)), "one", "block", nil)
			ended <- err
		}()
	}
	for range users {
		receive(t, s.Blocked, "call that blocks")
	}
	return ended
}

// The sessions of all identities end with the client and with their server.
func TestSessionsOfManyIdentitiesEnd(t *testing.T) {
	const users = 16
	for name, test := range map[string]struct {
		end  func(context.Context, *multiclient.MultiServerClient, config.Connection) error
		want multiclient.ErrorKind
	}{
		"Close": {func(_ context.Context, c *multiclient.MultiServerClient, _ config.Connection) error {
			return c.Close()
		}, multiclient.ErrClosed},
		"RemoveServer": {func(ctx context.Context, c *multiclient.MultiServerClient, _ config.Connection) error {
			return c.RemoveServer(ctx, "one")
		}, multiclient.ErrRemoved},
		"ReplaceServer": {func(ctx context.Context, c *multiclient.MultiServerClient, other config.Connection) error {
			return c.ReplaceServer(ctx, "one", other)
		}, multiclient.ErrRemoved},
		"SetConnections": {func(ctx context.Context, c *multiclient.MultiServerClient, other config.Connection) error {
			_, err := c.SetConnections(ctx, config.Connections{"two": other})
			return err
		}, multiclient.ErrRemoved},
	} {
		for _, generation := range []string{stateful, stateless} {
			t.Run(name+"/"+generation, func(t *testing.T) {
				leak.Check(t)
				a := &audit{}
				s := testserver.New("one")
				connection := config.StreamableHTTP{
					URL:      a.serve(t, generation == stateless, func(string) *mcp.Server { return s.Server }),
					Settings: own(config.Settings{CloseTimeout: 2 * time.Second}),
				}
				c := newPersonal(t, config.Connections{"one": connection}, &multiclient.Options{
					Identities: multiclient.Identities{Connection: withTokens},
				})
				ended := block(t, c, s, users)
				if err := test.end(t.Context(), c, config.InMemory{Server: s.Server}); err != nil {
					t.Error(err)
				}
				for range users {
					if err := receive(t, ended, "end of a call"); !errors.Is(err, test.want) {
						t.Errorf("a call ended with %v", err)
					}
				}
				if generation == stateful {
					a.mu.Lock()
					defer a.mu.Unlock()
					if a.ended != users {
						t.Errorf("%d sessions were ended at the server, want %d", a.ended, users)
					}
				}
			})
		}
	}
}

// A process for each identity, all of which end.
func TestProcessesOfIdentitiesEnd(t *testing.T) {
	leak.Check(t)
	connection := testserver.Stdio(t, "one")
	connection.Settings = own(config.Settings{ProtocolVersion: stateful})
	c := newPersonal(t, config.Connections{"one": connection}, &multiclient.Options{
		Identities: multiclient.Identities{MaxPerServer: 2, Connection: withTokens},
	})
	var wg sync.WaitGroup
	for u := range 8 {
		wg.Go(func() {
			user := fmt.Sprint("user", u)
			if _, err := c.CallTool(as(t.Context(), user), "one", "count", nil); err != nil {
				t.Errorf("%s: %v", user, err)
			}
		})
	}
	wg.Wait()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// Subscriptions of each identity go on at the connection that takes the place of
// another, and to nobody else.
func TestReplacedServersKeepSubscriptionsOfIdentities(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, after := newGated(), newGated()
		updated := make(chan string, 10)
		c := newPersonal(t, g.connection(), &multiclient.Options{Callbacks: callbacks.Callbacks{
			OnResourceUpdated: func(_ context.Context, cc callbacks.CallbackContext, params *mcp.ResourceUpdatedNotificationParams) {
				updated <- cc.Identity + " " + params.URI
			},
		}})
		for _, user := range []string{"ann", "bob"} {
			session(t, c, user)
		}
		if err := c.Subscribe(as(t.Context(), "ann"), "one", "file:///r"); err != nil {
			t.Fatal(err)
		}
		for range 2 { // also if nobody has come meanwhile
			if err := c.ReplaceServer(t.Context(), "one", after.connection()["one"]); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait() // until the server has noticed
		if n := g.open(); n != 0 {
			t.Errorf("%d sessions with the old server", n)
		}
		synctest.Wait()
		time.Sleep(time.Second) // within which the session is opened again
		if n := after.open(); n != 1 {
			t.Errorf("%d sessions, want that of ann, who waits for changes", n)
		}
		session(t, c, "bob")
		if err := after.ResourceUpdated(t.Context(), &mcp.ResourceUpdatedNotificationParams{URI: "file:///r"}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got := <-updated; got != "ann file:///r" || len(updated) != 0 {
			t.Errorf("updated %q and %d more", got, len(updated))
		}
		if err := c.ReplaceServer(t.Context(), "one", config.InMemory{Server: after.Server}); err != nil {
			t.Fatal(err)
		}
		if _, err := c.ServerInfo(t.Context(), "one"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if err := after.ResourceUpdated(t.Context(), &mcp.ResourceUpdatedNotificationParams{URI: "file:///r"}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if len(updated) != 0 {
			t.Errorf("the subscription of ann went to everybody: %q", <-updated)
		}
	})
}

// A server that cannot be added leaves nothing that checks its health.
func TestRefusedServersAreNotChecked(t *testing.T) {
	leak.Check(t)
	c := newClient(t, nil, &multiclient.Options{HealthCheck: time.Hour})
	one := config.StreamableHTTP{URL: "https://one.example.com", OAuthHandler: userHandler(t)}
	if err := c.AddServer("one", one); err != nil {
		t.Fatal(err)
	}
	if err := c.AddServer("two", one); err == nil {
		t.Error("two servers have one handler")
	}
}

// One identity that cannot connect does not keep others from it.
func TestFailuresOfOneIdentityAreItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, away := newGated(), errors.New("go away, eve")
		c := newPersonal(t, g.connection(), &multiclient.Options{Identities: multiclient.Identities{
			Connection: func(_ context.Context, user, _ string, connection config.Connection) (config.Connection, error) {
				if user == "eve" {
					return config.Custom{NewTransport: func(context.Context) (mcp.Transport, error) { return nil, away }}, nil
				}
				return connection, nil
			},
		}})
		var last *multiclient.Error
		for range 6 {
			_, err := c.CallTool(as(t.Context(), "eve"), "one", "go", nil)
			if !errors.As(err, &last) || !errors.Is(err, multiclient.ErrUnavailable) {
				t.Fatalf("error %v", err)
			}
		}
		if last.RetryAt.IsZero() {
			t.Error("eve is still tried again")
		}
		st := c.Status()[0]
		if st.State != multiclient.StateFailed || !errors.Is(st.LastError, multiclient.ErrUnavailable) || st.Identities != 1 {
			t.Errorf("status %+v", st)
		}
		// What was said to eve may be about her, or be where she signs in.
		if errors.Is(st.LastError, away) || strings.Contains(fmt.Sprint(st.LastError), away.Error()) {
			t.Errorf("everybody is told what was said to eve: %v", st.LastError)
		}
		if s := session(t, c, "ann"); s != "1" {
			t.Errorf("session %s", s)
		}
		if st := c.Status()[0]; st.State != multiclient.StateReady || st.LastError != nil || st.Identities != 2 {
			t.Errorf("status %+v", st)
		}
	})
}

// Sessions that are lost are replaced by the health check with what belongs to
// their identity, and without keeping them in use.
func TestHealthChecksOfIdentities(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newGated()
		var mu sync.Mutex
		opened := map[string]int{}
		connection := config.Custom{Settings: own(config.Settings{ProtocolVersion: stateful}), NewTransport: func(ctx context.Context) (mcp.Transport, error) {
			user, err := userOf(ctx)
			if err != nil {
				return nil, err
			}
			mu.Lock()
			opened[user]++
			mu.Unlock()
			theirs, ours := mcp.NewInMemoryTransports()
			_, err = g.Connect(context.Background(), theirs, nil)
			return ours, err
		}}
		c := newPersonal(t, config.Connections{"one": connection}, &multiclient.Options{HealthCheck: time.Minute})
		for _, user := range []string{"ann", "bob"} {
			session(t, c, user)
		}
		for ss := range g.Sessions() {
			ss.Close()
		}
		time.Sleep(2 * time.Minute)
		mu.Lock()
		if opened["ann"] != 2 || opened["bob"] != 2 {
			t.Errorf("sessions opened: %v, want two for each", opened)
		}
		mu.Unlock()
		time.Sleep(2 * multiclient.DefaultIdleTimeout)
		if st := c.Status()[0]; st.Identities != 0 {
			t.Errorf("status %+v: the checks keep sessions", st)
		}
	})
}
