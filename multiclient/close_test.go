package multiclient_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
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

// A callback that ends soon after its context has ended when Close returns.
func TestCloseWaitsForCallbacks(t *testing.T) {
	for _, version := range []string{stateful, stateless} {
		t.Run(version, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				asked, ended := make(chan struct{}), make(chan struct{})
				c := newClient(t, config.Connections{"one": inMemory(version)(t, testserver.New("one"), config.Settings{})}, &multiclient.Options{
					Callbacks: callbacks.Callbacks{OnElicitation: func(ctx context.Context, _ callbacks.CallbackContext, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
						close(asked)
						<-ctx.Done()
						time.Sleep(time.Second) // such as to take a form off the screen
						close(ended)
						return nil, ctx.Err()
					}},
				})
				called := make(chan error, 1)
				go func() { _, err := c.CallTool(t.Context(), "one", "ask_0", map[string]any{"id": "x"}); called <- err }()
				<-asked
				if err := c.Close(); err != nil {
					t.Error(err)
				}
				select {
				case <-ended:
				default:
					t.Error("the callback still runs")
				}
				<-called
			})
		})
	}
}

// A process may end as it likes within the timeout of closing, and no longer: the
// waits before it is sent signals are within that if it is the connection's own.
func TestCloseOfProcesses(t *testing.T) {
	const shakesHands = `read l; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}'; read l; `
	const cleansUp = `cat > /dev/null; sleep 0.6; echo > "$0"`
	for name, test := range map[string]struct {
		script  string
		wait    time.Duration // before TERM
		timeout time.Duration // of the connection; that of the client is short
		cleans  bool
	}{
		"that clean up":       {cleansUp, time.Hour, 20 * time.Second, true},
		"that are given time": {cleansUp, 20 * time.Second, 0, true},
		"that do not end":     {`exec sleep 1000`, time.Hour, 500 * time.Millisecond, false},
		"that ignore a TERM":  {`trap "" TERM; while :; do sleep 0.1; done`, time.Hour, 500 * time.Millisecond, false},
	} {
		t.Run(name, func(t *testing.T) {
			leak.Check(t)
			cleaned := filepath.Join(t.TempDir(), "cleaned")
			c := newClient(t, config.Connections{"one": config.Stdio{
				Command: "sh", Args: []string{"-c", shakesHands + test.script, cleaned}, TerminateTimeout: test.wait,
				Settings: config.Settings{ProtocolVersion: stateful, CloseTimeout: test.timeout},
			}}, &multiclient.Options{CloseTimeout: 300 * time.Millisecond})
			if _, err := c.ServerInfo(t.Context(), "one"); err != nil {
				t.Fatal(err)
			}
			closeInTime(t, c)
			if _, err := os.Stat(cleaned); (err == nil) != test.cleans {
				t.Errorf("it has cleaned up: %v, want %v (%v)", err == nil, test.cleans, err)
			}
		})
	}
}

// A process that fails to shake hands, and lives on, is ended at once.
func TestProcessesThatFailToShakeHandsAreEnded(t *testing.T) {
	leak.Check(t)
	pidFile := filepath.Join(t.TempDir(), "pid")
	const script = `echo $$ > "$0"; read l; echo '{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"not today"}}'; exec sleep 1000`
	c := newClient(t, config.Connections{"one": config.Stdio{
		Command: "sh", Args: []string{"-c", script, pidFile}, TerminateTimeout: 50 * time.Millisecond, Settings: config.Settings{ProtocolVersion: stateful},
	}}, nil)
	if _, err := c.ServerInfo(t.Context(), "one"); err == nil || !strings.Contains(err.Error(), "not today") {
		t.Fatalf("got %v", err)
	}
	raw, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) })
}

// Close ends what a server that was removed is still waited for.
func TestCloseEndsServersThatWereRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testserver.New("one")
		c := newClient(t, config.Connections{"one": config.InMemory{Server: s.Server, Settings: config.Settings{CloseTimeout: time.Hour}}}, nil)
		called, removed := make(chan error, 1), make(chan error, 1)
		go func() { _, err := c.CallTool(t.Context(), "one", "block", nil); called <- err }()
		<-s.Blocked
		go func() { removed <- c.RemoveServer(t.Context(), "one") }()
		synctest.Wait() // until that waits for the call
		start := time.Now()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if err := <-called; !errors.Is(err, multiclient.ErrRemoved) {
			t.Errorf("the call gave %v", err)
		}
		if err := <-removed; err != nil {
			t.Error(err)
		}
		if took := time.Since(start); took > time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// A server is told of the calls that Close ends, before its session is ended.
func TestServerIsToldOfCallsThatCloseEnds(t *testing.T) {
	called := make(chan struct{}, 1)
	tools := func(x *exchange) {
		called <- struct{}{}
		<-x.gone
	}
	onEachRaw(t, tools, func(t *testing.T, r *raw, connection config.Connection, _ bool) {
		c := newClient(t, config.Connections{"one": connection}, nil)
		done := make(chan error, 1)
		go func() { _, err := c.CallTool(t.Context(), "one", "a", nil); done <- err }()
		receive(t, called, "call")
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if err := receive(t, done, "end of the call"); !errors.Is(err, multiclient.ErrClosed) {
			t.Errorf("the call gave %v", err)
		}
		eventually(t, func() bool { return r.received("notifications/cancelled") == 1 })
	})
}
