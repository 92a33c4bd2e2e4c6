package multiclient_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/leak"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// What a server answered is said once.
func TestMessagesSayEverythingOnce(t *testing.T) {
	const words = "<html>who are you?</html>"
	for _, status := range []int{401, 403, 404, 405, 500, 503} {
		for _, onCalls := range []bool{false, true} {
			s := newServer(t)
			handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.Server }, nil)
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				if onCalls && !bytes.Contains(body, []byte(`"tools/call"`)) {
					r.Body = io.NopCloser(bytes.NewReader(body))
					handler.ServeHTTP(w, r)
					return
				}
				w.Header().Set("Content-Type", "text/html")
				w.WriteHeader(status)
				io.WriteString(w, words)
			}))
			for _, connection := range []config.Connection{config.StreamableHTTP{URL: srv.URL}, config.SSE{URL: srv.URL}} {
				if onCalls && connection.Transport() == "sse" {
					continue
				}
				c := newClient(t, config.Connections{"one": connection}, nil)
				_, err := c.CallTool(t.Context(), "one", "count", nil)
				if err == nil {
					t.Fatalf("%d: no error", status)
				}
				for _, once := range []string{words, http.StatusText(status), "status"} {
					if n := strings.Count(err.Error(), once); n > 1 || n == 0 && once != http.StatusText(status) {
						t.Errorf("%s %d: %q is said %d times: %v", connection.Transport(), status, once, n, err)
					}
				}
				if err := c.Close(); err != nil {
					t.Error(err)
				}
			}
			srv.CloseClientConnections()
			srv.Close()
		}
	}
}

// A refusal is the server's words, without how they came.
func TestRefusalsAreTheServersWords(t *testing.T) {
	s := newServer(t)
	for name, connection := range map[string]config.Connection{
		"in memory": config.InMemory{Server: s.Server},
		"stateful":  config.StreamableHTTP{URL: s.HTTP(t, false), Settings: config.Settings{ProtocolVersion: stateful}},
		"stateless": config.StreamableHTTP{URL: s.HTTP(t, true)},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClient(t, config.Connections{"one": connection}, nil)
			_, err := c.CallTool(t.Context(), "one", "nope", nil)
			if !errors.Is(err, multiclient.ErrRefused) || !strings.HasSuffix(err.Error(), `: unknown tool "nope"`) {
				t.Fatalf("got %v", err)
			}
			for _, noise := range []string{"calling", "sending", "rejected"} {
				if strings.Contains(err.Error(), noise) {
					t.Errorf("it says %q: %v", noise, err)
				}
			}
		})
	}
}

// The id of a session is as good as a password.
func TestIDsOfSessionsAreNotSaid(t *testing.T) {
	s := newServer(t)
	var id string
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.Server }, nil)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if bytes.Contains(body, []byte(`"tools/call"`)) {
			id = r.Header.Get("Mcp-Session-Id")
			http.NotFound(w, r)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	told := make(chan string, 1024)
	c := newClient(t, config.Connections{"one": config.StreamableHTTP{URL: srv.URL}}, &multiclient.Options{Callbacks: callbacks.Callbacks{
		OnConnectionState: func(_ context.Context, _ callbacks.CallbackContext, change callbacks.ConnectionChange) {
			if change.Err != nil {
				told <- change.Err.Error()
			}
		},
	}})
	_, err := c.CallTool(t.Context(), "one", "count", nil)
	// It was refused each time, and has not run.
	if !errors.Is(err, mcp.ErrSessionMissing) || !errors.Is(err, multiclient.ErrUnavailable) || id == "" {
		t.Fatalf("the call gave %v", err)
	}
	for _, text := range []string{err.Error(), receive(t, told, "end of the session")} {
		if strings.Contains(text, id) {
			t.Errorf("the id is in %q", text)
		}
	}
}

// Who uses the wrong transport is told which to try.
func TestWrongTransports(t *testing.T) {
	for name, test := range map[string]struct {
		connection config.Connection
		says       string
	}{
		"streamable HTTP for SSE": {config.StreamableHTTP{URL: newServer(t).SSE(t)}, `use config.SSE, "sse" in files`},
		"SSE for streamable HTTP": {config.SSE{URL: newServer(t).HTTP(t, false)}, `use config.StreamableHTTP, "http" in files`},
		"SSE for one without any": {config.SSE{URL: newServer(t).HTTP(t, true)}, `use config.StreamableHTTP, "http" in files`},
	} {
		t.Run(name, func(t *testing.T) {
			leak.Check(t)
			c := newClient(t, config.Connections{"one": test.connection}, nil)
			if _, err := c.Tools(t.Context()); err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// A process that the client has stopped did not end by itself.
func TestConnectTimeoutOfAProcess(t *testing.T) {
	c := newClient(t, config.Connections{"one": config.Stdio{
		Command: "sh", Args: []string{"-c", "echo still loading >&2; exec sleep 60"}, TerminateTimeout: time.Hour, Settings: config.Settings{ConnectTimeout: time.Second},
	}}, nil)
	_, err := c.Tools(t.Context())
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"no answer within the connect timeout, after which the process was stopped", "still loading"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("it does not say %q: %v", want, err)
		}
	}
	if strings.Contains(err.Error(), "killed") {
		t.Errorf("it says that the process was killed: %v", err)
	}
}

// That the client is closed is no fault of each server.
func TestClosedClientSaysSoOnce(t *testing.T) {
	c := newClient(t, config.Connections{
		"a": config.InMemory{Server: testserver.New("a").Server}, "b": config.InMemory{Server: testserver.New("b").Server},
	}, nil)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := c.Tools(t.Context())
	if !errors.Is(err, multiclient.ErrClosed) || len(multiclient.ServerErrors(err)) != 1 {
		t.Errorf("got %v", err)
	}
	_, called := c.CallTool(t.Context(), "a", "count", nil)
	for _, err := range []error{err, called} {
		if strings.Count(err.Error(), "closed") != 1 || !errors.Is(err, multiclient.ErrClosed) {
			t.Errorf("got %v", err)
		}
	}
}

// What a process said before it died, right after the handshake, is known.
func TestProcessThatDiesAfterTheHandshake(t *testing.T) {
	leak.Check(t)
	const handshake = `read line; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}'; read line; echo out of cheese >&2; exit 3`
	ended := make(chan error, 16)
	c := newClient(t, config.Connections{"one": config.Stdio{
		Command: "sh", Args: []string{"-c", handshake}, Settings: config.Settings{ProtocolVersion: stateful},
	}}, &multiclient.Options{
		Reconnect: multiclient.Reconnect{Attempts: 1, CoolDown: time.Hour},
		Callbacks: callbacks.Callbacks{OnConnectionState: func(_ context.Context, _ callbacks.CallbackContext, change callbacks.ConnectionChange) {
			if change.State == callbacks.Disconnected {
				ended <- change.Err
			}
		}},
	})
	if _, err := c.ServerInfo(t.Context(), "one"); err != nil {
		t.Fatal(err)
	}
	event := receive(t, ended, "end of the session")
	_, refused := c.CallTool(t.Context(), "one", "echo", nil)
	for what, err := range map[string]error{"the event": event, "the status": c.Status()[0].LastError, "the next call": refused} {
		if err == nil || !errors.Is(err, mcp.ErrConnectionClosed) {
			t.Errorf("%s: %v", what, err)
			continue
		}
		for _, want := range []string{"exited with status 3", "out of cheese"} {
			if n := strings.Count(err.Error(), want); n != 1 {
				t.Errorf("%s says %q %d times: %v", what, want, n, err)
			}
		}
	}
	if !errors.Is(refused, multiclient.ErrUnavailable) {
		t.Errorf("the next call gave %v", refused)
	}
}
