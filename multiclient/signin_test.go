package multiclient_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/oauth2"

	"github.com/langchaingo-mcp/mcpadapters/auth"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// That the server wants to be signed in to is not hidden by what it says to
// the older handshake.
func TestRefusedDiscoveryIsTold(t *testing.T) {
	for name, status := range map[string]int{"401": http.StatusUnauthorized, "403": http.StatusForbidden} {
		t.Run(name, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				if strings.Contains(string(body), "server/discover") {
					http.Error(w, "who are you?", status)
					return
				}
				http.Error(w, "what do you want?", http.StatusBadRequest)
			}))
			t.Cleanup(srv.Close)
			c := newClient(t, config.Connections{"s": config.StreamableHTTP{URL: srv.URL}}, nil)
			_, err := c.ServerInfo(t.Context(), "s")
			e := multiclient.ServerErrors(err)
			if len(e) != 1 || e[0].Status != status || !strings.Contains(err.Error(), "sign") {
				t.Errorf("error %v, want status %d and that it is about signing in", err, status)
			}
		})
	}
}

func TestHandlersAreNotShared(t *testing.T) {
	h, err := auth.NewUser(&auth.UserOptions{RedirectURL: "https://agent.example.com/callback"})
	if err != nil {
		t.Fatal(err)
	}
	one := config.StreamableHTTP{URL: "https://one.example.com", OAuthHandler: h}
	two := config.StreamableHTTP{URL: "https://two.example.com", OAuthHandler: h}
	if _, err := multiclient.New(config.Connections{"one": one, "two": &two}, nil); err == nil || !strings.Contains(err.Error(), `"one" and "two"`) {
		t.Errorf("error %v", err)
	}
	c := newClient(t, config.Connections{"one": one}, nil)
	if err := c.AddServer("two", two); err == nil {
		t.Error("the handler of one server is given to another")
	}
}

// Many users at once on one session, each with a token of their own.
func TestTokensOfUsersOnOneSession(t *testing.T) {
	type userKey struct{}
	url := testserver.New("one").HTTP(t, false)
	c := newClient(t, config.Connections{"one": config.StreamableHTTP{URL: url, HTTP: config.HTTP{
		HeaderSource: func(ctx context.Context) (http.Header, error) {
			user, _ := ctx.Value(userKey{}).(string)
			return http.Header{"Authorization": {"Bearer of " + user}}, nil
		},
	}}}, nil)
	var wg sync.WaitGroup
	for range 8 {
		for _, user := range []string{"alice", "bob", "carol"} {
			wg.Go(func() {
				ctx := context.WithValue(t.Context(), userKey{}, user)
				res, err := c.CallTool(ctx, "one", "header", map[string]any{"name": "Authorization"})
				if err != nil {
					t.Error(err)
					return
				}
				if got := res.Content[0].(*mcp.TextContent).Text; got != "Bearer of "+user {
					t.Errorf("the call of %s was sent as %q", user, got)
				}
			})
		}
	}
	wg.Wait()
	if n := c.Status()[0].Generation; n != 1 {
		t.Errorf("%d sessions", n)
	}
}

// Certificates and proxies are the business of the client that is given.
func TestClientCertificates(t *testing.T) {
	s := testserver.New("one")
	srv := httptest.NewUnstartedServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.Server }, nil))
	srv.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	srv.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	srv.StartTLS()
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	anonymous := srv.Client().Transport.(*http.Transport)
	known := anonymous.Clone()
	known.TLSClientConfig.Certificates = srv.TLS.Certificates
	t.Cleanup(known.CloseIdleConnections)
	c := newClient(t, config.Connections{
		"known":     config.StreamableHTTP{URL: srv.URL, HTTP: config.HTTP{Client: &http.Client{Transport: known}}},
		"anonymous": config.StreamableHTTP{URL: srv.URL, HTTP: config.HTTP{Client: &http.Client{Transport: anonymous}}},
		"untrusted": config.StreamableHTTP{URL: srv.URL},
	}, nil)
	if _, err := c.ServerInfo(t.Context(), "known"); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"anonymous", "untrusted"} {
		if _, err := c.ServerInfo(t.Context(), name); err == nil {
			t.Errorf("%s: there is a session", name)
		}
	}
}

func TestProxies(t *testing.T) {
	var passed atomic.Int64
	proxy := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:       func(*httputil.ProxyRequest) { passed.Add(1) },
		FlushInterval: -1,
		ErrorLog:      slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	})
	t.Cleanup(func() { proxy.CloseClientConnections(); proxy.Close() })
	via, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{Proxy: http.ProxyURL(via)}
	t.Cleanup(transport.CloseIdleConnections)
	c := newClient(t, config.Connections{"one": config.StreamableHTTP{
		URL: testserver.New("one").HTTP(t, true), HTTP: config.HTTP{Client: &http.Client{Transport: transport}},
	}}, nil)
	call(t, c, "one", "echo", map[string]any{"text": "x"})
	if passed.Load() == 0 {
		t.Error("nothing went by the proxy")
	}
}

// unreadable is a handler whose tokens cannot be read.
type unreadable struct{ err error }

func (u unreadable) TokenSource(context.Context) (oauth2.TokenSource, error) { return nil, u.err }

func (u unreadable) Authorize(context.Context, *http.Request, *http.Response) error { return u.err }

// That a file may not be read is no process that may not be started.
func TestPhaseOfWhatIsDenied(t *testing.T) {
	denied := &fs.PathError{Op: "open", Path: "tokens.json", Err: fs.ErrPermission}
	command := func(name string) config.Connection {
		return config.Custom{NewTransport: func(context.Context) (mcp.Transport, error) {
			return &mcp.CommandTransport{Command: exec.Command(name)}, nil
		}}
	}
	for name, test := range map[string]struct {
		connection config.Connection
		phase      multiclient.Phase
		cause      error
	}{
		"tokens":            {config.StreamableHTTP{URL: newServer(t).HTTP(t, false), OAuthHandler: unreadable{denied}}, multiclient.PhaseInitialize, denied},
		"command":           {command(t.TempDir()), multiclient.PhaseSpawn, fs.ErrPermission},
		"command in PATH":   {command("no-such-program-anywhere"), multiclient.PhaseSpawn, exec.ErrNotFound},
		"command elsewhere": {command(filepath.Join(t.TempDir(), "none")), multiclient.PhaseSpawn, fs.ErrNotExist},
	} {
		t.Run(name, func(t *testing.T) {
			c := newClient(t, config.Connections{"one": test.connection}, nil)
			_, err := c.CallTool(t.Context(), "one", "echo", nil)
			var e *multiclient.Error
			if !errors.As(err, &e) || e.Phase != test.phase || !errors.Is(err, test.cause) {
				t.Errorf("got %v", err)
			}
		})
	}
}
