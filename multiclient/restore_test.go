package multiclient_test

import (
	"context"
	"errors"
	"sync/atomic"
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

// Who waits for what a server announces gets it after the session was lost, and
// calls nothing for it.
func TestSessionsThatAreAwaitedComeBack(t *testing.T) {
	leak.Check(t)
	s := testserver.New("one")
	connection, breakIt := breakable(s, config.Settings{})
	uris, cb := updates(t)
	c := newClient(t, config.Connections{"one": connection, "unused": config.InMemory{Server: testserver.New("unused").Server}},
		&multiclient.Options{Callbacks: cb, Reconnect: multiclient.Reconnect{Delay: time.Millisecond}})
	if err := c.Subscribe(t.Context(), "one", readme); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		breakIt()
		for len(uris) > 0 {
			<-uris
		}
		eventually(t, func() bool {
			if err := s.ResourceUpdated(t.Context(), &mcp.ResourceUpdatedNotificationParams{URI: readme}); err != nil {
				t.Log(err)
			}
			return len(uris) > 0
		})
	}
	if st := c.Status()[1]; st.Generation != 0 {
		t.Errorf("the unused server is in generation %d", st.Generation)
	}
	if err := c.ReplaceServer(t.Context(), "one", inMemory("")(t, s, config.Settings{})); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool { return c.Status()[0].State == multiclient.StateReady })
}

// A lost session that nobody waits for is opened when it is needed.
func TestSessionsThatAreNotAwaitedStayLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		connection, breakIt := breakable(testserver.New("one"), config.Settings{})
		c := newClient(t, config.Connections{"one": connection}, nil)
		call(t, c, "one", "echo", map[string]any{"text": "x"})
		breakIt()
		time.Sleep(time.Hour)
		if st := c.Status()[0]; st.State == multiclient.StateReady || st.Generation != 1 {
			t.Errorf("the server is %s in generation %d", st.State, st.Generation)
		}
	})
}

// A server that ends again and again, or does not come back, is left alone as
// Reconnect says, and not given up.
func TestRestorationIsPaced(t *testing.T) {
	for name, broken := range map[string]func(breakIt func()) error{
		"ends after an answer": func(breakIt func()) error { time.AfterFunc(time.Second, breakIt); return nil },
		"does not start":       func(func()) error { return errors.New("no luck") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				working, breakIt := breakable(testserver.New("one"), config.Settings{ProtocolVersion: stateful})
				own := working.(config.Custom)
				var opened atomic.Int32
				var healthy atomic.Bool
				healthy.Store(true)
				connection := config.Custom{Settings: own.Settings, NewTransport: func(ctx context.Context) (mcp.Transport, error) {
					opened.Add(1)
					if !healthy.Load() {
						if err := broken(breakIt); err != nil {
							return nil, err
						}
					}
					return own.NewTransport(ctx)
				}}
				changed := make(chan struct{}, 1024)
				c := newClient(t, config.Connections{"one": connection}, &multiclient.Options{Callbacks: callbacks.Callbacks{
					OnToolsChanged: func(context.Context, callbacks.CallbackContext, callbacks.ToolsChange) { changed <- struct{}{} },
				}})
				if _, err := c.Tools(t.Context()); err != nil {
					t.Fatal(err)
				}
				opened.Store(0)
				healthy.Store(false)
				breakIt()
				time.Sleep(time.Hour)
				// About each 30 s, the cool-down.
				if n := opened.Load(); n < 60 || n > 300 {
					t.Errorf("it was opened %d times within an hour", n)
				}
				healthy.Store(true)
				time.Sleep(time.Minute)
				if st := c.Status()[0]; st.State != multiclient.StateReady {
					t.Errorf("a minute after it has recovered it is %s: %v", st.State, st.LastError)
				}
				healthy.Store(false)
				breakIt()
				time.Sleep(time.Second)
				if err := c.Close(); err != nil {
					t.Error(err)
				}
				opened.Store(0)
				time.Sleep(time.Hour)
				if n := opened.Load(); n != 0 {
					t.Errorf("it was opened %d times after Close", n)
				}
			})
		})
	}
}
