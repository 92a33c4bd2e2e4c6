package adapters_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/tools"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
)

// numbered are n calls of a tool.
func numbered(n int, tool string) []llms.ToolCall {
	var list []llms.ToolCall
	for i := range n {
		list = append(list, call(fmt.Sprint("c", i), tool, fmt.Sprintf(`{"__arg1":"%d"}`, i)))
	}
	return list
}

// responses are the texts that answer calls, in their order.
func responses(messages []llms.MessageContent) []string {
	var texts []string
	for _, m := range messages {
		for _, part := range m.Parts {
			if r, ok := part.(llms.ToolCallResponse); ok {
				texts = append(texts, r.ToolCallID+" "+r.Content)
			}
		}
	}
	return texts
}

// Calls run at the same time up to the limit, which each waits for here, and
// their results are in the order of the calls, although they end backwards.
func TestRunParallelCalls(t *testing.T) {
	for _, limit := range []int{1, 3, 8} {
		const n = 12
		var running, most atomic.Int64
		var full [n]chan struct{}
		var arrived sync.WaitGroup
		arrived.Add(limit)
		for i := range full {
			full[i] = make(chan struct{})
		}
		tool := funcTool{"t", func(_ context.Context, input string) (string, error) {
			now := running.Add(1)
			defer running.Add(-1)
			for old := most.Load(); now > old && !most.CompareAndSwap(old, now); old = most.Load() {
			}
			var i int
			_, _ = fmt.Sscan(input, &i)
			if i < limit { // the first run at the same time
				arrived.Done()
				arrived.Wait()
			}
			if i < limit-1 {
				<-full[i+1]
			}
			close(full[i])
			return "r" + input, nil
		}}
		got, err := adapters.Run(t.Context(), script(calls(numbered(n, "t")...), says("ok")), ask("?"), []tools.Tool{tool},
			&adapters.RunOptions{MaxConcurrent: limit})
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for i := range n {
			want = append(want, fmt.Sprintf("c%d r%d", i, i))
		}
		if diff := cmp.Diff(want, responses(got.Messages)); diff != "" {
			t.Errorf("limit %d (-want +got)\n%s", limit, diff)
		}
		if most.Load() != int64(limit) {
			t.Errorf("%d calls at the same time, want %d", most.Load(), limit)
		}
	}
}

// A call that fails ends the run, or is told to the model, by the options of the
// run and of the tool; what has begun comes to its end, and every call has its
// response.
func TestRunFailingCalls(t *testing.T) {
	gone := errors.New("connection lost")
	fails := func(context.Context, *interceptors.Request) (*mcp.CallToolResult, error) { return nil, gone }
	reports := func(context.Context, *interceptors.Request) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{text("no such file")}}, nil
	}
	panics := func(context.Context, *interceptors.Request) (*mcp.CallToolResult, error) { panic(gone) }
	exits := func(context.Context, *interceptors.Request) (*mcp.CallToolResult, error) {
		runtime.Goexit()
		return nil, nil
	}
	type options = adapters.ToolOptions
	asText, asErrors := adapters.ErrorsAsText, adapters.ErrorsAsErrors
	plain := funcTool{"t", func(context.Context, string) (string, error) { return "", gone }}
	plainPanics := funcTool{"t", func(context.Context, string) (string, error) { panic("boom") }}
	for name, tt := range map[string]struct {
		tool   tools.Tool
		policy adapters.ErrorPolicy
		ends   adapters.ErrorKind // or "" if it goes on
		kind   adapters.ErrorKind // of the call's error
		text   string
	}{
		"lost":                     {mcpTool(t, "t", options{}, fails), 0, adapters.ErrCallFailed, adapters.ErrCallFailed, "connection lost"},
		"lost, told by the run":    {mcpTool(t, "t", options{}, fails), asText, "", adapters.ErrCallFailed, "connection lost"},
		"lost, told by the tool":   {mcpTool(t, "t", options{TransportErrors: asText}, fails), 0, "", adapters.ErrCallFailed, "connection lost"},
		"lost, the run decides":    {mcpTool(t, "t", options{TransportErrors: asText}, fails), asErrors, adapters.ErrCallFailed, adapters.ErrCallFailed, "connection lost"},
		"reported":                 {mcpTool(t, "t", options{}, reports), asErrors, "", adapters.ErrToolFailed, "Error: no such file"},
		"reported, ends by option": {mcpTool(t, "t", options{ToolErrors: asErrors}, reports), asText, adapters.ErrToolFailed, adapters.ErrToolFailed, "Error: no such file"},
		"panic":                    {mcpTool(t, "t", options{}, panics), 0, adapters.ErrCallFailed, adapters.ErrCallFailed, "the tool panicked: connection lost"},
		"panic, told":              {mcpTool(t, "t", options{}, panics), asText, "", adapters.ErrCallFailed, "the tool panicked: connection lost"},
		"goexit":                   {mcpTool(t, "t", options{}, exits), 0, adapters.ErrCallFailed, adapters.ErrCallFailed, "ended its goroutine"},
		"plain":                    {plain, 0, adapters.ErrCallFailed, adapters.ErrCallFailed, "connection lost"},
		"plain, told":              {plain, asText, "", adapters.ErrCallFailed, "connection lost"},
		"plain panic":              {plainPanics, 0, adapters.ErrCallFailed, adapters.ErrCallFailed, "the tool panicked: boom"},
		"plain panic, told":        {plainPanics, asText, "", adapters.ErrCallFailed, "the tool panicked: boom"},
	} {
		t.Run(name, func(t *testing.T) {
			var log strings.Builder
			var failure error
			model := script(calls(call("A", "add", `{"a":1,"b":2}`), call("B", "t", "{}"), call("C", "add", `{"a":3,"b":4}`)), says("ok"))
			var result *adapters.RunResult
			var err error
			for event, e := range adapters.RunEvents(t.Context(), model, ask("?"), append(boundTools(t), tt.tool), &adapters.RunOptions{
				MaxConcurrent: 1, TransportErrors: tt.policy, Logger: slog.New(slog.NewTextHandler(&log, nil)),
			}) {
				switch {
				case event.Kind == adapters.RunReply && event.Call.ID == "B":
					failure = event.Call.Err
				case event.Kind == adapters.RunEnd:
					result, err = event.Result, e
				}
			}
			if !errors.Is(failure, tt.kind) {
				t.Errorf("the call's error is %v", failure)
			}
			if tt.ends == "" && err != nil || tt.ends != "" && !errors.Is(err, tt.ends) {
				t.Errorf("the run ends by %v", err)
			}
			texts := responses(result.Messages)
			third := `C add {"a":3,"b":4}`
			if tt.ends != "" {
				third = "C Error: the call was not run, because the run ended before."
			}
			if len(texts) != 3 || texts[0] != `A add {"a":1,"b":2}` || !strings.Contains(texts[1], tt.text) || texts[2] != third {
				t.Errorf("responses %q", texts)
			}
			if logged := strings.Contains(log.String(), "stack="); logged != strings.Contains(tt.text, "panicked") {
				t.Errorf("log: %s", log.String())
			}
			if is := errors.Is(failure, gone); is != (strings.Contains(tt.text, "connection lost")) {
				t.Errorf("the cause is lost: %v", failure)
			}
		})
	}
}

// What runs when another call fails is not cut off.
func TestRunFailureLetsOthersEnd(t *testing.T) {
	begun, failed := make(chan struct{}), make(chan struct{})
	list := []tools.Tool{
		funcTool{"slow", func(ctx context.Context, _ string) (string, error) {
			close(begun)
			<-failed
			return "done", ctx.Err()
		}},
		funcTool{"bad", func(context.Context, string) (string, error) {
			<-begun
			return "", errors.New("bad")
		}},
	}
	var got *adapters.RunResult
	for event, err := range adapters.RunEvents(t.Context(), script(calls(call("A", "slow", "{}"), call("B", "bad", "{}"))), ask("?"), list, nil) {
		switch {
		case event.Kind == adapters.RunReply && event.Call.ID == "B":
			close(failed)
		case event.Kind == adapters.RunEnd:
			if got = event.Result; !errors.Is(err, adapters.ErrCallFailed) {
				t.Errorf("got %v", err)
			}
		}
	}
	if texts := responses(got.Messages); len(texts) != 2 || texts[0] != "A done" {
		t.Errorf("got %q", texts)
	}
}
