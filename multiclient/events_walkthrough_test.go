package multiclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// The walkthroughs that introductions to callbacks of MCP clients go through,
// with the values that they show.

// invoke calls a tool as an agent does, by its langchaingo interface.
func invoke(t testing.TB, c *multiclient.MultiServerClient, tool string) (string, error) {
	t.Helper()
	list, err := c.Tools(t.Context(), "server")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range list {
		if l.Name() == tool {
			return l.Call(t.Context(), "{}")
		}
	}
	t.Fatalf("there is no tool %s", tool)
	return "", nil
}

func walk(t testing.TB, w wire, cb callbacks.Callbacks) *multiclient.MultiServerClient {
	return newClient(t, config.Connections{"server": w.connect(t, testserver.New("server"), config.Settings{})}, &multiclient.Options{Callbacks: cb})
}

func TestWalkthroughProgressAndLogs(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		var j journal
		c := walk(t, w, callbacks.Callbacks{
			OnProgress: func(_ context.Context, cc callbacks.CallbackContext, p *mcp.ProgressNotificationParams) {
				if cc.ServerName != "server" || cc.ToolName != "long_running_task" {
					t.Errorf("progress of %v", cc)
				}
				j.add("Progress: %.1f%% - %s", p.Progress/p.Total*100, p.Message)
			},
			OnLoggingMessage: func(_ context.Context, cc callbacks.CallbackContext, p *mcp.LoggingMessageParams) {
				if cc.ServerName != "server" || cc.ToolName != "long_running_task" {
					t.Errorf("log message of %v", cc)
				}
				j.add("[%s] %v", p.Level, p.Data)
			},
		})
		got, err := invoke(t, c, "long_running_task")
		if err != nil || got != "5" {
			t.Errorf("the tool returned %q, %v", got, err)
		}
		var want []string
		for i := 1; i <= 5; i++ {
			want = append(want, fmt.Sprintf("Progress: %d.0%% - Step %d completed", i*20, i), fmt.Sprintf("[info] %d%% completed", i*20))
		}
		if diff := cmp.Diff(want, j.list()); diff != "" {
			t.Errorf("the callbacks (-want +got):\n%s", diff)
		}
	})
}

func TestWalkthroughElicitation(t *testing.T) {
	card := `{"properties":{"name":{"title":"Name","type":"string"}},"required":["name"],"title":"CardHolder","type":"object"}`
	info := `{"properties":{"age":{"title":"Age","type":"integer"},"name":{"title":"Name","type":"string"}},"required":["name","age"],"title":"UserInfo","type":"object"}`
	onEachWire(t, func(t *testing.T, w wire) {
		var asked []string
		var answer *mcp.ElicitResult
		var refusal error
		c := walk(t, w, callbacks.Callbacks{OnElicitation: func(_ context.Context, cc callbacks.CallbackContext, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			schema, err := json.Marshal(req.Params.RequestedSchema)
			if err != nil {
				return nil, err
			}
			asked = append(asked, cc.String(), req.Params.Mode, req.Params.Message, normal(t, string(schema)))
			return answer, refusal
		}})
		for _, test := range []struct {
			tool   string
			answer *mcp.ElicitResult
			want   string
		}{
			{"issue_card", &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada Lovelace"}}, "Card issued to Ada Lovelace."},
			{"issue_card", &mcp.ElicitResult{Action: "decline"}, "No card issued."},
			{"issue_card", &mcp.ElicitResult{Action: "cancel"}, "No card issued."},
			{"collect_user_info", &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Jayden", "age": 18}}, "Hello Jayden, you are 18 years old."},
			{"collect_user_info", &mcp.ElicitResult{Action: "decline"}, "Information not provided"},
			{"collect_user_info", &mcp.ElicitResult{Action: "cancel"}, "Operation cancelled"},
		} {
			asked, answer = nil, test.answer
			got, err := invoke(t, c, test.tool)
			if err != nil || got != test.want {
				t.Errorf("%s, %s: the tool returned %q, %v", test.tool, test.answer.Action, got, err)
			}
			want := []string{"server/issue_card", "form", "What name should go on the card?", normal(t, card)}
			if test.tool == "collect_user_info" {
				want = []string{"server/collect_user_info", "form", "Please provide your information", normal(t, info)}
			}
			if diff := cmp.Diff(want, asked); diff != "" {
				t.Errorf("%s was asked (-want +got):\n%s", test.tool, diff)
			}
		}
		// The only other way out is to refuse, which fails the call.
		answer, refusal = nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "Elicitation not supported"}
		got, err := invoke(t, c, "issue_card")
		if err == nil && !strings.Contains(got, "Elicitation not supported") || err != nil && !strings.Contains(err.Error(), "Elicitation not supported") {
			t.Errorf("a refusal gave %q, %v", got, err)
		}
		if strings.Contains(got, "Card issued") || strings.Contains(got, "No card issued") {
			t.Errorf("the tool went on after a refusal: %q", got)
		}
	})
}

func TestWalkthroughFeatures(t *testing.T) {
	all := answerAll()
	onEachWire(t, func(t *testing.T, w wire) {
		for want, cb := range map[string]callbacks.Callbacks{
			`[]`:                                 {},
			`["elicitation"]`:                    {OnElicitation: all.OnElicitation},
			`["sampling"]`:                       {OnSampling: all.OnSampling},
			`["roots"]`:                          {OnListRoots: all.OnListRoots},
			`["elicitation","roots","sampling"]`: all,
		} {
			if w.process() && strings.Count(want, `"`) == 2 && want != `["elicitation"]` {
				continue
			}
			c := walk(t, w, cb)
			res, err := c.CallTool(t.Context(), "server", "client_features", nil)
			if err != nil {
				t.Fatal(err)
			}
			structured, err := json.Marshal(res.StructuredContent)
			if got := string(structured); err != nil || got != `{"result":`+want+`}` {
				t.Errorf("the features are %s, want %s", got, want)
			}
		}
	})
}

func TestWalkthroughSamplingAndRoots(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		c := walk(t, w, callbacks.Callbacks{
			OnSampling: func(_ context.Context, _ callbacks.CallbackContext, req *mcp.CreateMessageWithToolsRequest) (*mcp.CreateMessageWithToolsResult, error) {
				if len(req.Params.Messages) != 1 || req.Params.MaxTokens != 5 {
					t.Errorf("asked was %+v", req.Params)
				}
				return &mcp.CreateMessageWithToolsResult{Role: "assistant", Model: "my-llm", Content: []mcp.Content{&mcp.TextContent{Text: "The answer is 42."}}}, nil
			},
			OnListRoots: func(context.Context, callbacks.CallbackContext, *mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
				return &mcp.ListRootsResult{Roots: []*mcp.Root{{URI: "file:///home/ada/notebooks", Name: "notebooks"}}}, nil
			},
		})
		got := call(t, c, "server", "work_0", map[string]any{"id": "x", "ask": []string{"sampling", "roots"}})
		if got != `{"roots":"[notebooks]","sampling":"The answer is 42."}` {
			t.Errorf("got %s", got)
		}
	})
}

func TestWalkthroughMessages(t *testing.T) {
	// Every notification that a session surfaces, besides its own callback;
	// and a broken connection, so that it fails loudly.
	s := testserver.New("server")
	connection, breakIt := breakable(s, config.Settings{ProtocolVersion: stateful})
	var j journal
	broken := make(chan error, 1)
	c := newClient(t, config.Connections{"server": connection}, &multiclient.Options{LogLevel: "info", Callbacks: callbacks.Callbacks{
		OnProgress: func(context.Context, callbacks.CallbackContext, *mcp.ProgressNotificationParams) { j.add("progress") },
		OnMessage: func(_ context.Context, cc callbacks.CallbackContext, msg callbacks.Message) {
			if msg.Err != nil {
				broken <- msg.Err
				return
			}
			j.add("%s of %v", msg.Method, cc)
		},
	}})
	call(t, c, "server", "long_running_task", map[string]any{"steps": 2})
	const of = " of server/long_running_task"
	want := []string{"notifications/progress" + of, "progress", "notifications/message" + of, "notifications/progress" + of, "progress", "notifications/message" + of}
	if diff := cmp.Diff(want, j.list()); diff != "" {
		t.Errorf("the callbacks (-want +got):\n%s", diff)
	}
	breakIt()
	if err := receive(t, broken, "error of the transport"); err == nil || errors.Is(err, context.Canceled) {
		t.Errorf("the transport failed with %v", err)
	}
}

func TestWalkthroughLogLevel(t *testing.T) {
	// On 2026-07-28 the callback alone gives nothing: the level has to be on
	// every request.
	onEachWire(t, func(t *testing.T, w wire) {
		var j journal
		cb := callbacks.Callbacks{OnLoggingMessage: func(_ context.Context, _ callbacks.CallbackContext, p *mcp.LoggingMessageParams) { j.add("%v", p.Data) }}
		for level, want := range map[mcp.LoggingLevel]int{"": 5, "debug": 5, "info": 5, "warning": 0} {
			if w.process() && level != "" && level != "warning" {
				continue
			}
			c := newClient(t, config.Connections{"server": w.connect(t, testserver.New("server"), config.Settings{})},
				&multiclient.Options{Callbacks: cb, LogLevel: level})
			before := len(j.list())
			call(t, c, "server", "long_running_task", nil)
			if got := j.list()[before:]; len(got) != want || want > 0 && !slices.Contains(got, "100% completed") {
				t.Errorf("with level %q came %q, want %d", level, got, want)
			}
		}
	})
}
