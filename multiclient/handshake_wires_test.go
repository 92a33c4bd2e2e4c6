package multiclient_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/leak"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// A process that is older than server/discover is asked once, and started no more
// often than that takes.
func TestProcessesOlderThanDiscovery(t *testing.T) {
	for name, test := range map[string]struct {
		discovered string // what the shell does
		timeout    time.Duration
		starts     int // for the first session
	}{
		"ignores it":  {":", 100 * time.Millisecond, 1},
		"exits on it": {"exit 1", time.Minute, 2},
	} {
		t.Run(name, func(t *testing.T) {
			leak.Check(t)
			dir := t.TempDir()
			server := testserver.Stdio(t, "one")
			const script = `echo $$ >> "$0/pids"; read -r line
case "$line" in *server/discover*) echo >> "$0/asked"; DISCOVERED; exec "$1";; esac
{ printf '%s\n' "$line"; exec cat; } | "$1"`
			c := newClient(t, config.Connections{"one": config.Stdio{
				Command: "sh", Args: []string{"-c", strings.Replace(script, "DISCOVERED", test.discovered, 1), dir, server.Command}, Env: server.Env,
			}}, &multiclient.Options{DiscoverTimeout: test.timeout})
			lines := func(name string) int {
				raw, err := os.ReadFile(filepath.Join(dir, name))
				if err != nil {
					t.Fatal(err)
				}
				return strings.Count(string(raw), "\n")
			}
			info, err := c.ServerInfo(t.Context(), "one")
			if err != nil || info.ProtocolVersion != stateful {
				t.Fatalf("server info: %+v, %v", info, err)
			}
			for session := range 3 {
				if got := call(t, c, "one", "echo", map[string]any{"text": "x"}); got != "x" {
					t.Errorf("got %q", got)
				}
				if got, want := lines("pids"), test.starts+session; got != want || lines("asked") != 1 {
					t.Errorf("session %d: started %d times, want %d, and asked %d times", session+1, got, want, lines("asked"))
				}
				killLast(t, filepath.Join(dir, "pids"))
				eventually(t, func() bool { return c.Status()[0].State != multiclient.StateReady })
			}
		})
	}
}

// So is a server over HTTP, but for one that has not answered, which is asked once
// more since it may only have been slow.
func TestHTTPServersOlderThanDiscovery(t *testing.T) {
	for name, test := range map[string]struct {
		discovered func(w http.ResponseWriter, r *http.Request)
		timeout    time.Duration
		asked      int32
	}{
		"ignores it": {func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // or the end is not noticed
			<-r.Context().Done()
		}, 100 * time.Millisecond, 2},
		"breaks off":  {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, time.Minute, 1},
		"answers 404": {func(w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }, time.Minute, 1},
		"answers 500": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }, time.Minute, 1},
		"wants sessions": {func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "Bad Request: No valid session ID provided", http.StatusBadRequest)
		}, time.Minute, 1},
	} {
		t.Run(name, func(t *testing.T) {
			leak.Check(t)
			s := newServer(t)
			var asked atomic.Int32
			handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.Server }, nil)
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Mcp-Method") == "server/discover" {
					asked.Add(1)
					test.discovered(w, r)
					return
				}
				handler.ServeHTTP(w, r)
			}))
			t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
			c := newClient(t, config.Connections{"one": config.StreamableHTTP{URL: srv.URL, Settings: config.Settings{SessionPolicy: config.SessionPerCall}}},
				&multiclient.Options{DiscoverTimeout: test.timeout})
			for range 4 {
				if got := call(t, c, "one", "echo", map[string]any{"text": "x"}); got != "x" {
					t.Errorf("got %q", got)
				}
			}
			if got := asked.Load(); got != test.asked {
				t.Errorf("it was asked %d times, want %d", got, test.asked)
			}
		})
	}
}

// What has nothing to do with the version of the protocol is not tried in another.
func TestFailuresThatNoOtherVersionMends(t *testing.T) {
	for name, test := range map[string]struct {
		script   string
		settings config.Settings
		starts   int
	}{
		"exits":              {"exit 1", config.Settings{}, 2},
		"exits, and is told": {"exit 1", config.Settings{ProtocolVersion: stateful}, 1},
		"does not answer":    {"exec sleep 1000", config.Settings{ConnectTimeout: time.Second}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			leak.Check(t)
			starts := filepath.Join(t.TempDir(), "starts")
			c := newClient(t, config.Connections{"one": config.Stdio{
				Command: "sh", Args: []string{"-c", `echo >> "$0"; ` + test.script, starts}, TerminateTimeout: 50 * time.Millisecond, Settings: test.settings,
			}}, nil)
			if _, err := c.ServerInfo(t.Context(), "one"); err == nil {
				t.Error("no error")
			}
			if raw, err := os.ReadFile(starts); err != nil || len(raw) != test.starts {
				t.Errorf("it was started %d times, want %d (%v)", len(raw), test.starts, err)
			}
		})
	}
	for status, initialized := range map[int]int32{400: 2, 401: 1, 403: 1, 404: 2, 407: 1, 429: 1, 500: 1, 503: 1} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			var asked atomic.Int32
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if body, _ := io.ReadAll(r.Body); strings.Contains(string(body), `"initialize"`) {
					asked.Add(1)
				}
				w.WriteHeader(status)
			}))
			t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
			c := newClient(t, config.Connections{"one": config.StreamableHTTP{URL: srv.URL}}, nil)
			if _, err := c.ServerInfo(t.Context(), "one"); err == nil {
				t.Error("no error")
			}
			if n := asked.Load(); n != initialized {
				t.Errorf("it was asked to initialize %d times, want %d", n, initialized)
			}
		})
	}
}
