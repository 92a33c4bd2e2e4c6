package adapters_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/llms"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

func TestCheckPromptArguments(t *testing.T) {
	t.Parallel()
	prompt := &mcp.Prompt{Name: "greet", Arguments: []*mcp.PromptArgument{{Name: "name", Required: true}, nil, {Name: "tone"}}}
	for _, test := range []struct {
		prompt    *mcp.Prompt
		arguments map[string]string
		want      string
	}{
		{prompt, map[string]string{"name": ""}, ""},
		{prompt, map[string]string{"name": "x", "tone": "y"}, ""},
		{prompt, nil, `prompt "greet": "name" is required but missing; its arguments are "name", "tone"`},
		{prompt, map[string]string{"nmae": "x", "b": ""}, `"name" is required but missing, "b" is unknown, "nmae" is unknown`},
		{&mcp.Prompt{Name: "p"}, map[string]string{"a": ""}, `"a" is unknown; it has no arguments`},
		{nil, nil, "there is no prompt"},
	} {
		err := adapters.CheckPromptArguments(test.prompt, test.arguments)
		if test.want == "" && err == nil {
			continue
		}
		if !errors.Is(err, adapters.ErrBadArguments) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: error %v, want %q", test.arguments, err, test.want)
		}
	}
}

func TestPromptValue(t *testing.T) {
	t.Parallel()
	messages, err := adapters.PromptMessages(&mcp.GetPromptResult{Messages: []*mcp.PromptMessage{
		{Role: "user", Content: &mcp.TextContent{Text: "What is it?"}},
		{Role: "user", Content: &mcp.ImageContent{MIMEType: "image/png", Data: []byte{1, 2}}},
		{Role: "assistant", Content: &mcp.TextContent{Text: "A cat."}},
	}}, adapters.ImagesAsBinary)
	if err != nil {
		t.Fatal(err)
	}
	var value llms.PromptValue = adapters.PromptValue(messages)
	want := "Human: What is it?\nHuman: [content: image/png, 2 bytes]\nAI: A cat."
	if got := value.String(); got != want {
		t.Errorf("it is %q, want %q", got, want)
	}
	if n := len(value.Messages()); n != 3 {
		t.Errorf("%d messages", n)
	}
}

func TestExpandTemplate(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		template string
		values   map[string]any
		want     string
		problem  string
	}{
		{"notes://{id}", map[string]any{"id": "a b/c"}, "notes://a%20b%2Fc", ""},
		{"file:///{+path}", map[string]any{"path": "a/b"}, "file:///a/b", ""},
		{"x:{?q,n}{&m*}", map[string]any{"q": "1"}, "x:?q=1", ""},
		{"x:{/list*}", map[string]any{"list": []string{"a", "b"}}, "x:/a/b", ""},
		{"x:{?m*}", map[string]any{"m": map[string]string{"b": "2", "a": "1"}}, "x:?a=1&b=2", ""},
		{"x:{id:3}{;p:2}", map[string]any{"id": "abcdef"}, "x:abc", ""},
		{"x:{a}{b}", map[string]any{"c": "1", "a": 2}, "", `"a" is no string, list or map of strings, "c" is unknown, "b" is missing`},
		{"x:{a", nil, "", "resource template"},
	} {
		got, err := adapters.ExpandTemplate(test.template, test.values)
		switch {
		case test.problem == "" && (err != nil || got != test.want):
			t.Errorf("%s gives %q, %v, want %q", test.template, got, err, test.want)
		case test.problem != "" && (!errors.Is(err, adapters.ErrBadArguments) || !strings.Contains(err.Error(), test.problem)):
			t.Errorf("%s: error %v, want %q in it", test.template, err, test.problem)
		}
	}
}

func FuzzExpandTemplate(f *testing.F) {
	f.Add("notes://{id}{?q*}", "id", "value")
	f.Add("{+a,b:3}", "a", "\xff/")
	f.Fuzz(func(t *testing.T, template, name, value string) {
		_, _ = adapters.ExpandTemplate(template, map[string]any{name: value})
	})
}

// readers reads the texts that are there.
type readers map[adapters.ResourceRef]string

func (r readers) ReadResource(_ context.Context, server, uri string) (*mcp.ReadResourceResult, error) {
	text, ok := r[adapters.ResourceRef{Server: server, URI: uri}]
	if !ok {
		return nil, errors.New("not found")
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, Text: text}, {URI: uri, Blob: []byte{0xff}}}}, nil
}

// words is a splitter.
type words struct{ fail bool }

func (w words) SplitText(text string) ([]string, error) {
	if w.fail {
		return nil, errors.New("no words")
	}
	return strings.Fields(text), nil
}

func TestResourceLoader(t *testing.T) {
	t.Parallel()
	loader := adapters.ResourceLoader[words]{
		Reader:    readers{{"s", "a:1"}: "one two", {"s", "a:2"}: "three"},
		Resources: []adapters.ResourceRef{{"s", "a:1"}, {"s", "gone"}, {"s", "a:2"}, {"x", "a:1"}},
	}
	docs, err := loader.Load(t.Context())
	if len(docs) != 4 || docs[2].PageContent != "three" || docs[0].Metadata[adapters.MetadataServer] != "s" {
		t.Errorf("documents are %v", docs)
	}
	for _, want := range []string{`server "s"`, `resource "gone": not found`, `server "x"`} {
		if !errors.Is(err, adapters.ErrReadFailed) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v says nothing of %s", err, want)
		}
	}
	var skipped []string
	loader.Concurrency = 1
	loader.OnError = func(ref adapters.ResourceRef, _ error) error {
		skipped = append(skipped, fmt.Sprint(ref))
		return nil
	}
	pieces, err := loader.LoadAndSplit(t.Context(), words{})
	var texts []string
	for _, p := range pieces {
		texts = append(texts, p.PageContent+" of "+p.Metadata[adapters.MetadataURI].(string))
	}
	if diff := cmp.Diff([]string{"one of a:1", "two of a:1", "three of a:2"}, texts); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if diff := cmp.Diff([]string{"{s gone}", "{x a:1}"}, skipped); diff != "" {
		t.Error("skipped", diff)
	}
	if _, err := loader.LoadAndSplit(t.Context(), words{fail: true}); !errors.Is(err, adapters.ErrConversion) {
		t.Errorf("a splitter that fails: %v", err)
	}
	if _, err := (adapters.ResourceLoader[words]{}).Load(t.Context()); !errors.Is(err, adapters.ErrBadOption) {
		t.Errorf("without a reader: %v", err)
	}
	loader.Concurrency = -1
	if _, err := loader.Load(t.Context()); !errors.Is(err, adapters.ErrBadOption) || !strings.Contains(err.Error(), "option Concurrency") {
		t.Errorf("negative concurrency: %v", err)
	}
}

// readerFunc is a reader of the program's own.
type readerFunc func(uri string) (*mcp.ReadResourceResult, error)

func (f readerFunc) ReadResource(_ context.Context, _, uri string) (*mcp.ReadResourceResult, error) {
	return f(uri)
}

// What a reader of the program does costs its resource only.
func TestResourceLoaderOfBadReaders(t *testing.T) {
	t.Parallel()
	loader := adapters.ResourceLoader[words]{
		Reader: readerFunc(func(uri string) (*mcp.ReadResourceResult, error) {
			switch uri {
			case "panics":
				panic("boo")
			case "nothing":
				return nil, nil
			}
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{nil, {URI: uri, Text: "text"}}}, nil
		}),
		Resources: []adapters.ResourceRef{{"s", "panics"}, {"s", "nothing"}, {"s", "good"}},
	}
	docs, err := loader.Load(t.Context())
	if len(docs) != 1 || docs[0].PageContent != "text" {
		t.Errorf("documents are %v", docs)
	}
	for _, want := range []string{`resource "panics": the Reader or OnError panicked: boo`, `resource "nothing": the Reader returned neither`} {
		if !errors.Is(err, adapters.ErrReadFailed) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v says nothing of %s", err, want)
		}
	}
}

func ExampleExpandTemplate() {
	uri, err := adapters.ExpandTemplate("repo://{owner}/{name}{?ref}", map[string]any{"owner": "me", "name": "a b"})
	fmt.Println(uri, err)
	_, err = adapters.ExpandTemplate("repo://{owner}/{name}{?ref}", map[string]any{"owner": "me", "nmae": "x"})
	fmt.Println(err)
	// Output:
	// repo://me/a%20b <nil>
	// adapters: bad arguments: resource template "repo://{owner}/{name}{?ref}": "nmae" is unknown, "name" is missing
}
