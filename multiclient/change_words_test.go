package multiclient_test

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"sync"
	"testing"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// Who adds or replaces, whichever is due, can tell that there is a server already
// from what is wrong with the connection.
func TestAddedTwice(t *testing.T) {
	t.Parallel()
	connection := plainServer("search")
	c := newClient(t, config.Connections{"a": connection}, nil)
	if err := c.AddServer("a", connection); !errors.Is(err, fs.ErrExist) || strings.Contains(err.Error(), "file") || !strings.Contains(err.Error(), "ReplaceServer") {
		t.Errorf("a server that there is: %v", err)
	}
	if err := c.AddServer("b", config.Stdio{}); err == nil || errors.Is(err, fs.ErrExist) {
		t.Errorf("a connection that is not valid: %v", err)
	}
	if err := c.AddServer("b", connection); err != nil {
		t.Errorf("another: %v", err)
	}
}

// A callback of the server that it replaces cannot wait for its end, which waits for
// the callback, and is told that this is all that is open.
func TestReplacedByItsOwnCallback(t *testing.T) {
	t.Parallel()
	var (
		c        *multiclient.MultiServerClient
		once     sync.Once
		set      = make(chan struct{})
		replaced = make(chan error, 1)
		other    = config.InMemory{Server: testserver.New("other").Server}
	)
	c = newClient(t, config.Connections{"s": config.InMemory{Server: testserver.New("s").Server}}, &multiclient.Options{Callbacks: callbacks.Callbacks{
		OnConnectionState: func(ctx context.Context, _ callbacks.CallbackContext, change callbacks.ConnectionChange) {
			if change.State == callbacks.Connected {
				once.Do(func() {
					<-set
					replaced <- c.ReplaceServer(ctx, "s", other)
				})
			}
		},
	}})
	close(set)
	call(t, c, "s", "echo", map[string]any{"text": "x"})
	err := receive(t, replaced, "the end of ReplaceServer")
	var e *multiclient.Error
	if !errors.As(err, &e) || e.Kind != multiclient.ErrTimeout || e.Phase != multiclient.PhaseClose || !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if want := `multiclient: server "s": close: timeout: its old session is used no more, and ending it goes on in the background: context canceled`; err != nil && err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	info, err := c.ServerInfo(t.Context(), "s")
	if err != nil || info.ServerInfo.Name != "other" {
		t.Errorf("afterwards the server is %+v, %v", info, err)
	}
}
