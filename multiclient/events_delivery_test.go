package multiclient_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/leak"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

func TestSlowCallbackDelaysNobodyConcurrent(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		gate, blocked := make(chan struct{}), make(chan struct{}, 4)
		wait := func(label string) {
			if strings.Contains(label, "slow") {
				blocked <- struct{}{}
				<-gate
			}
		}
		cb := callbacks.Callbacks{
			OnProgress: func(_ context.Context, _ callbacks.CallbackContext, p *mcp.ProgressNotificationParams) {
				wait(p.Message)
			},
			OnElicitation: func(_ context.Context, _ callbacks.CallbackContext, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				wait(req.Params.Message)
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"word": "w"}}, nil
			},
		}
		c := newClient(t, config.Connections{"one": w.connect(t, testserver.New("one"), config.Settings{})}, &multiclient.Options{Callbacks: cb})
		slow := make(chan error, 2)
		for id, arguments := range map[string]map[string]any{"slow 1": {"n": 2}, "slow 2": {"ask": []string{"form"}}} {
			arguments["id"] = id
			go func() {
				_, err := c.CallTool(t.Context(), "one", "work_0", arguments)
				slow <- err
			}()
		}
		receive(t, blocked, "slow callback")
		receive(t, blocked, "other slow callback")
		var wg sync.WaitGroup
		for i := range 64 {
			wg.Go(func() {
				res, err := c.CallTool(t.Context(), "one", fmt.Sprintf("work_%d", i%8), map[string]any{"id": fmt.Sprint(i), "n": 2, "ask": []string{"form"}})
				if err != nil || textOf(res) != `{"form":"accept: w"}` {
					t.Errorf("call %d: %v, %v", i, res, err)
				}
			})
		}
		done := make(chan struct{})
		go func() { wg.Wait(); close(done) }()
		select {
		case <-done:
		case <-time.After(60 * time.Second):
			t.Error("the other calls wait for the slow callbacks")
		}
		select {
		case err := <-slow:
			t.Errorf("a call whose callback runs has returned: %v", err)
		default:
		}
		close(gate)
		for range 2 {
			if err := receive(t, slow, "end of a slow call"); err != nil {
				t.Error(err)
			}
		}
	})
}

func TestCancelledCallEndsItsQuestions(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		leak.Check(t)
		asked, ended := make(chan string, 1), make(chan error, 1)
		pend := func(ctx context.Context, cc callbacks.CallbackContext) error {
			asked <- cc.String()
			<-ctx.Done()
			ended <- context.Cause(ctx)
			return ctx.Err()
		}
		cb := callbacks.Callbacks{
			OnElicitation: func(ctx context.Context, cc callbacks.CallbackContext, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				return nil, pend(ctx, cc)
			},
			OnSampling: func(ctx context.Context, cc callbacks.CallbackContext, _ *mcp.CreateMessageWithToolsRequest) (*mcp.CreateMessageWithToolsResult, error) {
				return nil, pend(ctx, cc)
			},
			OnListRoots: func(ctx context.Context, cc callbacks.CallbackContext, _ *mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
				return nil, pend(ctx, cc)
			},
		}
		c := newClient(t, config.Connections{"one": w.connect(t, testserver.New("one"), config.Settings{})}, &multiclient.Options{Callbacks: cb})
		for _, kind := range []string{"form", "sampling", "roots"} {
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() {
				_, err := c.CallTool(ctx, "one", "work_0", map[string]any{"id": "x", "ask": []string{kind}})
				done <- err
			}()
			if who := receive(t, asked, "question"); who != "one/work_0" && !strings.Contains(who, "work_0") {
				t.Errorf("asked by %s", who)
			}
			cancel()
			if err := receive(t, done, "end of the call"); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: the call returned %v", kind, err)
			}
			if err := receive(t, ended, "end of the callback's context"); !errors.Is(err, context.Canceled) {
				t.Errorf("%s: the callback's context ended with %v", kind, err)
			}
			call(t, c, "one", "echo", map[string]any{"text": "x"})
		}
	})
}

func TestServerIsToldOfACancelledCall(t *testing.T) {
	answers, read := make(chan string, 2), make(chan struct{}, 16)
	tools := func(x *exchange) {
		elicitation, message := x.ask("elicitation/create", form), x.ask("sampling/createMessage", sampling)
		x.answer("ping", "") // messages are read in their order
		read <- struct{}{}
		answers <- wordOf(x.t, <-elicitation)
		if resp := <-message; resp.Error == nil {
			answers <- string(resp.Result)
		} else {
			answers <- "refused"
		}
	}
	onEachRaw(t, tools, func(t *testing.T, r *raw, connection config.Connection, _ bool) {
		asked := make(chan struct{}, 2)
		cb := answerAll()
		cb.OnElicitation = func(ctx context.Context, _ callbacks.CallbackContext, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			asked <- struct{}{}
			<-ctx.Done()
			return nil, ctx.Err()
		}
		c := newClient(t, config.Connections{"one": connection}, &multiclient.Options{Callbacks: cb})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { _, err := c.CallTool(ctx, "one", "a", nil); done <- err }()
		receive(t, asked, "question")
		receive(t, read, "answer to the ping")
		cancel()
		receive(t, done, "end of the call")
		if got := receive(t, answers, "answer to the question"); got != "cancel" {
			t.Errorf("the question was answered with %q", got)
		}
		if got := receive(t, answers, "answer to the sampling"); got != "refused" {
			t.Errorf("the sampling was answered with %q", got)
		}
		eventually(t, func() bool { return r.received("notifications/cancelled") == 1 })
	})
}

func TestPanicInEachCallback(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		kind := ""
		boo := func(this string) {
			if this == kind {
				panic("boo in " + this)
			}
		}
		all := newOccurrences(t).callbacks()
		cb := callbacks.Callbacks{
			URLElicitation: true,
			OnProgress:     func(context.Context, callbacks.CallbackContext, *mcp.ProgressNotificationParams) { boo("OnProgress") },
			OnLoggingMessage: func(context.Context, callbacks.CallbackContext, *mcp.LoggingMessageParams) {
				boo("OnLoggingMessage")
			},
			OnElicitation: func(ctx context.Context, cc callbacks.CallbackContext, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				boo("OnElicitation")
				return all.OnElicitation(ctx, cc, req)
			},
			OnElicitationComplete: func(context.Context, callbacks.CallbackContext, *mcp.ElicitationCompleteParams) {
				boo("OnElicitationComplete")
			},
			OnSampling: func(ctx context.Context, cc callbacks.CallbackContext, req *mcp.CreateMessageWithToolsRequest) (*mcp.CreateMessageWithToolsResult, error) {
				boo("OnSampling")
				return all.OnSampling(ctx, cc, req)
			},
			OnListRoots: func(ctx context.Context, cc callbacks.CallbackContext, req *mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
				boo("OnListRoots")
				return all.OnListRoots(ctx, cc, req)
			},
			OnMessage: func(_ context.Context, _ callbacks.CallbackContext, msg callbacks.Message) {
				if msg.Method == "notifications/progress" {
					boo("OnMessage")
				}
			},
		}
		c := newClient(t, config.Connections{"one": w.connect(t, testserver.New("one"), config.Settings{})}, &multiclient.Options{Callbacks: cb})
		work := func() (*mcp.CallToolResult, error) {
			return c.CallTool(t.Context(), "one", "work_5", map[string]any{"id": "x", "n": 2, "ask": allKinds})
		}
		for _, kind = range []string{"OnProgress", "OnLoggingMessage", "OnElicitation", "OnElicitationComplete", "OnSampling", "OnListRoots", "OnMessage"} {
			res, err := work()
			if !errors.Is(err, multiclient.ErrCallbackPanic) || !strings.Contains(err.Error(), "boo in "+kind) || !strings.Contains(err.Error(), kind+" panicked") {
				t.Errorf("a panic in %s gave %v, %v", kind, res, err)
			}
			var e *multiclient.Error
			if !errors.As(err, &e) || e.Server != "one" || e.Tool != "work_5" {
				t.Errorf("the error is of %v", err)
			}
		}
		kind = ""
		if res, err := work(); err != nil || res.IsError {
			t.Errorf("afterwards a call gave %v, %v", res, err)
		}
	})
}

func TestPanicInCallbacksOfNobody(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		called := make(chan string, 1024)
		boo := func(kind string) {
			called <- kind
			panic("boo")
		}
		cb := callbacks.Callbacks{
			OnToolsListChanged:     func(context.Context, callbacks.CallbackContext, *mcp.ToolListChangedParams) { boo("tools") },
			OnPromptsListChanged:   func(context.Context, callbacks.CallbackContext, *mcp.PromptListChangedParams) { boo("prompts") },
			OnResourcesListChanged: func(context.Context, callbacks.CallbackContext, *mcp.ResourceListChangedParams) { boo("resources") },
			OnResourceUpdated: func(context.Context, callbacks.CallbackContext, *mcp.ResourceUpdatedNotificationParams) {
				boo(readme)
			},
			OnConnectionState: func(context.Context, callbacks.CallbackContext, callbacks.ConnectionChange) { boo("state") },
		}
		c := newClient(t, config.Connections{"one": w.connect(t, testserver.New("one"), config.Settings{})}, &multiclient.Options{Callbacks: cb})
		if err := c.Subscribe(t.Context(), "one", readme); err != nil {
			t.Fatal(err)
		}
		for _, what := range []string{"tools", "prompts", "resources"} {
			call(t, c, "one", "announce", map[string]any{"what": what})
		}
		wait := map[string]bool{"tools": true, "prompts": true, "resources": true, readme: true, "state": true}
		eventually(t, func() bool {
			if wait[readme] {
				call(t, c, "one", "announce", map[string]any{"what": readme})
			}
			for len(called) > 0 {
				delete(wait, <-called)
			}
			return len(wait) == 0
		})
	})
}

func TestEventsOfACallWhoseContextHasEndedAreDiscarded(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		first := make(chan struct{}, 1)
		after := make(chan string, 16)
		var c *multiclient.MultiServerClient
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		cb := callbacks.Callbacks{OnProgress: func(callCtx context.Context, _ callbacks.CallbackContext, p *mcp.ProgressNotificationParams) {
			select {
			case first <- struct{}{}:
				cancel()
				<-callCtx.Done()
			default:
				after <- p.Message
			}
		}}
		c = newClient(t, config.Connections{"one": w.connect(t, testserver.New("one"), config.Settings{})}, &multiclient.Options{Callbacks: cb})
		if _, err := c.CallTool(ctx, "one", "tell_0", map[string]any{"id": "x", "n": 10}); err != nil && !errors.Is(err, context.Canceled) {
			// There is none if the result came first.
			t.Errorf("the call returned %v", err)
		}
		call(t, c, "one", "echo", map[string]any{"text": "x"})
		if len(after) > 0 {
			t.Errorf("progress of the cancelled call came: %q", <-after)
		}
	})
}

func TestCloseWithinItsBoundWhileAQuestionIsOpen(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		for _, kind := range []string{"form", "sampling", "roots"} {
			asked, stubborn := make(chan struct{}, 1), make(chan struct{})
			wait := func() { asked <- struct{}{}; <-stubborn }
			cb := answerAll()
			elicit, sample, roots := cb.OnElicitation, cb.OnSampling, cb.OnListRoots
			cb.OnElicitation = func(ctx context.Context, cc callbacks.CallbackContext, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				wait()
				return elicit(ctx, cc, req)
			}
			cb.OnSampling = func(ctx context.Context, cc callbacks.CallbackContext, req *mcp.CreateMessageWithToolsRequest) (*mcp.CreateMessageWithToolsResult, error) {
				wait()
				return sample(ctx, cc, req)
			}
			cb.OnListRoots = func(ctx context.Context, cc callbacks.CallbackContext, req *mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
				wait()
				return roots(ctx, cc, req)
			}
			c, err := multiclient.New(config.Connections{"one": w.connect(t, testserver.New("one"), config.Settings{CloseTimeout: 400 * time.Millisecond})},
				&multiclient.Options{Callbacks: cb})
			if err != nil {
				t.Fatal(err)
			}
			done := make(chan error, 1)
			go func() {
				_, err := c.CallTool(t.Context(), "one", "work_0", map[string]any{"id": "x", "ask": []string{kind}})
				done <- err
			}()
			receive(t, asked, "question")
			start := time.Now()
			if err := c.Close(); err != nil {
				t.Errorf("%s: Close: %v", kind, err)
			}
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("%s: Close took %v", kind, took)
			}
			receive(t, done, "end of the call")
			close(stubborn)
		}
	})
}
