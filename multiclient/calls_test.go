package multiclient_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

func TestCapabilitiesAreTheCallbacks(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		for name, test := range map[string]struct {
			cb   callbacks.Callbacks
			want string
		}{
			"none":        {callbacks.Callbacks{}, `{"result":[]}`},
			"elicitation": {answering(t), `{"result":["elicitation"]}`},
			"progress":    {(&events{}).callbacks(), `{"result":[]}`},
		} {
			s := testserver.New("one")
			c := newClient(t, config.Connections{"one": w.connect(t, s, config.Settings{})}, &multiclient.Options{Callbacks: test.cb})
			if got := call(t, c, "one", "client_features", nil); got != test.want {
				t.Errorf("with %s the server sees %s, want %s", name, got, test.want)
			}
		}
	})
}

func TestLongRunningTask(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		s := testserver.New("one")
		var e events
		c := newClient(t, config.Connections{"one": w.connect(t, s, config.Settings{})}, &multiclient.Options{Callbacks: e.callbacks()})
		if got := call(t, c, "one", "long_running_task", nil); got != "5" {
			t.Errorf("got %q", got)
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		var progress, logs []string
		for _, p := range e.progress {
			progress = append(progress, p...)
		}
		for _, l := range e.logs {
			logs = append(logs, l...)
		}
		if diff := cmp.Diff([]string{"Step 1 completed", "Step 2 completed", "Step 3 completed", "Step 4 completed", "Step 5 completed"}, progress); diff != "" {
			t.Errorf("progress (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"20% completed", "40% completed", "60% completed", "80% completed", "100% completed"}, logs); diff != "" {
			t.Errorf("log messages (-want +got):\n%s", diff)
		}
		for message, cc := range e.contexts {
			if cc.ServerName != "one" || cc.ToolName != "long_running_task" || cc.CallID == "" {
				t.Errorf("%q was of %v", message, cc)
			}
		}
	})
}

func TestElicitationAnswers(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		var answer *mcp.ElicitResult
		var refusal error
		cb := callbacks.Callbacks{OnElicitation: func(_ context.Context, cc callbacks.CallbackContext, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			if cc.ServerName != "one" || cc.ToolName != "collect_user_info" {
				t.Errorf("the question came from %v", cc)
			}
			if len(req.Params.Meta) > 0 && w.version == stateful {
				t.Errorf("the question carries %v", req.Params.Meta)
			}
			return answer, refusal
		}}
		s := testserver.New("one")
		c := newClient(t, config.Connections{"one": w.connect(t, s, config.Settings{})}, &multiclient.Options{Callbacks: cb})
		for _, test := range []struct {
			answer *mcp.ElicitResult
			want   string
		}{
			{&mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Jayden", "age": 18}}, "Hello Jayden, you are 18 years old."},
			{&mcp.ElicitResult{Action: "decline"}, "Information not provided"},
			{&mcp.ElicitResult{Action: "cancel"}, "Operation cancelled"},
		} {
			answer = test.answer
			if got := call(t, c, "one", "collect_user_info", nil); got != test.want {
				t.Errorf("%s gave %q, want %q", answer.Action, got, test.want)
			}
		}
		answer, refusal = nil, &jsonrpc.Error{Code: -32099, Message: "not today"}
		res, err := c.CallTool(t.Context(), "one", "collect_user_info", nil)
		if err == nil && !res.IsError {
			t.Errorf("a refusal gave %q", textOf(res))
		}
		said := ""
		if err != nil {
			said = err.Error()
		} else {
			said = textOf(res)
		}
		if !strings.Contains(said, "not today") {
			t.Errorf("a refusal gave %q, want its message in it", said)
		}
	})
}

func TestHeadersReachTheRequest(t *testing.T) {
	type userKey struct{}
	var mu sync.Mutex
	seen := map[string][]string{} // method: values of X-User
	s := testserver.New("one")
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.Server }, nil)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Base") != "base" {
			t.Errorf("%s without the connection's header", r.Method)
		}
		mu.Lock()
		seen[r.Method] = append(seen[r.Method], r.Header.Get("X-User"))
		mu.Unlock()
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	stamp := func(ctx context.Context, req *interceptors.Request, next interceptors.Handler) (*mcp.CallToolResult, error) {
		req.Headers.Set("X-Call", "of "+req.ToolName)
		return next(ctx, req)
	}
	c := newClient(t, config.Connections{"one": config.StreamableHTTP{URL: srv.URL, HTTP: config.HTTP{
		Headers: http.Header{"x-base": {"base"}, "X-Call": {"of the connection"}},
		HeaderSource: func(ctx context.Context) (http.Header, error) {
			user, _ := ctx.Value(userKey{}).(string)
			return http.Header{"X-User": {user}}, nil
		},
	}}}, &multiclient.Options{Interceptors: []interceptors.Interceptor{stamp}})
	ctx := context.WithValue(t.Context(), userKey{}, "ada")
	for name, want := range map[string]string{"X-Base": "base", "X-User": "ada", "X-Call": "of header"} {
		res, err := c.CallTool(ctx, "one", "header", map[string]any{"name": name})
		if err != nil {
			t.Fatal(err)
		}
		if got := textOf(res); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	mu.Lock()
	clear(seen)
	mu.Unlock()
	if _, err := c.Tools(context.WithValue(t.Context(), userKey{}, "bob")); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if diff := cmp.Diff([]string{"bob"}, seen[http.MethodPost]); diff != "" {
		t.Errorf("listing was done for (-want +got):\n%s", diff)
	}
}

func TestHeadersOfACallDoNotReachNestedCalls(t *testing.T) {
	one, two := testserver.New("one"), testserver.New("two")
	var c *multiclient.MultiServerClient
	cb := callbacks.Callbacks{OnElicitation: func(ctx context.Context, cc callbacks.CallbackContext, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		leased, release, err := c.Session(ctx, "two")
		if err != nil {
			return nil, err
		}
		defer release()
		res, err := leased.CallTool(ctx, &mcp.CallToolParams{Name: "header", Arguments: map[string]any{"name": "X-Token"}})
		if err != nil {
			return nil, err
		}
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"word": "<" + textOf(res) + ">"}}, nil
	}}
	stamp := func(ctx context.Context, req *interceptors.Request, next interceptors.Handler) (*mcp.CallToolResult, error) {
		req.Headers.Set("X-Token", "for server one")
		return next(ctx, req)
	}
	c = newClient(t, config.Connections{
		"one": config.StreamableHTTP{URL: one.HTTP(t, false)},
		"two": config.StreamableHTTP{URL: two.HTTP(t, false)},
	}, &multiclient.Options{Callbacks: cb, Interceptors: []interceptors.Interceptor{stamp}})
	if got := call(t, c, "one", "ask_0", map[string]any{"id": "x"}); got != "accept: <>" {
		t.Errorf("got %q: the other server was sent the header", got)
	}
}

func TestInterceptors(t *testing.T) {
	s := testserver.New("one")
	var order []string
	note := func(name string) interceptors.Interceptor {
		return func(ctx context.Context, req *interceptors.Request, next interceptors.Handler) (*mcp.CallToolResult, error) {
			order = append(order, name+">")
			defer func() { order = append(order, "<"+name) }()
			return next(ctx, req)
		}
	}
	route := func(ctx context.Context, req *interceptors.Request, next interceptors.Handler) (*mcp.CallToolResult, error) {
		switch req.Arguments["text"] {
		case "rename":
			req.ToolName, req.Arguments = "add", map[string]any{"a": 1, "b": 2}
		case "fail":
			return nil, errors.New("refused by policy")
		case "replace":
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "replaced"}}}, nil
		case "twice":
			if _, err := next(ctx, req); err != nil {
				return nil, err
			}
		case "meta":
			req.ToolName, req.Arguments = "meta", map[string]any{"name": "trace"}
			req.Meta["trace"] = "t1"
		}
		return next(ctx, req)
	}
	c := newClient(t, config.Connections{"one": config.InMemory{Server: s.Server}},
		&multiclient.Options{Interceptors: []interceptors.Interceptor{note("a"), note("b"), route}})
	for in, want := range map[string]string{"x": "x", "rename": "3", "replace": "replaced", "twice": "twice", "meta": "t1"} {
		if got := call(t, c, "one", "echo", map[string]any{"text": in}); got != want {
			t.Errorf("%s gave %q, want %q", in, got, want)
		}
	}
	if _, err := c.CallTool(t.Context(), "one", "echo", map[string]any{"text": "fail"}); err == nil || !strings.Contains(err.Error(), "refused by policy") {
		t.Errorf("got %v", err)
	}
	order = nil
	tool, err := c.Tool(t.Context(), "echo")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tool.Call(t.Context(), `{"text":"x"}`); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(order, " "); got != "a> b> <b <a" {
		t.Errorf("the order is %q", got)
	}
}

func TestSessionPolicies(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		if w.name == "http/2026-07-28" {
			return // there are no sessions
		}
		for policy, same := range map[config.SessionPolicy]bool{config.SessionShared: true, config.SessionSerialized: true, config.SessionPerCall: false} {
			s := testserver.New("one")
			c := newClient(t, config.Connections{"one": w.connect(t, s, config.Settings{SessionPolicy: policy})}, nil)
			a, b := call(t, c, "one", "count", nil), call(t, c, "one", "count", nil)
			x, y := call(t, c, "one", "session", nil), call(t, c, "one", "session", nil)
			if strings.HasPrefix(w.name, "stdio") {
				if (b == "2") != same {
					t.Errorf("%s: count returned %s, then %s", policy, a, b)
				}
			} else if (x == y) != same {
				t.Errorf("%s: sessions are %s and %s", policy, x, y)
			}
		}
	})
}

func TestLeasedSession(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		s := testserver.New("one")
		var e events
		c := newClient(t, config.Connections{"one": w.connect(t, s, config.Settings{})}, &multiclient.Options{Callbacks: e.callbacks()})
		session, release, err := c.Session(t.Context(), "one")
		if err != nil {
			t.Fatal(err)
		}
		defer release()
		if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "tell_4", Arguments: map[string]any{"id": "x", "n": 2}}); err != nil {
			t.Fatal(err)
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		if cc := e.contexts["progress tell_4 x 2"]; cc.ServerName != "one" || cc.ToolName != "tell_4" {
			t.Errorf("progress of a call on the leased session was of %v", cc)
		}
	})
}

func TestPromptsAndResources(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		s := testserver.New("one")
		c := newClient(t, config.Connections{"one": w.connect(t, s, config.Settings{})}, nil)
		prompts, err := c.Prompts(t.Context())
		if err != nil || len(prompts) != 2 || prompts[1].Name != "greet" {
			t.Errorf("prompts: %v, %v", prompts, err)
		}
		prompt, err := c.Prompt(t.Context(), "one", "greet", map[string]string{"name": "Ada"})
		if err != nil || prompt.Messages[0].Content.(*mcp.TextContent).Text != "Hello Ada" {
			t.Errorf("prompt: %v, %v", prompt, err)
		}
		resources, err := c.Resources(t.Context(), "one")
		if err != nil || len(resources) != 1 || resources[0].URI != "file:///readme.txt" {
			t.Errorf("resources: %v, %v", resources, err)
		}
		templates, err := c.ResourceTemplates(t.Context())
		if err != nil || len(templates) != 2 || templates[1].URITemplate != "notes://{id}" {
			t.Errorf("templates: %v, %v", templates, err)
		}
		for _, uri := range []string{"file:///readme.txt", "notes://7"} {
			res, err := c.ReadResource(t.Context(), "one", uri)
			if err != nil || res.Contents[0].Text != "content of "+uri {
				t.Errorf("%s: %v, %v", uri, res, err)
			}
		}
		if _, err := c.Prompt(t.Context(), "one", "nothing", nil); !errors.Is(err, multiclient.ErrRefused) {
			t.Errorf("an unknown prompt gave %v", err)
		}
	})
}
