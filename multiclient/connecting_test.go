package multiclient_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// Servers are connected at the same time, as many as the option allows.
func TestServersAreConnectedInParallel(t *testing.T) {
	for limit, want := range map[int]time.Duration{0: time.Second, 4: 2 * time.Second, 1: 8 * time.Second} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				connections := config.Connections{}
				for i := range 8 {
					s := testserver.New(fmt.Sprint("s", i))
					connections[s.Name] = config.Custom{NewTransport: func(ctx context.Context) (mcp.Transport, error) {
						time.Sleep(time.Second)
						ours, theirs := mcp.NewInMemoryTransports()
						_, err := s.Connect(context.WithoutCancel(ctx), theirs, nil)
						return ours, err
					}}
				}
				c := newClient(t, connections, &multiclient.Options{MaxConnecting: limit, ToolNamePrefix: true})
				start := time.Now()
				if _, err := c.Tools(t.Context()); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(start); took != want {
					t.Errorf("it took %v, want %v", took, want)
				}
			})
		})
	}
}
