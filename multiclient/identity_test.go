package multiclient_test

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// The answer to a question goes out with the headers of the call that was
// asked, not of the one that opened the session.
func TestAnswersCarryTheIdentityOfTheirCall(t *testing.T) {
	type userKey struct{}
	for name, serve := range map[string]func(*testserver.Server) http.Handler{
		"http": func(s *testserver.Server) http.Handler {
			return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.Server }, nil)
		},
		"sse": func(s *testserver.Server) http.Handler {
			return mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return s.Server }, nil)
		},
	} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			var answers []string
			handler := serve(testserver.New("one"))
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				if bytes.Contains(body, []byte(`"action"`)) {
					mu.Lock()
					answers = append(answers, r.Header.Get("X-User")+"/"+r.Header.Get("X-Source"))
					mu.Unlock()
				}
				r.Body = io.NopCloser(bytes.NewReader(body))
				handler.ServeHTTP(w, r)
			}))
			t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
			settings := config.HTTP{HeaderSource: func(ctx context.Context) (http.Header, error) {
				user, _ := ctx.Value(userKey{}).(string)
				return http.Header{"X-Source": {user}}, nil
			}}
			var connection config.Connection = config.StreamableHTTP{URL: srv.URL, HTTP: settings}
			if name == "sse" {
				connection = config.SSE{URL: srv.URL, HTTP: settings, Settings: config.Settings{ProtocolVersion: stateful}}
			}
			stamp := func(ctx context.Context, req *interceptors.Request, next interceptors.Handler) (*mcp.CallToolResult, error) {
				user, _ := ctx.Value(userKey{}).(string)
				req.Headers.Set("X-User", user)
				return next(ctx, req)
			}
			c := newClient(t, config.Connections{"one": connection}, &multiclient.Options{
				Callbacks: answering(t), Interceptors: []interceptors.Interceptor{stamp},
			})
			for _, user := range []string{"alice", "bob", "carol"} {
				ctx := context.WithValue(t.Context(), userKey{}, user)
				if _, err := c.CallTool(ctx, "one", "ask_0", map[string]any{"id": "x"}); err != nil {
					t.Fatal(err)
				}
				mu.Lock()
				if want := user + "/" + user; len(answers) != 1 || answers[0] != want {
					t.Errorf("the answers of %s were sent as %q", user, answers)
				}
				answers = nil
				mu.Unlock()
			}
		})
	}
}

func TestNewTransportIsBounded(t *testing.T) {
	ended := make(chan struct{})
	c := newClient(t, config.Connections{"s": config.Custom{
		NewTransport: func(ctx context.Context) (mcp.Transport, error) {
			<-ctx.Done()
			close(ended)
			return nil, ctx.Err()
		},
		Settings: config.Settings{ConnectTimeout: 20e6},
	}}, nil)
	if _, err := c.ServerInfo(t.Context(), "s"); err == nil {
		t.Error("there is no transport")
	}
	receive(t, ended, "end of the context of the attempt")
}

func TestCloseFromACallback(t *testing.T) {
	var c *multiclient.MultiServerClient
	closed := make(chan error, 1)
	cb := callbacks.Callbacks{OnConnectionState: func(_ context.Context, _ callbacks.CallbackContext, change callbacks.ConnectionChange) {
		if change.State == callbacks.Connected {
			closed <- c.Close()
		}
	}}
	c = newClient(t, config.Connections{"one": config.InMemory{Server: testserver.New("one").Server}}, &multiclient.Options{Callbacks: cb})
	c.ServerInfo(t.Context(), "one")
	if err := receive(t, closed, "end of Close"); err != nil {
		t.Errorf("Close from a callback: %v", err)
	}
}
