package npmservers_test

import (
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/internal/npmservers"
)

func TestCommand(t *testing.T) {
	t.Parallel()
	tests := []struct {
		server string
		args   []string
		tool   string
	}{
		{npmservers.Everything, nil, "echo"},
		{npmservers.Filesystem, []string{t.TempDir()}, "read_text_file"},
		{npmservers.Memory, nil, "search_nodes"},
		{npmservers.SequentialThinking, nil, "sequentialthinking"},
	}
	for _, test := range tests {
		t.Run(test.server, func(t *testing.T) {
			t.Parallel()
			command, args := npmservers.Command(t, test.server, test.args...)
			cmd := exec.Command(command, args...)
			cmd.Env = append(cmd.Environ(), "MEMORY_FILE_PATH="+filepath.Join(t.TempDir(), "memory.jsonl"))
			mustOffer(t, &mcp.CommandTransport{Command: cmd, TerminateDuration: time.Second}, test.tool)
		})
	}
}

func TestStartHTTP(t *testing.T) {
	t.Parallel()
	transports := map[npmservers.Kind]func(url string) mcp.Transport{
		npmservers.StreamableHTTP: func(url string) mcp.Transport { return &mcp.StreamableClientTransport{Endpoint: url} },
		npmservers.SSE:            func(url string) mcp.Transport { return &mcp.SSEClientTransport{Endpoint: url} },
	}
	for kind, transport := range transports {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			first, second := npmservers.StartHTTP(t, kind), npmservers.StartHTTP(t, kind)
			if first == second {
				t.Errorf("two servers share the URL %s", first)
			}
			mustOffer(t, transport(first), "echo")
			mustOffer(t, transport(second), "echo")
		})
	}
}

// mustOffer connects with a plain client and checks that the server has the
// tool.
func mustOffer(t *testing.T, transport mcp.Transport, tool string) {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "npmservers-test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = session.Close() }() // reports a server that had to be killed
	var names []string
	for offered, err := range session.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if offered.Name == tool {
			return
		}
		names = append(names, offered.Name)
	}
	t.Errorf("tools are %v, want %s among them", names, tool)
}
