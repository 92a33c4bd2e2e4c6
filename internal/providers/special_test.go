package providers_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/bedrock"
	"github.com/tmc/langchaingo/llms/fake"
	"github.com/tmc/langchaingo/tools"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/internal/fakemodels"
)

// Bedrock's package sends tools to models of Anthropic only.
func TestBedrockModels(t *testing.T) {
	client := bedrockruntime.New(bedrockruntime.Options{Region: "none"})
	for name, options := range map[string][]bedrock.Option{
		"the default": nil,
		"nova":        {bedrock.WithModel("us.amazon.nova-pro-v1:0")},
		"meta":        {bedrock.WithModel("meta.llama3-70b-instruct-v1:0")},
		"a provider":  {bedrock.WithModel("arn:aws:bedrock:x:anthropic"), bedrock.WithModelProvider("cohere")},
	} {
		model := must[*bedrock.LLM](t)(bedrock.New(append(options, bedrock.WithClient(client))...))
		_, err := adapters.BindTools(model, []tools.Tool{echo{}}).GenerateContent(t.Context(), []llms.MessageContent{say(llms.ChatMessageTypeHuman, "?")})
		if !errors.Is(err, adapters.ErrNoTools) || !strings.Contains(err.Error(), "llms/bedrock") || !strings.Contains(err.Error(), "Anthropic only") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	endpoint := fakemodels.Bedrock(t, fakemodels.Turn{Text: "ok"})
	model := all()["bedrock"].model(t, endpoint.URL)
	if _, err := adapters.BindTools(model, []tools.Tool{echo{}}).GenerateContent(t.Context(), []llms.MessageContent{say(llms.ChatMessageTypeHuman, "?")}, llms.WithModel("amazon.titan")); !errors.Is(err, adapters.ErrNoTools) {
		t.Errorf("a model of the call: got %v", err)
	}
}

func TestPackageWithoutTools(t *testing.T) {
	_, err := adapters.BindTools(fake.NewFakeLLM([]string{"hi"}), []tools.Tool{echo{}}).GenerateContent(t.Context(), []llms.MessageContent{say(llms.ChatMessageTypeHuman, "?")})
	if want := "adapters: no tools: langchaingo's package llms/fake sends no tools to this model; use a provider"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v", err)
	}
}

// A choice of tools passes in each of langchaingo's forms.
func TestBedrockToolChoice(t *testing.T) {
	function := &llms.FunctionReference{Name: "echo"}
	for want, choice := range map[string]any{
		"map[type:auto]":            llms.FunctionCallBehaviorAuto,
		"map[type:any]":             "required",
		"map[name:echo type:tool]":  llms.ToolChoice{Type: "function", Function: function},
		"map[ name:echo type:tool]": &llms.ToolChoice{Type: "function", Function: function},
		"map[type:auto] ":           &llms.ToolChoice{Type: "auto"},
	} {
		endpoint := fakemodels.Bedrock(t, fakemodels.Turn{Text: "ok"})
		model := adapters.BindTools(all()["bedrock"].model(t, endpoint.URL), []tools.Tool{echo{}})
		if _, err := model.GenerateContent(t.Context(), []llms.MessageContent{say(llms.ChatMessageTypeHuman, "?")}, llms.WithToolChoice(choice)); err != nil {
			t.Errorf("%v: %v", choice, err)
			continue
		}
		if got := fmt.Sprint(endpoint.Requests()[0].Body["tool_choice"]); got != strings.ReplaceAll(strings.TrimSpace(want), "[ ", "[") {
			t.Errorf("%v: got %s", choice, got)
		}
	}
}

// With tools, Bedrock's text comes in one piece, and the function may refuse it.
func TestBedrockStream(t *testing.T) {
	no := errors.New("no")
	endpoint := fakemodels.Bedrock(t, fakemodels.Turn{Text: "It is so."})
	model := adapters.BindTools(all()["bedrock"].model(t, endpoint.URL), []tools.Tool{echo{}})
	var streamed string
	_, err := model.GenerateContent(t.Context(), []llms.MessageContent{say(llms.ChatMessageTypeHuman, "?")}, llms.WithStreamingFunc(func(_ context.Context, chunk []byte) error {
		streamed += string(chunk)
		return no
	}))
	if streamed != "It is so." || !errors.Is(err, no) {
		t.Errorf("streamed %q, %v", streamed, err)
	}
}

// Each candidate of Gemini's has its own calls, which langchaingo's package adds
// up.
func TestGeminiCandidates(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		candidate := func(i int) string {
			return fmt.Sprintf(`{"index":%d,"content":{"role":"model","parts":[{"text":"%d"},{"functionCall":{"name":"echo","args":{"n":%d}}}]}}`, i, i, i)
		}
		_, _ = io.WriteString(w, `{"candidates":[`+candidate(0)+","+candidate(1)+","+candidate(2)+`]}`)
	}))
	defer server.Close()
	model := adapters.BindTools(all()["gemini"].model(t, server.URL), []tools.Tool{echo{}})
	got, err := model.GenerateContent(t.Context(), []llms.MessageContent{say(llms.ChatMessageTypeHuman, "?")}, llms.WithCandidateCount(3))
	if err != nil || len(got.Choices) != 3 {
		t.Fatalf("got %v, %v", got, err)
	}
	for i, choice := range got.Choices {
		if want := fmt.Sprintf(`{"n":%d}`, i); len(choice.ToolCalls) != 1 || choice.ToolCalls[0].FunctionCall.Arguments != want || choice.ToolCalls[0].ID == "" {
			t.Errorf("choice %d has %v", i, choice.ToolCalls)
		}
	}
}
