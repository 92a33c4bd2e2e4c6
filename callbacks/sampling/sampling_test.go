package sampling_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/llms"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/callbacks/sampling"
)

func TestApprove(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		approve func(req *mcp.CreateMessageWithToolsRequest) error
		code    int64
		message string
		asked   string // the text that the model was asked, if it was
	}{
		"approved": {func(*mcp.CreateMessageWithToolsRequest) error { return nil }, 0, "", "hi"},
		"changed": {func(req *mcp.CreateMessageWithToolsRequest) error {
			req.Params.Messages[0].Content[0] = &mcp.TextContent{Text: "good day"}
			return nil
		}, 0, "", "good day"},
		"changed into something impossible": {func(req *mcp.CreateMessageWithToolsRequest) error {
			req.Params.Messages = nil
			return nil
		}, -32602, "there are no messages", ""},
		"rejected": {func(*mcp.CreateMessageWithToolsRequest) error { return errors.New("no, by Joe") }, -1, "User rejected sampling request", ""},
		"rejected in words": {func(*mcp.CreateMessageWithToolsRequest) error {
			return fmt.Errorf("by Joe: %w", &jsonrpc.Error{Code: -7, Message: "too dear"})
		}, -7, "too dear", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			model := &scriptedModel{answer: says("ok")}
			_, err := sample(t, model, &sampling.Options{
				Approve: func(_ context.Context, cc callbacks.CallbackContext, req *mcp.CreateMessageWithToolsRequest) error {
					if diff := cmp.Diff(whose, cc); diff != "" {
						t.Error(diff)
					}
					return tt.approve(req)
				},
			}, `{`+hi+`}`)
			if code(t, err) != tt.code || err != nil && err.Error() != tt.message {
				t.Errorf("got %v, want %d %s", err, tt.code, tt.message)
			}
			asked := ""
			if model.asked > 0 {
				asked = model.messages[0].Parts[0].(llms.TextContent).Text
			}
			if asked != tt.asked {
				t.Errorf("the model was asked %q, want %q", asked, tt.asked)
			}
		})
	}
}

func TestReview(t *testing.T) {
	t.Parallel()
	review := func(_ context.Context, cc callbacks.CallbackContext, req *mcp.CreateMessageWithToolsRequest, res *mcp.CreateMessageWithToolsResult) error {
		answer := res.Content[0].(*mcp.TextContent)
		if cc.CallID != whose.CallID || len(req.Params.Messages) != 1 {
			t.Errorf("got %v, %v", cc, req)
		}
		if answer.Text == "secret" {
			return errors.New("this stays here")
		}
		answer.Text += ", reviewed"
		return nil
	}
	opts := &sampling.Options{Review: review}
	res, err := sample(t, &scriptedModel{answer: says("fine")}, opts, `{`+hi+`}`)
	if err != nil || res.Content[0].(*mcp.TextContent).Text != "fine, reviewed" {
		t.Errorf("got %s, %v", toJSON(res), err)
	}
	res, err = sample(t, &scriptedModel{answer: says("secret")}, opts, `{`+hi+`}`)
	if res != nil || code(t, err) != -1 {
		t.Errorf("got %s, %v", toJSON(res), err)
	}
}

func TestOnError(t *testing.T) {
	t.Parallel()
	failure := errors.New("no credit")
	var got []error
	opts := &sampling.Options{OnError: func(_ context.Context, cc callbacks.CallbackContext, err error) {
		if cc.ServerName != whose.ServerName {
			t.Errorf("got %v", cc)
		}
		got = append(got, err)
	}}
	for _, model := range []*scriptedModel{{err: failure}, {answer: answer()}, {answer: says("fine")}} {
		_, _ = sample(t, model, opts, `{`+hi+`}`)
	}
	if len(got) != 2 || got[0] != failure || got[1].Error() != "the model gave no answer" {
		t.Errorf("got %v", got)
	}
}

// An end of the call is neither a refusal nor a failure of the model.
func TestCancelled(t *testing.T) {
	t.Parallel()
	gone := errors.New("the call is over")
	never := func(context.Context, callbacks.CallbackContext, error) { t.Error("told of a failure") }
	for name, tt := range map[string]struct {
		model *scriptedModel
		opts  sampling.Options
	}{
		"model": {&scriptedModel{err: errors.New("timeout")}, sampling.Options{OnError: never}},
		"approve": {&scriptedModel{}, sampling.Options{Approve: func(ctx context.Context, _ callbacks.CallbackContext, _ *mcp.CreateMessageWithToolsRequest) error {
			return ctx.Err()
		}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancelCause(t.Context())
			cancel(gone)
			_, err := sampling.New(tt.model, &tt.opts).OnSampling(ctx, whose, request(t, `{`+hi+`}`))
			if err != gone {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestNoRequest(t *testing.T) {
	t.Parallel()
	cb := sampling.New(&scriptedModel{}, nil)
	for _, req := range []*mcp.CreateMessageWithToolsRequest{nil, {}} {
		if _, err := cb.OnSampling(t.Context(), whose, req); code(t, err) != -32602 {
			t.Errorf("got %v", err)
		}
	}
}

func TestSamplingConcurrent(t *testing.T) {
	t.Parallel()
	model := &scriptedModel{answer: answer(&llms.ContentChoice{ToolCalls: []llms.ToolCall{toolCall("A", "add", `{"a":1}`)}})}
	cb := sampling.New(model, &sampling.Options{
		Tools:       true,
		CallOptions: []llms.CallOption{llms.WithModel("m"), llms.WithTopP(0.5)},
		ChooseModel: sampling.ByHint("m"),
	})
	req := request(t, `{"tools":[{"name":"a.b"}],"modelPreferences":{"hints":[{"name":"m"}]},`+hi+`}`)
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			if res, err := cb.OnSampling(context.Background(), whose, req); err != nil || res.StopReason != "toolUse" || res.Model != "m" {
				t.Errorf("got %v, %v", res, err)
			}
		})
	}
	wg.Wait()
}

// The SDK's client and server carry requests and answers as they are meant.
func TestOverTheProtocol(t *testing.T) {
	t.Parallel()
	model := &scriptedModel{answer: answer(
		&llms.ContentChoice{Content: "Adding."},
		&llms.ContentChoice{ToolCalls: []llms.ToolCall{toolCall("A", "add", `{"a":1}`), toolCall("B", "add", `{"a":2}`)}, GenerationInfo: map[string]any{"InputTokens": 5}},
	)}
	refuse := false
	cb := sampling.New(model, &sampling.Options{
		Tools: true,
		Approve: func(context.Context, callbacks.CallbackContext, *mcp.CreateMessageWithToolsRequest) error {
			if refuse {
				return errors.New("no")
			}
			return nil
		},
	})
	client := mcp.NewClient(&mcp.Implementation{Name: "c"}, &mcp.ClientOptions{
		Capabilities: &mcp.ClientCapabilities{Sampling: cb.Sampling},
		CreateMessageWithToolsHandler: func(ctx context.Context, req *mcp.CreateMessageWithToolsRequest) (*mcp.CreateMessageWithToolsResult, error) {
			return cb.OnSampling(ctx, whose, req)
		},
	})
	here, there := mcp.NewInMemoryTransports()
	server, err := mcp.NewServer(&mcp.Implementation{Name: "s"}, nil).Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	session, err := client.Connect(t.Context(), here, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })

	hello := &mcp.TextContent{Text: "hi"}
	withTools := &mcp.CreateMessageWithToolsParams{
		MaxTokens: 10, Tools: []*mcp.Tool{{Name: "add", InputSchema: map[string]any{"type": "object"}}},
		Messages: []*mcp.SamplingMessageV2{{Role: "user", Content: []mcp.Content{hello}}},
	}
	res, err := server.CreateMessageWithTools(t.Context(), withTools)
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Content) != 3 || res.StopReason != "toolUse" || res.Meta[sampling.Usage] == nil {
		t.Errorf("got %s", toJSON(res))
	}
	// Without tools there is one block, as older servers know it.
	model.mu.Lock()
	model.answer = answer(&llms.ContentChoice{Content: "one"}, &llms.ContentChoice{Content: "two"})
	model.mu.Unlock()
	plain := &mcp.CreateMessageParams{MaxTokens: 10, Messages: []*mcp.SamplingMessage{{Role: "user", Content: hello}}}
	old, err := server.CreateMessage(t.Context(), plain)
	if err != nil || old.Content.(*mcp.TextContent).Text != "one\ntwo" {
		t.Errorf("got %s, %v", toJSON(old), err)
	}
	refuse = true
	_, err = server.CreateMessage(t.Context(), plain)
	if wire, ok := errors.AsType[*jsonrpc.Error](err); !ok || wire.Code != -1 || wire.Message != "User rejected sampling request" {
		t.Errorf("got %v", err)
	}
}
