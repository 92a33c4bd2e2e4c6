package multiclient_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// hanging returns a server that does not answer to a method.
func hanging(name, method string) *testserver.Server {
	s := testserver.New(name)
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, m string, req mcp.Request) (mcp.Result, error) {
			if m == method {
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return next(ctx, m, req)
		}
	})
	return s
}

// Connecting, listing and calling have a timeout each: that of the connection, or
// of the client, or the default. A server that does not answer within it costs who
// asked it, and nobody else.
func TestTimeoutsOfEachPhase(t *testing.T) {
	own := config.Settings{ConnectTimeout: 3 * time.Second, ListTimeout: 5 * time.Second, CallTimeout: 7 * time.Second}
	clients := multiclient.Options{ConnectTimeout: 4 * time.Second, ListTimeout: 6 * time.Second, CallTimeout: 8 * time.Second}
	tools := func(ctx context.Context, c *multiclient.MultiServerClient) error {
		_, err := c.Tools(ctx, "s")
		return err
	}
	for name, test := range map[string]struct {
		method   string // that is not answered; none is if it is empty
		ask      func(context.Context, *multiclient.MultiServerClient) error
		kind     multiclient.ErrorKind
		standard time.Duration
		option   time.Duration
		setting  time.Duration
	}{
		"connecting": {"", tools, multiclient.ErrUnavailable, multiclient.DefaultConnectTimeout, clients.ConnectTimeout, own.ConnectTimeout},
		"tools":      {"tools/list", tools, multiclient.ErrTimeout, multiclient.DefaultListTimeout, clients.ListTimeout, own.ListTimeout},
		"prompts": {"prompts/list", func(ctx context.Context, c *multiclient.MultiServerClient) error {
			_, err := c.Prompts(ctx, "s")
			return err
		}, multiclient.ErrTimeout, multiclient.DefaultListTimeout, clients.ListTimeout, own.ListTimeout},
		"resources": {"resources/list", func(ctx context.Context, c *multiclient.MultiServerClient) error {
			_, err := c.Resources(ctx, "s")
			return err
		}, multiclient.ErrTimeout, multiclient.DefaultListTimeout, clients.ListTimeout, own.ListTimeout},
		"calling": {"tools/call", func(ctx context.Context, c *multiclient.MultiServerClient) error {
			_, err := c.CallTool(ctx, "s", "echo", nil)
			return err
		}, multiclient.ErrTimeout, multiclient.DefaultCallTimeout, clients.CallTimeout, own.CallTimeout},
	} {
		for from, set := range map[string]struct {
			settings config.Settings
			options  multiclient.Options
			want     time.Duration
		}{
			"default":    {config.Settings{}, multiclient.Options{}, test.standard},
			"client":     {config.Settings{}, clients, test.option},
			"connection": {own, clients, test.setting},
		} {
			t.Run(name+"/"+from, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var connection config.Connection = config.InMemory{Server: hanging("s", test.method).Server, Settings: set.settings}
					if test.method == "" {
						connection = config.Custom{Settings: set.settings, NewTransport: func(context.Context) (mcp.Transport, error) {
							_, client := mcp.NewInMemoryTransports()
							return client, nil
						}}
					}
					c := newClient(t, config.Connections{"s": connection, "fine": config.InMemory{Server: testserver.New("fine").Server}}, &set.options)
					start, ended := time.Now(), make(chan error, 1)
					go func() { ended <- test.ask(t.Context(), c) }()
					synctest.Wait()
					call(t, c, "fine", "echo", map[string]any{"text": "x"})
					if took := time.Since(start); took > 0 {
						t.Errorf("the other server took %v", took)
					}
					err := <-ended
					if took := time.Since(start); took != set.want {
						t.Errorf("it took %v, want %v", took, set.want)
					}
					e := (*multiclient.Error)(nil)
					if !errors.As(err, &e) || e.Kind != test.kind || !errors.Is(err, multiclient.ErrTimeout) || !errors.Is(err, context.DeadlineExceeded) {
						t.Errorf("got %v", err)
					}
					if st := c.Status()[1]; test.method != "" && (st.State != multiclient.StateReady || st.Generation != 1) {
						t.Errorf("afterwards the server is %s in generation %d", st.State, st.Generation)
					}
				})
			})
		}
	}
}

// The caller's own deadline is no timeout of ours, whatever was being done.
func TestDeadlinesOfTheCaller(t *testing.T) {
	for _, method := range []string{"initialize", "tools/list", "tools/call"} {
		t.Run(method, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				settings := config.Settings{ProtocolVersion: "2025-11-25"}
				c := newClient(t, config.Connections{"s": config.InMemory{Server: hanging("s", method).Server, Settings: settings}}, nil)
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				_, err := c.Tools(ctx, "s")
				if method == "tools/call" {
					_, err = c.CallTool(ctx, "s", "echo", nil)
				}
				if e := (*multiclient.Error)(nil); !errors.As(err, &e) || e.Kind != multiclient.ErrFailed || errors.Is(err, multiclient.ErrTimeout) || !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("got %v", err)
				}
			})
		})
	}
}

// Who waits for a list that somebody else has asked for waits no longer than for
// one of his own and a session.
func TestListsThatOthersWaitFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		settings := config.Settings{ConnectTimeout: time.Second, ListTimeout: 10 * time.Second}
		c := newClient(t, config.Connections{"s": config.InMemory{Server: hanging("s", "tools/list").Server, Settings: settings}}, nil)
		start := time.Now()
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if _, err := c.Tools(t.Context()); !errors.Is(err, multiclient.ErrTimeout) {
					t.Errorf("got %v", err)
				}
			})
		}
		wg.Wait()
		if took := time.Since(start); took > 11*time.Second {
			t.Errorf("the last one waited %v", took)
		}
	})
}
