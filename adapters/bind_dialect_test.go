package adapters_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"
	"github.com/tmc/langchaingo/llms/cache"
	"github.com/tmc/langchaingo/llms/fake"
	"github.com/tmc/langchaingo/llms/ollama"
	"github.com/tmc/langchaingo/llms/openai"
	"github.com/tmc/langchaingo/tools"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/internal/fakemodels"
)

// Ollama's package drops tools, so they are refused before anything is sent. When
// the first part of this test fails, it has learned to send them, and the rule
// has to go.
func TestBindToolsOnOllama(t *testing.T) {
	var bodies []map[string]any
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		_ = json.NewDecoder(r.Body).Decode(&body)
		bodies = append(bodies, body)
		_, _ = io.WriteString(w, `{"model":"m","message":{"role":"assistant","content":"hi"},"done":true}`+"\n")
	}))
	defer server.Close()
	model, err := ollama.New(ollama.WithServerURL(server.URL), ollama.WithModel("m"))
	if err != nil {
		t.Fatal(err)
	}
	list := boundTools(t)
	generate(t, model, llms.WithTools([]llms.Tool{list[0].(*adapters.Tool).Definition()}))
	if len(bodies) != 1 || bodies[0]["tools"] != nil {
		t.Errorf("Ollama's package sends tools: %v", bodies)
	}

	bound := adapters.BindTools(model, list)
	_, err = bound.GenerateContent(t.Context(), ask("?"))
	if !errors.Is(err, adapters.ErrNoTools) || !strings.Contains(err.Error(), "llms/ollama") || !strings.Contains(err.Error(), `openai.WithBaseURL("http://localhost:11434/v1")`) {
		t.Errorf("got %v", err)
	}
	_, err = adapters.BindTools(model, nil).GenerateContent(t.Context(), []llms.MessageContent{
		message(roleAI, call("A", "add", "{}")), reply("A", "add", "3"),
	})
	if !errors.Is(err, adapters.ErrNoTools) {
		t.Errorf("a history with calls: %v", err)
	}
	if got, err := adapters.Run(t.Context(), model, ask("?"), list, nil); !errors.Is(err, adapters.ErrNoTools) || got.Steps != 1 {
		t.Errorf("Run: %+v, %v", got, err)
	}
	if len(bodies) != 1 {
		t.Errorf("something was sent: %v", bodies[1:])
	}
	if got := generate(t, bound, llms.WithToolChoice("none")).Choices[0].Content; got != "hi" {
		t.Errorf("without tools: %q", got)
	}
	// A model in a type of the program's own is not looked into.
	if _, err := adapters.BindTools(struct{ llms.Model }{model}, list).GenerateContent(t.Context(), ask("?")); err != nil {
		t.Errorf("aroundModel: %v", err)
	}
}

func TestBindToolsNilTools(t *testing.T) {
	var typed *adapters.Tool
	var function funcTool
	model := script(says("ok"))
	bound := adapters.BindTools(model, []tools.Tool{nil, typed, (*pointerTool)(nil), plainTool{"search"}})
	generate(t, bound)
	if got := fmt.Sprint(toolNames(model.options[0].Tools)); got != "[search]" {
		t.Errorf("got %s, %v", got, function)
	}
	defer func() {
		if recover() == nil {
			t.Error("a nil pointer is a model")
		}
	}()
	var none *scriptedModel
	adapters.BindTools(none, nil)
}

type pointerTool struct{ plainTool }

func openAIOf(t *testing.T, e *fakemodels.Endpoint) llms.Model {
	t.Helper()
	model, err := openai.New(openai.WithToken("none"), openai.WithBaseURL(e.URL), openai.WithModel("gpt-4o"))
	if err != nil {
		t.Fatal(err)
	}
	return model
}

func anthropicOf(t *testing.T, e *fakemodels.Endpoint) llms.Model {
	t.Helper()
	model, err := anthropic.New(anthropic.WithToken("none"), anthropic.WithBaseURL(e.URL), anthropic.WithModel("claude"))
	if err != nil {
		t.Fatal(err)
	}
	return model
}

// An aroundModel is a model of the user's own around another.
type aroundModel struct{ llms.Model }

func (w aroundModel) Unwrap() llms.Model { return w.Model }

type noCache struct{}

func (noCache) Get(context.Context, string) *llms.ContentResponse  { return nil }
func (noCache) Put(context.Context, string, *llms.ContentResponse) {}

// What the package of a model wants is known through what is around the model.
func TestBindToolsLooksIntoWrappers(t *testing.T) {
	question := []llms.MessageContent{message(roleHuman, llms.TextPart("?"), llms.BinaryPart("image/png", []byte(pngMagic+"0000")))}
	for name, around := range map[string]func(llms.Model) llms.Model{
		"cache":     func(m llms.Model) llms.Model { return cache.New(m, noCache{}) },
		"own type":  func(m llms.Model) llms.Model { return aroundModel{m} },
		"both":      func(m llms.Model) llms.Model { return aroundModel{cache.New(m, noCache{})} },
		"bound":     func(m llms.Model) llms.Model { return aroundModel{adapters.BindTools(m, nil)} },
		"many deep": func(m llms.Model) llms.Model { return aroundModel{aroundModel{&aroundModel{aroundModel{m}}}} },
	} {
		e := fakemodels.OpenAI(t, fakemodels.Turn{Text: "ok"})
		if _, err := adapters.BindTools(around(openAIOf(t, e)), boundTools(t)).GenerateContent(t.Context(), question); err != nil || len(e.Requests()) != 1 || len(e.Requests()[0].Images) != 1 {
			t.Errorf("%s: %v, refused %q", name, err, e.Refused())
		}
		_, err := adapters.BindTools(around(fake.NewFakeLLM([]string{"hi"})), boundTools(t)).GenerateContent(t.Context(), question)
		if !errors.Is(err, adapters.ErrNoTools) || !strings.Contains(err.Error(), "llms/fake") {
			t.Errorf("%s, without tools: %v", name, err)
		}
	}
	endless := &circle{}
	if _, err := adapters.BindTools(endless, boundTools(t)).GenerateContent(t.Context(), question); err != nil {
		t.Errorf("a model in itself: %v", err)
	}
	if _, err := adapters.BindTools(aroundModel{script(says("ok"))}, boundTools(t)).GenerateContent(t.Context(), question); err != nil {
		t.Errorf("around one that is not known: %v", err)
	}
}

type circle struct{ scriptedModel }

func (c *circle) Unwrap() llms.Model { return c }

func (c *circle) GenerateContent(context.Context, []llms.MessageContent, ...llms.CallOption) (*llms.ContentResponse, error) {
	return &llms.ContentResponse{}, nil
}

// Only a portable schema is another one where the package sends it as it is.
func TestBindToolsKeepsProfiles(t *testing.T) {
	const schema = `{"type":"object","properties":{"v":{"type":["string","array"],"items":{"type":"string"}}},"required":["v"],"additionalProperties":false}`
	for _, profile := range append([]adapters.SchemaProfile{"", adapters.SchemaRaw}, profiles...) {
		tool := newEcho(t, schema, adapters.ToolOptions{SchemaProfile: profile}).Tool
		e := fakemodels.OpenAI(t, fakemodels.Turn{Text: "ok"})
		if _, err := adapters.BindTools(openAIOf(t, e), []tools.Tool{tool}).GenerateContent(t.Context(), ask("?")); err != nil {
			t.Errorf("%s: %v", profile, err)
			continue
		}
		sent := e.Requests()[0].Body["tools"].([]any)[0].(map[string]any)["function"].(map[string]any)
		want := tool.Definition().Function
		if profile == "" || profile == adapters.SchemaPortable {
			want.Parameters = schemaOf(t, `{"type":"object","required":["v"],"properties":{"v":{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"string"}]}}}`)
		}
		if strict, _ := sent["strict"].(bool); toJSON(sent["parameters"]) != toJSON(want.Parameters) || strict != want.Strict || strict != (profile == adapters.SchemaOpenAIStrict) {
			t.Errorf("%s: sent %s, strict %v, want %s", profile, toJSON(sent["parameters"]), strict, toJSON(want.Parameters))
		}
	}
}

// Images get the form that the provider's package can send, whichever they have.
func TestBindToolsFitsImages(t *testing.T) {
	image := pngMagic + "0000"
	question := []llms.MessageContent{message(roleHuman, llms.TextPart("?"), llms.BinaryPart("image/png", []byte(image)), llms.ImageURLPart("data:image/png;base64,iVBORw0KGgowMDAw"))}
	for name, start := range map[string]func() (llms.Model, *fakemodels.Endpoint){
		"openai": func() (llms.Model, *fakemodels.Endpoint) {
			e := fakemodels.OpenAI(t, fakemodels.Turn{Text: "ok"})
			return openAIOf(t, e), e
		},
		"anthropic": func() (llms.Model, *fakemodels.Endpoint) {
			e := fakemodels.Anthropic(t, fakemodels.Turn{Text: "ok"})
			return anthropicOf(t, e), e
		},
	} {
		before := toJSON(question)
		model, e := start()
		if _, err := adapters.BindTools(model, boundTools(t)).GenerateContent(t.Context(), question); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := e.Requests()[0].Images; len(got) != 2 || got[0] != got[1] || got[0] != (fakemodels.Image{MediaType: "image/png", Bytes: len(image)}) {
			t.Errorf("%s: images %v", name, got)
		}
		if toJSON(question) != before {
			t.Errorf("%s: the messages were changed", name)
		}
	}
	for _, part := range []llms.ContentPart{
		llms.ImageURLPart("https://example.com/a.png"), llms.ImageURLPart("data:image/png,x"), llms.ImageURLPart("data:;base64,AAAA"),
		llms.ImageURLPart("data:image/png;base64,!"), llms.BinaryPart("audio/wav", []byte("x")),
	} {
		for _, model := range []llms.Model{openAIOf(t, fakemodels.OpenAI(t)), anthropicOf(t, fakemodels.Anthropic(t))} {
			if _, err := adapters.BindTools(model, nil).GenerateContent(t.Context(), []llms.MessageContent{message(roleHuman, part)}); err == nil {
				t.Errorf("%v: no error of the provider", part)
			}
		}
	}
	model := script(says("ok")) // of a provider that is not known
	if _, err := adapters.BindTools(model, nil).GenerateContent(t.Context(), question); err != nil || toJSON(model.messages[0]) != toJSON(question) {
		t.Errorf("got %v, %v", model.messages, err)
	}
}

// Anthropic's package asks for a stream if there is a function for reasoning,
// and reads it only if there is one for text.
func TestBindToolsStreamsReasoning(t *testing.T) {
	e := fakemodels.Anthropic(t, fakemodels.Turn{Text: "So it is."})
	got := generate(t, adapters.BindTools(anthropicOf(t, e), nil), llms.WithStreamingReasoningFunc(func(context.Context, []byte, []byte) error { return nil }))
	if got.Choices[0].Content != "So it is." || !e.Requests()[0].Stream {
		t.Errorf("got %v", toJSON(got))
	}
}

// A history with calls needs tools on Anthropic, even if none may be called.
func TestBindToolsStandIns(t *testing.T) {
	history := append(ask("?"), message(roleAI, call("A", "gone", "{}"), call("B", "gone", "{}"), call("C", "add", "{}")), reply("A", "gone", "1"), reply("B", "gone", "2"), reply("C", "add", "3"))
	for name, tt := range map[string]struct {
		list []tools.Tool
		want string
	}{
		"bound":    {boundTools(t), "[weather add]"},
		"standins": {nil, "[gone add]"},
	} {
		e := fakemodels.Anthropic(t, fakemodels.Turn{Text: "ok"})
		if _, err := adapters.BindTools(anthropicOf(t, e), tt.list).GenerateContent(t.Context(), history, llms.WithToolChoice("none")); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		var names []string
		for _, tool := range e.Requests()[0].Tools {
			names = append(names, tool.Name)
		}
		if got := fmt.Sprint(names); got != tt.want {
			t.Errorf("%s: tools %s", name, got)
		}
	}
}
