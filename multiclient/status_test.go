package multiclient_test

import (
	"context"
	"errors"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/leak"
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

// The process of a server is told by its id, as long as there is one.
func TestStatusOfAProcess(t *testing.T) {
	leak.Check(t)
	v := testserver.Chaos{Dir: t.TempDir()}
	c := newClient(t, config.Connections{"s": v.Stdio(t)}, nil)
	if st := c.Status()[0]; st.PID != 0 {
		t.Errorf("process %d before the first call", st.PID)
	}
	for range 2 {
		call(t, c, "s", "once", map[string]any{"id": "a", "ms": 0})
		pid, err := v.PID()
		if err != nil {
			t.Fatal(err)
		}
		if st := c.Status()[0]; st.PID != pid {
			t.Errorf("process %d, want %d", st.PID, pid)
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		eventually(t, func() bool { st := c.Status()[0]; return st.State == multiclient.StateFailed && st.PID == 0 })
	}
}

// The last health check is told with its time and its outcome, whether or not there
// is another session since.
func TestStatusOfHealthChecks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var hang atomic.Bool
		s := testserver.New("s")
		s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
			return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
				if method == "ping" && hang.Load() {
					<-ctx.Done()
				}
				return next(ctx, method, req)
			}
		})
		c := newClient(t, config.Connections{"s": inMemory(stateful)(t, s, config.Settings{ListTimeout: time.Second})},
			&multiclient.Options{HealthCheck: time.Minute})
		time.Sleep(90 * time.Second)
		if st := c.Status()[0]; !st.Checked.IsZero() || st.CheckError != nil {
			t.Errorf("without a session: %v, %v", st.Checked, st.CheckError)
		}
		call(t, c, "s", "echo", map[string]any{"text": "x"})
		time.Sleep(time.Minute)
		if st := c.Status()[0]; time.Since(st.Checked) != 30*time.Second || st.CheckError != nil {
			t.Errorf("of a server that is well: %v ago, %v", time.Since(st.Checked), st.CheckError)
		}
		hang.Store(true)
		time.Sleep(time.Minute)
		call(t, c, "s", "echo", map[string]any{"text": "x"})
		st := c.Status()[0]
		if since := time.Since(st.Checked); since != 29*time.Second || !errors.Is(st.CheckError, multiclient.ErrTimeout) {
			t.Errorf("of a server that hangs: %v ago, %v", since, st.CheckError)
		}
		if st.State != multiclient.StateReady || st.LastError != nil {
			t.Errorf("with a session: %+v", st)
		}
		hang.Store(false)
		time.Sleep(time.Minute)
		if st := c.Status()[0]; time.Since(st.Checked) != 30*time.Second || st.CheckError != nil {
			t.Errorf("of a server that is well again: %v ago, %v", time.Since(st.Checked), st.CheckError)
		}
	})
}
