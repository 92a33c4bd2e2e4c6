package multiclient_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// A cutter serves streamable HTTP and cuts off the answers to some tool calls.
type cutter struct {
	cut  atomic.Int32 // how many
	seen atomic.Int32 // tool calls
}

func (c *cutter) serve(t *testing.T, s *testserver.Server) string {
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.Server }, nil)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if bytes.Contains(body, []byte(`"tools/call"`)) {
			c.seen.Add(1)
			if c.cut.Add(-1) >= 0 {
				handler.ServeHTTP(httptest.NewRecorder(), r)
				panic(http.ErrAbortHandler) // the answer never leaves
			}
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return srv.URL
}

func TestWhatIsSentAgain(t *testing.T) {
	repeatable := func(ctx context.Context, req *interceptors.Request, next interceptors.Handler) (*mcp.CallToolResult, error) {
		req.Repeatable = true
		return next(ctx, req)
	}
	for name, test := range map[string]struct {
		tool    string
		options multiclient.Options
		cut     int32
		sent    int32
		lost    bool
	}{
		"nothing said":         {"count", multiclient.Options{}, 1, 1, true},
		"read-only":            {"echo", multiclient.Options{}, 1, 2, false},
		"read-only, twice":     {"echo", multiclient.Options{}, 2, 3, false},
		"read-only, always":    {"echo", multiclient.Options{}, 100, 3, true},
		"not trusted":          {"echo", multiclient.Options{DistrustAnnotations: true}, 1, 1, true},
		"asked for":            {"count", multiclient.Options{Interceptors: []interceptors.Interceptor{repeatable}}, 1, 2, false},
		"asked, and no trust":  {"echo", multiclient.Options{DistrustAnnotations: true, Interceptors: []interceptors.Interceptor{repeatable}}, 1, 2, false},
		"nothing is cut off":   {"count", multiclient.Options{}, 0, 1, false},
		"no trust, no trouble": {"echo", multiclient.Options{DistrustAnnotations: true}, 0, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := testserver.New("one")
			var cut cutter
			c := newClient(t, config.Connections{"one": config.StreamableHTTP{URL: cut.serve(t, s)}}, &test.options)
			if _, err := c.Tools(t.Context()); err != nil { // annotations are known
				t.Fatal(err)
			}
			cut.cut.Store(test.cut)
			_, err := c.CallTool(t.Context(), "one", test.tool, map[string]any{"text": "x"})
			if test.lost != errors.Is(err, multiclient.ErrLost) || !test.lost && err != nil {
				t.Errorf("the call gave %v", err)
			}
			if n := cut.seen.Load(); n != test.sent {
				t.Errorf("it was sent %d times, want %d", n, test.sent)
			}
			if st := c.Status()[0]; !test.lost && (st.LastLatency <= 0 || st.Latency <= 0) {
				t.Errorf("the latency is %v, %v", st.LastLatency, st.Latency)
			}
		})
	}
}

// A server that refuses connections on a session that exists is tried again at a
// pace, with whatever call, since nothing was sent.
func TestRefusedConnections(t *testing.T) {
	s := testserver.New("one")
	var refuse, dials atomic.Int32
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			dials.Add(1)
			if refuse.Load() != 0 {
				refuse.Add(-1)
				return nil, &net.OpError{Op: "dial", Net: network, Err: errors.New("connection refused")}
			}
			return new(net.Dialer).DialContext(ctx, network, addr)
		},
	}}
	// There is no standalone stream, which would dial too.
	c := newClient(t, config.Connections{"one": config.StreamableHTTP{URL: s.HTTP(t, true), HTTP: config.HTTP{Client: client}}},
		&multiclient.Options{Reconnect: multiclient.Reconnect{Attempts: 3, Delay: time.Millisecond, CoolDown: time.Hour}})
	if got := call(t, c, "one", "count", nil); got != "1" {
		t.Errorf("count returned %q", got)
	}
	refuse.Store(2)
	if got := call(t, c, "one", "count", nil); got != "2" {
		t.Errorf("count returned %q", got)
	}
	refuse.Store(-1)
	for range 2 {
		_, err := c.CallTool(t.Context(), "one", "count", nil)
		var e *multiclient.Error
		if !errors.As(err, &e) || e.Kind != multiclient.ErrUnavailable {
			t.Errorf("got %v", err)
		}
	}
	before := dials.Load()
	_, err := c.CallTool(t.Context(), "one", "count", nil)
	var e *multiclient.Error
	if !errors.As(err, &e) || e.Kind != multiclient.ErrUnavailable || e.RetryAt.IsZero() || strings.Count(err.Error(), "not tried again") != 1 {
		t.Errorf("got %v", err)
	}
	if _, err := c.Tools(t.Context()); !errors.Is(err, multiclient.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
	if n := dials.Load(); n != before {
		t.Errorf("it was dialled %d more times", n-before)
	}
	if st := c.Status()[0]; st.RetryAt.IsZero() || st.LastError == nil {
		t.Errorf("the status is %+v", st)
	}
	if n := s.Runs.Load(); n != 2 {
		t.Errorf("the tool ran %d times", n)
	}
}

// Nor is it tried for ever for one call, where it is never left alone.
func TestRefusedConnectionsWithoutEnd(t *testing.T) {
	s := testserver.New("one")
	var refuse atomic.Bool
	var refused atomic.Int32
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			if refuse.Load() {
				refused.Add(1)
				return nil, &net.OpError{Op: "dial", Net: network, Err: errors.New("connection refused")}
			}
			return new(net.Dialer).DialContext(ctx, network, addr)
		},
	}}
	c := newClient(t, config.Connections{"one": config.StreamableHTTP{URL: s.HTTP(t, true), HTTP: config.HTTP{Client: client}}},
		&multiclient.Options{Reconnect: multiclient.Reconnect{Attempts: -1, Delay: time.Millisecond, MaxDelay: time.Millisecond}})
	call(t, c, "one", "count", nil)
	refuse.Store(true)
	if _, err := c.CallTool(t.Context(), "one", "count", nil); !errors.Is(err, multiclient.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
	if n := refused.Load(); n != 5 {
		t.Errorf("it was tried %d times, want 5", n)
	}
}

// A call whose time is over before the server may be tried again fails at once, as
// one of which nothing was sent, and not as one that may have run.
func TestRefusedConnectionsWithoutTime(t *testing.T) {
	s := testserver.New("one")
	var refuse atomic.Bool
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			if refuse.Load() {
				return nil, &net.OpError{Op: "dial", Net: network, Err: errors.New("connection refused")}
			}
			return new(net.Dialer).DialContext(ctx, network, addr)
		},
	}}
	c := newClient(t, config.Connections{"one": config.StreamableHTTP{URL: s.HTTP(t, true), HTTP: config.HTTP{Client: client}}},
		&multiclient.Options{CallTimeout: 5 * time.Second, Reconnect: multiclient.Reconnect{Delay: time.Hour}})
	call(t, c, "one", "count", nil)
	refuse.Store(true)
	if _, err := c.CallTool(t.Context(), "one", "count", nil); !errors.Is(err, multiclient.ErrUnavailable) {
		t.Errorf("got %v", err)
	}
}
