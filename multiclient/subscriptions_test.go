package multiclient_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

const readme = "file:///readme.txt"

// updates receives the resources that were updated.
func updates(t testing.TB) (chan string, callbacks.Callbacks) {
	uris := make(chan string, 1024)
	return uris, callbacks.Callbacks{
		OnResourceUpdated: func(_ context.Context, cc callbacks.CallbackContext, p *mcp.ResourceUpdatedNotificationParams) {
			if cc.ServerName != "one" || cc.ToolName != "" {
				t.Errorf("the update was of %v", cc)
			}
			uris <- p.URI
		},
	}
}

// announced announces a change of the resource until an update comes: a
// subscription of 2026-07-28 is not acknowledged.
func announced(t testing.TB, c *multiclient.MultiServerClient, uris <-chan string) {
	t.Helper()
	eventually(t, func() bool {
		call(t, c, "one", "announce", map[string]any{"what": readme})
		select {
		case uri := <-uris:
			if uri != readme {
				t.Errorf("%s was updated", uri)
			}
			return true
		default:
			return false
		}
	})
}

// notAnnounced announces changes of the resource until no update comes.
func notAnnounced(t testing.TB, c *multiclient.MultiServerClient, uris <-chan string) {
	t.Helper()
	eventually(t, func() bool {
		for len(uris) > 0 {
			<-uris
		}
		call(t, c, "one", "announce", map[string]any{"what": readme})
		// What the server sent before this answer has come.
		call(t, c, "one", "echo", map[string]any{"text": "x"})
		return len(uris) == 0
	})
}

func TestSubscriptions(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		uris, cb := updates(t)
		c := newClient(t, config.Connections{"one": w.connect(t, testserver.New("one"), config.Settings{})}, &multiclient.Options{Callbacks: cb})
		for range 2 { // twice is once
			if err := c.Subscribe(t.Context(), "one", readme); err != nil {
				t.Fatal(err)
			}
		}
		announced(t, c, uris)
		if err := c.Unsubscribe(t.Context(), "one", readme); err != nil {
			t.Fatal(err)
		}
		notAnnounced(t, c, uris)
		if err := c.Unsubscribe(t.Context(), "one", readme); err != nil {
			t.Error(err)
		}
		if err := c.Subscribe(t.Context(), "one", readme); err != nil {
			t.Fatal(err)
		}
		announced(t, c, uris)
	})
}

func TestSubscriptionsAreMadeAgain(t *testing.T) {
	for _, version := range []string{stateful, ""} {
		t.Run(version, func(t *testing.T) {
			s := testserver.New("one")
			connection, breakIt := breakable(s, config.Settings{ProtocolVersion: version})
			uris, cb := updates(t)
			c := newClient(t, config.Connections{"one": connection}, &multiclient.Options{Callbacks: cb})
			if err := c.Subscribe(t.Context(), "one", readme); err != nil {
				t.Fatal(err)
			}
			for range 3 {
				announced(t, c, uris)
				lose(t, c, breakIt)
				for len(uris) > 0 {
					<-uris
				}
			}
			announced(t, c, uris)
			if err := c.Unsubscribe(t.Context(), "one", readme); err != nil {
				t.Fatal(err)
			}
			times, _ := s.Received("resources/subscribe")
			lose(t, c, breakIt)
			call(t, c, "one", "echo", map[string]any{"text": "x"})
			if again, _ := s.Received("resources/subscribe"); again != times {
				t.Error("what was unsubscribed was subscribed again")
			}
		})
	}
}

func TestSubscriptionsOverForgottenSessions(t *testing.T) {
	s := testserver.New("one")
	url, forget := forgetful(t, s)
	uris, cb := updates(t)
	c := newClient(t, config.Connections{"one": config.StreamableHTTP{URL: url}}, &multiclient.Options{Callbacks: cb})
	if err := c.Subscribe(t.Context(), "one", readme); err != nil {
		t.Fatal(err)
	}
	announced(t, c, uris)
	forget()
	call(t, c, "one", "echo", map[string]any{"text": "x"})
	for len(uris) > 0 {
		<-uris
	}
	announced(t, c, uris)
}

func TestSubscriptionThatIsRefused(t *testing.T) {
	for _, version := range []string{stateful, ""} {
		t.Run(version, func(t *testing.T) {
			// A server that offers no subscriptions.
			s := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
			s.AddResource(&mcp.Resource{Name: "r", URI: readme}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
				return &mcp.ReadResourceResult{}, nil
			})
			c := newClient(t, config.Connections{"one": config.InMemory{Server: s, Settings: config.Settings{ProtocolVersion: version}}}, nil)
			err := c.Subscribe(t.Context(), "one", readme)
			var e *multiclient.Error
			if !errors.As(err, &e) || e.Server != "one" || !strings.Contains(err.Error(), "subscri") {
				t.Errorf("Subscribe gave %v", err)
			}
			if err := c.Subscribe(t.Context(), "nobody", readme); !errors.Is(err, multiclient.ErrUnknownServer) {
				t.Errorf("Subscribe at an unknown server gave %v", err)
			}
		})
	}
}

func TestSubscriptionThatIsRefusedLater(t *testing.T) {
	s := testserver.New("one")
	refuse, refused := false, 0
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if p, ok := req.GetParams().(*mcp.SubscribeParams); ok && refuse && p.URI == "u:gone" {
				refused++
				return nil, errors.New("no such resource any more")
			}
			return next(ctx, method, req)
		}
	})
	connection, breakIt := breakable(s, config.Settings{ProtocolVersion: stateful})
	uris, cb := updates(t)
	c := newClient(t, config.Connections{"one": connection}, &multiclient.Options{Callbacks: cb})
	for _, uri := range []string{"u:gone", readme} {
		if err := c.Subscribe(t.Context(), "one", uri); err != nil {
			t.Fatal(err)
		}
	}
	refuse = true
	for range 2 {
		lose(t, c, breakIt)
		announced(t, c, uris)
	}
	if refused != 1 { // the second time it is not even tried
		t.Errorf("it was refused %d times, want once", refused)
	}
}

func TestSubscriptionOfALostSession(t *testing.T) {
	// The session is lost when the server has subscribed, and nobody knows.
	s := testserver.New("one")
	connection, breakIt := breakable(s, config.Settings{ProtocolVersion: stateful})
	first := true
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			res, err := next(ctx, method, req)
			if method == "resources/subscribe" && first {
				first = false
				breakIt()
			}
			return res, err
		}
	})
	uris, cb := updates(t)
	c := newClient(t, config.Connections{"one": connection}, &multiclient.Options{Callbacks: cb})
	if err := c.Subscribe(t.Context(), "one", readme); err != nil {
		t.Fatal(err)
	}
	announced(t, c, uris)
}

func TestChangedRootsAreAnnounced(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		s := testserver.New("one")
		cb := answerAll()
		c := newClient(t, config.Connections{"one": w.connect(t, s, config.Settings{})}, &multiclient.Options{Callbacks: cb})
		c.RootsChanged() // nobody is connected
		call(t, c, "one", "echo", map[string]any{"text": "x"})
		const method = "notifications/roots/list_changed"
		received := func() string { return call(t, c, "one", "received", map[string]any{"method": method}) }
		if got := received(); got != `0 []` {
			t.Errorf("before a change %s was received", got)
		}
		for _, want := range []string{`1 [""]`, `2 ["" ""]`} {
			c.RootsChanged()
			if w.version == stateless {
				want = `0 []`
			}
			eventually(t, func() bool { return received() == want })
		}
	})
}

func TestRootsThatWereNotDeclaredAreNotAnnounced(t *testing.T) {
	s := testserver.New("one")
	c := newClient(t, config.Connections{"one": config.InMemory{Server: s.Server, Settings: config.Settings{ProtocolVersion: stateful}}}, nil)
	call(t, c, "one", "echo", map[string]any{"text": "x"})
	c.RootsChanged()
	call(t, c, "one", "echo", map[string]any{"text": "x"})
	if times, _ := s.Received("notifications/roots/list_changed"); times != 0 {
		t.Error("a change was announced of what the server does not know of")
	}
}
