package multiclient_test

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

const (
	form     = `{"mode":"form","message":"m","requestedSchema":{"type":"object","properties":{"word":{"type":"string"}}}}`
	sampling = `{"messages":[{"role":"user","content":{"type":"text","text":"hi"}}],"maxTokens":1}`
)

// wordOf returns the word of an accepted form.
func wordOf(t testing.TB, resp *jsonrpc.Response) string {
	t.Helper()
	if resp.Error != nil {
		return "error: " + resp.Error.Error()
	}
	var res mcp.ElicitResult
	if err := json.Unmarshal(resp.Result, &res); err != nil {
		t.Error(err)
	}
	if word, ok := res.Content["word"].(string); ok {
		return word
	}
	return res.Action
}

func TestTagsOfAServerAreWorthless(t *testing.T) {
	// The first call learns of a tag from the refusal of a malformed request,
	// which the SDK quotes; the second uses it.
	const key = "github.com/langchaingo-mcp/mcpadapters/tag"
	quoted, used := make(chan string, 1), make(chan struct{})
	tools := func(x *exchange) {
		switch x.name {
		case "learn":
			answer := x.answer("elicitation/create", `{"message":5}`)
			said := fmt.Sprint(answer.Error)
			_, rest, _ := strings.Cut(strings.ReplaceAll(said, `\`, ""), key+`":"`)
			tag, _, _ := strings.Cut(rest, `"`)
			quoted <- tag
			<-used // the call goes on
			x.say("%s", said)
		case "use":
			tag := <-quoted
			answer := x.answer("elicitation/create", fmt.Sprintf(`{"message":"m","_meta":{%q:%q,"own":1}}`, key, tag))
			word := wordOf(x.t, answer)
			close(used)
			x.say("%s %s", word, tag)
		}
	}
	onEachRaw(t, tools, func(t *testing.T, _ *raw, connection config.Connection, streams bool) {
		used = make(chan struct{})
		c := newClient(t, config.Connections{"one": connection}, &multiclient.Options{Callbacks: callbacks.Callbacks{
			OnElicitation: func(_ context.Context, cc callbacks.CallbackContext, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				if len(req.Params.Meta) != 1 {
					t.Errorf("the callback got %v", req.Params.Meta)
				}
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"word": cc.String()}}, nil
			},
		}})
		learned := make(chan string, 1)
		go func() {
			res, err := c.CallTool(t.Context(), "one", "learn", nil)
			if err != nil {
				t.Error(err)
			}
			learned <- textOf(res)
		}()
		got := call(t, c, "one", "use", nil)
		who, tag, _ := strings.Cut(got, " ")
		want := "one/(learn|use)"
		if streams {
			want = "one/use"
		}
		if who != want {
			t.Errorf("the question was told to be of %s, want %s", who, want)
		}
		if said := receive(t, learned, "end of the call"); tag == "" {
			t.Errorf("no tag was learned from %q: the test shows nothing", said)
		}
	})
}

func TestMalformedRequestsOfAServer(t *testing.T) {
	methods := []string{"elicitation/create", "sampling/createMessage", "roots/list", "ping", "no/such"}
	params := []string{``, `null`, `[]`, `7`, `"x"`, `{}`, `{"_meta":7}`, `{"_meta":[]}`, `{"message":{}}`, `{"messages":"x"}`, `{"messages":[null]}`,
		`{"messages":[{"content":{"type":"hologram"}}]}`, `{"mode":7}`, `{"mode":"url"}`, `{"requestedSchema":7}`,
		`{"message":"m","requestedSchema":{"$ref":"#"}}`, `{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string","oneOf":[null]}}}}`}
	notifications := []string{"notifications/progress", "notifications/message", "notifications/elicitation/complete", "notifications/tools/list_changed",
		"notifications/prompts/list_changed", "notifications/resources/list_changed", "notifications/resources/updated", "notifications/no/such"}
	tools := func(x *exchange) {
		for _, method := range methods {
			for _, p := range params {
				answer := x.answer(method, p)
				if answer.Error == nil && method == "no/such" {
					x.t.Errorf("%s was answered with %s", method, answer.Result)
				}
			}
		}
		for _, method := range notifications {
			for _, p := range params {
				msg := &jsonrpc.Request{Method: method}
				if p != "" {
					msg.Params = json.RawMessage(p)
				}
				x.send(msg)
			}
		}
		// And the session goes on.
		x.say("%s", wordOf(x.t, x.answer("elicitation/create", form)))
	}
	onEachRaw(t, tools, func(t *testing.T, _ *raw, connection config.Connection, _ bool) {
		cb := answerAll()
		cb.OnElicitation = answering(t).OnElicitation
		cb.OnMessage = func(context.Context, callbacks.CallbackContext, callbacks.Message) {}
		cb.OnLoggingMessage = func(context.Context, callbacks.CallbackContext, *mcp.LoggingMessageParams) {}
		c := newClient(t, config.Connections{"one": connection}, &multiclient.Options{Callbacks: cb})
		if got := call(t, c, "one", "bad", nil); got != "bad|m" {
			t.Errorf("a proper question afterwards was answered with %q", got)
		}
	})
}

func TestTenThousandMalformedRequestsOfAServer(t *testing.T) {
	n := 10_000
	tools := func(x *exchange) {
		// A hundred at a time, so that none is answered right away.
		for range n / 100 {
			var answers []<-chan *jsonrpc.Response
			for range 100 {
				answers = append(answers, x.ask("elicitation/create", `{"message":5,"padding":"`+strings.Repeat("x", 200)+`"}`))
			}
			for _, answer := range answers {
				if (<-answer).Error == nil {
					x.t.Error("a malformed request was not refused")
				}
			}
		}
		x.notify("notifications/message", `{"level":"info","data":"after"}`)
		x.say("%s", wordOf(x.t, x.answer("elicitation/create", form)))
	}
	onEachRaw(t, tools, func(t *testing.T, _ *raw, connection config.Connection, streams bool) {
		if streams {
			n = 1_000 // each takes a request of HTTP
		}
		logs := make(chan callbacks.CallbackContext, 1)
		cb := answering(t)
		cb.OnLoggingMessage = func(_ context.Context, cc callbacks.CallbackContext, _ *mcp.LoggingMessageParams) { logs <- cc }
		c := newClient(t, config.Connections{"one": connection}, &multiclient.Options{Callbacks: cb})
		before := heap()
		if got := call(t, c, "one", "flood", nil); got != "flood|m" {
			t.Errorf("a proper question afterwards was answered with %q", got)
		}
		if cc := receive(t, logs, "log message"); cc.ToolName != "flood" {
			t.Errorf("a log message afterwards was of %v", cc)
		}
		// The server of the test keeps a channel for each, and HTTP some buffers.
		if grown := int64(heap()) - int64(before); grown > int64(n)*512+4<<20 {
			t.Errorf("%d bytes are left of them", grown)
		}
	})
}

func heap() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestServerThatAnswersBeforeItsQuestion(t *testing.T) {
	// The call returns at once, and the question is dismissed.
	answers := make(chan *jsonrpc.Response, 2)
	asked := make(chan struct{}, 2)
	tools := func(x *exchange) {
		elicitation := x.ask("elicitation/create", form)
		<-asked
		message := x.ask("sampling/createMessage", sampling)
		x.say("done")
		go func() {
			for _, answer := range []<-chan *jsonrpc.Response{elicitation, message} {
				select {
				case a := <-answer:
					answers <- a
				case <-x.t.Context().Done():
				}
			}
		}()
	}
	onEachRaw(t, tools, func(t *testing.T, _ *raw, connection config.Connection, _ bool) {
		ended := make(chan struct{}, 1)
		cb := answerAll()
		cb.OnElicitation = func(ctx context.Context, _ callbacks.CallbackContext, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			asked <- struct{}{}
			<-ctx.Done()
			ended <- struct{}{}
			return nil, ctx.Err()
		}
		c := newClient(t, config.Connections{"one": connection}, &multiclient.Options{Callbacks: cb})
		if got := call(t, c, "one", "hasty", nil); got != "done" {
			t.Errorf("got %q", got)
		}
		receive(t, ended, "end of the callback's context")
		if got := wordOf(t, receive(t, answers, "answer to the question")); got != "cancel" {
			t.Errorf("the question was answered with %q", got)
		}
		if resp := receive(t, answers, "answer to the sampling"); resp.Error == nil {
			t.Errorf("the sampling was answered with %s", resp.Result)
		}
	})
}

func TestEventsAfterTheAnswerAreNobodys(t *testing.T) {
	tools := func(x *exchange) {
		token, err := json.Marshal(x.meta["progressToken"])
		if err != nil {
			x.t.Error(err)
		}
		progress := func(message string) {
			x.notify("notifications/progress", fmt.Sprintf(`{"progressToken":%s,"progress":1,"message":%q}`, token, message))
		}
		progress(x.name + " before")
		x.say("done")
		progress(x.name + " after")
	}
	onEachRaw(t, tools, func(t *testing.T, _ *raw, connection config.Connection, _ bool) {
		var e events
		c := newClient(t, config.Connections{"one": connection}, &multiclient.Options{Callbacks: e.callbacks()})
		for _, tool := range []string{"a", "b", "c"} {
			call(t, c, "one", tool, nil)
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		for message, cc := range e.contexts {
			if tool := strings.Fields(message)[1]; cc.ToolName != tool {
				t.Errorf("%q was of %v", message, cc)
			}
		}
		for _, tool := range []string{"a", "b", "c"} {
			if _, ok := e.contexts["progress "+tool+" before"]; !ok {
				t.Errorf("the progress of %s is lost", tool)
			}
		}
	})
}

func TestFloodOfAServer(t *testing.T) {
	const n = 10_000
	release := make(chan struct{})
	tools := func(x *exchange) {
		token, err := json.Marshal(x.meta["progressToken"])
		if err != nil {
			x.t.Error(err)
		}
		for i := 1; i <= n; i++ {
			x.notify("notifications/progress", fmt.Sprintf(`{"progressToken":%s,"progress":%d,"total":%d}`, token, i, n))
			x.notify("notifications/message", fmt.Sprintf(`{"level":"info","data":%d}`, i))
		}
		close(release) // all of it has been read
		x.say("done")
	}
	onEachRaw(t, tools, func(t *testing.T, _ *raw, connection config.Connection, streams bool) {
		release = make(chan struct{})
		wait := func() {
			if !streams { // HTTP does not tell what has been read
				<-release
			}
		}
		last := map[string]float64{}
		count, dropped := map[string]int{}, 0
		note := func(kind string, n float64) {
			if n <= last[kind] {
				t.Errorf("%s %v came after %v", kind, n, last[kind])
			}
			last[kind] = n
			count[kind]++
		}
		c := newClient(t, config.Connections{"one": connection}, &multiclient.Options{Callbacks: callbacks.Callbacks{
			OnProgress: func(_ context.Context, cc callbacks.CallbackContext, p *mcp.ProgressNotificationParams) {
				wait()
				note("progress", p.Progress)
				if cc.ToolName != "flood" || p.Total != n {
					t.Errorf("%v/%v of %v", p.Progress, p.Total, cc)
				}
			},
			OnLoggingMessage: func(_ context.Context, cc callbacks.CallbackContext, p *mcp.LoggingMessageParams) {
				wait()
				note("log", p.Data.(float64))
				dropped += cc.Dropped
			},
		}})
		if got := call(t, c, "one", "flood", nil); got != "done" {
			t.Errorf("got %q", got)
		}
		if diff := cmp.Diff(map[string]float64{"progress": n, "log": n}, last); diff != "" {
			t.Errorf("the latest are not kept (-want +got):\n%s", diff)
		}
		if count["log"]+dropped != n {
			t.Errorf("%d log messages and %d dropped, want %d in all", count["log"], dropped, n)
		}
		if !streams && (count["progress"] > 70 || count["log"] > 1030) {
			t.Errorf("%d progress and %d log messages waited", count["progress"], count["log"])
		}
	})
}
