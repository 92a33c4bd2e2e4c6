package multiclient_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
	"github.com/langchaingo-mcp/mcpadapters/interceptors/retry"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// Interceptor retry waits for a server that is left alone, if it has the time.
func TestRetryOfAServerThatIsLeftAlone(t *testing.T) {
	const coolDown = 20 * time.Second
	for name, test := range map[string]struct {
		maxWait  time.Duration
		attempts int
	}{"with the time": {time.Minute, 2}, "without": {time.Second, 1}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, attempts := testserver.New("one"), 0
				always := func(*interceptors.Request, *mcp.CallToolResult, error) bool { return true }
				c, err := multiclient.New(config.Connections{"one": config.Custom{NewTransport: func(ctx context.Context) (mcp.Transport, error) {
					if attempts++; attempts == 1 {
						return nil, errors.New("not yet")
					}
					ours, theirs := mcp.NewInMemoryTransports()
					_, err := s.Connect(ctx, theirs, nil)
					return ours, err
				}}}, &multiclient.Options{
					Reconnect:    multiclient.Reconnect{Attempts: 1, CoolDown: coolDown},
					Interceptors: []interceptors.Interceptor{retry.New(&retry.Options{Attempts: 2, MaxWait: test.maxWait, Retryable: always})},
				})
				if err != nil {
					t.Fatal(err)
				}
				begun := time.Now()
				_, err = c.CallTool(t.Context(), "one", "count", nil)
				took := time.Since(begun)
				switch e := (*multiclient.Error)(nil); {
				case test.attempts == 1 && (!errors.As(err, &e) || e.RetryAt.IsZero() || took > 2*time.Second):
					t.Errorf("%v after %v", err, took)
				case test.attempts == 2 && (err != nil || took < coolDown || took > coolDown+time.Second):
					t.Errorf("%v after %v", err, took)
				}
				if attempts != test.attempts {
					t.Errorf("it was tried %d times", attempts)
				}
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// The failure after which a server is left alone says so itself.
func TestFailureThatIsTheLast(t *testing.T) {
	const attempts = 3
	down := &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	var away atomic.Bool
	s := testserver.New("one")
	over := config.StreamableHTTP{URL: s.HTTP(t, true), HTTP: config.HTTP{Client: &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			if away.Load() {
				return nil, down
			}
			return new(net.Dialer).DialContext(ctx, network, addr)
		},
	}}}}
	perCall := over
	perCall.SessionPolicy = config.SessionPerCall
	calls := func(c *multiclient.MultiServerClient) error {
		_, err := c.CallTool(t.Context(), "one", "echo", map[string]any{"text": "x"})
		return err
	}
	lists := func(c *multiclient.MultiServerClient) error {
		_, err := c.Tools(t.Context())
		return err
	}
	for name, test := range map[string]struct {
		connection config.Connection
		ask        func(*multiclient.MultiServerClient) error
		used       bool // before the server is away
	}{
		"calls that connect":        {over, calls, false},
		"calls with a session each": {perCall, calls, false},
		"lists that connect":        {over, lists, false},
		"calls on a session":        {over, calls, true},
		"lists on a session":        {over, lists, true},
	} {
		t.Run(name, func(t *testing.T) {
			away.Store(false)
			c := newClient(t, config.Connections{"one": test.connection}, &multiclient.Options{
				Reconnect: multiclient.Reconnect{Attempts: attempts, Delay: time.Millisecond, CoolDown: time.Hour},
			})
			if test.used {
				if err := calls(c); err != nil {
					t.Fatal(err)
				}
			}
			away.Store(true)
			for n := 1; n <= attempts+1; n++ {
				err := test.ask(c)
				e := (*multiclient.Error)(nil)
				alone := interface{ RetryAt() time.Time }(nil)
				if !errors.As(err, &e) || e.Kind != multiclient.ErrUnavailable || !errors.Is(err, down) {
					t.Fatalf("request %d: %v", n, err)
				}
				// On a session, one request makes all the attempts.
				last := n >= attempts || test.used
				if e.RetryAt.IsZero() == last || errors.As(err, &alone) != last || last && !alone.RetryAt().Equal(e.RetryAt) {
					t.Errorf("request %d is to be made again at %v: %v", n, e.RetryAt, err)
				}
				if last && (strings.Count(err.Error(), "not tried again for ") != 1 || strings.Count(err.Error(), down.Error()) != 1) {
					t.Errorf("request %d: %v", n, err)
				}
			}
		})
	}
}
