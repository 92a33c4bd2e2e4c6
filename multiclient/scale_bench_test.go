package multiclient_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// toolbox returns a server with a number of tools.
func toolbox(tools int) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "box", Version: "1"}, nil)
	for i := range tools {
		s.AddTool(&mcp.Tool{
			Name:        fmt.Sprintf("tool_%d", i),
			Description: "Does one of many things.",
			InputSchema: map[string]any{"type": "object", "properties": map[string]any{"text": map[string]any{"type": "string"}}},
		}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{}, nil
		})
	}
	return s
}

// BenchmarkConnect connects to servers that take 200 ms for their handshake,
// and lists their tools: one server, then 50 with the default limit.
func BenchmarkConnect(b *testing.B) {
	const pause = 200 * time.Millisecond
	slow := func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method == "server/discover" || method == "initialize" {
				timer := time.NewTimer(pause)
				defer timer.Stop()
				select {
				case <-timer.C:
				case <-ctx.Done():
				}
			}
			return next(ctx, method, req)
		}
	}
	connect := func(b *testing.B, n int) time.Duration {
		connections := config.Connections{}
		for i := range n {
			s := toolbox(10)
			s.AddReceivingMiddleware(slow)
			connections[fmt.Sprintf("s%d", i)] = config.InMemory{Server: s}
		}
		c, err := multiclient.New(connections, &multiclient.Options{ToolNamePrefix: true})
		if err != nil {
			b.Fatal(err)
		}
		defer c.Close()
		start := time.Now()
		if _, err := c.Tools(b.Context()); err != nil {
			b.Fatal(err)
		}
		return time.Since(start)
	}
	var one, many time.Duration
	rounds := 0
	for b.Loop() {
		rounds++
		one += connect(b, 1)
		many += connect(b, 50)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(one.Milliseconds())/float64(rounds), "1-server-ms")
	b.ReportMetric(float64(many.Milliseconds())/float64(rounds), "50-servers-ms")
	b.ReportMetric(float64(many)/float64(one), "50/1")
}

// BenchmarkScale has 1,000 servers in memory with 50 tools each: listing all
// tools when nothing has changed, looking one up, and the memory that an idle
// server takes, beside that of the SDK's session on such a server.
func BenchmarkScale(b *testing.B) {
	const servers, tools = 1000, 50
	heap := func() float64 {
		runtime.GC()
		runtime.GC() // what finalizers held
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return float64(m.HeapInuse + m.StackInuse)
	}
	all := make([]*mcp.Server, servers)
	for i := range all {
		all[i] = toolbox(tools)
	}

	before := heap()
	var sessions []*mcp.ClientSession
	for _, s := range all {
		server, client := mcp.NewInMemoryTransports()
		if _, err := s.Connect(b.Context(), server, nil); err != nil {
			b.Fatal(err)
		}
		session, err := mcp.NewClient(&mcp.Implementation{Name: "raw"}, nil).Connect(b.Context(), client, nil)
		if err != nil {
			b.Fatal(err)
		}
		sessions = append(sessions, session)
	}
	lists := make([]*mcp.ListToolsResult, len(sessions)) // whoever uses it has the tools
	for i, session := range sessions {
		res, err := session.ListTools(b.Context(), nil)
		if err != nil {
			b.Fatal(err)
		}
		lists[i] = res
	}
	raw := heap() - before
	for _, session := range sessions {
		session.Close()
	}
	runtime.KeepAlive(lists)
	sessions, lists = nil, nil

	connections := config.Connections{}
	for i, s := range all {
		connections[fmt.Sprintf("s%d", i)] = config.InMemory{Server: s}
	}
	before = heap()
	c := newClient(b, connections, &multiclient.Options{ToolNamePrefix: true})
	got, err := c.Tools(b.Context())
	if err != nil || len(got) != servers*tools {
		b.Fatalf("%d tools, %v", len(got), err)
	}
	ours := heap() - before
	runtime.KeepAlive(got)

	b.Run("tools", func(b *testing.B) {
		for b.Loop() {
			if got, err := c.Tools(b.Context()); err != nil || len(got) != servers*tools {
				b.Fatalf("%d tools, %v", len(got), err)
			}
		}
		b.ReportMetric(ours/servers/1024, "KiB/server")
		b.ReportMetric(raw/servers/1024, "sdk-KiB/server")
		b.ReportMetric(ours/raw, "memory/sdk")
	})
	b.Run("tool", func(b *testing.B) {
		for b.Loop() {
			if _, err := c.Tool(b.Context(), "s777_tool_33"); err != nil {
				b.Fatal(err)
			}
		}
	})
}
