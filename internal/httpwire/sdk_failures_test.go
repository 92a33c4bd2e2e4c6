package httpwire_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/internal/httpwire"
	"github.com/langchaingo-mcp/mcpadapters/internal/leak"
)

func TestSessionSurvivesItsStream(t *testing.T) {
	answerWith := func(code int, contentType string) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, req *http.Request) bool {
			if req.Method != http.MethodGet {
				return false
			}
			w.Header().Set("Content-Type", contentType)
			w.WriteHeader(code)
			return true
		}
	}
	for name, test := range map[string]struct {
		fault func(http.ResponseWriter, *http.Request) bool
		back  bool
	}{
		"drops": {answerWith(200, "text/event-stream"), true},
		"500":   {answerWith(500, "text/plain"), true},
		"503":   {answerWith(503, "text/event-stream"), true},
		"401":   {answerWith(401, "text/plain"), false},
		"405":   {answerWith(405, "text/plain"), false},
		"html":  {answerWith(200, "text/html"), false},
		"silent": {func(_ http.ResponseWriter, req *http.Request) bool {
			if req.Method != http.MethodGet {
				return false
			}
			<-req.Context().Done()
			return true
		}, false},
	} {
		for _, when := range []string{"at first", "later"} {
			t.Run(name+" "+when, func(t *testing.T) {
				t.Parallel()
				server := newServer(nil)
				g, ts := serve(t, stateful(server))
				faults := make(chan struct{}, 100)
				fault := func(w http.ResponseWriter, req *http.Request) bool {
					if req.Method == http.MethodGet {
						faults <- struct{}{}
					}
					return test.fault(w, req)
				}
				if when == "at first" {
					g.set(nil, fault)
				}
				changed := make(chan struct{}, 100)
				began := time.Now()
				cs := session(t, ts.URL, httpwire.Options{}, &mcp.ClientOptions{
					ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
				}, legacy)
				if took := time.Since(began); took > 10*time.Second {
					t.Errorf("connecting took %v", took)
				}
				if when == "later" {
					g.set(nil, fault)
					ts.CloseClientConnections()
				}
				<-faults
				mustEcho(t, cs)
				if !test.back {
					return
				}
				<-faults
				for len(g.served) > 0 {
					<-g.served
				}
				g.set(nil, nil)
				for method := range g.served {
					if method == http.MethodGet {
						break
					}
				}
				mustEcho(t, cs) // the server has the stream once it answers this
				server.AddTool(&mcp.Tool{Name: "new", InputSchema: map[string]any{"type": "object"}}, nil)
				select {
				case <-changed:
				case <-time.After(20 * time.Second):
					t.Error("the stream was not opened again")
				}
			})
		}
	}
}

func TestSessionLoss(t *testing.T) {
	respond := func(code int, contentType, body string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.WriteHeader(code)
			io.WriteString(w, body)
		})
	}
	for name, handler := range map[string]http.Handler{
		"restarted":      stateful(newServer(nil)),
		"python":         respond(404, "application/json", `{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Session not found"}}`),
		"null id":        respond(404, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}`),
		"old python":     respond(400, "text/plain", "Bad Request: No valid session ID provided"),
		"everything":     respond(400, "application/json", `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":2}`),
		"a proxy's page": respond(404, "text/html", "<html>"),
	} {
		t.Run(name, func(t *testing.T) {
			leak.Check(t)
			g, server := serve(t, stateful(forget(t, newServer(nil))))
			var answers []httpwire.Answer
			var mu sync.Mutex
			cs := session(t, server.URL, httpwire.Options{Hooks: httpwire.Hooks{
				Responded: func(_ context.Context, a httpwire.Answer) {
					mu.Lock()
					defer mu.Unlock()
					answers = append(answers, a)
				},
			}}, nil, legacy)
			mustEcho(t, cs)
			g.set(handler, nil)
			if _, err := callTool(t.Context(), cs, "echo", nil); !errors.Is(err, mcp.ErrSessionMissing) {
				t.Errorf("error = %v", err)
			}
			mu.Lock()
			defer mu.Unlock()
			if a := answers[len(answers)-1]; !a.SessionLost || a.Method != "tools/call" {
				t.Errorf("Responded was told %+v", a)
			}
		})
	}
}

func TestOneCallFails(t *testing.T) {
	for name, test := range map[string]struct {
		code              int
		contentType, body string
		want              string
	}{
		"413":            {413, "text/plain", "too large", "HTTP 413 Request Entity Too Large: too large"},
		"401":            {401, "text/plain", "", "HTTP 401 Unauthorized"},
		"400 null id":    {400, "application/json", rpcError, "Bad Request: broken"},
		"web page":       {200, "text/html", "<title>Sign in</title>", "Sign in"},
		"no JSON":        {200, "application/json", "nonsense", "nonsense"},
		"nothing":        {202, "", "", "without an answer"},
		"empty stream":   {200, "text/event-stream", ": hi\n\n", "ended the stream of a call before its response"},
		"broken message": {200, "text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"id\":\n\n", "not JSON-RPC"},
		"503":            {503, "text/html", "<html>", "Service Unavailable"},
	} {
		t.Run(name, func(t *testing.T) {
			leak.Check(t)
			release := make(chan struct{})
			g, server := serve(t, stateful(newServer(release)))
			begun := make(chan struct{}, 1)
			cs := session(t, server.URL, httpwire.Options{}, &mcp.ClientOptions{
				ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { begun <- struct{}{} },
			}, legacy)
			other := make(chan error, 1)
			go func() {
				_, err := callTool(t.Context(), cs, "wait", nil)
				other <- err
			}()
			<-begun
			g.set(nil, func(w http.ResponseWriter, req *http.Request) bool {
				w.Header().Set("Content-Type", test.contentType)
				w.WriteHeader(test.code)
				io.WriteString(w, test.body)
				return true
			})
			_, err := callTool(t.Context(), cs, "echo", nil)
			var werr *jsonrpc.Error
			if !errors.As(err, &werr) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error = %v, want one that says %q", err, test.want)
			}
			g.set(nil, nil)
			mustEcho(t, cs)
			close(release)
			if err := <-other; err != nil {
				t.Errorf("the other call: %v", err)
			}
		})
	}
}

func TestServerIsKilled(t *testing.T) {
	leak.Check(t)
	release := make(chan struct{})
	handler := stateful(forget(t, newServer(release)))
	t.Cleanup(func() { close(release) }) // the server waits for its tools
	_, server := serve(t, handler)
	begun := make(chan struct{}, 1)
	var last atomic.Value
	cs := session(t, server.URL, httpwire.Options{Hooks: httpwire.Hooks{
		Responded: func(_ context.Context, a httpwire.Answer) { last.Store(a) },
	}}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { begun <- struct{}{} },
	}, legacy)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	failed := make(chan error, 1)
	go func() {
		_, err := callTool(ctx, cs, "wait", nil)
		failed <- err
	}()
	<-begun
	addr := server.Listener.Addr().String()
	server.Listener.Close()
	server.CloseClientConnections()
	for tries := 0; ; tries++ {
		_, err := callTool(t.Context(), cs, "echo", nil)
		if err == nil {
			t.Fatal("a call to a dead server succeeded")
		}
		a := last.Load().(httpwire.Answer)
		if a.Err == nil {
			t.Fatalf("Responded was told %+v", a)
		}
		if strings.Contains(err.Error(), "refused") {
			if a.Sent {
				t.Errorf("Responded was told %+v", a)
			}
			break
		}
		// It was written to a connection that had just been cut.
		if !a.Sent || tries == 100 {
			t.Fatalf("Responded was told %+v", a)
		}
	}
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("the call in flight: %v", err)
	}
	revived := httptest.NewUnstartedServer(handler)
	revived.Listener.Close()
	revived.Listener = listenOn(t, addr)
	revived.Start()
	defer revived.Close()
	defer revived.CloseClientConnections()
	mustEcho(t, cs)
}

func TestCancelMidStream(t *testing.T) {
	for version, handler := range map[string]func(*mcp.Server) http.Handler{legacy: stateful, modern: stateless} {
		t.Run(version, func(t *testing.T) {
			leak.Check(t)
			release := make(chan struct{})
			_, server := serve(t, handler(forget(t, newServer(release))))
			t.Cleanup(func() { close(release) }) // the server waits for its tools
			begun := make(chan struct{}, 100)
			cs := session(t, server.URL, httpwire.Options{}, &mcp.ClientOptions{
				ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { begun <- struct{}{} },
			}, version)
			for range 10 {
				ctx, cancel := context.WithCancel(t.Context())
				go func() {
					<-begun
					cancel()
				}()
				if _, err := callTool(ctx, cs, "wait", nil); !errors.Is(err, context.Canceled) {
					t.Errorf("error = %v", err)
				}
			}
			mustEcho(t, cs)
		})
	}
}

func TestSessionContextEndsSession(t *testing.T) {
	for version, handler := range map[string]func(*mcp.Server) http.Handler{legacy: stateful, modern: stateless} {
		t.Run(version, func(t *testing.T) {
			leak.Check(t)
			release := make(chan struct{})
			_, server := serve(t, handler(forget(t, newServer(release))))
			t.Cleanup(func() { close(release) }) // the server waits for its tools
			ctx, cancel := context.WithCancelCause(t.Context())
			begun := make(chan struct{}, 1)
			cs := session(t, server.URL, httpwire.Options{Context: ctx}, &mcp.ClientOptions{
				ProgressNotificationHandler: func(context.Context, *mcp.ProgressNotificationClientRequest) { begun <- struct{}{} },
			}, version)
			failed := make(chan error, 1)
			go func() {
				_, err := callTool(context.Background(), cs, "wait", nil)
				failed <- err
			}()
			<-begun
			cancel(errors.New("shut down"))
			if err := <-failed; err == nil || !strings.Contains(err.Error(), "shut down") {
				t.Errorf("the call ended with %v", err)
			}
			cs.Close()
		})
	}
}
