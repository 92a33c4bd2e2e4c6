package fakemodels_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/langchaingo-mcp/mcpadapters/internal/fakemodels"
)

// post sends a body to an endpoint and returns the status and the answer.
func post(t *testing.T, url, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer none")
	if strings.Contains(url, "/model/") {
		req.Header.Set("Authorization", "AWS4-HMAC-SHA256 none")
	}
	req.Header.Set("x-api-key", "none")
	req.Header.Set("anthropic-version", "2023-06-01")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(answer)
}

// A rule is a request, made of one that passes, that an API refuses.
type rule struct {
	name, old, new string
	message        string // a part of the error's
}

// holds checks that a request passes, and that none does in which something is
// replaced.
func holds(t *testing.T, start func(testing.TB, ...fakemodels.Turn) *fakemodels.Endpoint, path, good string, message func(body string) string, rules []rule) {
	t.Helper()
	e := start(t, fakemodels.Turn{Text: "ok"})
	if status, answer := post(t, e.URL+path, good); status != http.StatusOK || !strings.Contains(answer, "ok") {
		t.Fatalf("the request that passes: %d %s", status, answer)
	}
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			if !strings.Contains(good, r.old) {
				t.Fatalf("%q is not in the request", r.old)
			}
			e := start(t, fakemodels.Turn{Text: "ok"})
			status, answer := post(t, e.URL+path, strings.Replace(good, r.old, r.new, 1))
			if status != http.StatusBadRequest || !strings.Contains(message(answer), r.message) {
				t.Errorf("%d %s, want one with %q", status, answer, r.message)
			}
			if len(e.Refused()) != 1 || e.Left() != 1 || len(e.Requests()) != 0 {
				t.Errorf("refused %q", e.Refused())
			}
		})
	}
}

// field returns a function that reads a string out of an answer.
func field(t *testing.T, path ...string) func(body string) string {
	return func(body string) string {
		var v any
		if err := json.Unmarshal([]byte(body), &v); err != nil {
			t.Errorf("%v: %s", err, body)
		}
		for _, key := range path {
			o, _ := v.(map[string]any)
			v = o[key]
		}
		s, _ := v.(string)
		return s
	}
}

const pngData = "iVBORw0KGgowMDAw"

func TestOpenAIRules(t *testing.T) {
	const good = `{"model":"m","tools":[{"type":"function","function":{"name":"get","parameters":{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}}}}}},
		{"type":"function","function":{"name":"put","parameters":{"type":"object","properties":{},"required":[]}}}],"messages":[
		{"role":"user","content":[{"type":"text","text":"q"},{"type":"image_url","image_url":{"url":"data:image/png;base64,` + pngData + `"}}]},
		{"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"get","arguments":"{}"}},{"id":"c2","type":"function","function":{"name":"put","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"c2","content":"2"},{"role":"tool","tool_call_id":"c1","content":"1"},{"role":"user","content":"go on"}]}`
	holds(t, fakemodels.OpenAI, "/chat/completions", good, field(t, "error", "message"), []rule{
		{"name", `"name":"get"`, `"name":"get.it"`, "does not match pattern"},
		{"name twice", `"name":"put"`, `"name":"get"`, "not unique"},
		{"no properties", `"properties":{},`, ``, "object schema missing properties"},
		{"no parameters", `"parameters":{"type":"object","properties":{},"required":[]}`, `"parameters":null`, "Invalid schema for function 'put'"},
		{"no items", `"items":{"type":"string"}`, `"description":"x"`, "array schema missing items"},
		{"required null", `"required":[]`, `"required":null`, "required is null"},
		{"union at the root", `"required":[]`, `"anyOf":[]`, "at the top level"},
		{"an unknown type", `{"type":"string"}`, `{"type":"date"}`, "'date' is not valid"},
		{"functions", `"model":"m"`, `"model":"m","functions":[]`, "deprecated"},
		{"no response", `{"role":"tool","tool_call_id":"c2","content":"2"},`, ``, "did not have response messages"},
		{"response without call", `"tool_call_id":"c2"`, `"tool_call_id":"c3"`, "must be a response to a preceeding message"},
		{"response twice", `"tool_call_id":"c2"`, `"tool_call_id":"c1"`, "must be a response to a preceeding message"},
		{"arguments", `"arguments":"{}"`, `"arguments":""`, "is not a JSON object"},
		{"id", `"id":"c1"`, `"id":""`, "tool_calls[0]"},
		{"type of call", `"id":"c1","type":"function"`, `"id":"c1"`, "tool_calls[0]"},
		{"ids twice", `"id":"c2"`, `"id":"c1"`, "duplicate"},
		{"binary part", `"type":"image_url"`, `"type":"binary"`, "Invalid value: 'binary'"},
		{"image type", `data:image/png`, `data:image/bmp`, "unsupported image type"},
		{"image data", `data:image/png`, `data:image/gif`, "does not match the provided media type"},
		{"no content", `"content":"go on"`, `"content":null`, "Invalid value for 'messages[4].content'"},
		{"role", `"role":"user","content":"go on"`, `"role":"human","content":"go on"`, `Invalid value: "human"`},
	})
}

const anthropicMessages = `"tools":[{"name":"get","input_schema":{"type":"object","properties":{"a":{"type":"string"}}}},{"name":"put","input_schema":{"type":"object","properties":{}}}],
	"messages":[{"role":"user","content":"q"},{"role":"assistant","content":[{"type":"text","text":"so"},{"type":"tool_use","id":"t1","name":"get","input":{}},{"type":"tool_use","id":"t2","name":"put","input":{}}]},
	{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"1"},{"type":"tool_result","tool_use_id":"t2"}]},
	{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + pngData + `"}},{"type":"text","text":"go on"}]}]}`

var anthropicRules = []rule{
	{"name", `"name":"get","input_schema"`, `"name":"get it","input_schema"`, "String should match pattern"},
	{"name twice", `"name":"put","input_schema"`, `"name":"get","input_schema"`, "Tool names must be unique"},
	{"an unknown key", `"name":"put",`, `"name":"put","strict":true,`, "Extra inputs are not permitted"},
	{"schema", `"type":"object","properties":{}`, `"type":"string"`, "'type: \"object\"'"},
	{"property name", `{"a":{"type":"string"}}`, `{"$ref":{"type":"string"}}`, "Property keys should match pattern"},
	{"no tools", `"tools":[`, `"others":[`, "must define tools"},
	{"max_tokens", `"max_tokens":9`, `"max_tokens":0`, "max_tokens"},
	{"first role", `"messages":[{"role":"user","content":"q"},`, `"messages":[`, "first message"},
	{"empty text", `"text":"so"`, `"text":""`, "must be non-empty"},
	{"no result", `,{"type":"tool_result","tool_use_id":"t2"}`, ``, "without `tool_result` blocks immediately after: t1, t2"},
	{"result of another", `"tool_use_id":"t2"`, `"tool_use_id":"t3"`, "unexpected `tool_use_id`"},
	{"result twice", `"tool_use_id":"t2"`, `"tool_use_id":"t1"`, "unexpected `tool_use_id`"},
	{"text before results", `"content":[{"type":"tool_result"`, `"content":[{"type":"text","text":"x"},{"type":"tool_result"`, "without `tool_result` blocks"},
	{"text behind a call", `{"type":"text","text":"so"},{"type":"tool_use","id":"t1","name":"get","input":{}}`, `{"type":"tool_use","id":"t1","name":"get","input":{}},{"type":"text","text":"so"}`, "without `tool_result` blocks"},
	{"ids twice", `"id":"t2"`, `"id":"t1"`, "ids must be unique"},
	{"an odd id", `"id":"t1"`, `"id":"t 1"`, "String should match pattern"},
	{"no input", `"name":"get","input":{}`, `"name":"get","input":null`, "valid dictionary"},
	{"image type", `image/png`, `audio/wav`, "unsupported image type"},
	{"image data", `image/png`, `image/webp`, "does not match the provided media type"},
	{"image of the assistant", `{"type":"text","text":"so"}`, `{"type":"image","source":{}}`, "Input tag 'image'"},
}

func TestAnthropicRules(t *testing.T) {
	holds(t, fakemodels.Anthropic, "/messages", `{"model":"m","max_tokens":9,`+anthropicMessages, field(t, "error", "message"), anthropicRules)
}

func TestBedrockRules(t *testing.T) {
	own := []rule{
		{"version", `bedrock-2023-05-31`, `2023-06-01`, "anthropic_version"},
		{"model", `"max_tokens"`, `"model":"m","max_tokens"`, "extraneous key [model]"},
		{"choice", `"max_tokens"`, `"tool_choice":{"type":"function"},"max_tokens"`, "tool_choice"},
	}
	holds(t, fakemodels.Bedrock, "/model/us.anthropic.claude/invoke", `{"anthropic_version":"bedrock-2023-05-31","max_tokens":9,`+anthropicMessages,
		field(t, "message"), append(own, anthropicRules...))
}

func TestMistralRules(t *testing.T) {
	const good = `{"model":"m","tools":[{"type":"function","function":{"name":"get","parameters":{"type":"object","properties":{}}}}],"messages":[
		{"role":"system","content":"s"},{"role":"user","content":"q"},
		{"role":"assistant","content":"","tool_calls":[{"id":"abcdefgh1","type":"function","function":{"name":"get","arguments":"{}"}}]},
		{"role":"tool","content":"1"}]}`
	holds(t, fakemodels.Mistral, "/v1/chat/completions", good, field(t, "message"), []rule{
		{"name", `"name":"get","parameters"`, `"name":"a b","parameters"`, "Function name was a b"},
		{"id", `abcdefgh1`, `call_0001`, "Tool call id was call_0001"},
		{"arguments", `"arguments":"{}"`, `"arguments":"{"`, "no JSON"},
		{"no response", `,
		{"role":"tool","content":"1"}`, ``, "Not the same number"},
		{"response twice", `{"role":"tool","content":"1"}`, `{"role":"tool","content":"1"},{"role":"tool","content":"1"}`, "Not the same number"},
		{"user after tool", `{"role":"tool","content":"1"}`, `{"role":"tool","content":"1"},{"role":"user","content":"1"}`, "Unexpected role 'user' after role 'tool'"},
		{"text behind a call", `{"role":"tool","content":"1"}`, `{"role":"assistant","content":"1"},{"role":"tool","content":"1"}`, "Not the same number"},
		{"last role", `{"role":"tool","content":"1"}`, `{"role":"tool","content":"1"},{"role":"assistant","content":"1"}`, "Expected last role User or Tool"},
		{"empty answer", `{"role":"tool","content":"1"}`, `{"role":"tool","content":"1"},{"role":"assistant","content":""}`, "either content or tool_calls"},
		{"schema", `"properties":{}`, `"x":1`, "missing properties"},
	})
}

func TestGeminiRules(t *testing.T) {
	const good = `{"systemInstruction":{"parts":[{"text":"s"}]},"tools":[{"functionDeclarations":[
		{"name":"get","parameters":{"type":"OBJECT","properties":{"a":{"type":5,"items":{"type":"STRING"}},
		"u":{"anyOf":[{"type":"NUMBER"},{"type":"BOOLEAN"}]}},"required":["a"]}},{"name":"put","parameters":{"type":6}}]}],
		"contents":[{"role":"user","parts":[{"text":"q"},{"inlineData":{"mimeType":"image/png","data":"` + pngData + `"}}]},
		{"role":"model","parts":[{"text":"so"},{"functionCall":{"name":"get","args":{}}},{"functionCall":{"name":"put"}}]},
		{"role":"user","parts":[{"functionResponse":{"name":"get","response":{"response":"1"}}},{"functionResponse":{"name":"put","response":{}}}]},
		{"role":"user","parts":[{"text":"go on"}]}]}`
	holds(t, fakemodels.Gemini, "/v1beta/models/gemini:generateContent", good, field(t, "error", "message"), []rule{
		{"name", `"name":"get","parameters"`, `"name":"1get","parameters"`, "Invalid function name"},
		{"name twice", `"name":"put","parameters"`, `"name":"get","parameters"`, "Duplicate function declaration"},
		{"no items", `,"items":{"type":"STRING"}`, ``, "items: missing field"},
		{"no type", `{"type":"STRING"}`, `{}`, "type: must be specified"},
		{"an alternative without a type", `{"type":"BOOLEAN"}`, `{}`, "any_of[1].type: must be specified"},
		{"fields beside a union", `{"anyOf":`, `{"description":"d","anyOf":`, "it must be the only field set"},
		{"a type of JSON Schema", `{"type":"STRING"}`, `{"type":"string"}`, "Invalid value"},
		{"an unknown keyword", `"required":["a"]`, `"additionalProperties":false`, "Unknown name"},
		{"required that is not there", `"required":["a"]`, `"required":["b"]`, "property is not defined"},
		{"root", `{"type":6}`, `{"type":1}`, "should be of type OBJECT"},
		{"role", `"role":"model"`, `"role":"assistant"`, "valid role"},
		{"no parts", `[{"text":"go on"}]`, `[]`, "must not be empty"},
		{"two at once", `{"text":"so"}`, `{"text":"so","functionCall":{"name":"get"}}`, "oneof field"},
		{"responses missing", `,{"functionResponse":{"name":"put","response":{}}}`, ``, "number of function response parts"},
		{"response of another", `"name":"put","response":{}`, `"name":"get","response":{}`, "no call of get is open"},
		{"response without a name", `"name":"put","response":{}`, `"response":{}`, "Name cannot be empty"},
		{"response later", `{"role":"user","parts":[{"functionResponse"`, `{"role":"user","parts":[{"text":"x"}]},{"role":"user","parts":[{"functionResponse"`, "followed by a function response"},
		{"call at the beginning", `{"role":"user","parts":[{"text":"q"},{"inlineData":{"mimeType":"image/png","data":"` + pngData + `"}}]},`, ``, "immediately after a user turn"},
		{"call after an answer", `{"role":"model","parts":[{"text":"so"},`, `{"role":"model","parts":[{"text":"so"}]},{"role":"model","parts":[`, "immediately after a user turn"},
		{"media", `image/png`, `image/gif`, "Unsupported MIME type"},
		{"last role", `{"role":"user","parts":[{"text":"go on"}]}`, `{"role":"model","parts":[{"text":"go on"}]}`, "end with a user role"},
	})
}

func TestScript(t *testing.T) {
	const body = `{"model":"m","messages":[{"role":"user","content":"q"}]}`
	for name, turn := range map[string]fakemodels.Turn{
		"a check":            {Check: func(*fakemodels.Request) error { return errors.New("no") }},
		"results":            {Check: fakemodels.All(fakemodels.LastResults(), fakemodels.LastResults("x"))},
		"a tool not offered": {Calls: []fakemodels.Call{{Tool: "get"}}},
	} {
		e := fakemodels.OpenAI(t, turn)
		if status, answer := post(t, e.URL+"/chat/completions", body); status != http.StatusBadRequest || !strings.Contains(answer, "script: ") {
			t.Errorf("%s: %d %s", name, status, answer)
		}
	}
	e := fakemodels.OpenAI(t)
	if status, _ := post(t, e.URL+"/chat/completions", body); status != http.StatusBadRequest {
		t.Errorf("an empty script: %d", status)
	}
	if status, _ := post(t, e.URL+"/elsewhere", body); status != http.StatusNotFound {
		t.Errorf("another path: %d", status)
	}
	if status, _ := post(t, e.URL+"/chat/completions", "[]"); status != http.StatusBadRequest {
		t.Errorf("no object: %d", status)
	}
}
