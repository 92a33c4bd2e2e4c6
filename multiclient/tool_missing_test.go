package multiclient_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// down is a server that cannot be reached.
func down(settings config.Settings) config.Connection {
	return config.Custom{Settings: settings, NewTransport: func(context.Context) (mcp.Transport, error) {
		return nil, errors.New("nothing there")
	}}
}

// A tool is unknown only if all servers have said so.
func TestToolOfAServerThatIsDown(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		required, all bool
	}{"by default": {}, "of a server that is required": {required: true}, "where all are": {all: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClient(t, config.Connections{
				"up":   plainServer("fetch"),
				"down": down(config.Settings{Required: test.required}),
			}, &multiclient.Options{RequireAll: test.all, Reconnect: multiclient.Reconnect{Attempts: 1, CoolDown: time.Hour}})
			for range 2 {
				_, err := c.Tool(t.Context(), "fetsch")
				var e *multiclient.Error
				if !errors.As(err, &e) || e.Kind != multiclient.ErrUnavailable || e.Phase != multiclient.PhaseLookup || e.Tool != "fetsch" || errors.Is(err, multiclient.ErrUnknownTool) {
					t.Fatalf("got %v", err)
				}
				if left := time.Until(e.RetryAt); left < time.Minute {
					t.Errorf("it is tried again in %v", left)
				}
				if failed := multiclient.ServerErrors(errors.Unwrap(e)); len(failed) != 1 || failed[0].Server != "down" {
					t.Errorf("the servers that failed are %v", failed)
				}
				for _, want := range []string{`"fetsch"`, `"down"`, "nothing there"} {
					if !strings.Contains(err.Error(), want) {
						t.Errorf("%q does not say %s", err, want)
					}
				}
				if whole := test.all || test.required; strings.Contains(err.Error(), "no server that answered lists") == whole {
					t.Errorf("the error is %q", err)
				}
			}
			if _, err := c.Tool(t.Context(), "fetch"); (err == nil) == (test.all || test.required) {
				t.Errorf("a tool of the server that is up gave %v", err)
			}
		})
	}
}

// What several servers have failed by is told as one, and when the first of them is
// tried again.
func TestToolOfSeveralServersThatAreDown(t *testing.T) {
	t.Parallel()
	c := newClient(t, config.Connections{"one": down(config.Settings{}), "two": down(config.Settings{})},
		&multiclient.Options{Reconnect: multiclient.Reconnect{Attempts: 2, CoolDown: time.Hour, Delay: time.Millisecond}})
	retryAt := func() time.Time {
		t.Helper()
		_, err := c.Tool(t.Context(), "fetch")
		var e *multiclient.Error
		if !errors.As(err, &e) || e.Kind != multiclient.ErrUnavailable || !strings.Contains(err.Error(), `"one"`) || !strings.Contains(err.Error(), `"two"`) {
			t.Fatalf("got %v", err)
		}
		return e.RetryAt
	}
	if _, err := c.Tools(t.Context(), "one"); !errors.Is(err, multiclient.ErrUnavailable) {
		t.Fatal(err)
	}
	if at := retryAt(); !at.IsZero() {
		t.Errorf("one is left alone until %v, the other not", at)
	}
	if at := retryAt(); time.Until(at) < time.Minute {
		t.Errorf("both are left alone until %v", at)
	}
}

// Nor is it unknown when the caller gives up, or the client is closed.
func TestToolWithoutAnswers(t *testing.T) {
	t.Parallel()
	silent := config.Custom{NewTransport: func(ctx context.Context) (mcp.Transport, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}}
	c := newClient(t, config.Connections{"up": plainServer("fetch"), "silent": silent}, nil)
	why := errors.New("the user has left")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	_, err := c.Tool(ctx, "fetsch")
	if !errors.Is(err, context.Canceled) || !errors.Is(err, why) || errors.Is(err, multiclient.ErrUnknownTool) || !errors.Is(err, multiclient.ErrFailed) {
		t.Errorf("with a context that has ended: %v", err)
	}
	ctx, end := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer end()
	if _, err := c.Tool(ctx, "fetsch"); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, multiclient.ErrUnknownTool) || !errors.Is(err, multiclient.ErrFailed) {
		t.Errorf("with a context that ends: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Tool(t.Context(), "fetch"); !errors.Is(err, multiclient.ErrClosed) || errors.Is(err, multiclient.ErrUnknownTool) || strings.Contains(err.Error(), "no server") {
		t.Errorf("of a closed client: %v", err)
	}
	if _, err := c.CallTool(t.Context(), "other", "fetch", nil); !errors.Is(err, multiclient.ErrClosed) || errors.Is(err, multiclient.ErrUnknownServer) {
		t.Errorf("a call to a server that never was, of a closed client: %v", err)
	}
	if _, err := c.Tools(t.Context(), "other"); !errors.Is(err, multiclient.ErrClosed) || errors.Is(err, multiclient.ErrUnknownServer) {
		t.Errorf("tools of a server that never was, of a closed client: %v", err)
	}
}
