package multiclient_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// Calls in flight count on whatever session they are, until they have returned.
func TestStatusOfCallsInFlight(t *testing.T) {
	for _, policy := range []config.SessionPolicy{config.SessionShared, config.SessionPerCall, config.SessionPerIdentity} {
		t.Run(string(policy), func(t *testing.T) {
			s := testserver.New("s")
			c := newClient(t, config.Connections{"s": config.InMemory{Server: s.Server, Settings: config.Settings{SessionPolicy: policy}}}, &multiclient.Options{
				Identities: multiclient.Identities{Of: func(context.Context) (string, error) { return "user", nil }},
			})
			if st := c.Status()[0]; st.LastLatency != 0 || st.Latency != 0 || st.InFlight != 0 {
				t.Errorf("before the first call: %+v", st)
			}
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan error, 3)
			for range cap(ended) {
				go func() { _, err := c.CallTool(ctx, "s", "block", nil); ended <- err }()
				receive(t, s.Blocked, "call in flight")
			}
			if st := c.Status()[0]; st.InFlight != cap(ended) {
				t.Errorf("with %d calls in flight: %+v", cap(ended), st)
			}
			cancel()
			for range cap(ended) {
				if err := receive(t, ended, "end of a call"); !errors.Is(err, context.Canceled) {
					t.Error(err)
				}
			}
			if st := c.Status()[0]; st.InFlight != 0 || st.LastLatency != 0 || st.Latency != 0 {
				t.Errorf("after calls that were cancelled: %+v", st)
			}
			call(t, c, "s", "echo", map[string]any{"text": "x"})
			if st := c.Status()[0]; st.InFlight != 0 || st.LastLatency == 0 || st.Latency != st.LastLatency {
				t.Errorf("after a call: %+v", st)
			}
		})
	}
}

// A server that cannot be reached is one that has failed, by whatever policy it is
// used, until it can be.
func TestStatusOfAServerThatIsDown(t *testing.T) {
	for _, policy := range []config.SessionPolicy{config.SessionShared, config.SessionPerCall} {
		t.Run(string(policy), func(t *testing.T) {
			s := testserver.New("s")
			var up atomic.Bool
			connection, _ := breakable(s, config.Settings{SessionPolicy: policy})
			custom := connection.(config.Custom)
			dial := custom.NewTransport
			custom.NewTransport = func(ctx context.Context) (mcp.Transport, error) {
				if !up.Load() {
					return nil, errors.New("not yet")
				}
				return dial(ctx)
			}
			c := newClient(t, config.Connections{"s": custom}, nil)
			before := c.Status()[0]
			if before.State != multiclient.StateIdle || before.LastError != nil {
				t.Errorf("before the first call: %+v", before)
			}
			if _, err := c.CallTool(t.Context(), "s", "echo", map[string]any{"text": "x"}); !errors.Is(err, multiclient.ErrUnavailable) {
				t.Errorf("got %v", err)
			}
			down := c.Status()[0]
			if down.State != multiclient.StateFailed || !errors.Is(down.LastError, multiclient.ErrUnavailable) || !down.Since.After(before.Since) {
				t.Errorf("when it is down: %+v", down)
			}
			up.Store(true)
			call(t, c, "s", "echo", map[string]any{"text": "x"})
			if st := c.Status()[0]; st.State == multiclient.StateFailed || st.LastError != nil || !st.Since.After(down.Since) {
				t.Errorf("when it is up: %+v", st)
			}
		})
	}
}
