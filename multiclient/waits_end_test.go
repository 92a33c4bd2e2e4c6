package multiclient_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// A call that waits, not for its server's answer, waits no longer than the server
// is there: it goes on to the one that takes its place, or ends at once.
func TestWaitsEndWithTheirServer(t *testing.T) {
	type waiting struct {
		connection config.Connection
		options    multiclient.Options
		wait       func(c *multiclient.MultiServerClient) // until there is what a call has to wait for
	}
	waits := map[string]func(t *testing.T) waiting{
		"for a turn": func(t *testing.T) waiting {
			g := newGated()
			connection := config.InMemory{Server: g.Server, Settings: config.Settings{SessionPolicy: config.SessionSerialized, CloseTimeout: time.Minute}}
			return waiting{connection, multiclient.Options{}, func(c *multiclient.MultiServerClient) {
				go c.CallTool(t.Context(), "one", "wait", nil)
				<-g.began
			}}
		},
		"until the server is not busy": func(t *testing.T) waiting {
			b := newBusyServer(http.StatusTooManyRequests, func(d time.Duration) string { return fmt.Sprint(int(d.Seconds())) })
			return waiting{b.connection(config.Settings{}), multiclient.Options{}, func(c *multiclient.MultiServerClient) {
				if _, err := c.Tools(t.Context()); err != nil { // one may be called again
					t.Fatal(err)
				}
				b.busy(20 * time.Second)
			}}
		},
		"for a connection": func(t *testing.T) waiting {
			proceed := make(chan struct{})
			t.Cleanup(func() { close(proceed) })
			g := newGated()
			first := true
			options := multiclient.Options{Identities: multiclient.Identities{Of: userOf, Connection: func(_ context.Context, _, _ string, connection config.Connection) (config.Connection, error) {
				if first {
					first = false
					<-proceed // whatever happens to the context
				}
				return connection, nil
			}}}
			return waiting{config.InMemory{Server: g.Server, Settings: own(config.Settings{})}, options, func(*multiclient.MultiServerClient) {}}
		},
	}
	ends := map[string]struct {
		end  func(*multiclient.MultiServerClient, config.Connection)
		want error
	}{
		"Close": {func(c *multiclient.MultiServerClient, _ config.Connection) { c.Close() }, multiclient.ErrClosed},
		"RemoveServer": {func(c *multiclient.MultiServerClient, _ config.Connection) {
			c.RemoveServer(context.Background(), "one")
		}, multiclient.ErrUnknownServer},
		"ReplaceServer": {func(c *multiclient.MultiServerClient, other config.Connection) {
			c.ReplaceServer(context.Background(), "one", other)
		}, nil},
	}
	for what, prepare := range waits {
		for how, test := range ends {
			t.Run(what+"/"+how, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := prepare(t)
					c := newClient(t, config.Connections{"one": w.connection}, &w.options)
					w.wait(c)
					ended := make(chan error, 1)
					go func() {
						_, err := c.CallTool(as(t.Context(), "user"), "one", "echo", map[string]any{"text": "x"})
						ended <- err
					}()
					synctest.Wait()
					start := time.Now()
					other := config.InMemory{Server: testserver.New("one").Server, Settings: w.connection.Common()}
					go test.end(c, other)
					if err := <-ended; !errors.Is(err, test.want) {
						t.Errorf("the call ended with %v", err)
					}
					if took := time.Since(start); took > 0 {
						t.Errorf("it ended after %v", took)
					}
				})
			})
		}
	}
}
