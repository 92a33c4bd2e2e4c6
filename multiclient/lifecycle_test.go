package multiclient_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
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

func TestNothingIsLeftBehind(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		leak.Check(t)
		s := testserver.New("one")
		c := newClient(t, config.Connections{"one": w.connect(t, s, config.Settings{})}, &multiclient.Options{Callbacks: answering(t)})
		if _, err := c.Tools(t.Context()); err != nil {
			t.Fatal(err)
		}
		call(t, c, "one", "ask_0", map[string]any{"id": "x"})
	})
}

func TestConcurrentFirstUseOpensOneSession(t *testing.T) {
	var opened atomic.Int32
	s := testserver.New("s")
	c := newClient(t, config.Connections{"s": config.Custom{NewTransport: func(ctx context.Context) (mcp.Transport, error) {
		opened.Add(1)
		server, client := mcp.NewInMemoryTransports()
		_, err := s.Connect(context.WithoutCancel(ctx), server, nil)
		return client, err
	}}}, nil)
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			if _, err := c.Tools(t.Context()); err != nil {
				t.Error(err)
			}
			if got := call(t, c, "s", "echo", map[string]any{"text": "x"}); got != "x" {
				t.Errorf("got %q", got)
			}
		})
	}
	wg.Wait()
	if n := opened.Load(); n != 1 {
		t.Errorf("%d sessions were opened, want 1", n)
	}
}

func TestCallerThatGivesUpHarmsNobody(t *testing.T) {
	s := testserver.New("s")
	dialling, proceed := make(chan struct{}, 2), make(chan struct{})
	c := newClient(t, config.Connections{"s": config.Custom{NewTransport: func(ctx context.Context) (mcp.Transport, error) {
		dialling <- struct{}{}
		<-proceed
		server, client := mcp.NewInMemoryTransports()
		_, err := s.Connect(context.WithoutCancel(ctx), server, nil)
		return client, err
	}}}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	first, second := make(chan error, 1), make(chan error, 1)
	go func() { _, err := c.CallTool(ctx, "s", "echo", map[string]any{"text": "x"}); first <- err }()
	receive(t, dialling, "attempt to connect")
	go func() { _, err := c.CallTool(t.Context(), "s", "echo", map[string]any{"text": "x"}); second <- err }()
	cancel()
	if err := receive(t, first, "end of the first call"); !errors.Is(err, context.Canceled) {
		t.Errorf("the cancelled call gave %v", err)
	}
	close(proceed)
	if err := receive(t, second, "end of the second call"); err != nil {
		t.Errorf("the other call gave %v", err)
	}
}

func TestCancelledCallLeavesTheSession(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		s := testserver.New("one")
		c := newClient(t, config.Connections{"one": w.connect(t, s, config.Settings{})}, nil)
		call(t, c, "one", "echo", map[string]any{"text": "x"})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { _, err := c.CallTool(ctx, "one", "block", nil); done <- err }()
		if !strings.HasPrefix(w.name, "stdio") {
			receive(t, s.Blocked, "blocked call")
		}
		cancel()
		if err := receive(t, done, "end of the call"); !errors.Is(err, context.Canceled) {
			t.Errorf("the cancelled call gave %v", err)
		}
		if !strings.HasPrefix(w.name, "stdio") {
			receive(t, s.Cancelled, "cancellation at the server")
		}
		call(t, c, "one", "echo", map[string]any{"text": "x"})
		if st := c.Status()[0]; st.Generation != 1 || st.State != multiclient.StateReady {
			t.Errorf("afterwards the server is %s in generation %d", st.State, st.Generation)
		}
	})
}

func TestCallTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testserver.New("one")
		c := newClient(t, config.Connections{"one": config.InMemory{Server: s.Server, Settings: config.Settings{CallTimeout: 20 * time.Second}}}, nil)
		began := time.Now()
		_, err := c.CallTool(t.Context(), "one", "block", nil)
		if !errors.Is(err, multiclient.ErrTimeout) || !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "20s") {
			t.Errorf("got %v", err)
		}
		if took := time.Since(began); took != 20*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

func TestCloseEndsEverything(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		leak.Check(t)
		s := testserver.New("one")
		asked := make(chan struct{})
		stubborn := make(chan struct{})
		defer close(stubborn)
		cb := callbacks.Callbacks{
			OnElicitation: func(context.Context, callbacks.CallbackContext, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				close(asked)
				<-stubborn // does not watch its context
				return &mcp.ElicitResult{Action: "accept"}, nil
			},
		}
		c, err := multiclient.New(config.Connections{
			"one":  w.connect(t, s, config.Settings{CloseTimeout: 200 * time.Millisecond}),
			"idle": config.Stdio{Command: "no-such-program-anywhere"},
		}, &multiclient.Options{Callbacks: cb})
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		type end struct {
			res *mcp.CallToolResult
			err error
		}
		done := make(chan end, 2)
		for tool, arguments := range map[string]map[string]any{"ask_0": {"id": "x"}, "block": nil} {
			go func() { res, err := c.CallTool(t.Context(), "one", tool, arguments); done <- end{res, err} }()
		}
		receive(t, asked, "elicitation")
		if !strings.HasPrefix(w.name, "stdio") {
			receive(t, s.Blocked, "blocked call")
		}
		start := time.Now()
		if err := c.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("Close took %v", took)
		}
		for range 2 {
			// A server may still get to answer to its question being dismissed.
			if e := receive(t, done, "end of a call"); !errors.Is(e.err, multiclient.ErrClosed) && (e.res == nil || textOf(e.res) != "cancel: <nil>") {
				t.Errorf("a call in flight ended with %v, %v", e.res, e.err)
			}
		}
		if err := c.Close(); err != nil {
			t.Errorf("the second Close: %v", err)
		}
		if _, err := c.Tools(t.Context()); !errors.Is(err, multiclient.ErrClosed) {
			t.Errorf("Tools after Close: %v", err)
		}
		if _, err := c.CallTool(t.Context(), "one", "echo", nil); !errors.Is(err, multiclient.ErrClosed) {
			t.Errorf("CallTool after Close: %v", err)
		}
	})
}

func TestCloseOfAStoppedProcess(t *testing.T) {
	leak.Check(t)
	pidFile := filepath.Join(t.TempDir(), "pid")
	server := testserver.Stdio(t, "one")
	c, err := multiclient.New(config.Connections{"one": config.Stdio{
		Command: "sh", Args: []string{"-c", `echo $$ > "$0"; exec "$1"`, pidFile, server.Command}, Env: server.Env,
		TerminateTimeout: 50 * time.Millisecond,
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	call(t, c, "one", "echo", map[string]any{"text": "x"})
	raw, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the process is still there: %v", err)
	}
}

func TestLostProcessIsReplaced(t *testing.T) {
	leak.Check(t)
	for _, version := range []string{stateful, ""} {
		t.Run(version, func(t *testing.T) {
			dir := t.TempDir()
			server := testserver.Stdio(t, "one")
			c := newClient(t, config.Connections{"one": config.Stdio{
				Command: "sh", Args: []string{"-c", `echo $$ >> "$0"; exec "$1"`, filepath.Join(dir, "pids"), server.Command}, Env: server.Env,
				Settings: config.Settings{ProtocolVersion: version},
			}}, nil)
			tool, err := c.Tool(t.Context(), "echo")
			if err != nil {
				t.Fatal(err)
			}
			kill := func() { killLast(t, filepath.Join(dir, "pids")) }
			for generation := 2; generation <= 4; generation++ {
				kill()
				got, err := tool.Call(t.Context(), `{"text":"still here"}`)
				if err != nil || got != "still here" {
					t.Fatalf("after a kill: %q, %v", got, err)
				}
				if st := c.Status()[0]; st.Generation != generation {
					t.Errorf("generation %d, want %d", st.Generation, generation)
				}
			}
			// In the middle of a call that is not safe to repeat.
			done := make(chan error, 1)
			go func() { _, err := c.CallTool(t.Context(), "one", "block", nil); done <- err }()
			eventually(t, func() bool { return c.Status()[0].InFlight == 1 })
			kill()
			err = receive(t, done, "end of the call")
			var e *multiclient.Error
			if !errors.As(err, &e) || e.Kind != multiclient.ErrLost && e.Kind != multiclient.ErrUnavailable || e.Server != "one" || e.Tool != "block" {
				t.Errorf("the call that was running ended with %v", err)
			}
		})
	}
}

// killLast kills the process whose id is the last in the file.
func killLast(t *testing.T, pidFile string) {
	t.Helper()
	raw, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	pids := strings.Fields(string(raw))
	pid, err := strconv.Atoi(pids[len(pids)-1])
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Error(err)
	}
}

func TestCallIsNotRepeatedWhenItMayHaveRun(t *testing.T) {
	s := testserver.New("one")
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.Server }, nil)
	var cut atomic.Bool
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && cut.Load() {
			rec := httptest.NewRecorder()
			handler.ServeHTTP(rec, r)
			panic(http.ErrAbortHandler) // the answer never leaves
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	c := newClient(t, config.Connections{"one": config.StreamableHTTP{URL: srv.URL}}, nil)
	if _, err := c.Tools(t.Context()); err != nil {
		t.Fatal(err)
	}
	cut.Store(true)
	_, err := c.CallTool(t.Context(), "one", "count", nil)
	if !errors.Is(err, multiclient.ErrLost) {
		t.Errorf("a call whose answer was cut off gave %v", err)
	}
	if n := s.Runs.Load(); n != 1 {
		t.Errorf("the tool ran %d times, want once", n)
	}
	cut.Store(false)
	if got := call(t, c, "one", "count", nil); got != "2" {
		t.Errorf("the next call returned %q", got)
	}
}
