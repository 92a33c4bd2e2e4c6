package multiclient_test

import (
	"context"
	"errors"
	"iter"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/tools"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

func toolNames(list []tools.Tool) []string {
	var names []string
	for _, tool := range list {
		names = append(names, tool.Name())
	}
	return names
}

func filtered(name string, filter config.ToolFilter) config.Connection {
	return config.InMemory{Server: testserver.New(name).Server, Settings: config.Settings{Tools: filter}}
}

func TestSelection(t *testing.T) {
	t.Parallel()
	c := newClient(t, config.Connections{
		"one": filtered("one", config.ToolFilter{Allow: []string{"e*", "add", "count"}, Deny: []string{"elicit*", "everything"}}),
		"two": filtered("two", config.ToolFilter{Allow: []string{"echo", "add", "fail"}}),
	}, &multiclient.Options{
		Selection: multiclient.Selection{
			Filter: config.ToolFilter{Deny: []string{"f*"}},
			Keep: func(server string, tool *mcp.Tool) bool {
				return server == "one" || tool.Annotations != nil && tool.Annotations.ReadOnlyHint
			},
			Changes: map[string]map[string]adapters.ToolChange{
				"one": {"echo": {Name: "say", Description: "Says hello.", Fixed: map[string]any{"text": "hello"}}},
				"two": {"add": {Name: "sum"}},
			},
		},
	})
	all, err := c.Tools(t.Context())
	// "everything" is none of the server's tools.
	var unknown *multiclient.Error
	if !errors.As(err, &unknown) || unknown.Kind != multiclient.ErrUnknownTool || unknown.Server != "one" || unknown.Tool != "everything" {
		t.Fatalf("error is %v, want one about %q", err, "everything")
	}
	if len(multiclient.ServerErrors(err)) != 1 {
		t.Errorf("errors are %v, want one", err)
	}
	got := toolNames(all)
	slices.Sort(got)
	if diff := cmp.Diff([]string{"add", "count", "echo", "say", "sum"}, got); diff != "" {
		t.Error(diff)
	}
	say, err := c.Tool(t.Context(), "say")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{}, say.Schema()["properties"]); diff != "" {
		t.Error("the model sees", diff)
	}
	if text, err := say.Call(t.Context(), `{"text":"evil"}`); text != "hello" || err != nil {
		t.Errorf("say says %q, %v", text, err)
	}
	for _, test := range []struct{ server, tool string }{
		{"one", "elicit"}, {"one", "everything"}, {"one", "nonsense"}, {"one", "fail"},
		{"two", "fail"}, {"two", "count"},
	} {
		if _, err := c.CallTool(t.Context(), test.server, test.tool, nil); !errors.Is(err, multiclient.ErrNotAllowed) {
			t.Errorf("calling %s of %s: error %v", test.tool, test.server, err)
		}
	}
	if text := call(t, c, "two", "add", map[string]any{"a": 1, "b": 2}); text != "3" {
		t.Errorf("add gives %q", text)
	}
}

func TestSelectionIsTheLastWord(t *testing.T) {
	t.Parallel()
	s := testserver.New("one")
	c := newClient(t, config.Connections{"one": config.InMemory{Server: s.Server}}, &multiclient.Options{
		Selection: multiclient.Selection{Keep: func(_ string, tool *mcp.Tool) bool { return tool.Name != "count" }},
		Interceptors: []interceptors.Interceptor{
			func(ctx context.Context, req *interceptors.Request, next interceptors.Handler) (*mcp.CallToolResult, error) {
				req.ToolName = "count"
				return next(ctx, req)
			},
		},
	})
	// Nothing has been listed before, so that Keep needs a list.
	_, err := c.CallTool(t.Context(), "one", "echo", map[string]any{"text": "x"})
	if !errors.Is(err, multiclient.ErrNotAllowed) || s.Runs.Load() != 0 {
		t.Errorf("error %v, runs %d", err, s.Runs.Load())
	}
}

func TestSelectionUnknownNames(t *testing.T) {
	t.Parallel()
	two := config.InMemory{Server: testserver.New("two").Server}
	opts := &multiclient.Options{
		ToolNamePrefix: true,
		Selection: multiclient.Selection{
			Filter: config.ToolFilter{Deny: []string{"delete", "del*", "echo", "coutn"}},
			Changes: map[string]map[string]adapters.ToolChange{
				"one": {"gone": {Name: "x"}, "ad": {Name: "y"}, "add": {Fixed: map[string]any{"typo": 1}}},
			},
		},
	}
	c := newClient(t, config.Connections{"one": filtered("one", config.ToolFilter{}), "two": two}, opts)
	list, err := c.Tools(t.Context())
	for _, want := range []string{
		`tool "delete": configure: unknown tool: Selection.Filter names it, but no server lists it`, `tool "gone"`, `no argument "typo"`,
		`Selection.Filter names it, but no server lists it (did you mean "count"?)`,
		`Selection.Changes names it, but the server does not list it (did you mean "add"?)`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v says nothing of %s", err, want)
		}
	}
	names := toolNames(list)
	if !slices.Contains(names, "two_add") || slices.Contains(names, "one_add") || slices.Contains(names, "two_echo") {
		t.Errorf("tools are %q", names)
	}
	// Again, from the cache; and of one server, which may lack what the other has.
	if _, again := c.Tools(t.Context()); again == nil || again.Error() != err.Error() {
		t.Errorf("the second time the error is %v", again)
	}
	if _, err := c.Tools(t.Context(), "two"); err != nil {
		t.Errorf("of the other server: %v", err)
	}
	opts.RequireAll = true
	strict := newClient(t, config.Connections{"one": filtered("one", config.ToolFilter{}), "two": two}, opts)
	if list, err := strict.Tools(t.Context()); list != nil || !errors.Is(err, multiclient.ErrUnknownTool) {
		t.Errorf("with RequireAll: %d tools, %v", len(list), err)
	}
}

func TestSelectionCollision(t *testing.T) {
	t.Parallel()
	c := newClient(t, config.Connections{"one": filtered("one", config.ToolFilter{})}, &multiclient.Options{
		Selection: multiclient.Selection{Changes: map[string]map[string]adapters.ToolChange{"one": {"add": {Name: "Echo"}}}},
	})
	list, err := c.Tools(t.Context())
	if names := toolNames(list); slices.Contains(names, "echo") || slices.Contains(names, "Echo") || !slices.Contains(names, "ask_7") || !errors.Is(err, adapters.ErrNameCollision) {
		t.Errorf("tools are %q, error %v", names, err)
	}
}

func TestSelectionFaults(t *testing.T) {
	t.Parallel()
	_, err := multiclient.New(config.Connections{"one": filtered("one", config.ToolFilter{})}, &multiclient.Options{Selection: multiclient.Selection{
		Filter: config.ToolFilter{Allow: []string{"["}},
		Changes: map[string]map[string]adapters.ToolChange{
			"later": {"add": {Name: "a/b"}},
			"one":   {"add": {Name: "a b"}},
		},
	}})
	for _, want := range []string{`Selection.Filter.Allow[0]: "[" is no valid pattern`, `Selection.Changes["later"]["add"]`, `name "a b"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v says nothing of %s", err, want)
		}
	}
}

// Changes may be of servers that come later, and apply then.
func TestSelectionOfALaterServer(t *testing.T) {
	t.Parallel()
	var log account
	changes := map[string]map[string]adapters.ToolChange{
		"two":   {"add": {Name: "sum"}},
		"three": {"add": {Name: "plus"}},
		"onne":  {},
	}
	c := newClient(t, config.Connections{"one": filtered("one", config.ToolFilter{})}, &multiclient.Options{
		ToolNamePrefix: true, Logger: slog.New(slog.NewTextHandler(&log, nil)),
		Selection: multiclient.Selection{Changes: changes},
	})
	for _, want := range []string{`option=Selection.Changes server=two`, `option=Selection.Changes server=three`, `(did you mean \"one\"?)" option=Selection.Changes server=onne`} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log does not say %s:\n%s", want, log.String())
		}
	}
	if list, err := c.Tools(t.Context()); err != nil || slices.Contains(toolNames(list), "sum") {
		t.Errorf("before: %q, %v", toolNames(list), err)
	}
	if err := c.AddServer("two", filtered("two", config.ToolFilter{})); err != nil {
		t.Fatal(err)
	}
	if list, err := c.Tools(t.Context()); err != nil || !slices.Contains(toolNames(list), "sum") {
		t.Errorf("after AddServer: %q, %v", toolNames(list), err)
	}
	update := func(yield func(config.Connections, error) bool) {
		yield(config.Connections{"three": filtered("three", config.ToolFilter{})}, nil)
	}
	err := c.Follow(t.Context(), func(context.Context) iter.Seq2[config.Connections, error] { return update }, nil)
	if err != nil {
		t.Fatal(err)
	}
	if list, err := c.Tools(t.Context()); err != nil || !slices.Contains(toolNames(list), "plus") {
		t.Errorf("after Follow: %q, %v", toolNames(list), err)
	}
}
