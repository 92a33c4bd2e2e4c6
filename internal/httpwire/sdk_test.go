package httpwire_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/internal/httpwire"
	"github.com/langchaingo-mcp/mcpadapters/internal/leak"
)

// tag puts the tag of the call's context into each message of the server.
// newServer has the tools that the tests call. Those of its tools that wait do
// so until release is closed.
// A gate stands before a server and can answer in its place.
// forget ends the sessions that clients left on a server.
// session connects the SDK's client through a wire.
// mustEcho checks that the session works.
// Forty calls of two tools ask the user over one session at the same time, and
// each question is tagged with its call.
func TestConcurrentElicitation(t *testing.T) {
	leak.Check(t)
	_, server := serve(t, stateful(newServer(nil)))
	var mu sync.Mutex
	seen := map[string]string{}
	cs := session(t, server.URL, httpwire.Options{Hooks: httpwire.Hooks{Inbound: tag}}, &mcp.ClientOptions{
		ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			value, _ := req.Params.Meta["tag"].(string)
			mu.Lock()
			defer mu.Unlock()
			seen[value] = req.Params.Message
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"tag": value}}, nil
		},
	}, legacy)
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			name := []string{"alpha", "beta"}[i%2]
			value := fmt.Sprintf("%s %d", name, i)
			got, err := callTool(context.WithValue(t.Context(), tagKey{}, value), cs, name, nil)
			if err != nil || got != value {
				t.Errorf("%s was answered for %q, %v", value, got, err)
			}
		})
	}
	wg.Wait()
	if len(seen) != 40 {
		t.Errorf("%d different questions", len(seen))
	}
	for value, message := range seen {
		if !strings.HasPrefix(value, message+" ") {
			t.Errorf("a question of %s was tagged %q", message, value)
		}
	}
}

func TestProgressComesWithItsCall(t *testing.T) {
	for name, test := range map[string]struct {
		handler http.Handler
		version string
		tool    string
	}{
		legacy: {stateful(newServer(nil)), legacy, "progress"}, modern: {stateless(newServer(nil)), modern, "progress"},
		"resumed": {stateful(newServer(nil)), legacy, "disconnect"},
	} {
		t.Run(name, func(t *testing.T) {
			leak.Check(t)
			g, server := serve(t, test.handler)
			var mu sync.Mutex
			count := map[string]int{}
			cs := session(t, server.URL, httpwire.Options{Hooks: httpwire.Hooks{
				Inbound: func(ctx context.Context, req *jsonrpc.Request) bool {
					value, _ := ctx.Value(tagKey{}).(string)
					mu.Lock()
					defer mu.Unlock()
					count[value]++
					return false
				},
			}}, nil, test.version)
			if got := cs.InitializeResult().ProtocolVersion; got != test.version {
				t.Fatalf("negotiated %s", got)
			}
			for len(g.served) > 0 {
				<-g.served
			}
			var wg sync.WaitGroup
			for i := range 10 {
				wg.Go(func() {
					value := fmt.Sprint("call ", i)
					if _, err := callTool(context.WithValue(t.Context(), tagKey{}, value), cs, test.tool, nil); err != nil {
						t.Error(err)
					}
					mu.Lock()
					defer mu.Unlock()
					if count[value] != 3 {
						t.Errorf("%s had %d notifications before it returned", value, count[value])
					}
				})
			}
			wg.Wait()
			if name == "resumed" {
				gets := 0
				for len(g.served) > 0 {
					if <-g.served == http.MethodGet {
						gets++
					}
				}
				if gets < 10 {
					t.Errorf("%d resumptions", gets)
				}
			}
			mustEcho(t, cs)
		})
	}
}

// The session survives all that a server does to its stream, and the stream
// is there again when the server is.
// A lost session is known as such in all the forms that servers give it.
// A call that the server refuses costs that call, and no other.
// A call to a dead server fails, known as not sent; one in flight can be given
// up; the session goes on when the server is back with what it knew.
// Cancelling a call in mid-stream leaves the session usable.
func TestGiantResults(t *testing.T) {
	// The SDK's own limit for events is 16 MiB.
	for contentType, limit := range map[string]int{"text/event-stream": 18 << 20, "application/json": 2 << 20} {
		t.Run(contentType, func(t *testing.T) {
			leak.Check(t)
			g, ts := serve(t, stateful(newServer(nil)))
			// The SDK's server takes seconds to encode a result of this size.
			g.set(nil, func(w http.ResponseWriter, req *http.Request) bool {
				body, _ := io.ReadAll(req.Body)
				req.Body = io.NopCloser(bytes.NewReader(body))
				var call struct {
					ID     int
					Params struct {
						Name      string
						Arguments struct{ Size int }
					}
				}
				if json.Unmarshal(body, &call) != nil || call.Params.Name != "big" {
					return false
				}
				w.Header().Set("Content-Type", contentType)
				text := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[{"type":"text","text":"%s"}]}}`,
					call.ID, strings.Repeat("x", call.Params.Arguments.Size))
				if contentType == "text/event-stream" {
					text = "data: " + text + "\n\n"
				}
				io.WriteString(w, text)
				return true
			})
			cs := session(t, ts.URL, httpwire.Options{MaxMessage: limit}, nil, legacy)
			size := limit - 1<<20
			if got, err := callTool(t.Context(), cs, "big", map[string]any{"size": size}); err != nil || len(got) != size {
				t.Errorf("%d bytes, %v", len(got), err)
			}
			if _, err := callTool(t.Context(), cs, "big", map[string]any{"size": limit}); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("more than %d bytes", limit)) {
				t.Errorf("error = %v", err)
			}
			mustEcho(t, cs)
		})
	}
}

// A server that leaves server/discover unanswered is connected the old way.
func TestDiscoverIsIgnored(t *testing.T) {
	leak.Check(t)
	g, server := serve(t, stateful(newServer(nil)))
	g.set(nil, func(_ http.ResponseWriter, req *http.Request) bool {
		if req.Header.Get("Mcp-Method") != "server/discover" {
			return false
		}
		_, _ = io.Copy(io.Discard, req.Body)
		<-req.Context().Done()
		return true
	})
	cs := session(t, server.URL, httpwire.Options{DiscoverTimeout: 50 * time.Millisecond}, nil, "")
	if got := cs.InitializeResult().ProtocolVersion; got != legacy {
		t.Errorf("negotiated %s", got)
	}
	mustEcho(t, cs)
}

// The subscription of a 2026-07-28 session does not block Connect, and is
// opened again.
func TestListenWithSDK(t *testing.T) {
	leak.Check(t)
	mcpServer := newServer(nil)
	g, server := serve(t, stateless(mcpServer))
	g.set(nil, func(_ http.ResponseWriter, req *http.Request) bool {
		if req.Header.Get("Mcp-Method") != "subscriptions/listen" {
			return false
		}
		_, _ = io.Copy(io.Discard, req.Body)
		<-req.Context().Done()
		return true
	})
	changed, reopened := make(chan struct{}, 100), make(chan struct{}, 100)
	acknowledged := make(chan struct{}, 100)
	cs := session(t, server.URL, httpwire.Options{Hooks: httpwire.Hooks{
		Reopened: func() { reopened <- struct{}{} },
		Inbound: func(_ context.Context, req *jsonrpc.Request) bool {
			if req.Method == "notifications/subscriptions/acknowledged" {
				acknowledged <- struct{}{}
			}
			return true
		},
	}}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
	}, modern)
	mustEcho(t, cs)
	g.set(nil, nil)
	for i := range 3 {
		server.CloseClientConnections()
		<-acknowledged
		mcpServer.AddTool(&mcp.Tool{Name: fmt.Sprint("new", i), InputSchema: map[string]any{"type": "object"}}, nil)
		<-changed
	}
	<-reopened
	<-reopened
	mustEcho(t, cs)
}

// The end of the session's context lets go of everything, whatever is going
// on, and the SDK's Close then returns.
// The transport of 2024-11-05 outlives the context of Connect.
func TestSSEWithSDK(t *testing.T) {
	leak.Check(t)
	server := newServer(nil)
	_, ts := serve(t, mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return server }, nil))
	rec := new(recorder)
	wire := httpwire.New(httpwire.Options{SSE: true, Hooks: rec.hooks()})
	defer wire.Close()
	ctx, cancel := context.WithCancel(t.Context())
	client := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, nil)
	cs, err := client.Connect(ctx, &mcp.SSEClientTransport{Endpoint: ts.URL, HTTPClient: wire.Client(nil), MaxEventSize: -1}, &mcp.ClientSessionOptions{ProtocolVersion: legacy})
	if err != nil {
		t.Fatal(err)
	}
	defer cs.Close()
	cancel()
	mustEcho(t, cs)
	if _, err := callTool(t.Context(), cs, "progress", nil); err != nil {
		t.Fatal(err)
	}
	if got := rec.methods(); len(got) < 3 {
		t.Errorf("Inbound was told %v", got)
	}
}
