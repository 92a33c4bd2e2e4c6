package multiclient_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/oauth2"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
	"github.com/langchaingo-mcp/mcpadapters/interceptors/retry"
	"github.com/langchaingo-mcp/mcpadapters/internal/leak"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// guarded serves the handler, but for calls of tools and reading of resources, as
// long as guard answers those.
func guarded(t *testing.T, handler http.Handler, guard func(w http.ResponseWriter) bool) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if bytes.Contains(body, []byte(`"tools/call"`)) || bytes.Contains(body, []byte(`"resources/read"`)) {
			if guard(w) {
				return
			}
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return srv.URL
}

// A server that refuses who asks has not run anything, and is not asked again.
func TestRefusedRequestsHaveNotRun(t *testing.T) {
	for _, test := range []struct {
		status    int
		challenge string
	}{
		{401, ""}, {401, `Bearer error="invalid_token"`}, {403, ""}, {403, `Bearer error="insufficient_scope", scope="write"`},
	} {
		for _, transport := range []string{"streamable", "sse"} {
			t.Run(http.StatusText(test.status)+" "+test.challenge+" "+transport, func(t *testing.T) {
				leak.Check(t)
				s := newServer(t)
				var asked atomic.Int32
				guard := func(w http.ResponseWriter) bool {
					asked.Add(1)
					if test.challenge != "" {
						w.Header().Set("WWW-Authenticate", test.challenge)
					}
					http.Error(w, "not you", test.status)
					return true
				}
				get := func(*http.Request) *mcp.Server { return s.Server }
				var connection config.Connection = config.StreamableHTTP{URL: guarded(t, mcp.NewStreamableHTTPHandler(get, nil), guard)}
				if transport == "sse" {
					connection = config.SSE{URL: guarded(t, mcp.NewSSEHandler(get, nil), guard)}
				}
				c := newClient(t, config.Connections{"one": connection}, nil)
				_, called := c.CallTool(t.Context(), "one", "count", nil)
				_, read := c.ReadResource(t.Context(), "one", "file:///readme.txt")
				for what, err := range map[string]error{"call": called, "resource": read} {
					var e *multiclient.Error
					if !errors.As(err, &e) || e.Kind != multiclient.ErrRefused || e.Status != test.status || !errors.Is(err, fs.ErrPermission) {
						t.Fatalf("%s: got %v", what, err)
					}
					if strings.Contains(err.Error(), "may have run") || !strings.Contains(err.Error(), "refused by the server") || strings.Count(err.Error(), "not you") != 1 {
						t.Errorf("%s: it says %v", what, err)
					}
				}
				if n := asked.Load(); n != 2 {
					t.Errorf("the server was asked %d times", n)
				}
				// The SDK gives up a session of SSE on which it could not post.
				if st := c.Status()[0]; transport != "sse" && (st.State != multiclient.StateReady || st.Generation != 1) {
					t.Errorf("the server is %s in generation %d", st.State, st.Generation)
				}
			})
		}
	}
}

// signIn is a handler that has a token, or fails to get another.
type signIn struct{ err error }

func (signIn) TokenSource(context.Context) (oauth2.TokenSource, error) {
	return oauth2.StaticTokenSource(&oauth2.Token{AccessToken: "x"}), nil
}

func (s signIn) Authorize(_ context.Context, _ *http.Request, resp *http.Response) error {
	resp.Body.Close()
	return s.err
}

var _ auth.OAuthHandler = signIn{}

func TestCallWithoutSignInHasNotRun(t *testing.T) {
	s := newServer(t)
	url := guarded(t, mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.Server }, nil), func(w http.ResponseWriter) bool {
		w.WriteHeader(http.StatusUnauthorized)
		return true
	})
	declined := errors.New("the user declined")
	c := newClient(t, config.Connections{"one": config.StreamableHTTP{URL: url, OAuthHandler: signIn{declined}}}, nil)
	_, err := c.CallTool(t.Context(), "one", "count", nil)
	if !errors.Is(err, multiclient.ErrRefused) || !errors.Is(err, declined) || strings.Contains(err.Error(), "may have run") {
		t.Errorf("got %v", err)
	}
}

// A server that has started again knows neither the token nor the session: both
// times it has not run what it was asked.
func TestSessionForgottenAfterSigningIn(t *testing.T) {
	s := testserver.New("one")
	var asked atomic.Int32
	url := guarded(t, mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.Server }, nil), func(w http.ResponseWriter) bool {
		switch asked.Add(1) {
		case 1:
			w.WriteHeader(http.StatusUnauthorized)
		case 2:
			http.Error(w, "session not found", http.StatusNotFound)
		default:
			return false
		}
		return true
	})
	c := newClient(t, config.Connections{"one": config.StreamableHTTP{URL: url, OAuthHandler: signIn{}, Settings: config.Settings{ProtocolVersion: stateful}}}, nil)
	if got := call(t, c, "one", "count", nil); asked.Load() != 3 || got != "1" {
		t.Errorf("asked %d times, and got %q", asked.Load(), got)
	}
}

// Interceptor retry does not ask again for who has been refused, which may cost more
// than time: accounts are locked, and users asked to sign in, again and again.
func TestRefusedRequestsAreNotRetried(t *testing.T) {
	forged := &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "permission denied"}
	for name, test := range map[string]struct {
		answer func(w http.ResponseWriter)
		method string // that is answered so
		signIn error
		asked  int32
	}{
		"401":                      {func(w http.ResponseWriter) { w.WriteHeader(http.StatusUnauthorized) }, "tools/call", nil, 1},
		"403":                      {func(w http.ResponseWriter) { w.WriteHeader(http.StatusForbidden) }, "tools/call", nil, 1},
		"401, and nobody signs in": {func(w http.ResponseWriter) { w.WriteHeader(http.StatusUnauthorized) }, "tools/call", errors.New("declined"), 1},
		"401 while connecting":     {func(w http.ResponseWriter) { w.WriteHeader(http.StatusUnauthorized) }, "initialize", nil, 1},
		"an error of the server's": {nil, "", nil, 3},
	} {
		t.Run(name, func(t *testing.T) {
			var armed atomic.Bool
			var asked atomic.Int32
			s := mcp.NewServer(&mcp.Implementation{Name: "s"}, nil)
			s.AddTool(&mcp.Tool{Name: "look", InputSchema: map[string]any{"type": "object"}, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
				func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
					asked.Add(1)
					return nil, forged
				})
			handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				if armed.Load() && bytes.Contains(body, []byte(`"`+test.method+`"`)) {
					asked.Add(1)
					test.answer(w)
					return
				}
				r.Body = io.NopCloser(bytes.NewReader(body))
				handler.ServeHTTP(w, r)
			}))
			t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
			connection := config.StreamableHTTP{URL: srv.URL, Settings: config.Settings{ProtocolVersion: stateful, SessionPolicy: config.SessionPerCall}}
			if test.signIn != nil {
				connection.OAuthHandler = signIn{test.signIn}
			}
			c := newClient(t, config.Connections{"one": connection}, &multiclient.Options{
				Interceptors: []interceptors.Interceptor{retry.New(&retry.Options{InitialWait: time.Millisecond})},
			})
			if _, err := c.Tools(t.Context()); err != nil {
				t.Fatal(err)
			}
			armed.Store(test.method != "")
			_, err := c.CallTool(t.Context(), "one", "look", nil)
			if refused := test.method != ""; err == nil || errors.Is(err, fs.ErrPermission) != refused {
				t.Errorf("got %v", err)
			}
			if n := asked.Load(); n != test.asked {
				t.Errorf("it was asked %d times, want %d", n, test.asked)
			}
		})
	}
}

// What was refused at first may have run after signing in.
func TestCallLostAfterSigningIn(t *testing.T) {
	s := testserver.New("one")
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.Server }, nil)
	var asked atomic.Int32
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if !bytes.Contains(body, []byte(`"tools/call"`)) {
			handler.ServeHTTP(w, r)
			return
		}
		if asked.Add(1) == 1 {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler) // the answer never leaves
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	c := newClient(t, config.Connections{"one": config.StreamableHTTP{URL: srv.URL, OAuthHandler: signIn{}}}, nil)
	if _, err := c.CallTool(t.Context(), "one", "count", nil); !errors.Is(err, multiclient.ErrLost) {
		t.Errorf("got %v", err)
	}
	if n := s.Runs.Load(); n != 1 {
		t.Errorf("it ran %d times", n)
	}
}
