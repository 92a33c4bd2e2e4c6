package servers_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/callbacks/elicitation"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/examples/quickstart/servers"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// versions are one of each generation of the protocol.
var versions = []string{"2025-11-25", "2026-07-28"}

// call calls a tool of a server in this process and returns the text of the
// result.
func call(t *testing.T, s *mcp.Server, version string, cb callbacks.Callbacks, tool string, arguments map[string]any) string {
	t.Helper()
	client, err := multiclient.New(config.Connections{
		"s": config.InMemory{Server: s, Settings: config.Settings{ProtocolVersion: version}},
	}, &multiclient.Options{Callbacks: cb})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	res, err := client.CallTool(t.Context(), "s", tool, arguments)
	if err != nil {
		t.Fatal(err)
	}
	if got := client.Status()[0].Server.ProtocolVersion; got != version {
		t.Errorf("the session is of version %s, want %s", got, version)
	}
	return adapters.ResultText(res, nil)
}

func TestAskingTools(t *testing.T) {
	accept := elicitation.AcceptDefaults(map[string]any{"name": "Ada", "age": 36})
	for _, tt := range []struct {
		name, tool string
		cb         callbacks.Callbacks
		want       string
	}{
		{"accepted", "collect_user_info", callbacks.Callbacks{OnElicitation: accept}, "Hello Ada, you are 36 years old."},
		{"declined", "collect_user_info", callbacks.Callbacks{OnElicitation: elicitation.Decline}, "Information not provided"},
		{"cancelled", "collect_user_info", callbacks.Callbacks{OnElicitation: elicitation.Cancel}, "Operation cancelled"},
		{"not offered", "collect_user_info", callbacks.Callbacks{}, "Error: this tool has to ask the user, and the client does not offer that"},
		{"accepted", "issue_card", callbacks.Callbacks{OnElicitation: accept}, "Card issued to Ada. Branch: central. Interests: science."},
		{"accepted in full", "issue_card", callbacks.Callbacks{OnElicitation: func(context.Context, callbacks.CallbackContext, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{
				"name": "Bob", "branch": "bus", "interests": []any{"poetry", "history"}, "newsletter": true,
			}}, nil
		}}, "Card issued to Bob. Branch: bus. Interests: poetry, history. The newsletter is on its way."},
		{"declined", "issue_card", callbacks.Callbacks{OnElicitation: elicitation.Decline}, "No card issued."},
		{"offered", "client_features", callbacks.Callbacks{OnElicitation: accept}, `{"result":["elicitation"]}`},
		{"nothing offered", "client_features", callbacks.Callbacks{}, `{"result":[]}`},
	} {
		for _, version := range versions {
			t.Run(tt.tool+" "+tt.name+" "+version, func(t *testing.T) {
				s := servers.Library()
				if tt.tool == "collect_user_info" {
					s = servers.Tasks(0)
				}
				if got := call(t, s, version, tt.cb, tt.tool, nil); got != tt.want {
					t.Errorf("result %q, want %q", got, tt.want)
				}
			})
		}
	}
}

func TestLongRunningTask(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begin := time.Now()
				var events []string
				cb := callbacks.Callbacks{
					OnProgress: func(_ context.Context, cc callbacks.CallbackContext, p *mcp.ProgressNotificationParams) {
						events = append(events, fmt.Sprintf("%v %v: %v/%v %s", time.Since(begin), cc, p.Progress, p.Total, p.Message))
					},
					OnLoggingMessage: func(_ context.Context, cc callbacks.CallbackContext, p *mcp.LoggingMessageParams) {
						events = append(events, fmt.Sprintf("%v %v: %s %s %v", time.Since(begin), cc, p.Level, p.Logger, p.Data))
					},
				}
				got := call(t, servers.Tasks(time.Second), version, cb, "long_running_task", map[string]any{"steps": 2})
				if got != "2" {
					t.Errorf("result %q", got)
				}
				want := []string{
					"1s s/long_running_task: 1/2 Step 1 completed", "1s s/long_running_task: info task 50% completed",
					"2s s/long_running_task: 2/2 Step 2 completed", "2s s/long_running_task: info task 100% completed",
				}
				if diff := cmp.Diff(want, events); diff != "" {
					t.Errorf("events (-want +got):\n%s", diff)
				}
			})
		})
	}
	if got := call(t, servers.Tasks(0), versions[0], callbacks.Callbacks{}, "long_running_task", nil); got != "5" {
		t.Errorf("result without arguments: %q", got)
	}
	if got := call(t, servers.Tasks(0), versions[0], callbacks.Callbacks{}, "long_running_task", map[string]any{"steps": -1}); !strings.Contains(got, "-1 steps") {
		t.Errorf("result of -1 steps: %q", got)
	}
}

func TestHandyTools(t *testing.T) {
	for _, tt := range []struct {
		tool      string
		arguments map[string]any
		want      string
	}{
		{"add", map[string]any{"a": 36, "b": 10}, "46"},
		{"add", map[string]any{"a": 1e6, "b": 0.5}, "1000000.5"},
		{"multiply", map[string]any{"a": 1234567, "b": 10}, "12345670"},
		{"weather", map[string]any{"city": " lisbon "}, "Lisbon: 23 °C, sunny"},
		{"weather", map[string]any{"city": "Atlantis"}, `Error: no weather for "Atlantis": ask for one of ["berlin" "lisbon" "oslo"]`},
	} {
		if got := call(t, servers.Handy(), versions[1], callbacks.Callbacks{}, tt.tool, tt.arguments); got != tt.want {
			t.Errorf("%s %v: %q, want %q", tt.tool, tt.arguments, got, tt.want)
		}
	}
}
