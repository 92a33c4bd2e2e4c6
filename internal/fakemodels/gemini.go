package fakemodels

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// Gemini starts an endpoint that plays generateContent of the Gemini API, and of
// Vertex AI, whose requests are the same:
// https://ai.google.dev/api/generate-content.
func Gemini(tb testing.TB, script ...Turn) *Endpoint {
	return start(tb, api{
		route: func(r *http.Request) (bool, error) {
			path, stream := strings.CutSuffix(r.URL.Path, ":streamGenerateContent")
			if !stream {
				path = strings.TrimSuffix(path, ":generateContent")
			}
			known := strings.HasPrefix(path, "/v1beta/models/") || strings.Contains(path, "/publishers/google/models/")
			if r.Method != http.MethodPost || !known || strings.Contains(path, ":") {
				return false, refusal("Requested entity was not found: %s %s", r.Method, r.URL.Path)
			}
			return stream, nil
		},
		read:   readGemini,
		answer: answerGemini,
		refuse: func(w http.ResponseWriter, status int, message string) {
			w.WriteHeader(status)
			write(w, object{"error": object{"code": status, "message": message, "status": "INVALID_ARGUMENT"}})
		},
		id: func(int) string { return "" },
	}, "", script)
}

// geminiName is what the reference says of FunctionDeclaration.name, without the
// dots and colons that came later.
var geminiName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$`)

func readGemini(body map[string]any) (*Request, error) {
	r := &Request{}
	for _, part := range list(body, "systemInstruction", "parts") {
		r.Texts = append(r.Texts, text(part, "text"))
	}
	for i, tool := range list(body, "tools") {
		for j, f := range list(tool, "functionDeclarations") {
			where := fmt.Sprintf("GenerateContentRequest.tools[%d].function_declarations[%d]", i, j)
			name := text(f, "name")
			if !geminiName.MatchString(name) {
				return nil, refusal("%s.name: Invalid function name. Must start with a letter or an underscore.", where)
			}
			if r.Tool(name) != nil {
				return nil, refusal("%s: Duplicate function declaration found: %s", where, name)
			}
			parameters, _ := at(f, "parameters").(object)
			if err := geminiSchema(where+".parameters", parameters); err != nil {
				return nil, err
			}
			if geminiType(parameters["type"]) != "OBJECT" {
				return nil, refusal("%s.parameters: schema should be of type OBJECT", where)
			}
			r.Tools = append(r.Tools, Tool{name, text(f, "description"), parameters})
		}
	}
	contents := list(body, "contents")
	if len(contents) == 0 {
		return nil, refusal("GenerateContentRequest.contents: contents is not specified")
	}
	before := "" // what kind of turn
	var called []string
	for i, content := range contents {
		kind, names, err := geminiTurn(r, i, content, called)
		if err != nil {
			return nil, err
		}
		switch {
		case kind == "call" && before != "user" && before != "response":
			return nil, refusal("Please ensure that function call turn comes immediately after a user turn or after a function response turn.")
		case kind == "response" && before != "call":
			return nil, refusal("Please ensure that function response turn comes immediately after a function call turn.")
		case kind == "response" && len(names) != len(called):
			return nil, refusal("Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.")
		case before == "call" && kind != "response":
			return nil, refusal("Please ensure that function call turn is followed by a function response turn.")
		}
		before, called = kind, names
	}
	if before == "call" || before == "model" {
		return nil, refusal("Please ensure that single turn requests end with a user role or the role field is empty.")
	}
	return r, nil
}

// geminiTurn reads a content and returns what it is: user, model, call or
// response, with the names of functions.
func geminiTurn(r *Request, i int, content any, called []string) (kind string, names []string, err error) {
	role, parts := text(content, "role"), list(content, "parts")
	if role != "user" && role != "model" && role != "" {
		return "", nil, refusal("Please use a valid role: user, model. (contents[%d])", i)
	}
	if len(parts) == 0 {
		return "", nil, refusal("GenerateContentRequest.contents[%d].parts: contents.parts must not be empty.", i)
	}
	kind = map[string]string{"model": "model"}[role]
	if kind == "" {
		kind = "user"
	}
	for j, part := range parts {
		where := fmt.Sprintf("contents[%d].parts[%d]", i, j)
		p, _ := part.(object)
		switch {
		case len(p) != 1:
			return "", nil, refusal("%s.data: required oneof field 'data' must have one initialized field", where)
		case p["functionCall"] != nil && role == "model":
			kind = "call"
			names = append(names, text(p, "functionCall", "name"))
		case p["functionResponse"] != nil && role != "model":
			kind = "response"
			name := text(p, "functionResponse", "name")
			if name == "" {
				return "", nil, refusal("%s.function_response.name: Name cannot be empty.", where)
			}
			if len(names) >= len(called) || called[len(names)] != name {
				return "", nil, refusal("%s: no call of %s is open", where, name)
			}
			response, ok := at(p, "functionResponse", "response").(object)
			if !ok {
				return "", nil, refusal("%s.function_response.response: must be a struct", where)
			}
			names = append(names, name)
			r.Results = append(r.Results, Result{name, text(response, "response")})
		case p["inlineData"] != nil && role != "model":
			media := text(p, "inlineData", "mimeType")
			data, err := base64.StdEncoding.DecodeString(text(p, "inlineData", "data"))
			if err != nil || len(data) == 0 || media == "image/gif" || !strings.Contains(media, "/") {
				return "", nil, refusal("Unsupported MIME type: %s (%s)", media, where)
			}
			r.Images = append(r.Images, Image{media, len(data)})
		case p["text"] != nil:
			if role != "model" {
				r.Texts = append(r.Texts, text(p, "text"))
			}
		default:
			return "", nil, refusal("%s: invalid part for the role %s: %s", where, role, encode(p))
		}
	}
	return kind, names, nil
}
