//go:build peers

package peers_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

func arguments() map[string]any { return map[string]any{"message": "hello"} }

// ours is the client of this library, by the tool that an agent calls, with
// callbacks, interceptors and a prefix: it asks for progress, which the others do not.
func ours(b *testing.B, s server, callers int) measured {
	var connection config.Connection = config.Stdio{Command: s.Command, Args: s.Args}
	if s.URL != "" {
		connection = config.StreamableHTTP{URL: s.URL}
	}
	start := time.Now()
	pass := func(ctx context.Context, req *interceptors.Request, next interceptors.Handler) (*mcp.CallToolResult, error) {
		return next(ctx, req)
	}
	c, err := multiclient.New(config.Connections{"bench": connection}, &multiclient.Options{
		Callbacks: callbacks.Callbacks{
			OnProgress:       func(context.Context, callbacks.CallbackContext, *mcp.ProgressNotificationParams) {},
			OnLoggingMessage: func(context.Context, callbacks.CallbackContext, *mcp.LoggingMessageParams) {},
		},
		Interceptors: []interceptors.Interceptor{pass, pass}, ToolNamePrefix: true,
	})
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	tool, err := c.Tool(b.Context(), "bench_echo")
	if err != nil {
		b.Fatal(err)
	}
	connect := time.Since(start)
	return measured{connect, rate(b, callers, func(ctx context.Context) (*mcp.CallToolResult, error) {
		return tool.Invoke(ctx, arguments())
	})}
}

// sdk is a session of the SDK.
func sdk(b *testing.B, s server, callers int) measured {
	var transport mcp.Transport = &mcp.CommandTransport{Command: exec.Command(s.Command, s.Args...)}
	if s.URL != "" {
		pool := &http.Transport{MaxIdleConnsPerHost: 2 * callers}
		defer pool.CloseIdleConnections()
		transport = &mcp.StreamableClientTransport{Endpoint: s.URL, HTTPClient: &http.Client{Transport: pool}}
	}
	start := time.Now()
	// As the others do, it speaks the version that the server does.
	session, err := mcp.NewClient(&mcp.Implementation{Name: "sdk"}, nil).
		Connect(b.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		b.Fatal(err)
	}
	defer session.Close()
	if _, err := session.ListTools(b.Context(), nil); err != nil {
		b.Fatal(err)
	}
	connect := time.Since(start)
	return measured{connect, rate(b, callers, func(ctx context.Context) (*mcp.CallToolResult, error) {
		return session.CallTool(ctx, &mcp.CallToolParams{Name: "echo", Arguments: arguments()})
	})}
}

// rate returns the calls a second of a number of callers, once warm.
func rate(b *testing.B, callers int, call func(context.Context) (*mcp.CallToolResult, error)) float64 {
	run := func(d time.Duration) float64 {
		var calls atomic.Int64
		start := time.Now()
		var wg sync.WaitGroup
		for range callers {
			wg.Go(func() {
				for time.Since(start) < d {
					res, err := call(b.Context())
					if err != nil {
						b.Error(err)
						return
					}
					if text, ok := res.Content[0].(*mcp.TextContent); !ok || text.Text != "Echo: hello" {
						b.Errorf("echo answered %v", res.Content)
						return
					}
					calls.Add(1)
				}
			})
		}
		wg.Wait()
		return float64(calls.Load()) / time.Since(start).Seconds()
	}
	run(warm)
	return run(measure)
}

// js is LangChain's client for JavaScript, by the tool that an agent calls.
func js(b *testing.B, s server, callers int) measured {
	connection := map[string]any{"transport": "stdio", "command": s.Command, "args": s.Args}
	if s.URL != "" {
		connection = map[string]any{"transport": "http", "url": s.URL}
	}
	task, err := json.Marshal(map[string]any{
		"connection": connection, "callers": callers,
		"warmMs": warm.Milliseconds(), "measureMs": measure.Milliseconds(),
	})
	if err != nil {
		b.Fatal(err)
	}
	dir, err := os.Getwd()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.CommandContext(b.Context(), "node", filepath.Join(dir, "peer.mjs"), string(task))
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w\n%s", err, exit.Stderr)
		}
		b.Fatalf("the client for JavaScript, which make bench-peers installs: %v", err)
	}
	var result struct{ ConnectMs, CallsPerSecond float64 }
	if err := json.Unmarshal(out, &result); err != nil {
		b.Fatalf("the client for JavaScript printed %q: %v", out, err)
	}
	return measured{time.Duration(result.ConnectMs * float64(time.Millisecond)), result.CallsPerSecond}
}
