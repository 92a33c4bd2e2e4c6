package gateway_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/gateway"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
)

const (
	stateful  = "2025-11-25"
	stateless = "2026-07-28"
)

// A wire is how clients reach the gateway.
type wire struct {
	name, version string
	http          bool
}

var wires = []wire{
	{"pipe/2025-11-25", stateful, false},
	{"pipe/2026-07-28", stateless, false},
	{"http/2025-11-25", stateful, true},
	{"http/2026-07-28", stateless, true},
}

func onEachWire(t *testing.T, test func(t *testing.T, w wire)) {
	for _, w := range wires {
		t.Run(w.name, func(t *testing.T) { test(t, w) })
	}
}

// upstream is connections to two servers, one of each generation.
func upstream() (config.Connections, map[string]*testserver.Server) {
	old, new := testserver.New("old"), testserver.New("new")
	return config.Connections{
		"old": config.InMemory{Server: old.Server, Settings: config.Settings{ProtocolVersion: stateful}},
		"new": config.InMemory{Server: new.Server},
	}, map[string]*testserver.Server{"old": old, "new": new}
}

// A house is a gateway and how clients come to it.
type house struct {
	gw   *gateway.Gateway
	wire wire
	url  string
}

func newHouse(t *testing.T, w wire, connections config.Connections, opts *gateway.Options) *house {
	t.Helper()
	gw, err := gateway.New(connections, opts)
	if err != nil {
		t.Fatal(err)
	}
	h := &house{gw: gw, wire: w}
	if w.http {
		srv := httptest.NewServer(gw.Handler())
		t.Cleanup(func() {
			srv.CloseClientConnections()
			srv.Close()
		})
		h.url = srv.URL
	}
	t.Cleanup(func() {
		if err := gw.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// A guest is a client of the gateway. It notes what it receives, and what it is
// asked must hold its name.
type guest struct {
	t    testing.TB
	name string
	*mcp.ClientSession

	mu       sync.Mutex
	came     chan struct{} // closed and replaced when something comes
	progress map[any][]string
	logs     []string
	changed  map[string]int
	asked    int
}

func (g *guest) note(f func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f()
	close(g.came)
	g.came = make(chan struct{})
}

// wait waits until what it has received is as it should be.
func (g *guest) wait(what string, done func() bool) {
	g.t.Helper()
	late := time.After(30 * time.Second)
	for {
		g.mu.Lock()
		ok, came := done(), g.came
		g.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-came:
		case <-time.After(200 * time.Millisecond): // done may make it come
		case <-late:
			g.mu.Lock()
			defer g.mu.Unlock()
			g.t.Fatalf("%s: %s has not come; progress %v, logs %q, changes %v", g.name, what, g.progress, g.logs, g.changed)
		}
	}
}

func (g *guest) mine(what, label string) {
	if !strings.Contains(label, g.name) {
		g.t.Errorf("%s received %s of another: %q", g.name, what, label)
	}
}

// enter connects a client.
func (h *house) enter(t testing.TB, name string) *guest {
	t.Helper()
	g := &guest{t: t, name: name, came: make(chan struct{}), progress: map[any][]string{}, changed: map[string]int{}}
	client := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{
			RootsV2:     &mcp.RootCapabilities{ListChanged: true},
			Elicitation: &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{}},
		},
		ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			g.note(func() { g.asked++ })
			g.mine("a question", req.Params.Message)
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"word": req.Params.Message}}, nil
		},
		CreateMessageHandler: func(_ context.Context, req *mcp.CreateMessageRequest) (*mcp.CreateMessageResult, error) {
			label := req.Params.Messages[0].Content.(*mcp.TextContent).Text
			g.mine("a request for sampling", label)
			return &mcp.CreateMessageResult{Role: "assistant", Model: "m", Content: &mcp.TextContent{Text: label}}, nil
		},
		ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
			g.note(func() {
				g.progress[req.Params.ProgressToken] = append(g.progress[req.Params.ProgressToken], req.Params.Message)
			})
		},
		LoggingMessageHandler: func(_ context.Context, req *mcp.LoggingMessageRequest) {
			g.note(func() { g.logs = append(g.logs, fmt.Sprint(req.Params.Logger, " ", req.Params.Data)) })
		},
		ToolListChangedHandler:     func(context.Context, *mcp.ToolListChangedRequest) { g.note(func() { g.changed["tools"]++ }) },
		PromptListChangedHandler:   func(context.Context, *mcp.PromptListChangedRequest) { g.note(func() { g.changed["prompts"]++ }) },
		ResourceListChangedHandler: func(context.Context, *mcp.ResourceListChangedRequest) { g.note(func() { g.changed["resources"]++ }) },
		ResourceUpdatedHandler: func(_ context.Context, req *mcp.ResourceUpdatedNotificationRequest) {
			g.note(func() { g.changed[req.Params.URI]++ })
		},
	})
	client.AddRoots(&mcp.Root{URI: "file:///" + name, Name: name})
	session := h.connect(t, client)
	if got := session.InitializeResult().ProtocolVersion; got != h.wire.version {
		t.Fatalf("the version is %s, want %s", got, h.wire.version)
	}
	if h.wire.version == stateful {
		if err := session.SetLoggingLevel(t.Context(), &mcp.SetLoggingLevelParams{Level: "debug"}); err != nil {
			t.Fatal(err)
		}
	}
	g.ClientSession = session
	return g
}

// connect makes a session of a client, which the test ends.
func (h *house) connect(t testing.TB, client *mcp.Client) *mcp.ClientSession {
	t.Helper()
	var transport mcp.Transport
	if h.wire.http {
		transport = &mcp.StreamableClientTransport{Endpoint: h.url}
	} else {
		ours, theirs := mcp.NewInMemoryTransports()
		transport = ours
		ctx, cancel := context.WithCancel(context.Background())
		done := make(chan struct{})
		go func() {
			defer close(done)
			_ = h.gw.Run(ctx, theirs)
		}()
		t.Cleanup(func() {
			cancel()
			<-done
		})
	}
	session, err := client.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: h.wire.version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// call calls a tool with a progress token and returns the text of its result.
func (g *guest) call(ctx context.Context, tool, token string, arguments map[string]any) string {
	g.t.Helper()
	params := &mcp.CallToolParams{Name: tool, Arguments: arguments, Meta: mcp.Meta{mcp.MetaKeyLogLevel: "debug", "traceparent": "trace of " + token}}
	params.SetProgressToken(token)
	res, err := g.CallTool(ctx, params)
	if err != nil {
		g.t.Errorf("%s: %s: %v", g.name, tool, err)
		return ""
	}
	text := ""
	for _, c := range res.Content {
		if c, ok := c.(*mcp.TextContent); ok {
			text += c.Text
		}
	}
	if res.IsError {
		g.t.Errorf("%s: %s failed: %s", g.name, tool, text)
	}
	return text
}
