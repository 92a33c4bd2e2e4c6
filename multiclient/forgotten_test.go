package multiclient_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
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

// forgetful serves streamable HTTP and can forget all its sessions.
func forgetful(t *testing.T, s *testserver.Server) (url string, forget func()) {
	var mu sync.Mutex
	fresh := func() http.Handler {
		return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.Server }, nil)
	}
	handler := fresh()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		h := handler
		mu.Unlock()
		if r.URL.Path == "/redirected" {
			http.Redirect(w, r, "/", http.StatusTemporaryRedirect)
			return
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return srv.URL, func() {
		mu.Lock()
		handler = fresh()
		mu.Unlock()
	}
}

func TestForgottenSessionIsReplaced(t *testing.T) {
	for name, redirected := range map[string]bool{"at once": false, "after a redirect": true} {
		t.Run(name, func(t *testing.T) { testForgottenSession(t, redirected) })
	}
}

func testForgottenSession(t *testing.T, redirected bool) {
	s := testserver.New("one")
	url, forget := forgetful(t, s)
	if redirected {
		url += "/redirected"
	}
	c := newClient(t, config.Connections{"one": config.StreamableHTTP{URL: url}}, nil)
	for i := 1; i <= 3; i++ {
		// The server has not looked at the call, so that it may be repeated
		// although the tool does not say so.
		if got := call(t, c, "one", "count", nil); got != fmt.Sprint(i) {
			t.Errorf("count returned %q, want %d", got, i)
		}
		forget()
	}
	if n := s.Runs.Load(); n != 3 {
		t.Errorf("the tool ran %d times, want 3", n)
	}
}

// That the session is forgotten is noticed without a call, where the server has a
// stream for it.
func TestForgottenSessionIsNoticed(t *testing.T) {
	s := testserver.New("one")
	var mu sync.Mutex
	fresh := func() http.Handler {
		return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.Server }, nil)
	}
	handler := fresh()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		h := handler
		mu.Unlock()
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	ended := make(chan error, 16)
	c := newClient(t, config.Connections{"one": config.StreamableHTTP{URL: srv.URL, Settings: config.Settings{ProtocolVersion: stateful}}},
		&multiclient.Options{Callbacks: callbacks.Callbacks{OnConnectionState: func(_ context.Context, _ callbacks.CallbackContext, change callbacks.ConnectionChange) {
			if change.State == callbacks.Disconnected {
				ended <- change.Err
			}
		}}})
	call(t, c, "one", "echo", map[string]any{"text": "x"})
	mu.Lock()
	handler = fresh()
	mu.Unlock()
	srv.CloseClientConnections()
	if err := receive(t, ended, "end of the session"); !strings.Contains(err.Error(), "does not know the session") {
		t.Errorf("it ended with %v", err)
	}
	call(t, c, "one", "echo", map[string]any{"text": "x"})
}

// Calls that are in flight when the session is forgotten may have run: only what
// does no harm twice is sent again.
func TestForgottenSessionUnderCalls(t *testing.T) {
	for name, path := range map[string]string{"at once": "", "after a redirect": "/redirected"} {
		t.Run(name, func(t *testing.T) { testForgottenSessionUnderCalls(t, path) })
	}
}

func testForgottenSessionUnderCalls(t *testing.T, path string) {
	leak.Check(t)
	s := newServer(t)
	var runs atomic.Int32
	running, proceed := make(chan struct{}, 16), make(chan struct{})
	for name, annotations := range map[string]*mcp.ToolAnnotations{"once": {}, "often": {IdempotentHint: true}} {
		mcp.AddTool(s.Server, &mcp.Tool{Name: name, Annotations: annotations}, func(ctx context.Context, _ *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
			if name == "once" {
				runs.Add(1)
			}
			running <- struct{}{}
			select {
			case <-proceed:
			case <-ctx.Done():
			}
			return &mcp.CallToolResult{}, nil, nil
		})
	}
	url, forget := forgetful(t, s)
	c := newClient(t, config.Connections{"one": config.StreamableHTTP{URL: url + path}}, nil)
	if _, err := c.Tools(t.Context()); err != nil {
		t.Fatal(err)
	}
	once, often := make(chan error, 1), make(chan error, 1)
	go func() { _, err := c.CallTool(t.Context(), "one", "once", nil); once <- err }()
	go func() { _, err := c.CallTool(t.Context(), "one", "often", nil); often <- err }()
	receive(t, running, "call")
	receive(t, running, "call")
	forget()
	if got := call(t, c, "one", "count", nil); got != "1" {
		t.Errorf("count returned %q", got)
	}
	if err := receive(t, once, "end of the call"); !errors.Is(err, multiclient.ErrLost) {
		t.Errorf("the call in flight gave %v", err)
	}
	receive(t, running, "call that is sent again")
	close(proceed)
	if err := receive(t, often, "end of the call"); err != nil {
		t.Errorf("the call that may be repeated gave %v", err)
	}
	if n := runs.Load(); n != 1 {
		t.Errorf("the other ran %d times", n)
	}
}

// A call is one request, and the bound of connecting is none of the session.
func TestSessionOutlivesItsConnectTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testserver.New("one")
		c := newClient(t, config.Connections{"one": config.InMemory{Server: s.Server, Settings: config.Settings{ConnectTimeout: time.Second}}}, nil)
		for range 3 {
			call(t, c, "one", "echo", map[string]any{"text": "x"})
			time.Sleep(time.Hour)
		}
		if st := c.Status()[0]; st.Generation != 1 || st.State != multiclient.StateReady {
			t.Errorf("the server is %s in generation %d", st.State, st.Generation)
		}
		for method, want := range map[string]int{"tools/call": 3, "tools/list": 0, "ping": 0} {
			if n, _ := s.Received(method); n != want {
				t.Errorf("%s was received %d times, want %d", method, n, want)
			}
		}
	})
}
