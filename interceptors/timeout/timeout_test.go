package timeout_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/interceptors"
	"github.com/langchaingo-mcp/mcpadapters/interceptors/timeout"
)

// waiting is a tool that takes until its context ends, or for ever.
func waiting(ctx context.Context, _ *interceptors.Request) (*mcp.CallToolResult, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	tools := map[string]time.Duration{
		"slow":         time.Hour,
		"server/quick": time.Second,
		"quick":        2 * time.Second,
		"unbounded":    0,
		"negative":     -1,
	}
	const caller = 24 * time.Hour // the bound of the caller's context
	tests := []struct {
		name   string
		opts   *timeout.Options
		server string
		tool   string
		want   time.Duration
	}{
		{"nil options", nil, "server", "any", time.Minute},
		{"zero options", &timeout.Options{}, "server", "any", time.Minute},
		{"default", &timeout.Options{Default: time.Second, Tools: tools}, "server", "any", time.Second},
		{"no default", &timeout.Options{Default: -1, Tools: tools}, "server", "any", caller},
		{"tool", &timeout.Options{Tools: tools}, "server", "slow", time.Hour},
		{"tool of a server", &timeout.Options{Tools: tools}, "server", "quick", time.Second},
		{"tool of another server", &timeout.Options{Tools: tools}, "other", "quick", 2 * time.Second},
		{"tool without bound", &timeout.Options{Tools: tools}, "server", "unbounded", caller},
		{"tool with a negative bound", &timeout.Options{Tools: tools}, "server", "negative", caller},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), caller)
				defer cancel()
				start := time.Now()
				_, err := interceptors.Chain(waiting, timeout.New(test.opts))(ctx, &interceptors.Request{ServerName: test.server, ToolName: test.tool})
				if got := time.Since(start); got != test.want {
					t.Errorf("the call took %v, want %v", got, test.want)
				}
				if !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("error is %v, want a deadline exceeded", err)
				}
				ours := strings.Contains(err.Error(), "timeout interceptor")
				if want := test.want != caller; ours != want {
					t.Errorf("error is %v; does it blame the interceptor? %v, want %v", err, ours, want)
				}
			})
		})
	}
}

func TestTimeoutError(t *testing.T) {
	t.Parallel()
	failure := errors.New("connection gave up")
	late := func(ctx context.Context, _ *interceptors.Request) (*mcp.CallToolResult, error) {
		<-ctx.Done()
		return nil, failure
	}
	causing := func(ctx context.Context, _ *interceptors.Request) (*mcp.CallToolResult, error) {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	early := func(context.Context, *interceptors.Request) (*mcp.CallToolResult, error) { return nil, failure }

	named := func(ctx context.Context, _ *interceptors.Request) (*mcp.CallToolResult, error) {
		<-ctx.Done()
		return nil, fmt.Errorf("my t: %w", context.Cause(ctx))
	}

	const own = `no answer within 2s, the bound of the timeout interceptor: context deadline exceeded`
	const blame = `tool "t" of server "s": ` + own
	tests := []struct {
		name string
		tool interceptors.Handler
		want string
		is   []error
	}{
		{"the tool's own error is kept", late, blame + ": connection gave up", []error{failure, context.DeadlineExceeded}},
		{"the cause is not repeated", causing, blame, []error{context.DeadlineExceeded}},
		{"nor is the tool", named, "my t: " + own, []error{context.DeadlineExceeded}},
		{"an error before the bound is left alone", early, "connection gave up", []error{failure}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				handler := interceptors.Chain(test.tool, timeout.New(&timeout.Options{Default: 2 * time.Second}))
				_, err := handler(t.Context(), &interceptors.Request{ServerName: "s", ToolName: "t"})
				if err == nil || err.Error() != test.want {
					t.Fatalf("error is %v, want %s", err, test.want)
				}
				for _, is := range test.is {
					if !errors.Is(err, is) {
						t.Errorf("error is not %v", is)
					}
				}
			})
		})
	}
}

func TestTimeoutLeavesResultsAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		want := &mcp.CallToolResult{IsError: true}
		late := func(ctx context.Context, _ *interceptors.Request) (*mcp.CallToolResult, error) {
			<-ctx.Done() // and yet it has an answer
			return want, nil
		}
		got, err := interceptors.Chain(late, timeout.New(nil))(t.Context(), &interceptors.Request{})
		if got != want || err != nil {
			t.Errorf("got %v, %v, want the result", got, err)
		}
	})
}

func TestTimeoutCopiesTools(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tools := map[string]time.Duration{"t": time.Second}
		handler := interceptors.Chain(waiting, timeout.New(&timeout.Options{Tools: tools}))
		tools["t"] = time.Hour
		start := time.Now()
		if _, err := handler(t.Context(), &interceptors.Request{ToolName: "t"}); err == nil {
			t.Error("the call did not fail")
		}
		if got := time.Since(start); got != time.Second {
			t.Errorf("the call took %v, want the 1s of when the interceptor was made", got)
		}
	})
}

func TestTimeoutConcurrent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		tools := map[string]time.Duration{"a": time.Second, "b": 2 * time.Second}
		handler := interceptors.Chain(waiting, timeout.New(&timeout.Options{Tools: tools}))
		var wg sync.WaitGroup
		for range 10 {
			for tool, want := range tools {
				wg.Go(func() {
					start := time.Now()
					if _, err := handler(t.Context(), &interceptors.Request{ToolName: tool}); err == nil {
						t.Error("the call did not fail")
					}
					if got := time.Since(start); got != want {
						t.Errorf("a call of %s took %v, want %v", tool, got, want)
					}
				})
			}
		}
		wg.Wait()
	})
}
