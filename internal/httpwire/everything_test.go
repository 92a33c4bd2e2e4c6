package httpwire_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/internal/httpwire"
	"github.com/langchaingo-mcp/mcpadapters/internal/npmservers"
)

// A mover sends requests to another server than that of their URL.
type mover struct{ host atomic.Value }

func (m *mover) RoundTrip(req *http.Request) (*http.Response, error) {
	moved := *req.URL
	moved.Host = m.host.Load().(string)
	req = req.Clone(req.Context())
	req.URL, req.Host = &moved, moved.Host
	return http.DefaultTransport.RoundTrip(req)
}

// With the server of the TypeScript SDK: what it announces right after the
// session began arrives, its questions come with their call, and a session
// that it does not know is lost.
func TestServerEverything(t *testing.T) {
	address, err := url.Parse(npmservers.StartHTTP(t, npmservers.StreamableHTTP))
	if err != nil {
		t.Fatal(err)
	}
	base := new(mover)
	base.host.Store(address.Host)
	changed := make(chan struct{}, 100)
	var mu sync.Mutex
	questions := map[string]int{}
	opts := httpwire.Options{Base: base, Hooks: httpwire.Hooks{Inbound: func(ctx context.Context, req *jsonrpc.Request) bool {
		return tag(ctx, req)
	}}}
	cs := session(t, address.String(), opts, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
		ElicitationHandler: func(_ context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			mu.Lock()
			defer mu.Unlock()
			questions[fmt.Sprint(req.Params.Meta["tag"])]++
			return &mcp.ElicitResult{Action: "decline"}, nil
		},
	}, "")
	<-changed

	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			ctx := context.WithValue(t.Context(), tagKey{}, fmt.Sprint("call ", i))
			params := &mcp.CallToolParams{Name: "trigger-elicitation-request", Arguments: map[string]any{}}
			if res, err := cs.CallTool(ctx, params); err != nil || res.IsError {
				t.Errorf("call %d: %+v, %v", i, res, err)
			}
		})
	}
	wg.Wait()
	for i := range 20 {
		if n := questions[fmt.Sprint("call ", i)]; n != 1 || len(questions) != 20 {
			t.Errorf("call %d asked %d times; all: %v", i, n, questions)
		}
	}

	other, err := url.Parse(npmservers.StartHTTP(t, npmservers.StreamableHTTP))
	if err != nil {
		t.Fatal(err)
	}
	base.host.Store(other.Host)
	params := &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"message": "hi"}}
	if _, err := cs.CallTool(t.Context(), params); !errors.Is(err, mcp.ErrSessionMissing) {
		t.Errorf("a call after the restart: %v", err)
	}
}

func TestServerEverythingSSE(t *testing.T) {
	address := npmservers.StartHTTP(t, npmservers.SSE)
	rec := new(recorder)
	wire := httpwire.New(httpwire.Options{SSE: true, Hooks: rec.hooks()})
	defer wire.Close()
	ctx, cancel := context.WithCancel(t.Context())
	client := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, nil)
	cs, err := client.Connect(ctx, &mcp.SSEClientTransport{Endpoint: address, HTTPClient: wire.Client(nil), MaxEventSize: -1}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer cs.Close()
	cancel()
	params := &mcp.CallToolParams{Name: "trigger-long-running-operation", Arguments: map[string]any{"duration": 0.1, "steps": 2}}
	params.SetProgressToken("token")
	if res, err := cs.CallTool(t.Context(), params); err != nil || res.IsError {
		t.Errorf("%+v, %v", res, err)
	}
	if got := rec.methods(); !slices.Contains(got, "notifications/progress") {
		t.Errorf("Inbound was told %v", got)
	}
}
