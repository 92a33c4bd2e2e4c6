package calls

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

// needs returns a result that asks for input.
func needs[R any](t testing.TB, requests, state string) *R {
	t.Helper()
	raw := fmt.Sprintf(`{"resultType":"input_required","requestState":%s`, mustJSON(t, state))
	if requests != "" {
		raw += `,"inputRequests":` + requests
	}
	res := new(R)
	if err := json.Unmarshal([]byte(raw+"}"), res); err != nil {
		t.Fatal(err)
	}
	return res
}

func mustJSON(t testing.TB, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

const threeInputs = `{
	"c":{"method":"roots/list","params":{}},
	"a":{"method":"elicitation/create","params":{"message":"who?","requestedSchema":{"type":"object","properties":{"word":{"type":"string"}}}}},
	"b":{"method":"sampling/createMessage","params":{"messages":[{"role":"user","content":{"type":"text","text":"hi"}}],"maxTokens":7}}}`

// all answers everything and notes the order.
func all(order *recorder) callbacks.Callbacks {
	return callbacks.Callbacks{
		OnProgress: func(_ context.Context, cc callbacks.CallbackContext, p *mcp.ProgressNotificationParams) {
			order.add("progress %s of %s", p.Message, cc.ToolName)
		},
		OnElicitation: func(_ context.Context, cc callbacks.CallbackContext, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			order.add("elicitation of %s", cc.ToolName)
			return accept("w"), nil
		},
		OnSampling: func(_ context.Context, cc callbacks.CallbackContext, req *mcp.CreateMessageWithToolsRequest) (*mcp.CreateMessageWithToolsResult, error) {
			order.add("sampling of %s, %d tokens", cc.ToolName, req.Params.MaxTokens)
			return &mcp.CreateMessageWithToolsResult{Role: "assistant", Model: "m", Content: []mcp.Content{&mcp.TextContent{Text: "yes"}}}, nil
		},
		OnListRoots: func(_ context.Context, cc callbacks.CallbackContext, _ *mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
			order.add("roots of %s", cc.ToolName)
			return &mcp.ListRootsResult{Roots: []*mcp.Root{{URI: "file:///r"}}}, nil
		},
	}
}

func TestRoundOfSeveralRequests(t *testing.T) {
	for range 20 {
		order := new(recorder)
		tracker := newTracker(t, all(order))
		params := &mcp.CallToolParams{Name: "a", Meta: mcp.Meta{"mine": 1}, Arguments: map[string]any{"x": "y"}}
		r := startCall(t, t.Context(), tracker, "tools/call", params)
		state := "st\x00ate \u2028 \" \\ \x7f é 漢 \U0001F600 <&>"
		r.progress("1")
		put(t, r.answer, end{needs[mcp.CallToolResult](t, threeInputs, state), nil})
		second := get(t, r.sent, "second round").params.(*mcp.CallToolParams)
		if second.RequestState != state {
			t.Errorf("the state came back as %q, want %q", second.RequestState, state)
		}
		if second.Name != "a" || second.Meta["mine"] != 1 || second.Meta["progressToken"] != r.id() {
			t.Errorf("the second round has %+v", second)
		}
		want := `{"a":{"action":"accept","content":{"word":"w"}},"b":{"content":{"type":"text","text":"yes"},"model":"m","role":"assistant"},"c":{"roots":[{"uri":"file:///r"}]}}`
		if diff := cmp.Diff(want, mustJSON(t, second.InputResponses)); diff != "" {
			t.Errorf("the responses (-want +got):\n%s", diff)
		}
		r.progress("2")
		r.returns(t, "x")
		if e := get(t, r.ended, "end of the call"); e.err != nil {
			t.Errorf("the call returned %v", e.err)
		}
		if diff := cmp.Diff([]string{"progress 1 of a", "elicitation of a", "sampling of a, 7 tokens", "roots of a", "progress 2 of a"}, order.list()); diff != "" {
			t.Errorf("the callbacks (-want +got):\n%s", diff)
		}
		if params.InputResponses != nil || params.RequestState != "" || len(params.Meta) != 1 {
			t.Errorf("the caller's parameters became %+v", params)
		}
	}
}

func TestRoundsOfPromptsAndResources(t *testing.T) {
	tracker := newTracker(t, all(new(recorder)))
	r := startCall(t, t.Context(), tracker, "prompts/get", &mcp.GetPromptParams{Name: "p", Arguments: map[string]string{"x": "y"}})
	put(t, r.answer, end{needs[mcp.GetPromptResult](t, threeInputs, "s"), nil})
	prompt := get(t, r.sent, "second round").params.(*mcp.GetPromptParams)
	if prompt.Name != "p" || prompt.Arguments["x"] != "y" || prompt.RequestState != "s" || len(prompt.InputResponses) != 3 {
		t.Errorf("the second round of a prompt has %+v", prompt)
	}
	put(t, r.answer, end{&mcp.GetPromptResult{Description: "done"}, nil})
	if e := get(t, r.ended, "end"); e.err != nil || e.res.(*mcp.GetPromptResult).Description != "done" {
		t.Errorf("the prompt is %v, %v", e.res, e.err)
	}

	r = startCall(t, t.Context(), tracker, "resources/read", &mcp.ReadResourceParams{URI: "u:x"})
	put(t, r.answer, end{needs[mcp.ReadResourceResult](t, threeInputs, "s"), nil})
	resource := get(t, r.sent, "second round").params.(*mcp.ReadResourceParams)
	if resource.URI != "u:x" || resource.RequestState != "s" || len(resource.InputResponses) != 3 {
		t.Errorf("the second round of a resource has %+v", resource)
	}
	put(t, r.answer, end{&mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{Text: "done"}}}, nil})
	if e := get(t, r.ended, "end"); e.err != nil || e.res.(*mcp.ReadResourceResult).Contents[0].Text != "done" {
		t.Errorf("the resource is %v, %v", e.res, e.err)
	}
}

func TestRoundsAreBounded(t *testing.T) {
	tracker := newTracker(t, all(new(recorder)))
	r := start(t, t.Context(), tracker, "a")
	sent := 1
	for {
		put(t, r.answer, end{needs[mcp.CallToolResult](t, threeInputs, fmt.Sprint(sent)), nil})
		select {
		case s := <-r.sent:
			if got := s.params.(*mcp.CallToolParams).RequestState; got != fmt.Sprint(sent) {
				t.Errorf("round %d has the state %q", sent+1, got)
			}
			sent++
			continue
		case e := <-r.ended:
			if e.err == nil || !strings.Contains(e.err.Error(), "10 rounds") {
				t.Errorf("the call returned %v, %v", e.res, e.err)
			}
		}
		break
	}
	if sent != maxRounds {
		t.Errorf("it was sent %d times, want %d", sent, maxRounds)
	}
}

func TestRoundsThatOnlyPutOff(t *testing.T) {
	for name, requests := range map[string]string{"none": "", "empty": "{}"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tracker := newTracker(t, callbacks.Callbacks{})
				r := start(t, t.Context(), tracker, "a")
				began := time.Now()
				for i := 1; i <= 2; i++ {
					r.answer <- end{needs[mcp.CallToolResult](t, requests, fmt.Sprint(i)), nil}
					again := (<-r.sent).params.(*mcp.CallToolParams)
					if again.RequestState != fmt.Sprint(i) || len(again.InputResponses) != 0 {
						t.Errorf("round %d has %+v", i+1, again)
					}
				}
				r.returns(t, "x")
				if e := <-r.ended; e.err != nil {
					t.Errorf("the call returned %v", e.err)
				}
				if waited := time.Since(began); waited != 300*time.Millisecond {
					t.Errorf("it waited for %v", waited)
				}
			})
		})
	}
}

func TestRoundsThatPutOffForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tracker := newTracker(t, callbacks.Callbacks{})
		r := start(t, t.Context(), tracker, "a")
		for range maxEmptyRounds {
			r.answer <- end{needs[mcp.CallToolResult](t, "", "s"), nil}
			<-r.sent
		}
		r.answer <- end{needs[mcp.CallToolResult](t, "", "s"), nil}
		if e := <-r.ended; e.err == nil || !strings.Contains(e.err.Error(), "put the request off") {
			t.Errorf("the call returned %v, %v", e.res, e.err)
		}

		// The caller need not wait.
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		r = start(t, ctx, tracker, "a")
		r.answer <- end{needs[mcp.CallToolResult](t, "", "s"), nil}
		began := time.Now()
		if e := <-r.ended; !errors.Is(e.err, context.DeadlineExceeded) {
			t.Errorf("the call returned %v, %v", e.res, e.err)
		}
		if waited := time.Since(began); waited != 50*time.Millisecond {
			t.Errorf("the caller waited for %v", waited)
		}
	})
}

func TestRoundThatIsRefused(t *testing.T) {
	own := &jsonrpc.Error{Code: -32099, Message: "not today"}
	for name, test := range map[string]struct {
		change   func(*callbacks.Callbacks)
		requests string
		want     error
		missing  string
		says     string
	}{
		"by the callback": {
			func(cb *callbacks.Callbacks) {
				cb.OnListRoots = func(context.Context, callbacks.CallbackContext, *mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
					return nil, own
				}
			}, threeInputs, own, "", "not today"},
		"no elicitation":  {func(cb *callbacks.Callbacks) { cb.OnElicitation = nil }, threeInputs, nil, "OnElicitation", "elicitation/create"},
		"no sampling":     {func(cb *callbacks.Callbacks) { cb.OnSampling = nil }, threeInputs, nil, "OnSampling", "sampling/createMessage"},
		"no roots":        {func(cb *callbacks.Callbacks) { cb.OnListRoots = nil }, threeInputs, nil, "OnListRoots", "roots/list"},
		"no url mode":     {nil, `{"a":{"method":"elicitation/create","params":{"mode":"url","message":"m","url":"https://x.example/","elicitationId":"i"}}}`, nil, "URLElicitation", "elicitation/create"},
		"no tools":        {nil, `{"a":{"method":"sampling/createMessage","params":{"messages":[],"maxTokens":1,"tools":[{"name":"t","inputSchema":{"type":"object"}}]}}}`, nil, "Sampling.Tools", "sampling/createMessage"},
		"unknown mode":    {nil, `{"a":{"method":"elicitation/create","params":{"mode":"telepathy","message":"m"}}}`, nil, "", "telepathy"},
		"bad schema":      {nil, `{"a":{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"array"}}}}`, nil, "", "requested schema"},
		"too many":        {nil, manyInputs(maxInputs + 1), nil, "", "65"},
		"a form with URL": {nil, `{"a":{"method":"elicitation/create","params":{"mode":"form","message":"m","url":"https://x.example/"}}}`, nil, "", "no URL"},
	} {
		t.Run(name, func(t *testing.T) {
			cb := all(new(recorder))
			if test.change != nil {
				test.change(&cb)
			}
			tracker := newTracker(t, cb)
			r := start(t, t.Context(), tracker, "a")
			put(t, r.answer, end{needs[mcp.CallToolResult](t, test.requests, "s"), nil})
			err := get(t, r.ended, "end of the call").err
			var answer *AnswerError
			if !errors.As(err, &answer) || test.want != nil && !errors.Is(err, test.want) || !strings.Contains(err.Error(), test.says) {
				t.Errorf("the call returned %v", err)
			}
			got := ""
			if m := isMissing(err); m != nil {
				got = m.Callback
			}
			if got != test.missing {
				t.Errorf("the callback that is missing is %q, want %q", got, test.missing)
			}
		})
	}
}

func manyInputs(n int) string {
	inputs := map[string]any{}
	for i := range n {
		inputs[fmt.Sprint(i)] = map[string]any{"method": "roots/list", "params": map[string]any{}}
	}
	raw, _ := json.Marshal(inputs)
	return string(raw)
}

func TestRefusalEndsTheOtherRequestsOfTheRound(t *testing.T) {
	cb := all(new(recorder))
	cb.OnElicitation = func(context.Context, callbacks.CallbackContext, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		return nil, errors.New("no")
	}
	cb.OnSampling = func(context.Context, callbacks.CallbackContext, *mcp.CreateMessageWithToolsRequest) (*mcp.CreateMessageWithToolsResult, error) {
		t.Error("the model was asked although the round had failed")
		return nil, errors.New("no")
	}
	tracker := newTracker(t, cb)
	r := start(t, t.Context(), tracker, "a")
	// "b" waits for its turn behind "a".
	put(t, r.answer, end{needs[mcp.CallToolResult](t, threeInputs, "s"), nil})
	if e := get(t, r.ended, "end of the call"); e.err == nil || !strings.Contains(e.err.Error(), "no") {
		t.Errorf("the call returned %v", e.err)
	}
}

func TestAnswerThatMakesTheDecoderPanic(t *testing.T) {
	tracker := newTracker(t, callbacks.Callbacks{})
	handler := tracker.Sending()(func(context.Context, string, mcp.Request) (mcp.Result, error) {
		// As the SDK decodes an answer, with the goroutine of the caller.
		res := new(mcp.CallToolResult)
		err := json.Unmarshal([]byte(`{"resultType":"input_required","inputRequests":{"a":null}}`), res)
		return res, err
	})
	_, err := handler(t.Context(), "tools/call", &mcp.ClientRequest[mcp.Params]{Session: &mcp.ClientSession{}, Params: &mcp.CallToolParams{Name: "a"}})
	if err == nil {
		t.Error("the call succeeded")
	}
	if n := tracker.InFlight(); n != 0 {
		t.Errorf("%d calls are in flight", n)
	}
}
