package multiclient_test

import (
	"testing"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// TestRequired: a server that is required costs all if it fails, and nothing if
// another one does.
func TestRequired(t *testing.T) {
	for _, required := range []string{"good", "bad"} {
		settings := func(name string) config.Settings { return config.Settings{Required: name == required} }
		c := newClient(t, config.Connections{
			"good": config.InMemory{Server: testserver.New("good").Server, Settings: settings("good")},
			"bad":  config.Stdio{Command: "nonesuch-server", Settings: settings("bad")},
		}, nil)
		tools, err := c.Tools(t.Context())
		if len(multiclient.ServerErrors(err)) != 1 {
			t.Errorf("%s is required: error %v", required, err)
		}
		if got, want := len(tools) > 0, required == "good"; got != want {
			t.Errorf("%s is required: %d tools", required, len(tools))
		}
	}
}
