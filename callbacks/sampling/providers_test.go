package sampling_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"
	"github.com/tmc/langchaingo/llms/openai"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/callbacks/sampling"
)

// A fakeProvider gives one answer, and remembers what it was sent.
type fakeProvider struct {
	*httptest.Server
	status int
	answer string
	got    map[string]any
}

func newFakeProvider(t *testing.T, status int, answer string) *fakeProvider {
	t.Helper()
	p := &fakeProvider{status: status, answer: answer}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&p.got); err != nil {
			t.Error(err)
		}
		w.WriteHeader(p.status)
		_, _ = io.WriteString(w, p.answer)
	}))
	t.Cleanup(p.Close)
	return p
}

func newOpenAI(t *testing.T, p *fakeProvider) llms.Model {
	t.Helper()
	model, err := openai.New(openai.WithToken("none"), openai.WithBaseURL(p.URL), openai.WithModel("gpt-4o"))
	if err != nil {
		t.Fatal(err)
	}
	return model
}

func newAnthropic(t *testing.T, p *fakeProvider) llms.Model {
	t.Helper()
	model, err := anthropic.New(anthropic.WithToken("none"), anthropic.WithBaseURL(p.URL), anthropic.WithModel("claude"))
	if err != nil {
		t.Fatal(err)
	}
	return model
}

// conversation holds all that a request can.
const conversation = `{"systemPrompt":"Be brief.","maxTokens":100,"temperature":0.5,"stopSequences":["END"],
	"modelPreferences":{"hints":[{"name":"sonnet"}]},
	"tools":[{"name":"city.weather","description":"The weather.","inputSchema":{"type":"object","properties":{"city":{"type":"string"}}}},{"name":"time","inputSchema":{"type":"object"}}],
	"toolChoice":{"mode":"required"},
	"messages":[
		{"role":"user","content":[{"type":"text","text":"Where is it?"},{"type":"image","data":"` + png64 + `","mimeType":"image/png"}]},
		{"role":"assistant","content":[{"type":"text","text":"Let me see."},{"type":"tool_use","id":"1","name":"city.weather","input":{"city":"Bern"}},{"type":"tool_use","id":"2","name":"time","input":{}}]},
		{"role":"user","content":[{"type":"tool_result","toolUseId":"1","content":[{"type":"text","text":"sun"},{"type":"image","data":"` + png64 + `","mimeType":"image/png"}]},
			{"type":"tool_result","toolUseId":"2","content":[{"type":"text","text":"noon"}],"isError":true}]}]}`

func parse(t *testing.T, text string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return v
}

// legal is what the name city.weather becomes for a provider.
const legal = "city_weather_7b4d1733"

func TestOnProviders(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		model        func(*testing.T, *fakeProvider) llms.Model
		answer, sent string
	}{
		"openai": {
			newOpenAI,
			`{"choices":[{"finish_reason":"tool_calls","message":{"role":"assistant","content":"Once more.","tool_calls":[
				{"id":"3","type":"function","function":{"name":"` + legal + `","arguments":"{\"city\":\"Rome\"}"}}]}}],
				"usage":{"prompt_tokens":5,"completion_tokens":2,"total_tokens":7}}`,
			`{"model":"claude-sonnet-4","max_completion_tokens":100,"temperature":0.5,"stop":["END"],"tool_choice":"required",
				"tools":[{"type":"function","function":{"name":"` + legal + `","description":"The weather.","parameters":{"type":"object","properties":{"city":{"type":"string"}}}}},
					{"type":"function","function":{"name":"time","parameters":{"type":"object","properties":{}}}}],
				"messages":[
					{"role":"system","content":"Be brief."},
					{"role":"user","content":[{"type":"text","text":"Where is it?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,` + png64 + `"}}]},
					{"role":"assistant","content":"Let me see.","tool_calls":[{"id":"1","type":"function","function":{"name":"` + legal + `","arguments":"{\"city\":\"Bern\"}"}}]},
					{"role":"tool","tool_call_id":"1","content":"sun\n[image, attached below as attachment 1]"},
					{"role":"assistant","content":"","tool_calls":[{"id":"2","type":"function","function":{"name":"time","arguments":"{}"}}]},
					{"role":"tool","tool_call_id":"2","content":"Error: noon"},
					{"role":"user","content":[{"type":"text","text":"Attachment 1:"},{"type":"image_url","image_url":{"url":"data:image/png;base64,` + png64 + `"}}]}]}`,
		},
		"anthropic": {
			newAnthropic,
			`{"role":"assistant","stop_reason":"tool_use","usage":{"input_tokens":5,"output_tokens":2},"content":[{"type":"text","text":"Once more."},
				{"type":"tool_use","id":"3","name":"` + legal + `","input":{"city":"Rome"}}]}`,
			`{"model":"claude-sonnet-4","max_tokens":100,"temperature":0.5,"stop_sequences":["END"],"system":"Be brief.",
				"tools":[{"name":"` + legal + `","description":"The weather.","input_schema":{"type":"object","properties":{"city":{"type":"string"}}}},
					{"name":"time","input_schema":{"type":"object","properties":{}}}],
				"messages":[
					{"role":"user","content":[{"type":"text","text":"Where is it?"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + png64 + `"}}]},
					{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"` + legal + `","input":{"city":"Bern"}}]},
					{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"sun\n[image, attached below as attachment 1]"}]},
					{"role":"assistant","content":[{"type":"tool_use","id":"2","name":"time","input":{}}]},
					{"role":"user","content":[{"type":"tool_result","tool_use_id":"2","content":"Error: noon"}]},
					{"role":"user","content":[{"type":"text","text":"Attachment 1:"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + png64 + `"}}]}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			provider := newFakeProvider(t, http.StatusOK, tt.answer)
			res, err := sample(t, tt.model(t, provider), &sampling.Options{
				Tools:       true,
				CallOptions: []llms.CallOption{llms.WithModel("default")},
				ChooseModel: sampling.ByHint("claude-sonnet-4"),
			}, conversation)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(parse(t, tt.sent), any(provider.got)); diff != "" {
				t.Errorf("sent (-want +got)\n%s", diff)
			}
			want := `{"_meta":{"com.github.langchaingo-mcp/usage":{"inputTokens":5,"outputTokens":2,"totalTokens":7}},
				"content":[{"type":"text","text":"Once more."},{"type":"tool_use","id":"3","name":"city.weather","input":{"city":"Rome"}}],
				"model":"claude-sonnet-4","role":"assistant","stopReason":"toolUse"}`
			if diff := cmp.Diff(parse(t, want), parse(t, toJSON(res))); diff != "" {
				t.Errorf("result (-want +got)\n%s", diff)
			}
		})
	}
}

func TestStopReasonsOfProviders(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]string{"stop": "endTurn", "length": "maxTokens", "content_filter": "content_filter"} {
		provider := newFakeProvider(t, http.StatusOK, `{"choices":[{"finish_reason":"`+reason+`","message":{"role":"assistant","content":"a"}}]}`)
		if res, err := sample(t, newOpenAI(t, provider), nil, `{`+hi+`}`); err != nil || res.StopReason != want || res.Model != "unknown" || res.Meta != nil {
			t.Errorf("openai: %s: got %s, %v", reason, toJSON(res), err)
		}
	}
	for reason, want := range map[string]string{"end_turn": "endTurn", "max_tokens": "maxTokens", "stop_sequence": "stopSequence", "refusal": "refusal"} {
		provider := newFakeProvider(t, http.StatusOK, `{"role":"assistant","stop_reason":"`+reason+`","content":[{"type":"text","text":"a"}]}`)
		if res, err := sample(t, newAnthropic(t, provider), nil, `{`+hi+`}`); err != nil || res.StopReason != want {
			t.Errorf("anthropic: %s: got %s, %v", reason, toJSON(res), err)
		}
	}
}

func TestErrorsOfProviders(t *testing.T) {
	t.Parallel()
	const refusal = `{"error":{"type":"error","message":"Incorrect API key provided: sk-secret"}}`
	for name, model := range map[string]func(*testing.T, *fakeProvider) llms.Model{"openai": newOpenAI, "anthropic": newAnthropic} {
		for status, want := range map[int]string{401: "the client's model failed", 429: "the client's model failed", 503: "the client's model failed: provider_unavailable"} {
			answer := refusal
			if status != 401 {
				answer = "upstream sk-secret"
			}
			if status == 429 {
				want += ": rate_limit"
			}
			_, err := sample(t, model(t, newFakeProvider(t, status, answer)), nil, `{`+hi+`}`)
			if code(t, err) != -32603 || err.Error() != want || strings.Contains(err.Error(), "secret") {
				t.Errorf("%s, %d: got %v, want %s", name, status, err, want)
			}
		}
	}
	// One that is not there.
	provider := newFakeProvider(t, 200, "")
	provider.Close()
	var told error
	opts := &sampling.Options{OnError: func(_ context.Context, _ callbacks.CallbackContext, err error) { told = err }}
	if _, err := sample(t, newOpenAI(t, provider), opts, `{`+hi+`}`); code(t, err) != -32603 || err.Error() != "the client's model failed" || told == nil {
		t.Errorf("got %v for %v", err, told)
	}
}
