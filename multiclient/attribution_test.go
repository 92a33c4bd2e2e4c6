package multiclient_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

func TestConcurrentElicitations(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		s := testserver.New("one")
		c := newClient(t, config.Connections{"one": w.connect(t, s, config.Settings{})},
			&multiclient.Options{Callbacks: answering(t)})
		var wg sync.WaitGroup
		for i := range 40 {
			wg.Go(func() {
				tool := fmt.Sprintf("ask_%d", i%2)
				res, err := c.CallTool(t.Context(), "one", tool, map[string]any{"id": fmt.Sprint(i)})
				if err != nil {
					t.Errorf("%s: %v", tool, err)
					return
				}
				message := fmt.Sprintf("%s %d", tool, i)
				got, exact := textOf(res), "accept: "+tool+"|"+message
				if got == exact {
					return
				}
				if ambiguous := "accept: |" + message; w.exactRequests() || got != ambiguous {
					t.Errorf("%s returned %q, want %q", tool, got, exact)
				}
			})
		}
		wg.Wait()
	})
}

func TestSingleElicitationIsExactEverywhere(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		s := testserver.New("one")
		c := newClient(t, config.Connections{"one": w.connect(t, s, config.Settings{})},
			&multiclient.Options{Callbacks: answering(t)})
		for i := range 4 {
			tool := fmt.Sprintf("ask_%d", i)
			want := fmt.Sprintf("accept: %s|%s x", tool, tool)
			if got := call(t, c, "one", tool, map[string]any{"id": "x"}); got != want {
				t.Errorf("%s returned %q, want %q", tool, got, want)
			}
		}
	})
}

func TestConcurrentProgressAndLogs(t *testing.T) {
	const calls, n = 48, 20 // fewer messages than may wait, on a busy machine, before some are dropped
	onEachWire(t, func(t *testing.T, w wire) {
		s := testserver.New("one")
		var e events
		c := newClient(t, config.Connections{"one": w.connect(t, s, config.Settings{})},
			&multiclient.Options{Callbacks: e.callbacks()})
		var wg sync.WaitGroup
		for i := range calls {
			wg.Go(func() {
				tool, id := fmt.Sprintf("tell_%d", i%8), fmt.Sprint(i)
				if _, err := c.CallTool(t.Context(), "one", tool, map[string]any{"id": id, "n": n}); err != nil {
					t.Errorf("%s: %v", tool, err)
					return
				}
				e.mu.Lock()
				defer e.mu.Unlock()
				last := fmt.Sprintf("%s %s %d", tool, id, n)
				for _, kind := range []string{"progress ", "log "} {
					cc, ok := e.contexts[kind+last]
					if !ok {
						t.Errorf("%q was not delivered before the call returned", kind+last)
					}
					exact := w.streams || kind == "progress "
					switch {
					case cc.ServerName != "one":
						t.Errorf("%q came from server %q", kind+last, cc.ServerName)
					case cc.ToolName == tool:
					case exact || cc.ToolName != "":
						t.Errorf("%q was of tool %q", kind+last, cc.ToolName)
					case !slices.Contains(cc.Candidates, tool):
						t.Errorf("%q has candidates %q", kind+last, cc.Candidates)
					}
				}
			})
		}
		wg.Wait()
		e.mu.Lock()
		defer e.mu.Unlock()
		if len(e.progress) != calls {
			t.Errorf("progress came with %d call ids, want %d", len(e.progress), calls)
		}
		checkSequences(t, e.progress, n)
		if w.streams {
			if len(e.logs) != calls {
				t.Errorf("log messages came with %d call ids, want %d", len(e.logs), calls)
			}
			checkSequences(t, e.logs, n)
		}
		total := 0
		for _, messages := range e.logs {
			total += len(messages)
		}
		if total != calls*n {
			t.Errorf("%d log messages were delivered, want %d", total, calls*n)
		}
	})
}

// checkSequences checks that each call got its own n messages in order.
func checkSequences(t *testing.T, byCall map[string][]string, n int) {
	t.Helper()
	for id, messages := range byCall {
		if len(messages) == 0 {
			t.Errorf("call %s got nothing", id)
			continue
		}
		prefix := messages[0][:strings.LastIndex(messages[0], " ")]
		var want []string
		for i := 1; i <= n; i++ {
			want = append(want, fmt.Sprintf("%s %d", prefix, i))
		}
		if diff := cmp.Diff(want, messages); diff != "" {
			t.Errorf("call %s (-want +got):\n%s", id, diff)
		}
	}
}

func TestPoliciesMakeEventsExact(t *testing.T) {
	for _, policy := range []config.SessionPolicy{config.SessionSerialized, config.SessionPerCall} {
		for _, w := range wires {
			t.Run(string(policy)+"/"+w.name, func(t *testing.T) {
				s := testserver.New("one")
				var e events
				cb := e.callbacks()
				cb.OnElicitation = answering(t).OnElicitation
				c := newClient(t, config.Connections{"one": w.connect(t, s, config.Settings{SessionPolicy: policy})},
					&multiclient.Options{Callbacks: cb})
				var wg sync.WaitGroup
				for i := range 8 {
					wg.Go(func() {
						tool, id := fmt.Sprintf("tell_%d", i), fmt.Sprint(i)
						if _, err := c.CallTool(t.Context(), "one", tool, map[string]any{"id": id, "n": 3}); err != nil {
							t.Error(err)
						}
					})
					wg.Go(func() {
						tool, id := fmt.Sprintf("ask_%d", i), fmt.Sprint(i)
						res, err := c.CallTool(t.Context(), "one", tool, map[string]any{"id": id})
						if err != nil {
							t.Error(err)
							return
						}
						if got, want := textOf(res), fmt.Sprintf("accept: %s|%s %s", tool, tool, id); got != want {
							t.Errorf("%s returned %q, want %q", tool, got, want)
						}
					})
				}
				wg.Wait()
				e.mu.Lock()
				defer e.mu.Unlock()
				for message, cc := range e.contexts {
					if _, rest, _ := strings.Cut(message, " "); !strings.HasPrefix(rest, cc.ToolName+" ") || cc.ToolName == "" {
						t.Errorf("%q was of tool %q, candidates %q", message, cc.ToolName, cc.Candidates)
					}
				}
			})
		}
	}
}

func TestNestedCalls(t *testing.T) {
	for _, policy := range []config.SessionPolicy{config.SessionShared, config.SessionSerialized, config.SessionPerCall} {
		for _, w := range wires {
			t.Run(string(policy)+"/"+w.name, func(t *testing.T) {
				s := testserver.New("one")
				var c *multiclient.MultiServerClient
				cb := callbacks.Callbacks{
					OnElicitation: func(ctx context.Context, cc callbacks.CallbackContext, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
						res, err := c.CallTool(ctx, "one", "echo", map[string]any{"text": cc.ToolName})
						if err != nil {
							return nil, err
						}
						return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"word": textOf(res)}}, nil
					},
				}
				c = newClient(t, config.Connections{"one": w.connect(t, s, config.Settings{SessionPolicy: policy})},
					&multiclient.Options{Callbacks: cb})
				if got := call(t, c, "one", "ask_3", map[string]any{"id": "x"}); got != "accept: ask_3" {
					t.Errorf("got %q", got)
				}
			})
		}
	}
}

func TestCancelledCallIsNotBlamedOnTheNext(t *testing.T) {
	// A server that ignores cancellation and asks later.
	release := make(chan struct{})
	asked := make(chan struct{}, 1)
	s := testserver.New("one")
	mcp.AddTool(s.Server, &mcp.Tool{Name: "stale"}, func(ctx context.Context, req *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		s.Blocked <- struct{}{}
		<-release
		req.Session.Log(context.WithoutCancel(ctx), &mcp.LoggingMessageParams{Level: "info", Data: "stale"})
		asked <- struct{}{}
		return nil, nil, nil
	})
	var e events
	cb := e.callbacks()
	c := newClient(t, config.Connections{"one": inMemory(stateful)(t, s, config.Settings{})}, &multiclient.Options{Callbacks: cb})

	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := c.CallTool(ctx, "one", "stale", nil)
		done <- err
	}()
	receive(t, s.Blocked, "blocked call")
	cancel()
	if err := receive(t, done, "result of the cancelled call"); err == nil {
		t.Fatal("the cancelled call succeeded")
	}
	go func() {
		_, err := c.CallTool(t.Context(), "one", "block", nil)
		done <- err
	}()
	receive(t, s.Blocked, "next call")
	close(release)
	receive(t, asked, "late log message")
	eventually(t, func() bool {
		e.mu.Lock()
		defer e.mu.Unlock()
		_, ok := e.contexts["log stale"]
		return ok
	})
	e.mu.Lock()
	cc := e.contexts["log stale"]
	e.mu.Unlock()
	if want := (callbacks.CallbackContext{ServerName: "one", Candidates: []string{"block", "stale"}}); !cmp.Equal(want, cc) {
		t.Errorf("the late message was of %v, want %v", cc, want)
	}
	c.Close()
	receive(t, done, "result of the next call")
}
