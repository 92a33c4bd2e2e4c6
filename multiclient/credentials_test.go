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
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

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
		"interceptor's, of one for a call": {user: "bad", policy: config.SessionPerCall, wantStatus: 401},
	} {
		t.Run(name, func(t *testing.T) {
			s := testserver.New("one")
			srv := httptest.NewServer(forGood(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.Server },
				&mcp.StreamableHTTPOptions{Stateless: true})))
			t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
			connection := config.StreamableHTTP{URL: srv.URL, Settings: config.Settings{SessionPolicy: test.policy}}
			options := &multiclient.Options{Reconnect: multiclient.Reconnect{Attempts: 3, Delay: time.Millisecond, CoolDown: time.Hour}}
			if test.source {
				connection.HeaderSource = userToken
			} else {
				options.Interceptors = []interceptors.Interceptor{userHeader}
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
			if _, err := c.CallTool(good, "one", "count", nil); err != nil {
				t.Errorf("another user gets %v", err)
			}
		})
	}
}

// Who waits for a session that is opened for another user, in vain since it is that
// user's fault, tries by itself.
func TestBadCredentialsCostNobodyWhoWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var (
			s       = testserver.New("one")
			handler = forGood(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.Server },
				&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true}))
			gate = make(chan struct{})
		)
		client := &http.Client{Transport: roundTripper(func(req *http.Request) (*http.Response, error) {
			<-gate
			rec := httptest.NewRecorder()
			if req.Body == nil {
				req.Body = http.NoBody
			}
			handler.ServeHTTP(rec, req)
			_, _ = io.Copy(io.Discard, req.Body)
			return rec.Result(), nil
		})}
		c, err := multiclient.New(config.Connections{"one": config.StreamableHTTP{
			URL: "http://one.test", HTTP: config.HTTP{Client: client, HeaderSource: userToken},
		}}, nil)
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
		ask("bad", 0)
		synctest.Wait() // its session is being opened
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
