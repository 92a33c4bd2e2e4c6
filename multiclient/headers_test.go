package multiclient_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

func TestHeadersOfACallDoNotStickToTheSession(t *testing.T) {
	var mu sync.Mutex
	seen := map[string][]string{}
	s := testserver.New("one")
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.Server }, nil)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen[r.Method] = append(seen[r.Method], r.Header.Get("X-Call"))
		mu.Unlock()
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	stamp := func(ctx context.Context, req *interceptors.Request, next interceptors.Handler) (*mcp.CallToolResult, error) {
		req.Headers.Set("X-Call", "secret of this call")
		return next(ctx, req)
	}
	c, err := multiclient.New(config.Connections{"one": config.StreamableHTTP{URL: srv.URL}},
		&multiclient.Options{Interceptors: []interceptors.Interceptor{stamp}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	call(t, c, "one", "echo", map[string]any{"text": "x"})
	eventually(t, func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(seen[http.MethodGet]) == 1
	})
	mu.Lock()
	clear(seen[http.MethodPost])
	seen[http.MethodPost] = nil
	mu.Unlock()
	if _, err := c.Tools(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	for method, values := range seen {
		if slices.Contains(values, "secret of this call") {
			t.Errorf("%s was sent the header of a call: %q", method, values)
		}
	}
	if len(seen[http.MethodDelete]) != 1 {
		t.Errorf("the session was not ended: %v", seen)
	}
}

// The headers of a connection by the transport of 2024-11-05 are on its stream and
// on each message.
func TestHeadersOfTheOldTransport(t *testing.T) {
	s := newServer(t)
	handler := mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return s.Server }, nil)
	var gets, posts atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Base") != "base" || r.Header.Get("X-Source") != "source" {
			t.Errorf("%s with %v", r.Method, r.Header)
		}
		if r.Method == http.MethodGet {
			gets.Add(1)
		} else {
			posts.Add(1)
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	c := newClient(t, config.Connections{"one": config.SSE{URL: srv.URL, HTTP: config.HTTP{
		Headers:      http.Header{"x-base": {"base"}},
		HeaderSource: func(context.Context) (http.Header, error) { return http.Header{"X-Source": {"source"}}, nil },
	}, Settings: config.Settings{ProtocolVersion: stateful}}}, nil)
	call(t, c, "one", "echo", map[string]any{"text": "x"})
	if gets.Load() != 1 || posts.Load() < 3 {
		t.Errorf("%d streams and %d messages", gets.Load(), posts.Load())
	}
}
