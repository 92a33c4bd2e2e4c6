package multiclient_test

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

func TestMain(m *testing.M) {
	testserver.Main()
	os.Exit(m.Run())
}

const (
	stateful  = "2025-11-25"
	stateless = "2026-07-28"
)

// A wire is a transport and a version of the protocol.
type wire struct {
	name    string
	version string
	// streams says that each call has a stream of its own, so that log
	// messages can be told apart.
	streams bool
	connect func(t testing.TB, s *testserver.Server, settings config.Settings) config.Connection
}

// exactRequests says that what the server asks can be told apart.
func (w wire) exactRequests() bool { return w.streams || w.version == stateless }

// process reports whether each server is a process, which takes its time to
// start: some cases have to be enough then.
func (w wire) process() bool { return strings.HasPrefix(w.name, "stdio") }

var wires = []wire{
	{"in-memory/2025-11-25", stateful, false, inMemory(stateful)},
	{"in-memory/2026-07-28", stateless, false, inMemory("")},
	{"stdio/2025-11-25", stateful, false, stdio(stateful)},
	{"stdio/2026-07-28", stateless, false, stdio("")},
	{"http/2025-11-25", stateful, true, overHTTP(false)},
	{"http/2026-07-28", stateless, true, overHTTP(true)},
	{"sse/2025-11-25", stateful, false, overSSE},
}

func inMemory(version string) func(testing.TB, *testserver.Server, config.Settings) config.Connection {
	return func(_ testing.TB, s *testserver.Server, settings config.Settings) config.Connection {
		settings.ProtocolVersion = version
		return config.InMemory{Server: s.Server, Settings: settings}
	}
}

func stdio(version string) func(testing.TB, *testserver.Server, config.Settings) config.Connection {
	return func(t testing.TB, s *testserver.Server, settings config.Settings) config.Connection {
		settings.ProtocolVersion = version
		c := testserver.Stdio(t, s.Name)
		c.Settings = settings
		return c
	}
}

func overHTTP(stateless bool) func(testing.TB, *testserver.Server, config.Settings) config.Connection {
	return func(t testing.TB, s *testserver.Server, settings config.Settings) config.Connection {
		return config.StreamableHTTP{URL: s.HTTP(t, stateless), Settings: settings}
	}
}

func overSSE(t testing.TB, s *testserver.Server, settings config.Settings) config.Connection {
	settings.ProtocolVersion = stateful
	return config.SSE{URL: s.SSE(t), Settings: settings}
}

// onEachWire runs a test for every transport and version.
func onEachWire(t *testing.T, test func(t *testing.T, w wire)) {
	for _, w := range wires {
		t.Run(w.name, func(t *testing.T) { test(t, w) })
	}
}

// newClient returns a client that the test closes.
func newClient(t testing.TB, connections config.Connections, options *multiclient.Options) *multiclient.MultiServerClient {
	t.Helper()
	own := multiclient.Options{}
	if options != nil {
		own = *options
	}
	if own.DiscoverTimeout == 0 {
		// On a busy machine a server may be slow to say that it speaks 2026-07-28,
		// and is another one when asked for an older version.
		own.DiscoverTimeout = time.Minute
	}
	c, err := multiclient.New(connections, &own)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// call calls a tool and returns its text.
func call(t testing.TB, c *multiclient.MultiServerClient, server, tool string, arguments map[string]any) string {
	t.Helper()
	res, err := c.CallTool(t.Context(), server, tool, arguments)
	if err != nil {
		t.Fatalf("%s/%s: %v", server, tool, err)
	}
	return textOf(res)
}

func textOf(res *mcp.CallToolResult) string {
	s := ""
	for _, c := range res.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			s += text.Text
		}
	}
	return s
}

// events records what the callbacks receive.
type events struct {
	mu       sync.Mutex
	progress map[string][]string // messages by call id
	logs     map[string][]string
	contexts map[string]callbacks.CallbackContext // by message
}

func (e *events) callbacks() callbacks.Callbacks {
	e.progress, e.logs, e.contexts = map[string][]string{}, map[string][]string{}, map[string]callbacks.CallbackContext{}
	return callbacks.Callbacks{
		OnProgress: func(_ context.Context, cc callbacks.CallbackContext, p *mcp.ProgressNotificationParams) {
			e.mu.Lock()
			defer e.mu.Unlock()
			e.progress[cc.CallID] = append(e.progress[cc.CallID], p.Message)
			e.contexts["progress "+p.Message] = cc
		},
		OnLoggingMessage: func(_ context.Context, cc callbacks.CallbackContext, p *mcp.LoggingMessageParams) {
			e.mu.Lock()
			defer e.mu.Unlock()
			message, _ := p.Data.(string)
			e.logs[cc.CallID] = append(e.logs[cc.CallID], message)
			e.contexts["log "+message] = cc
		},
	}
}

// answering returns an elicitation callback that accepts with the name of the
// tool that it was told.
func answering(t testing.TB) callbacks.Callbacks {
	return callbacks.Callbacks{
		OnElicitation: func(_ context.Context, cc callbacks.CallbackContext, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			if cc.ServerName == "" {
				t.Error("an elicitation without the name of its server")
			}
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"word": cc.ToolName + "|" + req.Params.Message}}, nil
		},
	}
}
