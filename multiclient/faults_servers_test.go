package multiclient_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/leak"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// newServer returns a server whose sessions end with the test, also those that
// no client has ended.
func newServer(t *testing.T) *testserver.Server {
	s := testserver.New("one")
	t.Cleanup(func() {
		for session := range s.Sessions() {
			session.Close()
		}
	})
	return s
}

// Answers that nobody waits for are nobody's.
func TestStrayAndRepeatedAnswers(t *testing.T) {
	leak.Check(t)
	const result = `"result":{"content":[{"type":"text","text":"%s"}]}}`
	answer := func(id, text string) string { return `{"jsonrpc":"2.0","id":` + id + `,` + fmt.Sprintf(result, text) }
	s := testserver.Script{
		"good":     `{"content":[{"type":"text","text":"fine"}]}`,
		"strays":   "!" + answer("987654", "of nobody") + "\n" + answer(`"x"`, "of nobody") + "\n" + answer("ID", "fine"),
		"repeated": "!" + answer("ID", "fine") + "\n" + answer("ID", "again") + "\n" + answer("ID", "and again"),
	}
	onEachScript(t, s, 0, func(t *testing.T, connection config.Connection) {
		if strings.HasSuffix(t.Name(), "whole") {
			return // several messages are no JSON
		}
		c := newClient(t, config.Connections{"s": connection}, nil)
		for _, tool := range []string{"strays", "repeated", "good", "repeated", "strays", "good"} {
			if got := call(t, c, "s", tool, nil); got != "fine" {
				t.Errorf("%s said %q", tool, got)
			}
		}
		if st := c.Status()[0]; st.State != multiclient.StateReady || st.Generation != 1 {
			t.Errorf("the server is %s in generation %d", st.State, st.Generation)
		}
	})
}

// A process that floods standard error is not held up, and one that closes
// standard output, and lives on, is replaced.
func TestProcessesThatMisbehave(t *testing.T) {
	leak.Check(t)
	const fine = `{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"fine"}]}}`
	s := testserver.Script{"good": "!" + fine, "flood": "!FLOOD\n" + fine, "close": "!CLOSE", "noise": "!Traceback:\n{\n" + fine}
	connection := s.Stdio(t)
	connection.TerminateTimeout = 50 * time.Millisecond
	c := newClient(t, config.Connections{"s": connection}, nil)
	for _, tool := range []string{"good", "flood", "noise", "flood"} {
		if got := call(t, c, "s", tool, nil); got != "fine" {
			t.Errorf("%s said %q", tool, got)
		}
	}
	if st := c.Status()[0]; st.Generation != 1 {
		t.Errorf("generation %d", st.Generation)
	}
	if _, err := c.CallTool(t.Context(), "s", "close", nil); !errors.Is(err, multiclient.ErrLost) {
		t.Errorf("a call of a server that closes its output gave %v", err)
	}
	if got := call(t, c, "s", "good", nil); got != "fine" {
		t.Errorf("the next call said %q", got)
	}
}

// A server that does not answer while the session is closed costs the bound of
// Close, and leaves nothing.
func TestCloseOfServersThatDoNotAnswer(t *testing.T) {
	t.Run("DELETE", func(t *testing.T) {
		leak.Check(t)
		s := newServer(t)
		handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.Server }, nil)
		var deleted atomic.Bool
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodDelete {
				deleted.Store(true)
				<-r.Context().Done()
				return
			}
			handler.ServeHTTP(w, r)
		}))
		t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
		c := newClient(t, config.Connections{"one": config.StreamableHTTP{URL: srv.URL, Settings: config.Settings{CloseTimeout: 200 * time.Millisecond}}}, nil)
		call(t, c, "one", "echo", map[string]any{"text": "x"})
		closeInTime(t, c)
		if !deleted.Load() {
			t.Error("the server was not told")
		}
	})
	t.Run("stopped with a call in flight", func(t *testing.T) {
		leak.Check(t)
		v := testserver.Chaos{Dir: t.TempDir()}
		connection := v.Stdio(t)
		connection.TerminateTimeout = 50 * time.Millisecond
		c := newClient(t, config.Connections{"one": connection}, nil)
		call(t, c, "one", "once", map[string]any{"id": "a", "ms": 0})
		pid, err := v.PID()
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() {
			_, err := c.CallTool(t.Context(), "one", "once", map[string]any{"id": "b", "ms": 0})
			done <- err
		}()
		eventually(t, func() bool { return c.Status()[0].InFlight == 1 })
		closeInTime(t, c)
		if err := receive(t, done, "end of the call"); !errors.Is(err, multiclient.ErrClosed) {
			t.Errorf("the call ended with %v", err)
		}
	})
}

func closeInTime(t *testing.T, c *multiclient.MultiServerClient) {
	t.Helper()
	start := time.Now()
	if err := c.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("Close took %v", took)
	}
}

// Answers that break HTTP itself cost their call.
func TestBrokenHTTP(t *testing.T) {
	leak.Check(t)
	const head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	for name, answer := range map[string]string{
		"chunks":        head + "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n",
		"half a chunk":  head + "Transfer-Encoding: chunked\r\n\r\nff\r\n{",
		"half a body":   head + "Content-Length: 1000\r\n\r\n{",
		"no HTTP":       "SSH-2.0-OpenSSH_9.6\r\n",
		"half a head":   "HTTP/1.1 200",
		"bad header":    head + "a b c\r\n\r\n",
		"half an event": "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: {\"jsonrpc\"",
		"nothing":       "",
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t)
			handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.Server }, nil)
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				if strings.Contains(string(body), `"count"`) {
					conn, _, err := w.(http.Hijacker).Hijack()
					if err != nil {
						panic(err)
					}
					defer conn.Close()
					io.WriteString(conn, answer)
					return
				}
				r.Body = io.NopCloser(strings.NewReader(string(body)))
				handler.ServeHTTP(w, r)
			}))
			t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
			c := newClient(t, config.Connections{"one": config.StreamableHTTP{URL: srv.URL}}, nil)
			_, err := c.CallTool(t.Context(), "one", "count", nil)
			if !errors.Is(err, multiclient.ErrLost) {
				t.Errorf("the call gave %v", err)
			}
			call(t, c, "one", "echo", map[string]any{"text": "x"})
			if st := c.Status()[0]; st.Generation != 1 {
				t.Errorf("generation %d", st.Generation)
			}
		})
	}
}

// HTTP/2 multiplexes everything on one connection, whose end is a fault of all.
func TestHTTP2(t *testing.T) {
	for name, stateless := range map[string]bool{stateful: false, stateless: true} {
		t.Run(name, func(t *testing.T) {
			leak.Check(t)
			s := newServer(t)
			var major atomic.Int32
			handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.Server }, &mcp.StreamableHTTPOptions{Stateless: stateless})
			srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				major.Store(int32(r.ProtoMajor))
				handler.ServeHTTP(w, r)
			}))
			srv.EnableHTTP2 = true
			srv.StartTLS()
			t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
			c := newClient(t, config.Connections{"one": config.StreamableHTTP{URL: srv.URL, HTTP: config.HTTP{Client: srv.Client()}}}, nil)
			all := func() {
				var wg sync.WaitGroup
				for i := range 32 {
					wg.Go(func() {
						text := fmt.Sprint("text ", i)
						res, err := c.CallTool(t.Context(), "one", "echo", map[string]any{"text": text})
						if err != nil || textOf(res) != text {
							t.Errorf("%s gave %v, %v", text, res, err)
						}
					})
				}
				wg.Wait()
			}
			all()
			srv.CloseClientConnections()
			eventually(t, func() bool {
				_, err := c.CallTool(context.WithoutCancel(t.Context()), "one", "echo", map[string]any{"text": "x"})
				return err == nil
			})
			all()
			if major.Load() != 2 {
				t.Errorf("HTTP/%d was spoken", major.Load())
			}
		})
	}
}
