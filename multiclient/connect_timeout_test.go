package multiclient_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

type slowDial struct{}

func (slowDial) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: fmt.Errorf("i/o timeout: %w", context.DeadlineExceeded)}
}

// Only the connect timeout is one of the client: other timeouts on the way to a
// session, and that of an attempt that was not this call's, are not.
func TestTimeoutsOfConnecting(t *testing.T) {
	bound := config.Settings{ConnectTimeout: time.Second, ProtocolVersion: stateful}
	source := func(wait func(context.Context) error) config.Connection {
		return config.StreamableHTTP{URL: "http://127.0.0.1:1/", Settings: bound, HTTP: config.HTTP{
			HeaderSource: func(ctx context.Context) (http.Header, error) { return nil, wait(ctx) },
		}}
	}
	short := config.Settings{ConnectTimeout: 20 * time.Millisecond, ProtocolVersion: stateful}
	other := newClient(t, config.Connections{"other": config.InMemory{Server: hanging("other", "initialize").Server, Settings: short}}, nil)
	for name, test := range map[string]struct {
		connection config.Connection
		want       bool
	}{
		"no answer": {config.InMemory{Server: hanging("s", "initialize").Server, Settings: bound}, true},
		"transport that hangs": {config.Custom{Settings: bound, NewTransport: func(ctx context.Context) (mcp.Transport, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}}, true},
		"timeout of a header source": {source(func(context.Context) error { return context.DeadlineExceeded }), false},
		"connect timeout of another client": {source(func(ctx context.Context) error {
			_, err := other.Tools(ctx)
			return err
		}), false},
		"timeout of dialling": {config.StreamableHTTP{URL: "http://127.0.0.1:1/", Settings: bound, HTTP: config.HTTP{
			Client: &http.Client{Transport: slowDial{}},
		}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClient(t, config.Connections{"s": test.connection}, nil)
			_, err := c.CallTool(t.Context(), "s", "echo", nil)
			if !errors.Is(err, multiclient.ErrUnavailable) || !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, multiclient.ErrTimeout) != test.want {
				t.Errorf("is ErrTimeout: %v, want %v: %v", !test.want, test.want, err)
			}
		})
	}
}

// Nor is it where the server is left alone, after a timeout that others may have had.
func TestServersLeftAloneAfterATimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		settings := config.Settings{ConnectTimeout: time.Second, ProtocolVersion: stateful}
		c := newClient(t, config.Connections{"s": config.InMemory{Server: hanging("s", "initialize").Server, Settings: settings}}, &multiclient.Options{
			Reconnect: multiclient.Reconnect{Attempts: 1, Delay: time.Millisecond, CoolDown: time.Hour},
		})
		for range 2 {
			_, err := c.CallTool(t.Context(), "s", "echo", nil)
			if e := (*multiclient.Error)(nil); !errors.As(err, &e) || e.RetryAt.IsZero() || errors.Is(err, multiclient.ErrTimeout) {
				t.Errorf("got %v", err)
			}
		}
	})
}
