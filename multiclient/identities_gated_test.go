package multiclient_test

import (
	"context"
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
)

// A gated server has the tool "wait", which blocks until there is a value in
// proceed, and the tool "go", which returns the number of its session.
type gated struct {
	*mcp.Server
	proceed chan struct{}
	began   chan string // the argument "who" of each call that waits

	mu       sync.Mutex
	sessions []*mcp.ServerSession
}

func newGated() *gated {
	g := &gated{
		Server: mcp.NewServer(&mcp.Implementation{Name: "one"}, &mcp.ServerOptions{
			SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
			UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
		}),
		proceed: make(chan struct{}, 100), began: make(chan string, 100),
	}
	type input struct {
		Who string `json:"who,omitempty"`
	}
	mcp.AddTool(g.Server, &mcp.Tool{Name: "wait"}, func(ctx context.Context, _ *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
		g.began <- in.Who
		select {
		case <-g.proceed:
		case <-ctx.Done():
		}
		return &mcp.CallToolResult{}, nil, nil
	})
	mcp.AddTool(g.Server, &mcp.Tool{Name: "go"}, func(_ context.Context, req *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		text := fmt.Sprint(g.number(req.Session))
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil, nil
	})
	g.AddResource(&mcp.Resource{Name: "r", URI: "file:///r"}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{}, nil
	})
	return g
}

func (g *gated) number(ss *mcp.ServerSession) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i, known := range g.sessions {
		if known == ss {
			return i + 1
		}
	}
	g.sessions = append(g.sessions, ss)
	return len(g.sessions)
}

// open returns the number of sessions that are open.
func (g *gated) open() (n int) {
	for range g.Sessions() {
		n++
	}
	return n
}

// connection is one where events of no call can be told apart.
func (g *gated) connection() config.Connections {
	return config.Connections{"one": config.InMemory{Server: g.Server, Settings: own(config.Settings{ProtocolVersion: stateful})}}
}
