package httpwire_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/internal/httpwire"
)

type tagKey struct{}

func tag(ctx context.Context, req *jsonrpc.Request) bool {
	value, _ := ctx.Value(tagKey{}).(string)
	var params map[string]any
	if json.Unmarshal(req.Params, &params) != nil || params == nil {
		return true
	}
	meta, _ := params["_meta"].(map[string]any)
	meta = maps.Clone(meta)
	if meta == nil {
		meta = map[string]any{}
	}
	meta["tag"] = value
	params["_meta"] = meta
	req.Params, _ = json.Marshal(params)
	return true
}

func newServer(release <-chan struct{}) *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	object := map[string]any{"type": "object"}
	text := func(s string) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: s}}}
	}
	for _, name := range []string{"alpha", "beta"} {
		server.AddTool(&mcp.Tool{Name: name, InputSchema: object}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			res, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: name, RequestedSchema: object})
			if err != nil {
				return nil, err
			}
			return text(fmt.Sprint(res.Content["tag"])), nil
		})
	}
	server.AddTool(&mcp.Tool{Name: "echo", InputSchema: object}, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return text(string(req.Params.Arguments)), nil
	})
	server.AddTool(&mcp.Tool{Name: "progress", InputSchema: object}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for i := range 3 {
			_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: req.Params.GetProgressToken(), Progress: float64(i)})
		}
		return text("done"), nil
	})
	server.AddTool(&mcp.Tool{Name: "wait", InputSchema: object}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: req.Params.GetProgressToken()})
		select {
		case <-release:
		case <-ctx.Done():
		}
		return text("released"), nil
	})
	server.AddTool(&mcp.Tool{Name: "disconnect", InputSchema: object}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for i := range 3 {
			req.Extra.CloseSSEStream(mcp.CloseSSEStreamArgs{RetryAfter: 20 * time.Millisecond})
			_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: req.Params.GetProgressToken(), Progress: float64(i)})
		}
		return text("resumed"), nil
	})
	return server
}

type gate struct {
	mu      sync.Mutex
	handler http.Handler
	fault   func(http.ResponseWriter, *http.Request) bool
	served  chan string // methods of requests that reached the server
}

func (g *gate) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	g.mu.Lock()
	handler, fault := g.handler, g.fault
	g.mu.Unlock()
	if fault != nil && fault(w, req) {
		return
	}
	select {
	case g.served <- req.Method:
	default:
	}
	handler.ServeHTTP(w, req)
}

func (g *gate) set(handler http.Handler, fault func(http.ResponseWriter, *http.Request) bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if handler != nil {
		g.handler = handler
	}
	g.fault = fault
}

func forget(t *testing.T, server *mcp.Server) *mcp.Server {
	t.Cleanup(func() {
		for s := range server.Sessions() {
			s.Close()
		}
	})
	return server
}

func stateful(server *mcp.Server) http.Handler {
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{EventStore: mcp.NewMemoryEventStore(nil)})
}

func stateless(server *mcp.Server) http.Handler {
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true})
}

func serve(t *testing.T, handler http.Handler) (*gate, *httptest.Server) {
	t.Helper()
	g := &gate{handler: handler, served: make(chan string, 1000)}
	server := httptest.NewServer(g)
	t.Cleanup(server.Close)
	t.Cleanup(server.CloseClientConnections)
	return g, server
}

func session(t *testing.T, url string, opts httpwire.Options, client *mcp.ClientOptions, version string) *mcp.ClientSession {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	sessionCtx, endSession := context.WithCancel(context.Background())
	if opts.Context == nil {
		opts.Context = sessionCtx
	}
	wire := httpwire.New(opts)
	transport := &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: wire.Client(nil), MaxEventSize: -1}
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, client).Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cs.Close()
		wire.Close()
		endSession()
	})
	return cs
}

const legacy, modern = "2025-11-25", "2026-07-28"

func callTool(ctx context.Context, cs *mcp.ClientSession, name string, args any) (string, error) {
	params := &mcp.CallToolParams{Name: name, Arguments: args}
	params.SetProgressToken("token")
	res, err := cs.CallTool(ctx, params)
	if err != nil {
		return "", err
	}
	if len(res.Content) != 1 {
		return "", fmt.Errorf("the tool returned %d blocks", len(res.Content))
	}
	return res.Content[0].(*mcp.TextContent).Text, nil
}

func mustEcho(t *testing.T, cs *mcp.ClientSession) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if got, err := callTool(ctx, cs, "echo", map[string]any{"a": 1}); err != nil || got != `{"a":1}` {
		t.Fatalf("the session is broken: %q, %v", got, err)
	}
}
