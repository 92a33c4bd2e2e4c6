package gateway_test

import (
	"context"
	"errors"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/gateway"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestWhatAClientSees(t *testing.T) {
	t.Parallel()
	onEachWire(t, func(t *testing.T, w wire) {
		t.Parallel()
		connections, servers := upstream()
		h := newHouse(t, w, connections, &gateway.Options{Instructions: "Mind the gap."})
		g := h.enter(t, "alice")
		ctx := t.Context()

		if got := g.InitializeResult().Instructions; !strings.Contains(got, "Mind the gap.") || !strings.Contains(got, "Use the tools of old.") {
			t.Errorf("instructions are %q", got)
		}
		var names []string
		for tool, err := range g.Tools(ctx, nil) {
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, tool.Name)
		}
		for _, want := range []string{"old_echo", "new_echo"} {
			if !slices.Contains(names, want) {
				t.Errorf("no tool %s among %q", want, names)
			}
		}
		if text := g.call(ctx, "old_meta", "t1", map[string]any{"name": "traceparent"}); text != "trace of t1" {
			t.Errorf("_meta arrives as %q", text)
		}
		if text := g.call(ctx, "new_add", "t2", map[string]any{"a": 1, "b": 2}); text != "3" {
			t.Errorf("add gives %q", text)
		}
		res, err := g.CallTool(ctx, &mcp.CallToolParams{Name: "old_fail", Arguments: map[string]any{}})
		if err != nil || !res.IsError {
			t.Errorf("a tool that fails: %v, %v", res, err)
		}

		prompt := must(g.GetPrompt(ctx, &mcp.GetPromptParams{Name: "old_greet", Arguments: map[string]string{"name": "Bob"}}))(t)
		if text := prompt.Messages[0].Content.(*mcp.TextContent).Text; text != "Hello Bob" {
			t.Errorf("the prompt says %q", text)
		}
		read := must(g.ReadResource(ctx, &mcp.ReadResourceParams{URI: "notes://7"}))(t)
		if text := read.Contents[0].Text; text != "content of notes://7" {
			t.Errorf("the resource says %q", text)
		}
		_, err = g.ReadResource(ctx, &mcp.ReadResourceParams{URI: "nobody:knows"})
		var refused *jsonrpc.Error
		// -32002 until 2025-11-25.
		if !errors.As(err, &refused) || refused.Code != -32002 && refused.Code != jsonrpc.CodeInvalidParams {
			t.Errorf("an unknown resource: %v", err)
		}
		templates := must(g.ListResourceTemplates(ctx, nil))(t)
		var patterns []string
		for _, rt := range templates.ResourceTemplates {
			patterns = append(patterns, rt.URITemplate)
		}
		if diff := cmp.Diff([]string{"ask://{id}", "notes://{id}"}, patterns); diff != "" {
			t.Error("templates", diff)
		}
		completed := must(g.Complete(ctx, &mcp.CompleteParams{
			Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: "old_greet"}, Argument: mcp.CompleteParamsArgument{Name: "name", Value: "B"},
		}))(t)
		if len(completed.Completion.Values) != 0 {
			t.Errorf("completions are %q", completed.Completion.Values)
		}

		// Questions of prompts and resources, by the servers of both generations.
		for _, name := range []string{"old_ask", "new_ask"} {
			prompt := must(g.GetPrompt(ctx, &mcp.GetPromptParams{Name: name, Arguments: map[string]string{"id": "alice"}}))(t)
			if text := prompt.Messages[0].Content.(*mcp.TextContent).Text; !strings.Contains(text, "accept: ") || !strings.Contains(text, "[alice]") {
				t.Errorf("%s gives %q", name, text)
			}
		}
		asked := must(g.ReadResource(ctx, &mcp.ReadResourceParams{URI: "ask://alice"}))(t)
		if text := asked.Contents[0].Text; !strings.Contains(text, "accept: ") {
			t.Errorf("the asking resource says %q", text)
		}
		for name, s := range servers {
			if n, _ := s.Received("tools/call"); n == 0 {
				t.Errorf("server %s was not called", name)
			}
		}
	})
}

func TestChangesArePassedOn(t *testing.T) {
	t.Parallel()
	onEachWire(t, func(t *testing.T, w wire) {
		t.Parallel()
		connections, _ := upstream()
		h := newHouse(t, w, connections, nil)
		alice, bob := h.enter(t, "alice"), h.enter(t, "bob")
		if err := alice.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "file:///readme.txt"}); err != nil {
			t.Fatal(err)
		}
		for _, what := range []string{"tools", "prompts", "resources", "file:///readme.txt"} {
			alice.wait(what, func() bool {
				// On 2026-07-28 subscribing is not waited for.
				alice.mu.Unlock()
				alice.call(t.Context(), "new_announce", "token", map[string]any{"what": what})
				alice.mu.Lock()
				return alice.changed[what] > 0
			})
		}
		alice.wait("the new tool", func() bool {
			alice.mu.Unlock()
			list, err := alice.ListTools(t.Context(), nil)
			alice.mu.Lock()
			return err == nil && slices.ContainsFunc(list.Tools, func(tool *mcp.Tool) bool { return tool.Name == "new" })
		})
		bob.mu.Lock()
		defer bob.mu.Unlock()
		if n := bob.changed["file:///readme.txt"]; n != 0 {
			t.Errorf("bob, who has not subscribed, is told %d times", n)
		}
	})
}

func TestCancellationIsPassedOn(t *testing.T) {
	t.Parallel()
	onEachWire(t, func(t *testing.T, w wire) {
		t.Parallel()
		connections, servers := upstream()
		h := newHouse(t, w, connections, nil)
		g := h.enter(t, "alice")
		for name, s := range servers {
			ctx, cancel := context.WithCancel(t.Context())
			failed := make(chan error, 1)
			go func() {
				_, err := g.CallTool(ctx, &mcp.CallToolParams{Name: name + "_block", Arguments: map[string]any{}})
				failed <- err
			}()
			<-s.Blocked
			cancel()
			<-s.Cancelled
			if err := <-failed; err == nil {
				t.Error("the call has not failed")
			}
		}
		// Leaving ends calls too.
		s := servers["old"]
		go func() {
			_, _ = g.CallTool(context.WithoutCancel(t.Context()), &mcp.CallToolParams{Name: "old_block", Arguments: map[string]any{}})
		}()
		<-s.Blocked
		if err := h.gw.Close(); err != nil {
			t.Error(err)
		}
		<-s.Cancelled
	})
}

// A server that does not start takes no other with it, and is told of as
// little as possible.
func TestAServerThatFails(t *testing.T) {
	t.Parallel()
	connections, _ := upstream()
	no := must(exec.LookPath("false"))(t)
	connections["broken"] = config.Stdio{Command: no, Env: map[string]string{"TOKEN": "hunter2"}}
	h := newHouse(t, wires[0], connections, &gateway.Options{Client: multiclient.Options{ConnectTimeout: 20 * time.Second}})
	g := h.enter(t, "alice")
	if text := g.call(t.Context(), "old_echo", "t", map[string]any{"text": "hello"}); text != "hello" {
		t.Errorf("echo says %q", text)
	}
}

func TestNewFaults(t *testing.T) {
	t.Parallel()
	if _, err := gateway.New(config.Connections{"x": config.Stdio{}}, nil); err == nil || !strings.Contains(err.Error(), "command") {
		t.Errorf("without a command: %v", err)
	}
	personal := config.InMemory{Server: mcp.NewServer(&mcp.Implementation{Name: "x"}, nil), Settings: config.Settings{SessionPolicy: config.SessionPerIdentity}}
	if _, err := gateway.New(config.Connections{"x": personal}, nil); err == nil || !strings.Contains(err.Error(), `"x" has a session for each identity, which a gateway does not take`) {
		t.Errorf("sessions for identities: %v", err)
	}
	if _, err := gateway.New(nil, &gateway.Options{OpenTimeout: -1, MaxWaiting: -1}); err == nil || !strings.Contains(err.Error(), "OpenTimeout") || !strings.Contains(err.Error(), "MaxWaiting") {
		t.Errorf("negative options: %v", err)
	}
	gw := must(gateway.New(nil, nil))(t)
	if err := gw.Close(); err != nil {
		t.Error(err)
	}
	_, theirs := mcp.NewInMemoryTransports()
	if err := gw.Run(t.Context(), theirs); !errors.Is(err, gateway.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}
