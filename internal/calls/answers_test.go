package calls

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

func TestElicitationsThatAreRefused(t *testing.T) {
	cb := naming()
	cb.OnElicitation = func(context.Context, callbacks.CallbackContext, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		t.Error("the user was asked")
		return accept(""), nil
	}
	for _, url := range []bool{false, true} {
		cb.URLElicitation = url
		tracker := newTracker(t, cb)
		r := start(t, t.Context(), tracker, "a")
		for _, params := range []string{
			`{"mode":"telepathy","message":"m"}`,
			`{"mode":"form","message":"m","url":"https://x.example/"}`,
			`{"mode":"url","message":"m","url":"javascript:alert(1)","elicitationId":"i"}`,
			`{"mode":"url","message":"m","url":"https://x.example/"}`,
			`{"mode":"url","message":"m","elicitationId":"i"}`,
			`{"mode":"url","message":"m","url":"https://x.example/","elicitationId":"i","requestedSchema":{"type":"object"}}`,
			`{"message":"m","requestedSchema":"x"}`,
			`{"message":"m","requestedSchema":[]}`,
			`{"message":"m","requestedSchema":{"type":"array"}}`,
			`{"message":"m","requestedSchema":{"type":"object","properties":[]}}`,
			`{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"object"}}}}`,
			`{"message":"m","requestedSchema":{"type":"object","properties":{"a":null}}}`,
			`{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string","oneOf":[null]}}}}`,
			`{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"array","items":{"anyOf":[null]}}}}}`,
			`{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string","pattern":"("}}}}`,
		} {
			e := get(t, ask(tracker, r.ctx, methodElicit, params).answer, "answer")
			var refused *jsonrpc.Error
			if !errors.As(e.err, &refused) || refused.Code != jsonrpc.CodeInvalidParams {
				t.Errorf("%s (url mode: %v) was answered with %v, %v", params, url, e.res, e.err)
			}
		}
		r.returns(t, "x")
		get(t, r.ended, "end of the call")
	}
}

func TestElicitationAnswers(t *testing.T) {
	const schema = `{"message":"m","requestedSchema":{"type":"object","properties":{
		"name":{"type":"string"},"age":{"type":"integer","minimum":0},"color":{"type":"string","enum":["red","blue"],"default":"blue"}},"required":["name"]}}`
	own := &jsonrpc.Error{Code: -32099, Message: "not today", Data: json.RawMessage(`{"a":1}`)}
	for name, test := range map[string]struct {
		res  *mcp.ElicitResult
		err  error
		want string
		code int64
	}{
		"accept":                {&mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada", "age": 36}}, nil, `{"action":"accept","content":{"age":36,"color":"blue","name":"Ada"}}`, 0},
		"accept over a default": {&mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada", "color": "red"}}, nil, `{"action":"accept","content":{"color":"red","name":"Ada"}}`, 0},
		"more than asked for":   {&mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada", "x": 1}}, nil, `{"action":"accept","content":{"color":"blue","name":"Ada","x":1}}`, 0},
		"decline":               {&mcp.ElicitResult{Action: "decline"}, nil, `{"action":"decline"}`, 0},
		"cancel":                {&mcp.ElicitResult{Action: "cancel", Content: map[string]any{"name": "half-filled"}}, nil, `{"action":"cancel"}`, 0},
		"a field too few":       {&mcp.ElicitResult{Action: "accept", Content: map[string]any{"age": 36}}, nil, "", jsonrpc.CodeInvalidParams},
		"a wrong type":          {&mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": 5}}, nil, "", jsonrpc.CodeInvalidParams},
		"out of bounds":         {&mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada", "age": -1}}, nil, "", jsonrpc.CodeInvalidParams},
		"no choice":             {&mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada", "color": "mauve"}}, nil, "", jsonrpc.CodeInvalidParams},
		"nothing":               {nil, nil, "", jsonrpc.CodeInternalError},
		"an unknown action":     {&mcp.ElicitResult{Action: "shrug"}, nil, "", jsonrpc.CodeInternalError},
		"no action":             {&mcp.ElicitResult{}, nil, "", jsonrpc.CodeInternalError},
		"an error":              {nil, errors.New("not today"), "", jsonrpc.CodeInternalError},
		"a wrapped error":       {nil, fmt.Errorf("because: %w", own), "", own.Code},
		"a JSON-RPC error":      {nil, own, "", own.Code},
	} {
		t.Run(name, func(t *testing.T) {
			before := mustJSON(t, test.res)
			tracker := newTracker(t, callbacks.Callbacks{
				OnElicitation: func(_ context.Context, cc callbacks.CallbackContext, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					if req.Params.Mode != "form" || req.Session == nil {
						t.Errorf("asked was %+v", req)
					}
					return test.res, test.err
				},
			})
			r := start(t, t.Context(), tracker, "a")
			e := get(t, ask(tracker, r.ctx, methodElicit, schema).answer, "answer")
			if test.want != "" {
				if e.err != nil || mustJSON(t, e.res) != test.want {
					t.Errorf("the server was told %s, %v", mustJSON(t, e.res), e.err)
				}
			} else {
				var refused *jsonrpc.Error
				if !errors.As(e.err, &refused) || refused.Code != test.code || test.err != nil && refused.Message != test.err.Error() {
					t.Errorf("the server was told %v, %v", e.res, e.err)
				}
			}
			if test.err == own && e.err != test.err {
				t.Errorf("the refusal became %v", e.err)
			}
			if after := mustJSON(t, test.res); after != before {
				t.Errorf("the callback's own result became %s", after)
			}
			r.returns(t, "x")
			get(t, r.ended, "end of the call")
		})
	}
}

func TestSamplingAndRoots(t *testing.T) {
	const tools = `{"messages":[],"maxTokens":1,"tools":[{"name":"t","inputSchema":{"type":"object"}}],"toolChoice":{"mode":"auto"}}`
	refusal := &jsonrpc.Error{Code: -1, Message: "no"}
	var res *mcp.CreateMessageWithToolsResult
	var roots *mcp.ListRootsResult
	var refuse error
	cb := callbacks.Callbacks{
		OnSampling: func(_ context.Context, cc callbacks.CallbackContext, req *mcp.CreateMessageWithToolsRequest) (*mcp.CreateMessageWithToolsResult, error) {
			if cc.ToolName != "a" || req.Session == nil || req.Params.MaxTokens != 1 {
				t.Errorf("%v asked for %+v", cc, req.Params)
			}
			return res, refuse
		},
		OnListRoots: func(_ context.Context, cc callbacks.CallbackContext, req *mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
			if cc.ToolName != "a" || req.Session == nil {
				t.Errorf("%v asked for roots", cc)
			}
			return roots, refuse
		},
	}
	plain := newTracker(t, cb)
	cb.Sampling = &mcp.SamplingCapabilities{Tools: &mcp.SamplingToolsCapabilities{}}
	withTools := newTracker(t, cb)
	answer := func(tracker *Tracker, method, params string) end {
		t.Helper()
		r := start(t, t.Context(), tracker, "a")
		e := get(t, ask(tracker, r.ctx, method, params).answer, "answer")
		r.returns(t, "x")
		get(t, r.ended, "end of the call")
		return e
	}
	res, roots = &mcp.CreateMessageWithToolsResult{Model: "m"}, &mcp.ListRootsResult{Meta: mcp.Meta{"a": 1}}
	if e := answer(plain, methodCreateMessage, message); e.res != mcp.Result(res) {
		t.Errorf("sampling gave %v, %v", e.res, e.err)
	}
	if e := answer(plain, methodCreateMessage, tools); e.err == nil || !strings.Contains(e.err.Error(), "tools") {
		t.Errorf("sampling with tools that were not declared gave %v, %v", e.res, e.err)
	}
	if e := answer(withTools, methodCreateMessage, tools); e.res != mcp.Result(res) {
		t.Errorf("sampling with tools gave %v, %v", e.res, e.err)
	}
	if e := answer(plain, methodListRoots, ""); e.err != nil || mustJSON(t, e.res) != `{"_meta":{"a":1},"roots":[]}` {
		t.Errorf("no roots gave %s, %v", mustJSON(t, e.res), e.err)
	}
	res, roots = nil, nil
	for _, method := range []string{methodCreateMessage, methodListRoots} {
		if e := answer(plain, method, message); e.err == nil {
			t.Errorf("%s: no result gave %v", method, e.res)
		}
	}
	refuse = refusal
	for _, method := range []string{methodCreateMessage, methodListRoots} {
		if e := answer(plain, method, message); e.err != error(refusal) {
			t.Errorf("%s: a refusal gave %v, %v", method, e.res, e.err)
		}
	}
}

func TestMissingCallbacks(t *testing.T) {
	for method, test := range map[string]struct {
		params string
		code   int64
		want   string
	}{
		methodElicit:        {question, jsonrpc.CodeInvalidParams, "OnElicitation"},
		methodCreateMessage: {message, jsonrpc.CodeMethodNotFound, "OnSampling"},
		methodListRoots:     {"", jsonrpc.CodeMethodNotFound, "OnListRoots"},
	} {
		tracker := newTracker(t, callbacks.Callbacks{})
		for _, fails := range []func(said error) end{
			func(said error) end { return end{nil, fmt.Errorf("asking: %w", said)} },
			func(said error) end { return end{nil, errors.New("something is wrong")} },
			func(said error) end {
				return end{&mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "failed"}}}, nil}
			},
		} {
			r := start(t, t.Context(), tracker, "a")
			said := get(t, ask(tracker, r.ctx, method, test.params).answer, "answer").err
			var refused *jsonrpc.Error
			if !errors.As(said, &refused) || refused.Code != test.code {
				t.Errorf("the server was told %v to %s", said, method)
			}
			fail := fails(said)
			put(t, r.answer, fail)
			e := get(t, r.ended, "end of the call")
			if fail.err == nil {
				content := e.res.(*mcp.CallToolResult).Content
				if last := content[len(content)-1].(*mcp.TextContent).Text; e.err != nil || len(content) != 2 || !strings.Contains(last, "Callbacks."+test.want) {
					t.Errorf("the call returned %v, %v", content, e.err)
				}
				continue
			}
			if m := isMissing(e.err); m == nil || m.Callback != test.want || m.Method != method || !errors.Is(e.err, fail.err) {
				t.Errorf("the call returned %v", e.err)
			}
		}
		// A tool that does without.
		r := start(t, t.Context(), tracker, "a")
		get(t, ask(tracker, r.ctx, method, test.params).answer, "answer")
		r.returns(t, "x")
		if e := get(t, r.ended, "end of the call"); e.err != nil || len(e.res.(*mcp.CallToolResult).Content) != 1 {
			t.Errorf("the call returned %v, %v", e.res, e.err)
		}
	}
}

func TestMissingModes(t *testing.T) {
	cb := naming()
	cb.OnSampling = all(new(recorder)).OnSampling
	tracker := newTracker(t, cb)
	for want, request := range map[string]struct{ method, params string }{
		"URLElicitation": {methodElicit, `{"mode":"url","message":"m","url":"https://x.example/","elicitationId":"i"}`},
		"Sampling.Tools": {methodCreateMessage, `{"messages":[],"maxTokens":1,"tools":[{"name":"t","inputSchema":{"type":"object"}}]}`},
	} {
		r := start(t, t.Context(), tracker, "a")
		said := get(t, ask(tracker, r.ctx, request.method, request.params).answer, "answer").err
		var refused *jsonrpc.Error
		if !errors.As(said, &refused) || refused.Code != jsonrpc.CodeInvalidParams {
			t.Errorf("the server was told %v", said)
		}
		put(t, r.answer, end{nil, errors.New("it did not work")})
		if m := isMissing(get(t, r.ended, "end of the call").err); m == nil || m.Callback != want {
			t.Errorf("the missing callback is %v, want %s", m, want)
		}
	}
}

func TestCapabilities(t *testing.T) {
	answer := all(new(recorder))
	tools := &mcp.SamplingCapabilities{Tools: &mcp.SamplingToolsCapabilities{}}
	both := &mcp.SamplingCapabilities{Tools: &mcp.SamplingToolsCapabilities{}, Context: &mcp.SamplingContextCapabilities{}}
	for name, test := range map[string]struct {
		cb   callbacks.Callbacks
		want string
	}{
		"none":                  {callbacks.Callbacks{}, `{}`},
		"what declares nothing": {callbacks.Callbacks{OnProgress: answer.OnProgress, URLElicitation: true, Sampling: both}, `{}`},
		"elicitation":           {callbacks.Callbacks{OnElicitation: answer.OnElicitation}, `{"elicitation":{"form":{}}}`},
		"elicitation with URLs": {callbacks.Callbacks{OnElicitation: answer.OnElicitation, URLElicitation: true}, `{"elicitation":{"form":{},"url":{}}}`},
		"sampling":              {callbacks.Callbacks{OnSampling: answer.OnSampling}, `{"sampling":{}}`},
		"sampling with tools":   {callbacks.Callbacks{OnSampling: answer.OnSampling, Sampling: tools}, `{"sampling":{"tools":{}}}`},
		"sampling with all":     {callbacks.Callbacks{OnSampling: answer.OnSampling, Sampling: both}, `{"sampling":{"context":{},"tools":{}}}`},
		"roots":                 {callbacks.Callbacks{OnListRoots: answer.OnListRoots}, `{"roots":{"listChanged":true}}`},
		"all":                   {answer, `{"elicitation":{"form":{}},"roots":{"listChanged":true},"sampling":{}}`},
	} {
		tracker := newTracker(t, test.cb)
		caps := tracker.ClientOptions().Capabilities
		declared := map[string]any{}
		if caps.Elicitation != nil {
			declared["elicitation"] = caps.Elicitation
		}
		if caps.Sampling != nil {
			declared["sampling"] = caps.Sampling
		}
		if caps.RootsV2 != nil {
			declared["roots"] = caps.RootsV2
		}
		if diff := cmp.Diff(test.want, mustJSON(t, declared)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A server that asks is answered, also if the callback has returned what cannot be
// sent: it would wait for ever, and the call with it.
func TestAnswersThatCannotBeSent(t *testing.T) {
	meta := mcp.Meta{"x": math.NaN()}
	tracker := newTracker(t, callbacks.Callbacks{
		OnElicitation: func(context.Context, callbacks.CallbackContext, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"word": "x", "more": func() {}}}, nil
		},
		OnSampling: func(context.Context, callbacks.CallbackContext, *mcp.CreateMessageWithToolsRequest) (*mcp.CreateMessageWithToolsResult, error) {
			return &mcp.CreateMessageWithToolsResult{Meta: meta, Role: "assistant", Content: []mcp.Content{&mcp.TextContent{Text: "x"}}}, nil
		},
		OnListRoots: func(context.Context, callbacks.CallbackContext, *mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
			return &mcp.ListRootsResult{Meta: meta}, nil
		},
	})
	r := start(t, t.Context(), tracker, "a")
	for method, params := range map[string]string{methodElicit: question, methodCreateMessage: message, methodListRoots: ""} {
		e := get(t, ask(tracker, r.ctx, method, params).answer, "answer")
		var refused *jsonrpc.Error
		if !errors.As(e.err, &refused) || refused.Code != jsonrpc.CodeInternalError || !strings.Contains(e.err.Error(), "cannot be sent") {
			t.Errorf("%s was answered with %v, %v", method, e.res, e.err)
		}
	}
	r.returns(t, "x")
	get(t, r.ended, "end of the call")
}
