package multiclient_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/tools"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// books is a server with many resources, a long text, a picture and
// completions.
func books() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "library", Version: "1"}, &mcp.ServerOptions{
		CompletionHandler: func(_ context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{req.Params.Argument.Value + "men"}}}, nil
		},
	})
	contents := func(c *mcp.ResourceContents) mcp.ResourceHandler {
		return func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{c}}, nil
		}
	}
	for i := range 70 {
		s.AddResource(&mcp.Resource{Name: "book", URI: fmt.Sprintf("book://%02d", i)}, contents(&mcp.ResourceContents{Text: "x"}))
	}
	s.AddResource(&mcp.Resource{Name: "long", URI: "long://"}, contents(&mcp.ResourceContents{URI: "long://", Text: strings.Repeat("é", 20_000)}))
	s.AddResource(&mcp.Resource{Name: "picture", URI: "png://"}, contents(&mcp.ResourceContents{URI: "png://", MIMEType: "image/png", Blob: []byte{1}}))
	return s
}

func TestModelTools(t *testing.T) {
	t.Parallel()
	c := newClient(t, config.Connections{
		"one":     config.InMemory{Server: testserver.New("one").Server},
		"library": config.InMemory{Server: books()},
	}, nil)
	named := map[string]tools.Tool{}
	for _, tool := range append(c.ResourceTools(), c.PromptTools()...) {
		named[tool.Name()] = tool
	}
	tests := []struct {
		tool, input string
		want        []string
		not         string
	}{
		{"list_resources", `{}`, []string{`{"server":"library","uri":"book://00","name":"book"}`, "[50 of 75; go on with offset 50]"}, "readme"},
		{"list_resources", `{"offset":50}`, []string{`"book://50"`, `"uri":"file:///readme.txt"`, `"uriTemplate":"notes://{id}"`}, "go on"},
		{"list_resources", `{"server":"one"}`, []string{`readme.txt`}, "book"},
		{"list_resources", `{"server":"nobody"}`, []string{`Error: `, `"nobody"`, `"library"`}, "book"},
		{"list_resources", `{"offset":1000}`, nil, "book"},
		{"read_resource", `{"server":"one","uri":"notes://7"}`, []string{"content of notes://7"}, "["},
		{"read_resource", `{"server":"one","uri":"gone://"}`, []string{"Error: ", "refused"}, "content"},
		{"read_resource", `{"server":"library","uri":"long://"}`, []string{"é\n[32768 of 40000 bytes; go on with offset 32768]"}, "\uFFFD"},
		{"read_resource", `{"server":"library","uri":"long://","offset":32769}`, []string{"éé"}, "["},
		{"read_resource", `{"server":"library","uri":"png://"}`, []string{"[image: image/png, 1 byte]"}, "Error"},
		{"list_prompts", `{}`, []string{`{"server":"one","name":"greet","description":"Greets.","arguments":[{"name":"name","required":true}]}`}, "[50"},
		{"get_prompt", `{"server":"one","name":"greet","arguments":{"name":"Ann"}}`, []string{"Human: Hello Ann"}, "Error"},
		{"get_prompt", `{"server":"one","name":"greeet"}`, []string{`Error: `, `(did you mean "greet"?); see list_prompts`}, "Hello"},
		{"get_prompt", `{"server":"one","name":"greet"}`, []string{`"name" is required but missing`}, "Hello"},
		{"get_prompt", `{"server":"one","name":"greet","arguments":{"name":1,"x":""}}`, []string{`"x" is unknown`}, "Hello"},
		{"get_prompt", `{"server":"one","name":"greet","arguments":{"name":null}}`, []string{`"name" is required but missing`}, "nil"},
		{"get_prompt", `{"server":"one","name":"greet","arguments":{"name":{"a":[1,true]}}}`, []string{`Hello {"a":[1,true]}`}, "map["},
		{"get_prompt", `{"server":"one","name":"none"}`, []string{"there is no prompt of this name"}, "Hello"},
	}
	for _, test := range tests {
		got, err := named[test.tool].Call(t.Context(), test.input)
		if err != nil {
			t.Errorf("%s(%s): %v", test.tool, test.input, err)
		}
		for _, want := range test.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s(%s) gives %.300q, want %q in it", test.tool, test.input, got, want)
			}
		}
		if test.not != "" && strings.Contains(got, test.not) {
			t.Errorf("%s(%s) gives %.300q, with %q in it", test.tool, test.input, got, test.not)
		}
	}
}

// What cannot be shown of a list is said, and takes nothing else with it.
func TestModelToolsSayWhatIsMissing(t *testing.T) {
	t.Parallel()
	s := mcp.NewServer(&mcp.Implementation{Name: "one"}, nil)
	for name, size := range map[string]int{"a": 1, "b": 40 << 10, "c": 1} {
		s.AddResource(&mcp.Resource{Name: name, URI: "x://" + name, Description: strings.Repeat("x", size)}, nil)
	}
	c := newClient(t, config.Connections{
		"one":  config.InMemory{Server: s},
		"down": config.Stdio{Command: "no-such-program-anywhere"},
	}, nil)
	for _, tool := range c.ResourceTools() {
		if tool.Name() != "list_resources" {
			continue
		}
		got, err := tool.Call(t.Context(), "{}")
		want := `{"server":"one","uri":"x://a","name":"a","description":"x"}
[item 1 is too large to show]
{"server":"one","uri":"x://c","name":"c","description":"x"}
[server "down" could not be asked: server unavailable]`
		if err != nil || got != want {
			t.Errorf("got %.400q, %v", got, err)
		}
		got, err = tool.Call(t.Context(), `{"offset":1}`)
		if err != nil || !strings.HasPrefix(got, "[item 1 is too large to show]\n") {
			t.Errorf("from the large one on: %.400q, %v", got, err)
		}
	}
}

// Lists show what would hide.
func TestModelListsHideNothing(t *testing.T) {
	t.Parallel()
	s := mcp.NewServer(&mcp.Implementation{Name: "one"}, nil)
	s.AddPrompt(&mcp.Prompt{Name: "p", Description: "a\x1b[8mb\x7f\u009bc\u202Ed\U000E0073é👩\u200d🔬"}, nil)
	c := newClient(t, config.Connections{"one": config.InMemory{Server: s}}, nil)
	got, err := c.PromptTools()[0].Call(t.Context(), "{}")
	want := `{"server":"one","name":"p","description":"a\u001b[8mb\u007f\u009bc\u202ed\udb40\udc73é` + "👩\u200d🔬" + `"}`
	if err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

// A client is what loaders read with.
var _ adapters.ResourceReader = (*multiclient.MultiServerClient)(nil)

func TestComplete(t *testing.T) {
	t.Parallel()
	c := newClient(t, config.Connections{
		"one":     config.InMemory{Server: testserver.New("one").Server},
		"library": config.InMemory{Server: books()},
	}, nil)
	for server, want := range map[string]string{"library": "[Bremen]", "one": "[]"} {
		res, err := c.Complete(t.Context(), server, &mcp.CompleteParams{
			Ref:      &mcp.CompleteReference{Type: "ref/resource", URI: "book://{city}"},
			Argument: mcp.CompleteParamsArgument{Name: "city", Value: "Bre"},
		})
		if err != nil || fmt.Sprint(res.Completion.Values) != want {
			t.Errorf("%s: %v, %v", server, res, err)
		}
		if _, err := c.Complete(t.Context(), server, nil); !errors.Is(err, multiclient.ErrBadArguments) {
			t.Errorf("%s: error %v for nil parameters", server, err)
		}
	}
}
