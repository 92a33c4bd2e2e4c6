package multiclient_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// BenchmarkCall compares a tool call through the client (shared session,
// callbacks set, two interceptors, prefix on) with the SDK's CallTool on a session of
// its own, alternately in the same run, for 1 caller and for 64: with one that
// asks for nothing, and with one that asks for progress, as the client does since
// it has a callback for that. Allocations are those of the whole process, in
// memory and over HTTP in the process with the server's.
func BenchmarkCall(b *testing.B) {
	for _, transport := range []string{"in-memory", "stdio", "http", "http-in-process"} {
		for _, callers := range []int{1, 64} {
			b.Run(fmt.Sprintf("%s/callers=%d", transport, callers), func(b *testing.B) {
				compare(b, transport, callers)
			})
		}
	}
}

func compare(b *testing.B, transport string, callers int) {
	s := testserver.New("bench")
	var raw mcp.Transport
	var connection config.Connection
	switch transport {
	case "in-memory":
		server, client := mcp.NewInMemoryTransports()
		if _, err := s.Connect(b.Context(), server, nil); err != nil {
			b.Fatal(err)
		}
		raw, connection = client, config.InMemory{Server: s.Server, Settings: config.Settings{ProtocolVersion: stateful}}
	case "stdio":
		c := testserver.Stdio(b, "bench")
		c.ProtocolVersion = stateful
		cmd := exec.Command(c.Command)
		cmd.Env = os.Environ()
		for k, v := range c.Env {
			cmd.Env = append(cmd.Env, k+"="+v)
		}
		raw, connection = &mcp.CommandTransport{Command: cmd}, c
	case "http", "http-in-process":
		url := ""
		if transport == "http" {
			url = testserver.HTTPProcess(b, "bench")
		} else {
			url = s.HTTP(b, false)
		}
		pool := &http.Transport{MaxIdleConnsPerHost: 128}
		b.Cleanup(pool.CloseIdleConnections)
		raw = &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: pool}}
		connection = config.StreamableHTTP{URL: url}
	}
	nop := callbacks.Callbacks{
		OnProgress:       func(context.Context, callbacks.CallbackContext, *mcp.ProgressNotificationParams) {},
		OnLoggingMessage: func(context.Context, callbacks.CallbackContext, *mcp.LoggingMessageParams) {},
		OnElicitation:    answering(b).OnElicitation,
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "raw"}, nil).
		Connect(b.Context(), raw, &mcp.ClientSessionOptions{ProtocolVersion: stateful})
	if err != nil {
		b.Fatal(err)
	}
	defer session.Close()
	pass := func(ctx context.Context, req *interceptors.Request, next interceptors.Handler) (*mcp.CallToolResult, error) {
		return next(ctx, req)
	}
	c := newClient(b, config.Connections{"bench": connection}, &multiclient.Options{
		Callbacks: nop, Interceptors: []interceptors.Interceptor{pass, pass}, ToolNamePrefix: true,
	})
	tool, err := c.Tool(b.Context(), "bench_echo")
	if err != nil {
		b.Fatal(err)
	}
	// Arguments are made anew, since the SDK does not allow sharing them.
	rawCall := func() error {
		_, err := session.CallTool(b.Context(), &mcp.CallToolParams{Name: "echo", Arguments: map[string]any{"text": "x"}})
		return err
	}
	progressCall := func() error {
		_, err := session.CallTool(b.Context(), &mcp.CallToolParams{
			Meta: mcp.Meta{"progressToken": rand.Text()}, Name: "echo", Arguments: map[string]any{"text": "x"},
		})
		return err
	}
	clientCall := func() error {
		_, err := tool.Invoke(b.Context(), map[string]any{"text": "x"})
		return err
	}
	allocated := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.Mallocs
	}
	round := func(call func() error) time.Duration {
		start := time.Now()
		var wg sync.WaitGroup
		for range callers {
			wg.Go(func() {
				if err := call(); err != nil {
					b.Error(err)
				}
			})
		}
		wg.Wait()
		return time.Since(start)
	}
	contenders := []func() error{rawCall, progressCall, clientCall}
	var times [3]time.Duration
	for _, call := range contenders {
		round(call)
	}
	rounds := 0
	for b.Loop() {
		// Each goes first in turn.
		for i := range contenders {
			i = (i + rounds) % len(contenders)
			times[i] += round(contenders[i])
		}
		rounds++
	}
	rawTime, progressTime, clientTime := times[0], times[1], times[2]
	const sample = 200
	allocs := func(call func() error) float64 {
		before := allocated()
		for range sample {
			round(call)
		}
		return float64(allocated()-before) / float64(sample*callers)
	}
	rawAllocs, clientAllocs := allocs(rawCall), allocs(clientCall)
	n := float64(rounds * callers)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(rawTime.Nanoseconds())/n, "sdk-ns/call")
	b.ReportMetric(float64(clientTime.Nanoseconds())/n, "client-ns/call")
	b.ReportMetric(float64(clientTime)/float64(rawTime), "client/sdk")
	b.ReportMetric(float64(clientTime)/float64(progressTime), "client/sdk-progress")
	b.ReportMetric(rawAllocs, "sdk-allocs/call")
	b.ReportMetric(clientAllocs, "client-allocs/call")
}
