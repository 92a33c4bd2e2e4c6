package multiclient_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/leak"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// A server that does not read any more costs its callers their timeouts and no
// more, also those whose messages do not fit into its pipe, and Close its bound.
func TestServersThatDoNotRead(t *testing.T) {
	const answer = `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"deaf","version":"1"}}}`
	settings := config.Settings{ProtocolVersion: stateful, CallTimeout: 300 * time.Millisecond, CloseTimeout: time.Second}
	pipe := func(context.Context) (mcp.Transport, error) {
		in, fromClient := io.Pipe()
		toClient, out := io.Pipe()
		go func() {
			for range 2 { // the request, and that the client is ready
				if _, err := in.Read(make([]byte, 64<<10)); err != nil {
					return
				}
				_, _ = io.WriteString(out, answer+"\n")
			}
		}()
		return &mcp.IOTransport{Reader: toClient, Writer: fromClient}, nil
	}
	process := config.Stdio{Settings: settings, Command: "sh", Args: []string{"-c", "read l; echo '" + answer + "'; read l; exec sleep 1000"}, TerminateTimeout: 50 * time.Millisecond}
	for name, connection := range map[string]config.Connection{
		"stdio":  process,
		"custom": config.Custom{Settings: settings, NewTransport: pipe},
	} {
		t.Run(name, func(t *testing.T) {
			leak.Check(t)
			c := newClient(t, config.Connections{"one": connection, "two": config.InMemory{Server: testserver.New("two").Server}}, nil)
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					_, err := c.CallTool(t.Context(), "one", "x", map[string]any{"text": strings.Repeat("x", 100<<10)})
					if !errors.Is(err, multiclient.ErrTimeout) {
						t.Errorf("got %v", err)
					}
				})
			}
			call(t, c, "two", "echo", map[string]any{"text": "x"})
			ended := make(chan struct{})
			go func() { wg.Wait(); close(ended) }()
			receive(t, ended, "end of the calls")
			closeInTime(t, c)
		})
	}
}
