package multiclient_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// An occurrence is an event as a callback got it.
type occurrence struct {
	kind    string
	label   string // "server/tool id", as the server says
	n       int    // of several of the kind
	catcher bool   // it came to OnMessage
	cc      callbacks.CallbackContext
}

// occurrences records everything, by label.
type occurrences struct {
	t  testing.TB
	mu sync.Mutex
	m  map[string][]occurrence
	// other events, by kind and server
	other map[string]int
}

func newOccurrences(t testing.TB) *occurrences {
	return &occurrences{t: t, m: map[string][]occurrence{}, other: map[string]int{}}
}

func (o *occurrences) add(kind, label string, n int, catcher bool, cc callbacks.CallbackContext) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.m[label] = append(o.m[label], occurrence{kind, label, n, catcher, cc})
}

// of returns what has come so far with a label.
func (o *occurrences) of(label string) []occurrence {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.m[label])
}

// addNumbered takes "server/tool id n".
func (o *occurrences) addNumbered(kind, message string, catcher bool, cc callbacks.CallbackContext) {
	i := strings.LastIndex(message, " ")
	n := 0
	if i < 0 {
		o.t.Errorf("%s with %q", kind, message)
		return
	}
	fmt.Sscan(message[i+1:], &n)
	o.add(kind, message[:i], n, catcher, cc)
}

// elsewhere records what belongs to no call.
func (o *occurrences) elsewhere(kind string, cc callbacks.CallbackContext) {
	if cc.ToolName != "" || cc.CallID != "" || len(cc.Candidates) > 0 {
		o.t.Errorf("%s was of %+v", kind, cc)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.other[kind+" of "+cc.ServerName]++
}

func (o *occurrences) elsewhereOf(kind, server string) int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.other[kind+" of "+server]
}

// told is what an answer tells the server of the context that the callback was
// given.
func told(cc callbacks.CallbackContext, label string) string {
	return fmt.Sprintf("%v|%s|%s", cc, cc.CallID, label)
}

func (o *occurrences) callbacks() callbacks.Callbacks {
	return callbacks.Callbacks{
		URLElicitation: true,
		OnProgress: func(_ context.Context, cc callbacks.CallbackContext, p *mcp.ProgressNotificationParams) {
			o.addNumbered(kindProgress, p.Message, false, cc)
		},
		OnLoggingMessage: func(_ context.Context, cc callbacks.CallbackContext, p *mcp.LoggingMessageParams) {
			o.addNumbered(kindLog, fmt.Sprint(p.Data), false, cc)
		},
		OnElicitation: func(_ context.Context, cc callbacks.CallbackContext, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			label := req.Params.Message
			if req.Params.Mode == "url" {
				o.add(kindURL, label, 0, false, cc)
				return &mcp.ElicitResult{Action: "accept"}, nil
			}
			o.add(kindForm, label, 0, false, cc)
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"word": told(cc, label)}}, nil
		},
		OnElicitationComplete: func(_ context.Context, cc callbacks.CallbackContext, p *mcp.ElicitationCompleteParams) {
			o.add(kindComplete, p.ElicitationID, 0, false, cc)
		},
		OnSampling: func(_ context.Context, cc callbacks.CallbackContext, req *mcp.CreateMessageWithToolsRequest) (*mcp.CreateMessageWithToolsResult, error) {
			label := req.Params.Messages[0].Content[0].(*mcp.TextContent).Text
			o.add(kindSampling, label, 0, false, cc)
			return &mcp.CreateMessageWithToolsResult{Role: "assistant", Model: "m", Content: []mcp.Content{&mcp.TextContent{Text: told(cc, label)}}}, nil
		},
		OnListRoots: func(_ context.Context, cc callbacks.CallbackContext, req *mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
			label := fmt.Sprint(req.Params.Meta["label"])
			o.add(kindRoots, label, 0, false, cc)
			return &mcp.ListRootsResult{Roots: []*mcp.Root{{URI: "file:///r", Name: told(cc, label)}}}, nil
		},
		OnToolsListChanged: func(_ context.Context, cc callbacks.CallbackContext, _ *mcp.ToolListChangedParams) {
			o.elsewhere("tools", cc)
		},
		OnPromptsListChanged: func(_ context.Context, cc callbacks.CallbackContext, _ *mcp.PromptListChangedParams) {
			o.elsewhere("prompts", cc)
		},
		OnResourcesListChanged: func(_ context.Context, cc callbacks.CallbackContext, _ *mcp.ResourceListChangedParams) {
			o.elsewhere("resources", cc)
		},
		OnResourceUpdated: func(_ context.Context, cc callbacks.CallbackContext, p *mcp.ResourceUpdatedNotificationParams) {
			o.elsewhere(p.URI, cc)
		},
		OnConnectionState: func(_ context.Context, cc callbacks.CallbackContext, c callbacks.ConnectionChange) {
			o.elsewhere(string(c.State), cc)
		},
		OnMessage: func(_ context.Context, cc callbacks.CallbackContext, msg callbacks.Message) { o.message(cc, msg) },
	}
}

// message records what came to the catch-all.
func (o *occurrences) message(cc callbacks.CallbackContext, msg callbacks.Message) {
	var params struct {
		Message       string `json:"message"`
		Data          any    `json:"data"`
		ElicitationID string `json:"elicitationId"`
		URI           string `json:"uri"`
	}
	if msg.Err == nil && json.Unmarshal(msg.Params, &params) != nil && len(msg.Params) > 0 {
		o.t.Errorf("OnMessage got %s with %s", msg.Method, msg.Params)
	}
	switch msg.Method {
	case "notifications/progress":
		o.addNumbered(kindProgress, params.Message, true, cc)
	case "notifications/message":
		o.addNumbered(kindLog, fmt.Sprint(params.Data), true, cc)
	case "notifications/elicitation/complete":
		o.add(kindComplete, params.ElicitationID, 0, true, cc)
	case "notifications/resources/updated":
		o.elsewhere("message "+params.URI, cc)
	default:
		o.elsewhere("message "+msg.Method, cc)
	}
}

// check checks the events of one call, all of which have to be there.
func (o *occurrences) check(w wire, server, tool, label string, n int, answers map[string]string) {
	o.t.Helper()
	got := map[string][]int{}
	id := ""
	var order []string
	for _, e := range o.of(label) {
		if e.catcher {
			got["message "+e.kind] = append(got["message "+e.kind], e.n)
		} else {
			got[e.kind] = append(got[e.kind], e.n)
		}
		switch cc := e.cc; {
		case cc.ServerName != server:
			o.t.Errorf("%s of %s was told to be of %v", e.kind, label, cc)
		case cc.ToolName == tool && cc.CallID != "" && len(cc.Candidates) == 0:
			if id == "" {
				id = cc.CallID
			} else if id != cc.CallID {
				o.t.Errorf("%s of %s has call ids %s and %s", e.kind, label, id, cc.CallID)
			}
			order = append(order, fmt.Sprint(e.kind, e.n, e.catcher))
		case w.exact(e.kind), cc.ToolName != "", cc.CallID != "":
			o.t.Errorf("%s of %s was told to be of %v, call %q", e.kind, label, cc, cc.CallID)
		case !slices.Contains(cc.Candidates, tool):
			o.t.Errorf("%s of %s has candidates %q", e.kind, label, cc.Candidates)
		}
	}
	var numbers []int
	for i := 1; i <= n; i++ {
		numbers = append(numbers, i)
	}
	want := map[string][]int{}
	for _, kind := range []string{kindProgress, kindLog} {
		want[kind], want["message "+kind] = numbers, numbers
	}
	for kind := range answers {
		want[kind] = []int{0}
		if kind == kindURL {
			want[kindComplete], want["message "+kindComplete] = []int{0}, []int{0}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		o.t.Errorf("what came of %s before it returned (-want +got):\n%s", label, diff)
	}
	if w.streams {
		if diff := cmp.Diff(wantOrder(n, answers), order); diff != "" {
			o.t.Errorf("the order of %s (-want +got):\n%s", label, diff)
		}
	}
	for kind, answer := range answers {
		exact := fmt.Sprintf("%s/%s|%s|%s", server, tool, id, label)
		ambiguous := !w.exact(kind) && strings.HasPrefix(answer, server+"/(") && strings.HasSuffix(answer, ")||"+label)
		if kind != kindURL && answer != exact && !ambiguous {
			o.t.Errorf("%s of %s was answered with %q, want %q", kind, label, answer, exact)
		}
	}
}

// wantOrder is the order in which work_0 to work_7 do everything.
func wantOrder(n int, answers map[string]string) []string {
	var order []string
	report := func(from, to int) {
		for i := from; i <= to; i++ {
			for _, kind := range []string{kindLog, kindProgress} {
				order = append(order, fmt.Sprint(kind, i, true), fmt.Sprint(kind, i, false))
			}
		}
	}
	report(1, n/2)
	for _, kind := range []string{kindForm, kindRoots, kindSampling, kindURL} {
		if _, ok := answers[kind]; ok {
			order = append(order, fmt.Sprint(kind, 0, false))
		}
	}
	if _, ok := answers[kindURL]; ok {
		order = append(order, fmt.Sprint(kindComplete, 0, true), fmt.Sprint(kindComplete, 0, false))
	}
	report(n/2+1, n)
	return order
}

// work calls one of the tools work_0 to work_7 and checks its events.
func (o *occurrences) work(ctx context.Context, c *multiclient.MultiServerClient, w wire, server string, i, n int, ask []string) {
	tool, id := fmt.Sprintf("work_%d", i%8), fmt.Sprint(i)
	label := fmt.Sprintf("%s/%s %s", server, tool, id)
	res, err := c.CallTool(ctx, server, tool, map[string]any{"id": id, "n": n, "ask": ask})
	if err != nil {
		o.t.Errorf("%s: %v", label, err)
		return
	}
	var answers map[string]string
	if err := json.Unmarshal([]byte(textOf(res)), &answers); err != nil || len(answers) != len(ask) {
		o.t.Errorf("%s returned %q", label, textOf(res))
		return
	}
	for kind, answer := range answers {
		answer = strings.TrimPrefix(answer, "accept: ")
		answers[kind] = strings.Trim(answer, "[]")
	}
	o.check(w, server, tool, label, n, answers)
}
