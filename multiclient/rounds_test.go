package multiclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// onEachStateless runs a test for every transport of 2026-07-28 whose server
// is in this process.
func onEachStateless(t *testing.T, test func(t *testing.T, w wire)) {
	onEachWire(t, func(t *testing.T, w wire) {
		if w.version == stateless && !w.process() {
			test(t, w)
		}
	})
}

// addRaw adds a tool whose handler is given everything.
func addRaw(s *testserver.Server, name string, handler mcp.ToolHandler) {
	s.AddTool(&mcp.Tool{Name: name, InputSchema: map[string]any{"type": "object"}}, handler)
}

func said(format string, args ...any) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf(format, args...)}}}
}

func TestSeveralRequestsInOneRound(t *testing.T) {
	onEachStateless(t, func(t *testing.T, w wire) {
		s := testserver.New("one")
		rounds := 0
		addRaw(s, "many", func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			rounds++
			if len(req.Params.InputResponses) == 0 {
				ask := func(word string) *mcp.ElicitParams { return &mcp.ElicitParams{Mode: "form", Message: word} }
				return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{
					"c": ask("three"), "a": ask("one"), "b": &mcp.ListRootsParams{},
					"d": &mcp.CreateMessageWithToolsParams{MaxTokens: 4, Messages: []*mcp.SamplingMessageV2{}},
				}}, nil
			}
			return said("%d answers", len(req.Params.InputResponses)), nil
		})
		var j journal
		running := 0
		var mu sync.Mutex
		one := func(format string, args ...any) {
			mu.Lock()
			if running++; running > 1 {
				t.Error("two callbacks of one call run at the same time")
			}
			mu.Unlock()
			j.add(format, args...)
			mu.Lock()
			running--
			mu.Unlock()
		}
		c := newClient(t, config.Connections{"one": w.connect(t, s, config.Settings{})}, &multiclient.Options{Callbacks: callbacks.Callbacks{
			OnElicitation: func(_ context.Context, cc callbacks.CallbackContext, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				one("%v %s", cc, req.Params.Message)
				return &mcp.ElicitResult{Action: "decline"}, nil
			},
			OnListRoots: func(_ context.Context, cc callbacks.CallbackContext, _ *mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
				one("%v roots", cc)
				return &mcp.ListRootsResult{}, nil
			},
			OnSampling: func(_ context.Context, cc callbacks.CallbackContext, req *mcp.CreateMessageWithToolsRequest) (*mcp.CreateMessageWithToolsResult, error) {
				one("%v %d tokens", cc, req.Params.MaxTokens)
				return &mcp.CreateMessageWithToolsResult{Role: "assistant", Model: "m", Content: []mcp.Content{&mcp.TextContent{Text: "x"}}}, nil
			},
		}})
		if got := call(t, c, "one", "many", nil); got != "4 answers" || rounds != 2 {
			t.Errorf("got %q after %d rounds", got, rounds)
		}
		if diff := cmp.Diff([]string{"one/many one", "one/many roots", "one/many three", "one/many 4 tokens"}, j.list()); diff != "" {
			t.Errorf("the callbacks (-want +got):\n%s", diff)
		}
	})
}

func TestStateIsEchoedExactly(t *testing.T) {
	states := []string{
		"plain", `"quoted" \ and / <&>`, "\x00\x01\x1f\x7f", "é 漢 \U0001F600 \u2028\u2029\ufeff", " \t\r\n ", strings.Repeat("x", 1<<20),
	}
	onEachStateless(t, func(t *testing.T, w wire) {
		for i, state := range states {
			s := testserver.New("one")
			addRaw(s, "stateful", func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				if len(req.Params.InputResponses) == 0 {
					return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"a": &mcp.ListRootsParams{}}, RequestState: state}, nil
				}
				return said("%v", req.Params.RequestState == state), nil
			})
			c := newClient(t, config.Connections{"one": w.connect(t, s, config.Settings{})}, &multiclient.Options{Callbacks: answerAll()})
			if got := call(t, c, "one", "stateful", nil); got != "true" {
				t.Errorf("state %d did not come back as it was", i)
			}
		}
	})
}

func TestResultsThatOnlyPutOff(t *testing.T) {
	onEachStateless(t, func(t *testing.T, w wire) {
		s := testserver.New("one")
		puts := 0
		addRaw(s, "busy", func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			if puts++; puts%3 != 0 {
				return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{}, RequestState: fmt.Sprint(puts)}, nil
			}
			return said("after %s", req.Params.RequestState), nil
		})
		addRaw(s, "overloaded", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			puts++
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{}, RequestState: "x"}, nil
		})
		c := newClient(t, config.Connections{"one": w.connect(t, s, config.Settings{})}, nil)
		if got := call(t, c, "one", "busy", nil); got != "after 2" {
			t.Errorf("a tool that put its call off returned %q", got)
		}
		puts = 0
		if res, err := c.CallTool(t.Context(), "one", "overloaded", nil); err == nil || !strings.Contains(err.Error(), "put the request off") || puts > 5 {
			t.Errorf("a tool that puts its calls off for ever gave %v, %v after %d calls", res, err, puts)
		}
		call(t, c, "one", "echo", map[string]any{"text": "x"})
	})
}

func TestServerThatAsksForEver(t *testing.T) {
	onEachStateless(t, func(t *testing.T, w wire) {
		s := testserver.New("one")
		asked := 0
		addRaw(s, "curious", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			asked++
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"a": &mcp.ListRootsParams{}}}, nil
		})
		c := newClient(t, config.Connections{"one": w.connect(t, s, config.Settings{})}, &multiclient.Options{Callbacks: answerAll()})
		res, err := c.CallTool(t.Context(), "one", "curious", nil)
		if err == nil || !strings.Contains(err.Error(), "rounds") || errors.Is(err, multiclient.ErrRefused) || asked != 10 {
			t.Errorf("it gave %v, %v after %d rounds", res, err, asked)
		}
	})
}

func TestPromptsAndResourcesThatAsk(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		s := testserver.New("one")
		var j journal
		cb := answerAll()
		elicit := cb.OnElicitation
		cb.OnElicitation = func(ctx context.Context, cc callbacks.CallbackContext, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			if cc.ServerName != "one" || cc.ToolName != "" || cc.CallID == "" || len(cc.Candidates) > 0 {
				t.Errorf("%q was asked by %+v", req.Params.Message, cc)
			}
			j.add("%s", req.Params.Message)
			return elicit(ctx, cc, req)
		}
		c := newClient(t, config.Connections{"one": w.connect(t, s, config.Settings{})}, &multiclient.Options{Callbacks: cb})
		prompt, err := c.Prompt(t.Context(), "one", "ask", map[string]string{"id": "x"})
		if err != nil {
			t.Fatal(err)
		}
		if got := prompt.Messages[0].Content.(*mcp.TextContent).Text; prompt.Description != "prompt" || got != "[accept: w [w] w]" {
			t.Errorf("the prompt is %q: %q", prompt.Description, got)
		}
		if w.version == stateful {
			// The SDK's server does this for prompts and tools only.
			_, err := c.ReadResource(t.Context(), "one", "ask://x")
			if !errors.Is(err, multiclient.ErrRefused) || strings.Contains(err.Error(), "HTTP status") {
				t.Errorf("the resource gave %v", err)
			}
			return
		}
		resource, err := c.ReadResource(t.Context(), "one", "ask://x")
		if err != nil {
			t.Fatal(err)
		}
		if got := resource.Contents[0].Text; got != "resource [accept: w [w] w]" {
			t.Errorf("the resource is %q", got)
		}
		if diff := cmp.Diff([]string{"one/ x", "one/ ask://x"}, j.list()); diff != "" {
			t.Errorf("the questions (-want +got):\n%s", diff)
		}
	})
}

func TestParametersAreNotChangedByRounds(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		s := testserver.New("one")
		cb := answerAll()
		cb.OnProgress = func(context.Context, callbacks.CallbackContext, *mcp.ProgressNotificationParams) {}
		c := newClient(t, config.Connections{"one": w.connect(t, s, config.Settings{})}, &multiclient.Options{Callbacks: cb, LogLevel: "debug"})
		session, release, err := c.Session(t.Context(), "one")
		if err != nil {
			t.Fatal(err)
		}
		defer release()
		arguments := map[string]any{"id": "x", "n": 2, "ask": []string{"form", "sampling"}}
		params := &mcp.CallToolParams{Name: "work_1", Arguments: arguments, Meta: mcp.Meta{"mine": "m", "progressToken": "t"}}
		for range 2 { // a second call is not taken to be answered already
			res, err := session.CallTool(t.Context(), params)
			if err != nil || !strings.Contains(textOf(res), "accept: w") {
				t.Errorf("the call returned %v, %v", res, err)
			}
			if params.InputResponses != nil || params.RequestState != "" || params.Meta["progressToken"] != "t" || params.Meta["mine"] != "m" {
				t.Errorf("the parameters became %+v", params)
			}
			if diff := cmp.Diff(map[string]any{"id": "x", "n": 2, "ask": []string{"form", "sampling"}}, arguments); diff != "" {
				t.Errorf("the arguments (-want +got):\n%s", diff)
			}
		}
	})
}

func TestInputRequestsThatTheSDKDoesNotDecode(t *testing.T) {
	tools := func(x *exchange) {
		if len(x.responses) > 0 {
			x.say("%s %s", x.state, x.responses["a"])
			return
		}
		requests := map[string]string{
			// Its parameters are optional, and left out by most servers.
			"roots": `{"a":{"method":"roots/list"}}`, "null params": `{"a":{"method":"roots/list","params":null}}`,
			"null": `{"a":null}`, "number": `{"a":7}`, "unknown": `{"a":{"method":"no/such","params":{}}}`, "list": `[]`,
		}[x.name]
		x.send(&jsonrpc.Response{ID: x.id, Result: json.RawMessage(`{"resultType":"input_required","requestState":"s","inputRequests":` + requests + `}`)})
	}
	onEachStatelessRaw(t, tools, func(t *testing.T, connection config.Connection) {
		c := newClient(t, config.Connections{"one": connection}, &multiclient.Options{Callbacks: answerAll()})
		for _, tool := range []string{"roots", "null params"} {
			if got := call(t, c, "one", tool, nil); got != `s {"roots":[{"name":"w","uri":"file:///w"}]}` && got != `s {"roots":[{"uri":"file:///w","name":"w"}]}` {
				t.Errorf("%s: got %s", tool, got)
			}
		}
		for _, tool := range []string{"null", "number", "unknown", "list"} {
			if res, err := c.CallTool(t.Context(), "one", tool, nil); err == nil {
				t.Errorf("%s: the call returned %v", tool, res)
			}
		}
		if got := call(t, c, "one", "roots", nil); !strings.HasPrefix(got, "s ") {
			t.Errorf("afterwards: got %s", got)
		}
		if st := c.Status()[0]; st.Generation != 1 {
			t.Errorf("it took %d sessions", st.Generation)
		}
	})
}
