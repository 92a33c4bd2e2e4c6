package multiclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/leak"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// bad servers, and what the error has to say of each.
func badServers(t *testing.T) map[string]struct {
	connection config.Connection
	kind       multiclient.ErrorKind
	phase      multiclient.Phase
	says       []string
} {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Fatal(err)
	}
	html := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<html><body>Welcome to nginx</body></html>")
	}))
	t.Cleanup(html.Close)
	unauthorized := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "who are you?", http.StatusUnauthorized)
	}))
	t.Cleanup(unauthorized.Close)
	silent := make(chan struct{})
	hanging := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body) // or the server does not see the client go
		select {
		case <-silent:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(hanging.Close)
	t.Cleanup(func() { close(silent) })
	gone := httptest.NewServer(nil)
	gone.Close()
	short := config.Settings{ConnectTimeout: 500 * time.Millisecond}
	sh := func(script string) config.Stdio { return config.Stdio{Command: "sh", Args: []string{"-c", script}} }
	shShort := sh("cat >/dev/null")
	shShort.Settings = short
	return map[string]struct {
		connection config.Connection
		kind       multiclient.ErrorKind
		phase      multiclient.Phase
		says       []string
	}{
		"no such program":    {config.Stdio{Command: "no-such-program-anywhere"}, multiclient.ErrUnavailable, multiclient.PhaseSpawn, []string{"no-such-program-anywhere"}},
		"exits at once":      {sh("echo out of cheese >&2; exit 3"), multiclient.ErrUnavailable, multiclient.PhaseInitialize, []string{"status 3", "out of cheese"}},
		"garbage":            {sh("echo Starting up...; sleep 0.05; exit 0"), multiclient.ErrUnavailable, multiclient.PhaseInitialize, []string{"Starting up"}},
		"never answers":      {shShort, multiclient.ErrUnavailable, multiclient.PhaseInitialize, []string{"connect timeout"}},
		"HTML":               {config.StreamableHTTP{URL: html.URL}, multiclient.ErrUnavailable, multiclient.PhaseInitialize, []string{"Welcome to nginx"}},
		"unauthorized":       {config.StreamableHTTP{URL: unauthorized.URL}, multiclient.ErrUnavailable, multiclient.PhaseInitialize, []string{"401", "who are you?"}},
		"hanging HTTP":       {config.StreamableHTTP{URL: hanging.URL, Settings: short}, multiclient.ErrUnavailable, multiclient.PhaseConnect, []string{"connect timeout"}},
		"connection refused": {config.StreamableHTTP{URL: gone.URL}, multiclient.ErrUnavailable, multiclient.PhaseConnect, []string{"refused"}},
		"SSE refused":        {config.SSE{URL: gone.URL}, multiclient.ErrUnavailable, multiclient.PhaseConnect, []string{"refused"}},
		"SSE is HTML":        {config.SSE{URL: html.URL}, multiclient.ErrUnavailable, multiclient.PhaseInitialize, []string{"Welcome to nginx"}},
		"hanging SSE":        {config.SSE{URL: hanging.URL, Settings: short}, multiclient.ErrUnavailable, multiclient.PhaseConnect, []string{"connect timeout"}},
		"factory fails": {config.Custom{NewTransport: func(context.Context) (mcp.Transport, error) { return nil, errors.New("no luck") }},
			multiclient.ErrUnavailable, multiclient.PhaseConnect, []string{"no luck"}},
		"factory panics": {config.Custom{NewTransport: func(context.Context) (mcp.Transport, error) { panic("boo") }},
			multiclient.ErrUnavailable, multiclient.PhaseConnect, []string{"boo"}},
		"factory returns nothing": {config.Custom{NewTransport: func(context.Context) (mcp.Transport, error) { return nil, nil }},
			multiclient.ErrUnavailable, multiclient.PhaseConnect, []string{"neither"}},
	}
}

func TestBadServersLeaveTheOthersAlone(t *testing.T) {
	leak.Check(t)
	for name, bad := range badServers(t) {
		t.Run(name, func(t *testing.T) {
			leak.Check(t)
			c := newClient(t, config.Connections{
				"bad":  bad.connection,
				"good": config.InMemory{Server: testserver.New("good").Server},
			}, &multiclient.Options{DiscoverTimeout: 100 * time.Millisecond})
			list, err := c.Tools(t.Context())
			if len(list) == 0 {
				t.Error("the tools of the good server are missing")
			}
			failed := multiclient.ServerErrors(err)
			if len(failed) != 1 {
				t.Fatalf("%d servers failed, want 1: %v", len(failed), err)
			}
			e := failed[0]
			if e.Server != "bad" || e.Kind != bad.kind || e.Phase != bad.phase {
				t.Errorf("the error is of server %q, kind %q, phase %q; want kind %q, phase %q", e.Server, e.Kind, e.Phase, bad.kind, bad.phase)
			}
			for _, want := range append(bad.says, `"bad"`, string(bad.phase)) {
				if !strings.Contains(e.Error(), want) {
					t.Errorf("the error does not say %q: %v", want, e)
				}
			}
			for _, st := range c.Status() {
				if want := map[string]multiclient.State{"bad": multiclient.StateFailed, "good": multiclient.StateReady}[st.Name]; st.State != want {
					t.Errorf("server %s is %s, want %s", st.Name, st.State, want)
				}
			}
			if got := call(t, c, "good", "echo", map[string]any{"text": "hi"}); got != "hi" {
				t.Errorf("the good server said %q", got)
			}
			if _, err := c.CallTool(t.Context(), "bad", "echo", nil); !errors.Is(err, multiclient.ErrUnavailable) {
				t.Errorf("a call to the bad server gave %v", err)
			}
		})
	}
}

func TestRequireAll(t *testing.T) {
	c := newClient(t, config.Connections{
		"bad":  config.Stdio{Command: "no-such-program-anywhere"},
		"good": config.InMemory{Server: testserver.New("good").Server},
	}, &multiclient.Options{RequireAll: true})
	if list, err := c.Tools(t.Context()); list != nil || err == nil {
		t.Errorf("got %d tools and %v, want no tools and an error", len(list), err)
	}
}

func TestFailedServerRecovers(t *testing.T) {
	s := testserver.New("s")
	ready := false
	c := newClient(t, config.Connections{"s": config.Custom{NewTransport: func(ctx context.Context) (mcp.Transport, error) {
		if !ready {
			return nil, errors.New("not yet")
		}
		server, client := mcp.NewInMemoryTransports()
		_, err := s.Connect(context.WithoutCancel(ctx), server, nil)
		return client, err
	}}}, nil)
	if _, err := c.Tools(t.Context()); err == nil {
		t.Fatal("the server is not there yet")
	}
	ready = true
	if list, err := c.Tools(t.Context()); err != nil || len(list) == 0 {
		t.Errorf("after the server came up: %d tools, %v", len(list), err)
	}
}

func TestSecretsStayOutOfErrors(t *testing.T) {
	const secret = "s3cr3t-value"
	gone := httptest.NewServer(nil)
	gone.Close()
	u := strings.Replace(gone.URL, "http://", "http://user:"+secret+"@", 1) + "/?key=" + secret
	header := config.HTTP{Headers: http.Header{"Authorization": {"Bearer " + secret}}}
	c := newClient(t, config.Connections{
		"http":  config.StreamableHTTP{URL: u, HTTP: header},
		"path":  config.StreamableHTTP{URL: gone.URL + "/" + strings.Repeat("k", 20) + secret + "/mcp"},
		"sse":   config.SSE{URL: u, HTTP: header},
		"stdio": config.Stdio{Command: "sh", Args: []string{"-c", "exit 1", secret}, Env: map[string]string{"TOKEN": secret}},
	}, nil)
	_, err := c.Tools(t.Context())
	if n := len(multiclient.ServerErrors(err)); n != 4 {
		t.Fatalf("%d servers failed, want 4: %v", n, err)
	}
	status, _ := json.Marshal(c.Status())
	for what, text := range map[string]string{"error": err.Error(), "status": string(status)} {
		if strings.Contains(text, secret) {
			t.Errorf("the %s holds a secret: %s", what, text)
		}
	}
	for _, st := range c.Status() {
		if st.LastError == nil || strings.Contains(st.LastError.Error(), secret) {
			t.Errorf("last error of %s: %v", st.Name, st.LastError)
		}
	}
}

func TestURLSecretsAreSent(t *testing.T) {
	s := testserver.New("s")
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.Server }, nil)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		if r.URL.EscapedPath() != "/a%2Fb/"+strings.Repeat("k", 30) || r.URL.Query().Get("key") != "k" || user != "u" || password != "p" {
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(srv.Close)
	c := newClient(t, config.Connections{"s": config.StreamableHTTP{URL: strings.Replace(srv.URL, "http://", "http://u:p@", 1) + "/a%2Fb/" + strings.Repeat("k", 30) + "?key=k"}}, nil)
	if got := call(t, c, "s", "echo", map[string]any{"text": "x"}); got != "x" {
		t.Errorf("got %q", got)
	}
}

func TestCallbackPanicFailsItsCallOnly(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		s := testserver.New("one")
		cb := callbacks.Callbacks{
			OnProgress: func(_ context.Context, cc callbacks.CallbackContext, _ *mcp.ProgressNotificationParams) {
				if cc.ToolName == "tell_0" {
					panic("from the progress callback")
				}
			},
			OnElicitation: func(context.Context, callbacks.CallbackContext, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				panic(errors.New("from the elicitation callback"))
			},
		}
		c := newClient(t, config.Connections{"one": w.connect(t, s, config.Settings{})}, &multiclient.Options{Callbacks: cb})
		args := map[string]any{"id": "x", "n": 2}
		_, err := c.CallTool(t.Context(), "one", "tell_0", args)
		if !errors.Is(err, multiclient.ErrCallbackPanic) || !strings.Contains(err.Error(), "from the progress callback") || !strings.Contains(err.Error(), "OnProgress") {
			t.Errorf("a panic in OnProgress gave %v", err)
		}
		_, err = c.CallTool(t.Context(), "one", "ask_0", map[string]any{"id": "x"})
		if !errors.Is(err, multiclient.ErrCallbackPanic) || !strings.Contains(err.Error(), "OnElicitation") {
			t.Errorf("a panic in OnElicitation gave %v", err)
		}
		if got := call(t, c, "one", "tell_1", args); got != "told" {
			t.Errorf("the next call said %q", got)
		}
	})
}

func TestBadLists(t *testing.T) {
	for name, page := range map[string]func(n int) *mcp.ListToolsResult{
		"repeated cursor": func(int) *mcp.ListToolsResult { return &mcp.ListToolsResult{NextCursor: "again"} },
		"endless": func(n int) *mcp.ListToolsResult {
			return &mcp.ListToolsResult{NextCursor: strings.Repeat("x", n)}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := mcp.NewServer(&mcp.Implementation{Name: "s"}, &mcp.ServerOptions{Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}})
			n := 0
			s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
				return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
					if method != "tools/list" {
						return next(ctx, method, req)
					}
					n++
					return page(n), nil
				}
			})
			c := newClient(t, config.Connections{"s": inMemory(stateful)(t, &testserver.Server{Server: s}, config.Settings{})}, nil)
			if _, err := c.Tools(t.Context()); !errors.Is(err, multiclient.ErrBadList) {
				t.Errorf("got %v", err)
			}
			if n > 1001 {
				t.Errorf("the server was asked %d times", n)
			}
		})
	}
}

func TestPagedLists(t *testing.T) {
	s := mcp.NewServer(&mcp.Implementation{Name: "s"}, &mcp.ServerOptions{PageSize: 3})
	add := func(name string) {
		s.AddTool(&mcp.Tool{Name: name, InputSchema: map[string]any{"type": "object"}}, nil)
		s.AddPrompt(&mcp.Prompt{Name: name}, nil)
		s.AddResource(&mcp.Resource{Name: name, URI: "x://" + name}, nil)
		s.AddResourceTemplate(&mcp.ResourceTemplate{Name: name, URITemplate: "x://" + name + "/{id}"}, nil)
	}
	for i := range 10 {
		add(string(rune('a' + i)))
	}
	c := newClient(t, config.Connections{"s": config.InMemory{Server: s}}, nil)
	tools, err := c.Tools(t.Context())
	if err != nil || len(tools) != 10 {
		t.Errorf("%d tools, %v", len(tools), err)
	}
	prompts, err := c.Prompts(t.Context())
	if err != nil || len(prompts) != 10 || prompts[9].Name != "j" || prompts[9].ServerName != "s" {
		t.Errorf("%d prompts, %v", len(prompts), err)
	}
	resources, err := c.Resources(t.Context())
	if err != nil || len(resources) != 10 || resources[9].URI != "x://j" || resources[9].ServerName != "s" {
		t.Errorf("%d resources, %v", len(resources), err)
	}
	templates, err := c.ResourceTemplates(t.Context())
	if err != nil || len(templates) != 10 || templates[9].ServerName != "s" {
		t.Errorf("%d templates, %v", len(templates), err)
	}
}
