package multiclient_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

func logging() callbacks.Callbacks {
	return callbacks.Callbacks{OnLoggingMessage: func(context.Context, callbacks.CallbackContext, *mcp.LoggingMessageParams) {}}
}

func TestLogLevelIsAskedFor(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		for name, test := range map[string]struct {
			options multiclient.Options
			want    string // "" means that nothing is asked for
		}{
			"by default":             {multiclient.Options{Callbacks: logging()}, "info"},
			"of the option":          {multiclient.Options{Callbacks: logging(), LogLevel: "warning"}, "warning"},
			"without the callback":   {multiclient.Options{}, ""},
			"for OnMessage":          {multiclient.Options{LogLevel: "debug"}, "debug"},
			"of the server's own":    {multiclient.Options{ServerCallbacks: map[string]callbacks.Callbacks{"one": logging()}}, "info"},
			"of another's callbacks": {multiclient.Options{ServerCallbacks: map[string]callbacks.Callbacks{"two": logging()}}, ""},
		} {
			if w.process() && name != "of the option" && name != "without the callback" {
				continue
			}
			s := testserver.New("one")
			c := newClient(t, config.Connections{
				"one": w.connect(t, s, config.Settings{}), "two": config.InMemory{Server: testserver.New("two").Server},
			}, &test.options)
			call(t, c, "one", "echo", map[string]any{"text": "x"})
			call(t, c, "one", "echo", map[string]any{"text": "x"})
			if _, err := c.Prompt(t.Context(), "one", "greet", map[string]string{"name": "x"}); err != nil {
				t.Fatal(err)
			}
			if _, err := c.ReadResource(t.Context(), "one", "file:///readme.txt"); err != nil {
				t.Fatal(err)
			}
			want := map[string]string{"logging/setLevel": `0 []`, "prompts/get": `1 [""]`, "resources/read": `1 [""]`}
			if test.want != "" && w.version == stateful {
				want["logging/setLevel"] = fmt.Sprintf(`1 [%q]`, test.want)
			}
			if test.want != "" && w.version == stateless {
				want["prompts/get"], want["resources/read"] = fmt.Sprintf(`1 [%q]`, test.want), fmt.Sprintf(`1 [%q]`, test.want)
			}
			for method, want := range want {
				if got := call(t, c, "one", "received", map[string]any{"method": method}); got != want {
					t.Errorf("%s: %s was received as %s, want %s", name, method, got, want)
				}
			}
			got := call(t, c, "one", "received", map[string]any{"method": "tools/call"})
			level := ""
			if w.version == stateless {
				level = test.want
			}
			if n := strings.Count(got, fmt.Sprintf("%q", level)); n != 6 {
				t.Errorf("%s: tools were called with %s, want %q in all", name, got, level)
			}
		}
	})
}

func TestLogLevelIsAskedForAgain(t *testing.T) {
	s := testserver.New("one")
	connection, breakIt := breakable(s, config.Settings{ProtocolVersion: stateful})
	c := newClient(t, config.Connections{"one": connection}, &multiclient.Options{Callbacks: logging(), LogLevel: "error"})
	for i := 1; i <= 3; i++ {
		if _, err := c.Tools(t.Context()); err != nil { // so that it is known that echo may be repeated
			t.Fatal(err)
		}
		call(t, c, "one", "echo", map[string]any{"text": "x"})
		if times, levels := s.Received("logging/setLevel"); times != i || levels[i-1] != "error" {
			t.Errorf("in session %d the level was set %d times to %q", i, times, levels)
		}
		breakIt()
	}
}

func TestServerThatRefusesTheLogLevel(t *testing.T) {
	s := testserver.New("one")
	s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if method == "logging/setLevel" {
				return nil, fmt.Errorf("no")
			}
			return next(ctx, method, req)
		}
	})
	c := newClient(t, config.Connections{"one": config.InMemory{Server: s.Server, Settings: config.Settings{ProtocolVersion: stateful}}},
		&multiclient.Options{Callbacks: logging()})
	call(t, c, "one", "echo", map[string]any{"text": "x"})
}
