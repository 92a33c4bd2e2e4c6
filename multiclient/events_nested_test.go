package multiclient_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// A consultation is a user who is asked one question at a time, and callbacks
// that find some answers by calling tools, which ask too.
type consultation struct {
	t      testing.TB
	w      wire
	c      *multiclient.MultiServerClient
	j      journal
	typing atomic.Int32
	// alone says that nothing else is asked at the same time.
	alone bool
}

// nested are the calls that are made for the answer to a tool's question.
var nested = map[string][]string{
	"one/ask_0": {"one/ask_1", "two/ask_2"},
	"one/ask_1": {"one/ask_3"},
	"two/ask_2": {"one/ask_4", "two/ask_4"},
}

// user is the user, who types one answer at a time.
func (n *consultation) user(what string) {
	if open := n.typing.Add(1); open != 1 {
		n.t.Errorf("%s, while %d other questions are open", what, open-1)
	}
	n.j.add("%s", what)
	n.typing.Add(-1)
}

func (n *consultation) elicit(ctx context.Context, cc callbacks.CallbackContext, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	tool, _, _ := strings.Cut(req.Params.Message, " ")
	switch {
	case cc.ToolName == tool && cc.CallID != "":
	case n.w.exactRequests(), cc.ToolName != "", cc.CallID != "", !slices.Contains(cc.Candidates, tool):
		n.t.Errorf("the question of %s was told to be of %+v", tool, cc)
	}
	which := cc.ServerName + "/" + tool
	n.user("asked by " + which)
	for _, inner := range nested[which] {
		answer, err := n.ask(ctx, inner)
		if err != nil || answer != "accept: "+inner {
			n.t.Errorf("%s, for %s, returned %q, %v", inner, which, answer, err)
		}
	}
	if n.alone {
		n.user("answered " + which)
	}
	return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"word": which}}, nil
}

// ask calls "server/tool".
func (n *consultation) ask(ctx context.Context, which string) (string, error) {
	server, tool, _ := strings.Cut(which, "/")
	res, err := n.c.CallTool(ctx, server, tool, map[string]any{"id": "x"})
	if err != nil {
		return "", err
	}
	return textOf(res), nil
}

func consult(t *testing.T, w wire, settings config.Settings) *consultation {
	n := &consultation{t: t, w: w}
	n.c = newClient(t, config.Connections{
		"one": w.connect(t, testserver.New("one"), settings), "two": w.connect(t, testserver.New("two"), settings),
	}, &multiclient.Options{Callbacks: callbacks.OneAtATime(callbacks.Callbacks{OnElicitation: n.elicit}, nil)})
	return n
}

// TestQuestionsWithinQuestions: tools are called to find the answer to a
// question, of the same server and of another, and ask as well.
func TestQuestionsWithinQuestions(t *testing.T) {
	for _, policy := range []config.SessionPolicy{config.SessionShared, config.SessionSerialized} {
		for _, w := range wires {
			if w.process() && policy != config.SessionShared {
				continue
			}
			t.Run(string(policy)+"/"+w.name, func(t *testing.T) {
				n := consult(t, w, config.Settings{SessionPolicy: policy})
				n.alone = true
				ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
				defer cancel()
				if answer, err := n.ask(ctx, "one/ask_0"); err != nil || answer != "accept: one/ask_0" {
					t.Errorf("the tool returned %q, %v", answer, err)
				}
				want := []string{
					"asked by one/ask_0",
					"asked by one/ask_1", "asked by one/ask_3", "answered one/ask_3", "answered one/ask_1",
					"asked by two/ask_2", "asked by one/ask_4", "answered one/ask_4", "asked by two/ask_4", "answered two/ask_4", "answered two/ask_2",
					"answered one/ask_0",
				}
				if diff := cmp.Diff(want, n.j.list()); diff != "" {
					t.Errorf("the user (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// TestConcurrentQuestionsWithinQuestions: where it is not known which call a
// question belongs to, it may be one that somebody's answer waits for.
func TestConcurrentQuestionsWithinQuestions(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		n := consult(t, w, config.Settings{})
		ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
		defer cancel()
		var wg sync.WaitGroup
		calls := []string{"one/ask_0", "one/ask_5", "two/ask_2", "two/ask_6", "one/ask_1", "one/ask_0", "one/ask_7", "two/ask_5"}
		for _, which := range calls {
			wg.Go(func() {
				if answer, err := n.ask(ctx, which); err != nil || answer != "accept: "+which {
					t.Errorf("%s returned %q, %v", which, answer, err)
				}
			})
		}
		wg.Wait()
		want, got := map[string]int{}, map[string]int{}
		var count func(which string)
		count = func(which string) {
			want[fmt.Sprint("asked by ", which)]++
			for _, inner := range nested[which] {
				count(inner)
			}
		}
		for _, which := range calls {
			count(which)
		}
		for _, line := range n.j.list() {
			got[line]++
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the user (-want +got):\n%s", diff)
		}
	})
}

// TestCallsFromLogMessagesWithinQuestions: the log messages of a call that is
// made within a question may be of either, and are no reason to wait for any.
func TestCallsFromLogMessagesWithinQuestions(t *testing.T) {
	for _, policy := range []config.SessionPolicy{config.SessionShared, config.SessionSerialized} {
		onEachWire(t, func(t *testing.T, w wire) {
			if w.process() {
				return // it is as in memory
			}
			var j journal
			var c *multiclient.MultiServerClient
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			call := func(ctx context.Context, tool string, arguments map[string]any) {
				if _, err := c.CallTool(ctx, "one", tool, arguments); err != nil {
					t.Errorf("%s, %s: %v", policy, tool, err)
				}
			}
			c = newClient(t, config.Connections{"one": w.connect(t, testserver.New("one"), config.Settings{SessionPolicy: policy})},
				&multiclient.Options{Callbacks: callbacks.Callbacks{
					OnElicitation: func(ctx context.Context, _ callbacks.CallbackContext, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
						call(ctx, "tell_1", map[string]any{"id": "x", "n": 2})
						return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"word": "w"}}, nil
					},
					OnLoggingMessage: func(ctx context.Context, _ callbacks.CallbackContext, p *mcp.LoggingMessageParams) {
						call(ctx, "echo", map[string]any{"text": "x"})
						j.add("%v", p.Data)
					},
				}})
			call(ctx, "ask_0", map[string]any{"id": "x"})
			if diff := cmp.Diff([]string{"tell_1 x 1", "tell_1 x 2"}, j.list()); diff != "" {
				t.Errorf("%s: log messages (-want +got):\n%s", policy, diff)
			}
		})
	}
}
