package multiclient_test

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/leak"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// A server that must not run twice is replaced by removing and adding it, with a
// call in flight too: when RemoveServer returns, its process has ended.
func TestServersOneAfterTheOther(t *testing.T) {
	leak.Check(t)
	server := testserver.Stdio(t, "one")
	server.Env["GORACE"] = "atexit_sleep_ms=0" // or a test binary waits for a second
	// mkdir is a lock that only one process can hold; the shell waits for the server
	// and takes its time to let go.
	lock := filepath.Join(t.TempDir(), "lock")
	connection := config.Stdio{
		Command: "sh", Env: server.Env,
		Args:     []string{"-c", `mkdir "$0" || exit 1; "$1"; sleep 0.3; rmdir "$0"`, lock, server.Command},
		Settings: config.Settings{CloseTimeout: 2 * time.Second}, // for the call too
	}
	c := newClient(t, config.Connections{"one": connection}, nil)
	call(t, c, "one", "echo", map[string]any{"text": "x"})
	ended := make(chan error, 1)
	go func() { _, err := c.CallTool(t.Context(), "one", "block", nil); ended <- err }()
	eventually(t, func() bool { return c.Status()[0].InFlight == 1 })
	if err := c.RemoveServer(t.Context(), "one"); err != nil {
		t.Fatal(err)
	}
	if err := receive(t, ended, "end of the call"); !errors.Is(err, multiclient.ErrRemoved) {
		t.Errorf("the call in flight: %v", err)
	}
	if _, err := c.CallTool(t.Context(), "one", "echo", nil); !errors.Is(err, multiclient.ErrUnknownServer) {
		t.Errorf("in between: %v", err)
	}
	if err := c.AddServer("one", connection); err != nil {
		t.Fatal(err)
	}
	if got := call(t, c, "one", "echo", map[string]any{"text": "again"}); got != "again" {
		t.Errorf("got %q", got)
	}
}
