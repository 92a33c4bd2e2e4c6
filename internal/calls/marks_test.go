package calls

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

const question = `{"message":"who?","requestedSchema":{"type":"object","properties":{"word":{"type":"string"}}}}`

func accept(word string) *mcp.ElicitResult {
	return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"word": word}}
}

// naming answers every question with the tool that it was told.
func naming() callbacks.Callbacks {
	return callbacks.Callbacks{
		OnElicitation: func(_ context.Context, cc callbacks.CallbackContext, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return accept(fmt.Sprintf("%s %v", cc.ToolName, len(req.Params.Meta))), nil
		},
	}
}

func word(t testing.TB, e end) string {
	t.Helper()
	if e.err != nil {
		t.Fatalf("the question was refused: %v", e.err)
	}
	s, _ := e.res.(*mcp.ElicitResult).Content["word"].(string)
	return s
}

// malformed requests that the SDK answers without asking any handler.
var malformed = map[string]struct{ method, params string }{
	"wrong type":           {methodElicit, `{"message":5}`},
	"not an object":        {methodElicit, `[1]`},
	"a string":             {methodListRoots, `"roots"`},
	"_meta is a string":    {methodElicit, `{"_meta":"x","message":"m"}`},
	"_meta is a list":      {methodListRoots, `{"_meta":[]}`},
	"messages are no list": {methodCreateMessage, `{"messages":"x"}`},
	"maxTokens is no int":  {methodCreateMessage, `{"messages":[],"maxTokens":"many"}`},
}

func TestMalformedRequestsHoldNothingUp(t *testing.T) {
	for name, bad := range malformed {
		t.Run(name, func(t *testing.T) {
			delivered := make(chan string, 1)
			cb := naming()
			cb.OnSampling = func(context.Context, callbacks.CallbackContext, *mcp.CreateMessageWithToolsRequest) (*mcp.CreateMessageWithToolsResult, error) {
				t.Error("OnSampling was called")
				return nil, nil
			}
			cb.OnListRoots = func(context.Context, callbacks.CallbackContext, *mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
				t.Error("OnListRoots was called")
				return nil, nil
			}
			cb.OnProgress = func(_ context.Context, _ callbacks.CallbackContext, p *mcp.ProgressNotificationParams) {
				delivered <- p.Message
			}
			tracker := newTracker(t, cb)
			r := start(t, t.Context(), tracker, "a")
			if e := get(t, ask(tracker, r.ctx, bad.method, bad.params).answer, "answer"); e.err == nil {
				t.Errorf("it was answered with %v", e.res)
			}
			// While the call goes on, its events come.
			r.progress("after")
			get(t, delivered, "progress after a malformed request")
			if got := word(t, get(t, ask(tracker, r.ctx, methodElicit, question).answer, "answer")); got != "a 0" {
				t.Errorf("the next question was answered with %q", got)
			}
			if n := pendingRequests(tracker); n != 0 {
				t.Errorf("%d requests are remembered", n)
			}
			r.returns(t, "x")
			get(t, r.ended, "end of the call")
		})
	}
}

func TestTenThousandMalformedRequests(t *testing.T) {
	tracker := newTracker(t, naming())
	r := start(t, t.Context(), tracker, "a")
	for i := range 10_000 {
		stream := r.ctx
		if i%2 == 0 {
			stream = context.Background()
		}
		// It is marked before the SDK refuses it.
		read(tracker, stream, methodElicit, `{"message":5}`).handle(tracker, context.Background())
	}
	if n := pendingRequests(tracker); n != 0 {
		t.Errorf("%d requests are remembered", n)
	}
	if n := waiting(&FromContext(r.ctx).queue); n != 0 {
		t.Errorf("%d events wait", n)
	}
	if got := word(t, get(t, ask(tracker, r.ctx, methodElicit, question).answer, "answer")); got != "a 0" {
		t.Errorf("a question afterwards was answered with %q", got)
	}
	r.returns(t, "x")
	get(t, r.ended, "end of the call")
}

func waiting(q *queue) int {
	q.wait(context.Background(), q.last())
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.events)
}

func TestRequestsWithoutEnd(t *testing.T) {
	// Questions that are not answered yet, of two calls, one of which has
	// ended meanwhile.
	gate := make(chan struct{})
	cb := naming()
	answer := cb.OnElicitation
	cb.OnElicitation = func(ctx context.Context, cc callbacks.CallbackContext, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		<-gate
		return answer(ctx, cc, req)
	}
	tracker := newTracker(t, cb)
	a, b := start(t, t.Context(), tracker, "a"), start(t, t.Context(), tracker, "b")
	var all []*asked
	for range 2 * maxRequests {
		all = append(all, ask(tracker, a.ctx, methodElicit, question))
	}
	if n := pendingRequests(tracker); n > maxRequests {
		t.Errorf("%d requests are remembered", n)
	}
	// No question is left to guesses: those beyond the bound are refused.
	tooMany := ask(tracker, a.ctx, methodElicit, question)
	if e := get(t, tooMany.answer, "refusal"); e.err == nil || !strings.Contains(e.err.Error(), "too many") {
		t.Errorf("one more question was answered with %v, %v", e.res, e.err)
	}
	close(gate)
	answered := 0
	for _, q := range all {
		if e := get(t, q.answer, "answer"); e.err == nil {
			answered++
			if got := word(t, e); got != "a 0" {
				t.Fatalf("a question was answered with %q", got)
			}
		}
	}
	if answered != maxRequests {
		t.Errorf("%d questions were answered, want %d", answered, maxRequests)
	}
	if got := word(t, get(t, ask(tracker, b.ctx, methodElicit, question).answer, "answer")); got != "b 0" {
		t.Errorf("a question afterwards was answered with %q", got)
	}
	for _, r := range []*running{a, b} {
		r.returns(t, "x")
		get(t, r.ended, "end of the call")
	}
}

func TestTagsCannotBeForged(t *testing.T) {
	seen := make(chan mcp.Meta, 8)
	tracker := newTracker(t, callbacks.Callbacks{
		OnElicitation: func(_ context.Context, cc callbacks.CallbackContext, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			seen <- req.Params.Meta
			return accept(cc.ToolName), nil
		},
	})
	a, b := start(t, t.Context(), tracker, "a"), start(t, t.Context(), tracker, "b")
	// What a server sees of a tag: the text of a refusal of the SDK.
	leak := read(tracker, a.ctx, methodElicit, `{"message":5}`)
	tag := tagOf(t, leak.req)
	if tag == "" {
		t.Fatal("the request of the server was not marked")
	}
	for name, forged := range map[string]string{
		"made up":                      "x",
		"the id of a call":             a.id(),
		"of a request that is pending": tag,
	} {
		params := fmt.Sprintf(`{"message":"m","_meta":{%q:%q,"kept":1}}`, tagKey, forged)
		if got := word(t, get(t, ask(tracker, b.ctx, methodElicit, params).answer, "answer")); got != "b" {
			t.Errorf("a tag that is %s: the question is of %q", name, got)
		}
		if meta := get(t, seen, "meta"); len(meta) != 1 || meta["kept"] == nil {
			t.Errorf("a tag that is %s: the callback got %v", name, meta)
		}
		// Twice in one object, and not the one that counts.
		params = fmt.Sprintf(`{"_meta":{%q:%q},"message":"m","_meta":{%q:%q}}`, tagKey, forged, tagKey, forged)
		if got := word(t, get(t, ask(tracker, b.ctx, methodElicit, params).answer, "answer")); got != "b" {
			t.Errorf("a tag that is %s, twice: the question is of %q", name, got)
		}
		if meta := get(t, seen, "meta"); len(meta) != 0 {
			t.Errorf("a tag that is %s, twice: the callback got %v", name, meta)
		}
	}
	leak.handle(tracker, context.Background())
	for _, r := range []*running{a, b} {
		r.returns(t, "x")
		get(t, r.ended, "end of the call")
	}
}

func tagOf(t testing.TB, req *jsonrpc.Request) string {
	t.Helper()
	var params struct {
		Meta map[string]any `json:"_meta"`
	}
	if err := json.Unmarshal(req.Params, &params); err != nil {
		t.Fatal(err)
	}
	tag, _ := params.Meta[tagKey].(string)
	return tag
}

func TestRequestIDThatIsInUse(t *testing.T) {
	// The SDK does not answer the second at all.
	tracker := newTracker(t, naming())
	r := start(t, t.Context(), tracker, "a")
	first := read(tracker, r.ctx, methodElicit, question)
	second := &jsonrpc.Request{ID: first.req.ID, Method: methodElicit, Params: json.RawMessage(question)}
	if !tracker.Inbound(r.ctx, second) {
		t.Error("the second did not go on to the SDK")
	}
	first.handle(tracker, context.Background())
	if got := word(t, get(t, first.answer, "answer")); got != "a 0" {
		t.Errorf("the first was answered with %q", got)
	}
	if n := pendingRequests(tracker); n != 0 {
		t.Errorf("%d requests are remembered", n)
	}
	r.returns(t, "x")
	get(t, r.ended, "end of the call")
}

func TestRequestsWithoutParameters(t *testing.T) {
	roots := 0
	tracker := newTracker(t, callbacks.Callbacks{
		OnElicitation: func(context.Context, callbacks.CallbackContext, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			t.Error("OnElicitation was called")
			return accept(""), nil
		},
		OnSampling: func(context.Context, callbacks.CallbackContext, *mcp.CreateMessageWithToolsRequest) (*mcp.CreateMessageWithToolsResult, error) {
			t.Error("OnSampling was called")
			return &mcp.CreateMessageWithToolsResult{}, nil
		},
		OnListRoots: func(_ context.Context, cc callbacks.CallbackContext, req *mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
			if cc.ToolName != "a" || req.Params == nil || req.Params.Meta != nil {
				t.Errorf("roots were asked for by %v with %v", cc, req.Params)
			}
			roots++
			return &mcp.ListRootsResult{}, nil
		},
	})
	r := start(t, t.Context(), tracker, "a")
	for _, params := range []string{"", "null"} {
		for _, method := range []string{methodElicit, methodCreateMessage} {
			if e := get(t, ask(tracker, r.ctx, method, params).answer, "answer"); e.err == nil {
				t.Errorf("%s with parameters %q gave %v", method, params, e.res)
			}
		}
		e := get(t, ask(tracker, r.ctx, methodListRoots, params).answer, "answer")
		if res, ok := e.res.(*mcp.ListRootsResult); !ok || res.Roots == nil {
			t.Errorf("roots/list with parameters %q gave %v, %v", params, e.res, e.err)
		}
	}
	if roots != 2 {
		t.Errorf("OnListRoots was called %d times, want 2", roots)
	}
	r.returns(t, "x")
	get(t, r.ended, "end of the call")
}
