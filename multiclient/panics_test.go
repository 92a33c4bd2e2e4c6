package multiclient_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/oauth2"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
	"github.com/langchaingo-mcp/mcpadapters/internal/leak"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// recovered calls the tool and returns its error, or what it panicked with.
func recovered(ctx context.Context, c *multiclient.MultiServerClient) (panicked any, err error) {
	defer func() { panicked = recover() }()
	_, err = c.CallTool(ctx, "one", "echo", map[string]any{"text": "x"})
	return nil, err
}

// The panic of an interceptor goes on to the caller, and leaves nothing held.
func TestPanicsOfInterceptors(t *testing.T) {
	leak.Check(t)
	for name, boo := range map[string]interceptors.Interceptor{
		"before": func(context.Context, *interceptors.Request, interceptors.Handler) (*mcp.CallToolResult, error) {
			panic("boo")
		},
		"after": func(ctx context.Context, req *interceptors.Request, next interceptors.Handler) (*mcp.CallToolResult, error) {
			if _, err := next(ctx, req); err != nil {
				return nil, err
			}
			panic("boo")
		},
	} {
		for _, policy := range []config.SessionPolicy{config.SessionShared, config.SessionSerialized, config.SessionPerCall, config.SessionPerIdentity} {
			t.Run(name+", "+string(policy), func(t *testing.T) {
				leak.Check(t)
				calm := false
				c := newClient(t, config.Connections{"one": config.InMemory{
					Server: testserver.New("one").Server, Settings: config.Settings{MaxInFlight: 1, SessionPolicy: policy},
				}}, &multiclient.Options{
					Identities: multiclient.Identities{Of: func(context.Context) (string, error) { return "ann", nil }},
					Interceptors: []interceptors.Interceptor{func(ctx context.Context, req *interceptors.Request, next interceptors.Handler) (*mcp.CallToolResult, error) {
						if calm {
							return next(ctx, req)
						}
						return boo(ctx, req, next)
					}},
				})
				for range 3 {
					if panicked, err := recovered(t.Context(), c); panicked != "boo" {
						t.Fatalf("panic %v, error %v", panicked, err)
					}
				}
				calm = true
				if panicked, err := recovered(t.Context(), c); err != nil || panicked != nil {
					t.Errorf("panic %v, error %v", panicked, err)
				}
				begin := time.Now()
				if err := c.RemoveServer(t.Context(), "one"); err != nil || time.Since(begin) > multiclient.DefaultCloseTimeout/2 {
					t.Errorf("removed after %v: %v", time.Since(begin), err)
				}
			})
		}
	}
}

// booming is a transport, and its connection, that panics in one of its methods.
type booming struct {
	in   string
	next *mcp.InMemoryTransport
	mcp.Connection
}

func (b *booming) boo(in string) {
	if b.in == in {
		panic("boo")
	}
}

func (b *booming) Connect(ctx context.Context) (mcp.Connection, error) {
	b.boo("Connect")
	var err error
	b.Connection, err = b.next.Connect(ctx)
	return b, err
}

func (b *booming) Read(ctx context.Context) (jsonrpc.Message, error) {
	b.boo("Read")
	return b.Connection.Read(ctx)
}

func (b *booming) Write(ctx context.Context, m jsonrpc.Message) error {
	b.boo("Write")
	return b.Connection.Write(ctx, m)
}

func (b *booming) Close() error {
	defer b.boo("Close")
	return b.Connection.Close()
}

func (b *booming) SessionID() string {
	b.boo("SessionID")
	return b.Connection.SessionID()
}

// transportThat returns a connection whose transport panics.
func transportThat(t *testing.T, in string) config.Connection {
	return config.Custom{NewTransport: func(context.Context) (mcp.Transport, error) {
		if in == "Connect" {
			return &booming{in: in}, nil
		}
		here, there := mcp.NewInMemoryTransports()
		ss, err := testserver.New("one").Server.Connect(t.Context(), there, nil)
		if err != nil {
			return nil, err
		}
		t.Cleanup(func() { ss.Close() })
		return &booming{in: in, next: here}, nil
	}}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// boomingHandler panics in one of its methods.
type boomingHandler struct{ in string }

func (b boomingHandler) TokenSource(context.Context) (oauth2.TokenSource, error) {
	if b.in == "TokenSource" {
		panic("boo")
	}
	return b, nil
}

func (b boomingHandler) Token() (*oauth2.Token, error) { panic("boo") }

func (boomingHandler) Authorize(context.Context, *http.Request, *http.Response) error { return nil }

// Other code of the program runs in goroutines that are not its own, where a panic
// would end the process. It is an error instead.
func TestPanicsElsewhere(t *testing.T) {
	url := testserver.New("one").HTTP(t, false)
	over := func(c config.HTTP) config.Connection { return config.StreamableHTTP{URL: url, HTTP: c} }
	boo := func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(context.Context, string, mcp.Request) (mcp.Result, error) { panic("boo") }
	}
	for name, test := range map[string]struct {
		connection config.Connection
		options    multiclient.Options
		says       string
		works      bool // all the same
	}{
		"Connect of a transport":   {transportThat(t, "Connect"), multiclient.Options{}, "Connect of the custom transport panicked: boo", false},
		"Read of a transport":      {transportThat(t, "Read"), multiclient.Options{}, "Read of the custom transport panicked: boo", false},
		"Write of a transport":     {transportThat(t, "Write"), multiclient.Options{}, "Write of the custom transport panicked: boo", false},
		"Close of a transport":     {transportThat(t, "Close"), multiclient.Options{}, "", true},
		"SessionID of a transport": {transportThat(t, "SessionID"), multiclient.Options{}, "", true},
		"a RoundTripper": {over(config.HTTP{Client: clientOf(func(*http.Request) (*http.Response, error) { panic("boo") })}), multiclient.Options{},
			"the RoundTripper of the HTTP client panicked: boo", false},
		"TokenSource of a handler": {config.StreamableHTTP{URL: url, OAuthHandler: boomingHandler{"TokenSource"}}, multiclient.Options{}, "TokenSource of the OAuthHandler panicked: boo", false},
		"Token of the handler of a transport": {config.Custom{NewTransport: func(context.Context) (mcp.Transport, error) {
			return &mcp.StreamableClientTransport{Endpoint: url, OAuthHandler: boomingHandler{}}, nil
		}}, multiclient.Options{}, "Token of the OAuthHandler panicked: boo", false},
		"Token of a handler": {config.StreamableHTTP{URL: url, OAuthHandler: boomingHandler{}}, multiclient.Options{}, "Token of the OAuthHandler panicked: boo", false},
		"middleware for what is sent": {over(config.HTTP{}), multiclient.Options{ConfigureClient: func(_ string, c *mcp.Client) { c.AddSendingMiddleware(boo) }},
			"middleware of ConfigureClient panicked: boo", false},
		"middleware for what is received": {config.InMemory{Server: asker(), Settings: config.Settings{ProtocolVersion: stateful}}, multiclient.Options{
			ConfigureClient: func(_ string, c *mcp.Client) { c.AddReceivingMiddleware(boo) },
			Callbacks: callbacks.Callbacks{OnListRoots: func(context.Context, callbacks.CallbackContext, *mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
				return &mcp.ListRootsResult{}, nil
			}},
		}, "middleware of ConfigureClient panicked: boo", false},
		"Selection.Keep": {over(config.HTTP{}), multiclient.Options{Selection: multiclient.Selection{Keep: func(string, *mcp.Tool) bool { panic("boo") }}},
			"Selection.Keep panicked: boo", false},
	} {
		t.Run(name, func(t *testing.T) {
			leak.Check(t)
			var log account
			test.options.Logger = slog.New(slog.NewTextHandler(&log, nil))
			c := newClient(t, config.Connections{"one": test.connection}, &test.options)
			panicked, err := recovered(t.Context(), c)
			if panicked != nil || (err == nil) != test.works || err != nil && !strings.Contains(err.Error(), test.says) {
				t.Errorf("panic %v, error %v, want %q", panicked, err, test.says)
			}
			if err != nil && strings.Contains(err.Error(), ".go:") {
				t.Errorf("the error, which a model may read, tells of the code: %v", err)
			}
			if test.works {
				session, release, err := c.Session(t.Context(), "one")
				if err != nil {
					t.Fatal(err)
				}
				_ = session.ID()
				release()
			}
			begin := time.Now()
			if err := c.RemoveServer(t.Context(), "one"); err != nil || time.Since(begin) > multiclient.DefaultCloseTimeout/2 {
				t.Errorf("removed after %v: %v", time.Since(begin), err)
			}
			if text := log.String(); !strings.Contains(text, "panicked") || !strings.Contains(text, "panics_test.go") {
				t.Errorf("the log does not tell where the panic was: %s", text)
			}
		})
	}
}

// Keep is also asked when a server has announced a change.
func TestPanicOfKeepAfterAChange(t *testing.T) {
	leak.Check(t)
	s := testserver.New("one").Server
	changed := make(chan callbacks.ToolsChange, 10)
	c := newClient(t, config.Connections{"one": config.InMemory{Server: s}}, &multiclient.Options{
		Callbacks: callbacks.Callbacks{OnToolsChanged: func(_ context.Context, _ callbacks.CallbackContext, change callbacks.ToolsChange) { changed <- change }},
		Selection: multiclient.Selection{Keep: func(_ string, tool *mcp.Tool) bool {
			if tool.Name == "odd" {
				panic("boo")
			}
			return true
		}},
	})
	if _, err := c.Tools(t.Context()); err != nil {
		t.Fatal(err)
	}
	handler := func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{}, nil
	}
	for _, name := range []string{"odd", "even"} {
		s.AddTool(&mcp.Tool{Name: name, InputSchema: map[string]any{"type": "object"}}, handler)
	}
	change := receive(t, changed, "change of the tools")
	if len(change.Added) != 1 || change.Added[0].Name != "even" {
		t.Errorf("added %v", change.Added)
	}
	tools, err := c.Tools(t.Context())
	var e *multiclient.Error
	if !errors.As(err, &e) || e.Tool != "odd" || !strings.Contains(err.Error(), "Selection.Keep panicked: boo") {
		t.Errorf("error %v", err)
	}
	for _, tool := range tools {
		if tool.Name() == "odd" {
			t.Error("a tool that could not be asked about is there")
		}
	}
}

// asker is a server whose tool asks for roots, and fails as it is answered.
func asker() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "asker", Version: "1"}, nil)
	s.AddTool(&mcp.Tool{Name: "echo", InputSchema: map[string]any{"type": "object"}}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		_, err := req.Session.ListRoots(ctx, nil)
		return nil, err
	})
	return s
}

func clientOf(f func(*http.Request) (*http.Response, error)) *http.Client {
	return &http.Client{Transport: roundTripper(f)}
}

var _ auth.OAuthHandler = boomingHandler{}
