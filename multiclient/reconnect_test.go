package multiclient_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/leak"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

func TestServerIsLeftAlone(t *testing.T) {
	down := errors.New("no luck")
	var attempts atomic.Int32
	c := newClient(t, config.Connections{"s": config.Custom{NewTransport: func(context.Context) (mcp.Transport, error) {
		attempts.Add(1)
		return nil, down
	}}}, &multiclient.Options{Reconnect: multiclient.Reconnect{Attempts: 1, CoolDown: time.Hour}})
	_, firstErr := c.CallTool(t.Context(), "s", "echo", nil)
	_, callErr := c.CallTool(t.Context(), "s", "echo", nil)
	_, listErr := c.Tools(t.Context())
	_, _, leaseErr := c.Session(t.Context(), "s")
	for _, err := range []error{firstErr, callErr, listErr, leaseErr} {
		var e *multiclient.Error
		if !errors.As(err, &e) || e.Kind != multiclient.ErrUnavailable || e.Phase != multiclient.PhaseConnect || !errors.Is(err, down) {
			t.Fatalf("got %v", err)
		}
		if wait := time.Until(e.RetryAt); wait <= 50*time.Minute || wait > time.Hour {
			t.Errorf("it is to be tried again in %v", wait)
		}
		if says := err.Error(); strings.Count(says, "not tried again for") != 1 || !strings.Contains(says, "failures in a row: 1") || !strings.Contains(says, "no luck") {
			t.Errorf("the error says %q", says)
		}
	}
	if n := attempts.Load(); n != 1 {
		t.Errorf("%d attempts, want 1", n)
	}
	st := c.Status()[0]
	if st.State != multiclient.StateFailed || st.RetryAt.IsZero() || !errors.Is(st.LastError, down) {
		t.Errorf("the status is %+v", st)
	}
	// A new connection is a new beginning.
	s := testserver.New("s")
	if err := c.ReplaceServer(t.Context(), "s", config.InMemory{Server: s.Server}); err != nil {
		t.Fatal(err)
	}
	call(t, c, "s", "echo", map[string]any{"text": "x"})
}

// A server that is being restarted, with a proxy in front of it, is waited for.
func TestRestartedServerIsWaitedFor(t *testing.T) {
	s := testserver.New("one")
	var mu sync.Mutex
	unavailable := 0
	fresh := func() http.Handler {
		return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.Server }, nil)
	}
	handler := fresh()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		h, down := handler, unavailable > 0 && r.Method == http.MethodPost && r.Header.Get("Mcp-Session-Id") == ""
		if down {
			unavailable--
		}
		mu.Unlock()
		if down {
			http.Error(w, "restarting", http.StatusServiceUnavailable)
			return
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	c := newClient(t, config.Connections{"one": config.StreamableHTTP{URL: srv.URL, Settings: config.Settings{ProtocolVersion: stateful}}},
		&multiclient.Options{Reconnect: multiclient.Reconnect{Delay: time.Millisecond}})
	if got := call(t, c, "one", "count", nil); got != "1" {
		t.Errorf("count returned %q", got)
	}
	mu.Lock()
	handler, unavailable = fresh(), 2
	mu.Unlock()
	if got := call(t, c, "one", "count", nil); got != "2" {
		t.Errorf("count returned %q", got)
	}
	mu.Lock()
	handler, unavailable = fresh(), 1000
	mu.Unlock()
	_, err := c.CallTool(t.Context(), "one", "count", nil)
	var e *multiclient.Error
	if !errors.As(err, &e) || e.Kind != multiclient.ErrUnavailable || e.Status != http.StatusServiceUnavailable || e.RetryAt.IsZero() {
		t.Errorf("a restart without end gave %v", err)
	}
	if n := s.Runs.Load(); n != 2 {
		t.Errorf("the tool ran %d times", n)
	}
}

// signal is a writer that tells of the first write.
type signal struct {
	once  sync.Once
	wrote chan struct{}
}

func (s *signal) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte("license")) {
		s.once.Do(func() { close(s.wrote) })
	}
	return len(p), nil
}

// Who has no more time for a server that does not start is told what the server
// said.
func TestImpatientCallerIsToldWhy(t *testing.T) {
	leak.Check(t)
	stderr := &signal{wrote: make(chan struct{})}
	c := newClient(t, config.Connections{"s": config.Stdio{
		Command: "sh", Args: []string{"-c", "read line; echo no license >&2; exec sleep 60"}, Stderr: stderr,
		TerminateTimeout: 50 * time.Millisecond,
	}}, nil)
	ctx, cancel := context.WithCancelCause(t.Context())
	impatience := errors.New("no more time")
	ended := make(chan error, 1)
	go func() { _, err := c.CallTool(ctx, "s", "echo", nil); ended <- err }()
	receive(t, stderr.wrote, "line of stderr")
	cancel(impatience)
	err := receive(t, ended, "end of the call")
	var e *multiclient.Error
	if !errors.As(err, &e) || !errors.Is(err, context.Canceled) || !errors.Is(err, impatience) {
		t.Fatalf("got %v", err)
	}
	if e.Phase != multiclient.PhaseInitialize || !strings.Contains(e.Detail, "no license") {
		t.Errorf("phase %q, detail %q: %v", e.Phase, e.Detail, err)
	}
}

// The same over HTTP, where the server does not answer at all.
func TestImpatientCallerOverHTTP(t *testing.T) {
	leak.Check(t)
	asked := make(chan struct{}, 8)
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	t.Cleanup(srv.Close)
	c := newClient(t, config.Connections{"s": config.StreamableHTTP{URL: srv.URL}}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { _, err := c.CallTool(ctx, "s", "echo", nil); ended <- err }()
	receive(t, asked, "request")
	cancel()
	err := receive(t, ended, "end of the call")
	var e *multiclient.Error
	if !errors.As(err, &e) || !errors.Is(err, context.Canceled) || e.Phase != multiclient.PhaseInitialize {
		t.Errorf("got %v", err)
	}
}
