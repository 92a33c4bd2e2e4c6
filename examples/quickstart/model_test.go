package main_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// endpoint is an OpenAI-compatible API that gives the answers in turn.
type endpoint struct {
	*httptest.Server
	mu   sync.Mutex
	seen []seen
}

// seen is a request to an endpoint.
type seen struct {
	path, authorization string
	body                string
}

func newEndpoint(t *testing.T, answers ...string) *endpoint {
	e := &endpoint{}
	e.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		n := len(e.seen)
		e.seen = append(e.seen, seen{r.URL.Path, r.Header.Get("Authorization"), string(body)})
		if n >= len(answers) {
			http.Error(w, `{"error": {"message": "no answer left"}}`, http.StatusTeapot)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"choices": [{"index": 0, "message": `+answers[n]+`}]}`)
	}))
	t.Cleanup(e.Close)
	return e
}

func (e *endpoint) requests() []seen {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.seen)
}

const twoCalls = `{"role": "assistant", "content": null, "tool_calls": [
	{"id": "a", "type": "function", "function": {"name": "tasks_collect_user_info", "arguments": "{}"}},
	{"id": "b", "type": "function", "function": {"name": "handy_weather", "arguments": "{\"city\": \"Oslo\"}"}}]}`

func TestModelBehindAnAPI(t *testing.T) {
	e := newEndpoint(t, twoCalls, `{"role": "assistant", "content": "Take an umbrella.\u001b[2J"}`)
	p := start(t, "-model", "some-model", "-base-url", e.URL+"/v1", "-prefix", "-question", "An umbrella?")
	p.wait(0)
	if out := p.stdout.String(); !strings.HasSuffix(out, "\nAnswer:\n  Take an umbrella.\uFFFD[2J\n") {
		t.Errorf("the answer is not that of the model, made harmless:\n%s", out)
	}
	asked := e.requests()
	if len(asked) != 2 {
		t.Fatalf("the model was asked %d times, want 2: %+v", len(asked), asked)
	}
	if asked[0].path != "/v1/chat/completions" {
		t.Errorf("path is %s", asked[0].path)
	}

	first, second := asked[0].parse(t), asked[1].parse(t)
	if first.Model != "some-model" || len(first.Functions) > 0 {
		t.Errorf("model %q, %d functions", first.Model, len(first.Functions))
	}
	if strings.Contains(asked[0].body, "__arg1") {
		t.Error("a tool is offered with the one argument that langchaingo knows")
	}
	schemas := map[string]map[string]any{}
	for _, tool := range first.Tools {
		schemas[tool.Function.Name] = tool.Function.Parameters
	}
	number := func(what string) any { return map[string]any{"type": "number", "description": what} }
	want := map[string]any{"a": number("the first number"), "b": number("the second number")}
	if diff := cmp.Diff(want, schemas["handy_add"]["properties"]); diff != "" {
		t.Errorf("properties of add (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]any{"a", "b"}, schemas["handy_add"]["required"]); diff != "" {
		t.Errorf("required of add (-want +got):\n%s", diff)
	}
	if len(schemas) != 7 {
		t.Errorf("%d tools are offered, want 7: %v", len(schemas), schemas)
	}

	observed := map[string]string{}
	for _, m := range second.Messages {
		if m.Role == "tool" {
			text, _ := m.Content.(string)
			observed[m.ToolCallID] = text
		}
	}
	if diff := cmp.Diff(map[string]string{
		"a": "Hello Ada Lovelace, you are 36 years old.", "b": "Oslo: 6 °C, rain",
	}, observed); diff != "" {
		t.Errorf("what the tools said (-want +got):\n%s", diff)
	}
}

type request struct {
	Model     string
	Functions []any
	Tools     []struct {
		Function struct {
			Name       string
			Parameters map[string]any
		}
	}
	Messages []struct {
		Role       string
		Content    any
		ToolCallID string `json:"tool_call_id"`
	}
}

func (s seen) parse(t *testing.T) (r request) {
	t.Helper()
	if err := json.Unmarshal([]byte(s.body), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestModelByEnvironment(t *testing.T) {
	for _, tt := range []struct{ key, want string }{
		{"", "Bearer none"},
		{"secret", "Bearer secret"},
	} {
		e := newEndpoint(t, `{"role": "assistant", "content": "Hello."}`)
		p := command(t, "-model", "m")
		p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stdout
		p.cmd.Env = append(p.cmd.Env, "OPENAI_BASE_URL="+e.URL, "OPENAI_API_KEY="+tt.key)
		p.start()
		p.wait(0)
		if out := p.stdout.String(); !strings.HasSuffix(out, "Answer:\n  Hello.\n") {
			t.Errorf("no answer:\n%s", out)
		}
		if got := e.requests()[0].authorization; got != tt.want {
			t.Errorf("authorization %q, want %q", got, tt.want)
		}
	}
}

func TestModelFails(t *testing.T) {
	e := newEndpoint(t)
	p := startApart(t, "-model", "m", "-base-url", e.URL)
	p.wait(1)
	if said := p.stderr.String(); !strings.Contains(said, "no answer left") {
		t.Errorf("it does not say why there is no answer: %q", said)
	}
}
