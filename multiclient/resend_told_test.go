package multiclient_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// A call that is sent again says so in the log, with the reason why it may be, and
// in its events, so that what shows its progress can start anew.
func TestCallsThatAreSentAgainAreTold(t *testing.T) {
	repeatable := func(ctx context.Context, req *interceptors.Request, next interceptors.Handler) (*mcp.CallToolResult, error) {
		req.Repeatable = true
		return next(ctx, req)
	}
	for name, test := range map[string]struct {
		annotations  *mcp.ToolAnnotations
		interceptors []interceptors.Interceptor
		because      string
	}{
		"read-only":     {&mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true}, nil, "the tool says readOnlyHint"},
		"idempotent":    {&mcp.ToolAnnotations{IdempotentHint: true}, nil, "the tool says idempotentHint"},
		"by the caller": {&mcp.ToolAnnotations{ReadOnlyHint: true}, []interceptors.Interceptor{repeatable}, "an interceptor has set Repeatable"},
	} {
		t.Run(name, func(t *testing.T) {
			s := testserver.New("one")
			connection, breakIt := breakable(s, config.Settings{ProtocolVersion: stateful})
			times := 0
			mcp.AddTool(s.Server, &mcp.Tool{Name: "work", Annotations: test.annotations},
				func(ctx context.Context, req *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
					times++
					for n := range 2 {
						if err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: req.Params.GetProgressToken(), Progress: float64(n + 1)}); err != nil {
							return nil, nil, err
						}
					}
					if times < 3 {
						breakIt()
					}
					return &mcp.CallToolResult{}, nil, nil
				})
			var (
				log   bytes.Buffer
				j     journal
				calls = map[string]bool{}
			)
			c := newClient(t, config.Connections{"one": connection}, &multiclient.Options{
				Interceptors: test.interceptors,
				Logger:       slog.New(slog.NewJSONHandler(&log, nil)),
				Callbacks: callbacks.Callbacks{OnProgress: func(_ context.Context, cc callbacks.CallbackContext, p *mcp.ProgressNotificationParams) {
					j.add("%v %d: %v", cc, cc.Repeats, p.Progress)
					calls[cc.CallID] = true
				}},
			})
			tool, err := c.Tool(t.Context(), "work")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := tool.Call(t.Context(), `{}`); err != nil {
				t.Fatal(err)
			}
			want := []string{"one/work 0: 1", "one/work 0: 2", "one/work 1: 1", "one/work 1: 2", "one/work 2: 1", "one/work 2: 2"}
			if diff := cmp.Diff(want, j.list()); diff != "" || len(calls) != 3 {
				t.Errorf("%d call ids, progress (-want +got):\n%s", len(calls), diff)
			}
			want = []string{fmt.Sprintf("one work 2 %s", test.because), fmt.Sprintf("one work 3 %s", test.because)}
			if diff := cmp.Diff(want, sentAgain(t, &log)); diff != "" {
				t.Errorf("the log (-want +got):\n%s", diff)
			}
		})
	}
}

// A call that its server has surely not looked at says so too, whatever its tool
// says of itself.
func TestCallsThatWereNotRunAreToldToBeSentAgain(t *testing.T) {
	s := testserver.New("one")
	var log bytes.Buffer
	c := newClient(t, config.Connections{"one": config.StreamableHTTP{URL: s.HTTP(t, false)}}, &multiclient.Options{
		Logger: slog.New(slog.NewJSONHandler(&log, nil)),
	})
	call(t, c, "one", "count", nil)
	for session := range s.Sessions() {
		session.Close() // which the server has forgotten then
	}
	if got := call(t, c, "one", "count", nil); got != "2" {
		t.Errorf("count returned %q", got)
	}
	if diff := cmp.Diff([]string{"one count 2 the server has not run it"}, sentAgain(t, &log)); diff != "" {
		t.Errorf("the log (-want +got):\n%s", diff)
	}
}

// sentAgain returns what a log in JSON tells of calls that were sent again.
func sentAgain(t *testing.T, log *bytes.Buffer) (told []string) {
	t.Helper()
	for line := range strings.Lines(log.String()) {
		var record struct {
			Msg, Server, Tool, Because, Error string
			Attempt                           int
		}
		if err := json.Unmarshal([]byte(line), &record); err != nil {
			t.Fatal(err)
		}
		if record.Msg != "a tool call is sent again" {
			continue
		}
		if record.Error == "" {
			t.Errorf("it is not told what has failed: %s", line)
		}
		told = append(told, fmt.Sprintf("%s %s %d %s", record.Server, record.Tool, record.Attempt, record.Because))
	}
	return told
}
