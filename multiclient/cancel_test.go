package multiclient_test

import (
	"context"
	"strings"
	"testing"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// A program that is interrupted ends its context and closes its client at
// once. Its servers have to hear that nobody waits for their tools any more.
func TestConcurrentCancelAndClose(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		if strings.HasPrefix(w.name, "stdio") {
			return // the process ends
		}
		s := testserver.New("one")
		connection := w.connect(t, s, config.Settings{})
		for range 4 {
			c, err := multiclient.New(config.Connections{"one": connection}, nil)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() { _, err := c.CallTool(ctx, "one", "block", nil); done <- err }()
			receive(t, s.Blocked, "blocked call")
			cancel()
			receive(t, done, "end of the call")
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			receive(t, s.Cancelled, "cancellation at the server")
		}
	})
}
