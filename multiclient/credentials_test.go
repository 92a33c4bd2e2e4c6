package multiclient_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// userToken is a header source by the user of the context.
func userToken(ctx context.Context) (http.Header, error) {
	switch user, _ := ctx.Value(userKey{}).(string); user {
	case "":
		return nil, nil
	case "slow":
		<-ctx.Done()
		return nil, ctx.Err()
	case "unknown":
		return nil, errors.New("nobody has a token for unknown")
	default:
		return http.Header{"Authorization": {"Bearer " + user}}, nil
	}
}

// userHeader is an interceptor that does the same.
func userHeader(ctx context.Context, req *interceptors.Request, next interceptors.Handler) (*mcp.CallToolResult, error) {
	if user, _ := ctx.Value(userKey{}).(string); user != "" {
		req.Headers.Set("Authorization", "Bearer "+user)
	}
	return next(ctx, req)
}

// forGood serves whoever is called good and tells others that they are not.
func forGood(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if token := r.Header.Get("Authorization"); token != "Bearer good" {
			http.Error(w, "the account of "+strings.TrimPrefix(token, "Bearer ")+" is closed", http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	})
}

// Who has no business with a server does not take it from the others.
func TestBadCredentialsCostTheirUser(t *testing.T) {
	for name, test := range map[string]struct {
		user       string
		policy     config.SessionPolicy
		source     bool
		sse        bool
		worked     bool // before, so that it may be back soon
		wantStatus int
	}{
		"from a header source":             {user: "bad", source: true, wantStatus: 401},
		"from an interceptor":              {user: "bad", wantStatus: 401},
		"nobody":                           {source: true, wantStatus: 401},
		"a header source that fails":       {user: "unknown", source: true},
		"a value that cannot be sent":      {user: "bad\nX-Other: 1"},
		"from a source, cannot be sent":    {user: "bad\nX-Other: 1", source: true},
		"with a session for each call":     {user: "bad", source: true, policy: config.SessionPerCall, wantStatus: 401},
		"for a server that has worked":     {user: "bad", source: true, policy: config.SessionPerCall, worked: true, wantStatus: 401},
		"source fails, server has worked":  {user: "unknown", source: true, policy: config.SessionPerCall, worked: true},
		"a header source that blocks":      {user: "slow", source: true},
		"over SSE, from an interceptor":    {user: "bad", sse: true, wantStatus: 401},
		"over SSE, from a header source":   {user: "bad", source: true, sse: true, wantStatus: 401},
		"interceptor's, of one for a call": {user: "bad", policy: config.SessionPerCall, wantStatus: 401},
	} {
		t.Run(name, func(t *testing.T) {
			s := testserver.New("one")
			get := func(*http.Request) *mcp.Server { return s.Server }
			var handler http.Handler = mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true})
			if test.sse {
				handler = mcp.NewSSEHandler(get, nil)
			}
			guarded := forGood(handler)
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if test.sse && !test.source && r.Method == http.MethodGet {
					handler.ServeHTTP(w, r) // a stream is nobody's
					return
				}
				guarded.ServeHTTP(w, r)
			}))
			t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
			settings := config.Settings{SessionPolicy: test.policy}
			if test.user == "slow" {
				settings.ConnectTimeout = 100 * time.Millisecond
			}
			own := config.HTTP{}
			options := &multiclient.Options{Reconnect: multiclient.Reconnect{Attempts: 3, Delay: time.Millisecond, CoolDown: time.Hour}}
			if test.source {
				own.HeaderSource = userToken
			} else {
				options.Interceptors = []interceptors.Interceptor{userHeader}
			}
			var connection config.Connection = config.StreamableHTTP{URL: srv.URL, HTTP: own, Settings: settings}
			if test.sse {
				connection = config.SSE{URL: srv.URL, HTTP: own, Settings: settings}
			}
			c := newClient(t, config.Connections{"one": connection}, options)
			good := as(t.Context(), "good")
			if test.worked {
				if _, err := c.CallTool(good, "one", "count", nil); err != nil {
					t.Fatal(err)
				}
			}
			for range 5 {
				_, err := c.CallTool(as(t.Context(), test.user), "one", "count", nil)
				var e *multiclient.Error
				if !errors.As(err, &e) || e.Status != test.wantStatus || !e.RetryAt.IsZero() {
					t.Fatalf("the user gets %v", err)
				}
				if strings.Contains(err.Error(), "X-Other") {
					t.Errorf("it says what was to be sent: %v", err)
				}
			}
			if st := c.Status()[0]; st.State == multiclient.StateFailed || st.LastError != nil {
				t.Errorf("the server is %s: %v", st.State, st.LastError)
			}
			if _, err := c.CallTool(good, "one", "count", nil); err != nil {
				t.Errorf("another user gets %v", err)
			}
		})
	}
}

// Who waits for a session that is opened for another user, in vain since it is that
// user's fault, tries by itself.
func TestBadCredentialsCostNobodyWhoWaits(t *testing.T) {
	for name, own := range map[string]config.HTTP{"from a header source": {HeaderSource: userToken}, "from an interceptor": {}} {
		t.Run(name, func(t *testing.T) { badCredentialsCostNobodyWhoWaits(t, own) })
	}
}

func badCredentialsCostNobodyWhoWaits(t *testing.T, own config.HTTP) {
	synctest.Test(t, func(t *testing.T) {
		var (
			s       = testserver.New("one")
			handler = forGood(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.Server },
				&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}))
			gate = make(chan struct{})
		)
		own.Client = &http.Client{Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
			<-gate
			rec := httptest.NewRecorder()
			if req.Body == nil {
				req.Body = http.NoBody
			}
			handler.ServeHTTP(rec, req)
			_, _ = io.Copy(io.Discard, req.Body)
			return rec.Result(), nil
		})}
		options := &multiclient.Options{}
		if own.HeaderSource == nil {
			options.Interceptors = []interceptors.Interceptor{userHeader}
		}
		c, err := multiclient.New(config.Connections{"one": config.StreamableHTTP{URL: "http://one.test", HTTP: own}}, options)
		if err != nil {
			t.Fatal(err)
		}
		var (
			wg   sync.WaitGroup
			mu   sync.Mutex
			errs = map[string]error{}
		)
		ask := func(user string, n int) {
			wg.Go(func() {
				_, err := c.CallTool(as(t.Context(), user), "one", "count", nil)
				mu.Lock()
				defer mu.Unlock()
				errs[fmt.Sprint(user, n)] = err
			})
		}
		if own.HeaderSource != nil {
			ask("bad", 0)
		} else {
			wg.Go(func() { // which no interceptor gives headers
				if _, err := c.Tools(t.Context()); !errors.Is(err, fs.ErrPermission) {
					t.Errorf("the list gets %v", err)
				}
			})
		}
		synctest.Wait() // the session is being opened
		for n := range 3 {
			ask("good", n)
			ask("worse", n)
		}
		synctest.Wait() // they wait for it
		close(gate)
		wg.Wait()
		for who, err := range errs {
			user := strings.TrimRight(who, "0123456789")
			switch {
			case user == "good" && err != nil:
				t.Errorf("%s gets %v", who, err)
			case user != "good" && !errors.Is(err, fs.ErrPermission), user == "worse" && strings.Contains(err.Error(), "bad"):
				t.Errorf("%s gets %v", who, err)
			}
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}

// Where nobody has headers, nobody waits for all others to find that out.
func TestHeaderSourceThatFailsForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const takes = time.Second
		c, err := multiclient.New(config.Connections{"one": config.StreamableHTTP{
			URL: "http://one.test", HTTP: config.HTTP{HeaderSource: func(context.Context) (http.Header, error) {
				time.Sleep(takes)
				return nil, errors.New("the token service is down")
			}},
		}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		begun := time.Now()
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				var e *multiclient.Error
				if _, err := c.CallTool(t.Context(), "one", "count", nil); !errors.As(err, &e) || e.Kind != multiclient.ErrUnavailable || !e.RetryAt.IsZero() {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		// An attempt asks for the headers of two requests.
		if took := time.Since(begun); took > 8*2*takes {
			t.Errorf("it took %v", took)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}

// A session that is awaited, and that nobody has headers for, is tried ever more
// rarely in the background.
func TestRestorationWithoutHeadersIsPaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testserver.New("one")
		handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.Server }, &mcp.StreamableHTTPOptions{JSONResponse: true})
		var lost atomic.Bool
		var asked atomic.Int32
		client := &http.Client{Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
			rec := httptest.NewRecorder()
			switch {
			case req.Method == http.MethodGet:
				http.Error(rec, "no stream", http.StatusMethodNotAllowed)
			case lost.Load():
				http.Error(rec, "no such session", http.StatusNotFound)
			default:
				if req.Body == nil {
					req.Body = http.NoBody
				}
				handler.ServeHTTP(rec, req)
			}
			return rec.Result(), nil
		})}
		c, err := multiclient.New(config.Connections{"one": config.StreamableHTTP{
			URL: "http://one.test", Settings: config.Settings{ProtocolVersion: stateful},
			HTTP: config.HTTP{Client: client, HeaderSource: func(ctx context.Context) (http.Header, error) {
				if lost.Load() && ctx.Value(userKey{}) == nil {
					asked.Add(1)
					return nil, errors.New("nobody is there")
				}
				return nil, nil
			}},
		}}, &multiclient.Options{
			Callbacks: callbacks.Callbacks{OnToolsChanged: func(context.Context, callbacks.CallbackContext, callbacks.ToolsChange) {}},
			Reconnect: multiclient.Reconnect{Delay: time.Second, CoolDown: time.Minute},
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Tools(t.Context()); err != nil {
			t.Fatal(err)
		}
		lost.Store(true)
		_, _ = c.CallTool(as(t.Context(), "one"), "one", "count", nil)
		time.Sleep(time.Hour)
		if n := asked.Load(); n < 30 || n > 300 {
			t.Errorf("it was tried %d times in an hour", n)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		for session := range s.Sessions() {
			_ = session.Close()
		}
	})
}
