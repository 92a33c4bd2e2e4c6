package multiclient_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// In whatever words a server says that it has forgotten the session, the call goes
// to a new one, once.
func TestForgottenInAllForms(t *testing.T) {
	const rpc = `{"jsonrpc":"2.0","id":%s,"error":{"code":-32600,"message":"Session not found"}}`
	for name, form := range map[string]struct {
		status int
		body   string
	}{
		"404, plain":        {http.StatusNotFound, "404 page not found"},
		"404, empty":        {http.StatusNotFound, ""},
		"404, id null":      {http.StatusNotFound, fmt.Sprintf(rpc, "null")},
		"404, without id":   {http.StatusNotFound, `{"jsonrpc":"2.0","error":{"code":-32001,"message":"Session not found"}}`},
		"404, server-error": {http.StatusNotFound, fmt.Sprintf(rpc, `"server-error"`)},
		"400, plain":        {http.StatusBadRequest, "Bad Request: No valid session ID provided"},
		"400, server-error": {http.StatusBadRequest, `{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Bad Request: No valid session ID provided"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			s := testserver.New("one")
			handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.Server }, nil)
			var forget atomic.Bool
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				r.Body = io.NopCloser(bytes.NewReader(body))
				if bytes.Contains(body, []byte(`"tools/call"`)) && forget.Swap(false) {
					if bytes.HasPrefix([]byte(form.body), []byte("{")) {
						w.Header().Set("Content-Type", "application/json")
					}
					w.WriteHeader(form.status)
					io.WriteString(w, form.body)
					return
				}
				handler.ServeHTTP(w, r)
			}))
			t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
			c := newClient(t, config.Connections{"one": config.StreamableHTTP{URL: srv.URL}}, nil)
			for i := 1; i <= 3; i++ {
				if got := call(t, c, "one", "count", nil); got != fmt.Sprint(i) {
					t.Errorf("count returned %q, want %d", got, i)
				}
				forget.Store(true)
			}
			if n := s.Runs.Load(); n != 3 {
				t.Errorf("the tool ran %d times", n)
			}
			if st := c.Status()[0]; st.Generation < 3 {
				t.Errorf("it is generation %d", st.Generation)
			}
		})
	}
}

// The stream of the older transport is the session: when it ends, the next call
// opens another.
func TestDeadStreamOfTheOldTransport(t *testing.T) {
	s := testserver.New("one")
	handler := mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return s.Server }, nil)
	srv := httptest.NewServer(handler)
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	c := newClient(t, config.Connections{"one": config.SSE{URL: srv.URL, Settings: config.Settings{ProtocolVersion: stateful}}}, nil)
	tool, err := c.Tool(t.Context(), "count")
	if err != nil {
		t.Fatal(err)
	}
	for i := 1; i <= 3; i++ {
		if got, err := tool.Call(t.Context(), ""); err != nil || got != fmt.Sprint(i) {
			t.Errorf("count returned %q, %v", got, err)
		}
		generation := c.Status()[0].Generation
		srv.CloseClientConnections()
		eventually(t, func() bool { st := c.Status()[0]; return st.State == "failed" || st.Generation > generation })
	}
}

// A message that was redirected on its way is one that was sent.
func TestStreamOfTheOldTransportEndsUnderARedirectedCall(t *testing.T) {
	s := newServer(t)
	handler := mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return s.Server }, nil)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && !strings.HasPrefix(r.URL.Path, "/here") {
			http.Redirect(w, r, "/here?"+r.URL.RawQuery, http.StatusTemporaryRedirect)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	proceed := make(chan struct{})
	t.Cleanup(func() { close(proceed) }) // for which the server waits
	s.AddTool(&mcp.Tool{Name: "wait", InputSchema: map[string]any{"type": "object"}}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s.Blocked <- struct{}{}
		<-proceed
		return &mcp.CallToolResult{}, nil
	})
	c := newClient(t, config.Connections{"one": config.SSE{URL: srv.URL, Settings: config.Settings{ProtocolVersion: stateful}}}, nil)
	ended := make(chan error, 1)
	go func() { _, err := c.CallTool(t.Context(), "one", "wait", nil); ended <- err }()
	receive(t, s.Blocked, "call in flight")
	srv.CloseClientConnections()
	if err := receive(t, ended, "end of the call"); !errors.Is(err, multiclient.ErrLost) {
		t.Errorf("the call gave %v", err)
	}
	select {
	case <-s.Blocked:
		t.Error("the call was made again")
	default:
	}
}
