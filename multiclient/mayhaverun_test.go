package multiclient_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// A server that answers the very request has looked at it, whatever its words.
func TestAnsweredCallIsNotRepeated(t *testing.T) {
	id := regexp.MustCompile(`"id":(\d+)`)
	for _, status := range []int{400, 401, 403, 404, 410, 422, 429, 500, 502, 503, 504} {
		s := testserver.New("one")
		handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.Server }, nil)
		var seen atomic.Int32
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if bytes.Contains(body, []byte(`"tools/call"`)) {
				seen.Add(1)
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(status)
				fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"the browser session was closed"}}`, id.FindSubmatch(body)[1])
				return
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			handler.ServeHTTP(w, r)
		}))
		c := newClient(t, config.Connections{"one": config.StreamableHTTP{URL: srv.URL}}, nil)
		_, err := c.CallTool(t.Context(), "one", "count", nil)
		var e *multiclient.Error
		if seen.Load() != 1 || !errors.As(err, &e) || e.Kind != multiclient.ErrRefused || e.Status != status || !strings.Contains(err.Error(), "the browser session was closed") {
			t.Errorf("%d: the tool was called %d times, and the error is %v", status, seen.Load(), err)
		}
		c.Close()
		srv.CloseClientConnections()
		srv.Close()
	}
}

// One answer that is none costs its own call.
func TestBadAnswerLeavesOtherCalls(t *testing.T) {
	s := testserver.New("one")
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.Server }, nil)
	id := regexp.MustCompile(`"id":(\d+)`)
	status := func(status int) func(http.ResponseWriter, []byte) {
		return func(w http.ResponseWriter, _ []byte) { http.Error(w, "no", status) }
	}
	for name, test := range map[string]struct {
		answer func(w http.ResponseWriter, id []byte)
		kind   multiclient.ErrorKind
		status int
	}{
		"no result": {func(w http.ResponseWriter, id []byte) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s}`, id)
		}, multiclient.ErrBadAnswer, 0},
		"half": {func(w http.ResponseWriter, id []byte) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"res`, id)
		}, multiclient.ErrBadAnswer, 0},
		"reset": {func(http.ResponseWriter, []byte) { panic(http.ErrAbortHandler) }, multiclient.ErrLost, 0},
		"HTML": {func(w http.ResponseWriter, _ []byte) {
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<html>")
		}, multiclient.ErrBadAnswer, 200},
		"400": {status(400), multiclient.ErrBadAnswer, 400}, "410": {status(410), multiclient.ErrBadAnswer, 410},
		"401": {status(401), multiclient.ErrRefused, 401}, "403": {status(403), multiclient.ErrRefused, 403},
		"405": {status(405), multiclient.ErrBadAnswer, 405}, "408": {status(408), multiclient.ErrBadAnswer, 408},
		"409": {status(409), multiclient.ErrBadAnswer, 409}, "413": {status(413), multiclient.ErrBadAnswer, 413},
		"422": {status(422), multiclient.ErrBadAnswer, 422}, "429": {status(429), multiclient.ErrBadAnswer, 429},
		"500": {status(500), multiclient.ErrBadAnswer, 500}, "501": {status(501), multiclient.ErrBadAnswer, 501},
		"502": {status(502), multiclient.ErrBadAnswer, 502}, "503": {status(503), multiclient.ErrBadAnswer, 503},
		"504": {status(504), multiclient.ErrBadAnswer, 504},
	} {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				if bytes.Contains(body, []byte(`"count"`)) {
					test.answer(w, id.FindSubmatch(body)[1])
					return
				}
				r.Body = io.NopCloser(bytes.NewReader(body))
				handler.ServeHTTP(w, r)
			}))
			t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
			c := newClient(t, config.Connections{"one": config.StreamableHTTP{URL: srv.URL}}, nil)
			ctx, cancel := context.WithCancel(t.Context())
			other := make(chan error, 1)
			go func() { _, err := c.CallTool(ctx, "one", "block", nil); other <- err }()
			receive(t, s.Blocked, "blocked call")
			_, err := c.CallTool(t.Context(), "one", "count", nil)
			var e *multiclient.Error
			if !errors.As(err, &e) || e.Kind != test.kind || e.Status != test.status {
				t.Errorf("the bad answer gave %v", err)
			}
			select {
			case err := <-other:
				t.Errorf("the other call ended with %v", err)
			default:
			}
			if st := c.Status()[0]; st.State != multiclient.StateReady || st.Generation != 1 {
				t.Errorf("the server is %s in generation %d", st.State, st.Generation)
			}
			cancel()
			if err := receive(t, other, "end of the other call"); !errors.Is(err, context.Canceled) {
				t.Errorf("the other call ended with %v", err)
			}
		})
	}
}

// What is of no use once is not asked for again, although the tool may be called twice.
func TestBadAnswerIsNotAskedForAgain(t *testing.T) {
	s := testserver.New("one")
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.Server }, nil)
	for _, status := range []int{200, 400, 413, 429, 500, 502, 503, 504} {
		t.Run(http.StatusText(status), func(t *testing.T) {
			var seen atomic.Int32
			url := guarded(t, handler, func(w http.ResponseWriter) bool {
				seen.Add(1)
				w.Header().Set("Content-Type", "text/html")
				w.WriteHeader(status)
				io.WriteString(w, "<html>")
				return true
			})
			c := newClient(t, config.Connections{"one": config.StreamableHTTP{URL: url}}, nil)
			if _, err := c.Tools(t.Context()); err != nil { // annotations are known
				t.Fatal(err)
			}
			if _, err := c.CallTool(t.Context(), "one", "echo", map[string]any{"text": "x"}); !errors.Is(err, multiclient.ErrBadAnswer) || seen.Load() != 1 {
				t.Errorf("it was asked %d times, and gave %v", seen.Load(), err)
			}
		})
	}
}

// Nor is what a server sends elsewhere.
func TestRefusedRedirectIsNotAskedForAgain(t *testing.T) {
	s := testserver.New("one")
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.Server }, nil)
	for _, status := range []int{http.StatusFound, http.StatusTemporaryRedirect} {
		var seen atomic.Int32
		url := guarded(t, handler, func(w http.ResponseWriter) bool {
			seen.Add(1)
			w.Header().Set("Location", "http://elsewhere.test/")
			w.WriteHeader(status)
			return true
		})
		c := newClient(t, config.Connections{"one": config.StreamableHTTP{URL: url}}, nil)
		if _, err := c.Tools(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := c.CallTool(t.Context(), "one", "echo", map[string]any{"text": "x"}); err == nil || seen.Load() != 1 {
			t.Errorf("%d: it was asked %d times, and gave %v", status, seen.Load(), err)
		}
	}
}

// A connection that breaks while a call is written costs the call, and not the session.
func TestBrokenPipeOfARequest(t *testing.T) {
	for _, broken := range []error{syscall.EPIPE, io.ErrClosedPipe, io.EOF, os.ErrClosed} {
		t.Run(broken.Error(), func(t *testing.T) {
			s := testserver.New("one")
			var breaks atomic.Bool
			client := &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
				if r.Header.Get("Mcp-Method") == "tools/call" && breaks.Load() {
					return nil, &net.OpError{Op: "write", Net: "tcp", Err: broken}
				}
				return http.DefaultTransport.RoundTrip(r)
			})}
			c := newClient(t, config.Connections{"one": config.StreamableHTTP{URL: s.HTTP(t, true), HTTP: config.HTTP{Client: client}}}, nil)
			call(t, c, "one", "count", nil)
			breaks.Store(true)
			if _, err := c.CallTool(t.Context(), "one", "count", nil); !errors.Is(err, multiclient.ErrLost) {
				t.Errorf("the call gave %v", err)
			}
			breaks.Store(false)
			call(t, c, "one", "count", nil)
			if st := c.Status()[0]; st.Generation != 1 {
				t.Errorf("generation %d", st.Generation)
			}
		})
	}
}

func TestNamelessToolsAndFailedLists(t *testing.T) {
	s := testserver.New("s")
	var fail atomic.Bool
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method == "tools/list" && fail.Load() {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "not now"}
			}
			res, err := next(ctx, method, req)
			if list, ok := res.(*mcp.ListToolsResult); ok {
				list.Tools = append(list.Tools, &mcp.Tool{InputSchema: map[string]any{"type": "object"}})
			}
			return res, err
		}
	})
	c := newClient(t, config.Connections{"s": inMemory(stateful)(t, s, config.Settings{})}, nil)
	if list, err := c.Tools(t.Context()); err != nil || len(list) == 0 {
		t.Fatalf("%d tools, %v", len(list), err)
	}
	fail.Store(true)
	s.AddTool(&mcp.Tool{Name: "late", InputSchema: map[string]any{"type": "object"}}, nil)
	eventually(t, func() bool { _, err := c.Tools(t.Context()); return err != nil })
	fail.Store(false)
	if _, err := c.Tool(t.Context(), "late"); err != nil {
		t.Errorf("after a listing that failed: %v", err)
	}
}
