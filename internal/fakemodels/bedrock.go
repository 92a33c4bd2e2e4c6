package fakemodels

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// Bedrock starts an endpoint that plays InvokeModel of Amazon Bedrock with a
// model of Anthropic, whose rules are those of [Anthropic]:
// https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages.html.
// Streams, which have a framing of their own, are refused.
func Bedrock(tb testing.TB, script ...Turn) *Endpoint {
	return start(tb, api{
		route: func(r *http.Request) (bool, error) {
			model, ok := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, "/model/"), "/invoke")
			if r.Method != http.MethodPost || !ok || !strings.Contains(model, "anthropic.") {
				return false, refusal("The provided model identifier is invalid: %s", r.URL.Path)
			}
			if !strings.HasPrefix(r.Header.Get("Authorization"), "AWS4-HMAC-SHA256 ") {
				return false, refusal("Missing Authentication Token")
			}
			return false, nil
		},
		read: func(body map[string]any) (*Request, error) {
			if text(body, "anthropic_version") != "bedrock-2023-05-31" {
				return nil, refusal("Malformed input request: anthropic_version: Field required")
			}
			if _, ok := body["model"]; ok {
				return nil, refusal("Malformed input request: extraneous key [model] is not permitted")
			}
			if kind := text(body, "tool_choice", "type"); kind != "" && kind != "auto" && kind != "any" && kind != "tool" {
				return nil, refusal("Malformed input request: tool_choice.type: %s", kind)
			}
			return readAnthropic(body)
		},
		answer: answerAnthropic,
		refuse: func(w http.ResponseWriter, status int, message string) {
			w.Header().Set("X-Amzn-ErrorType", "ValidationException")
			w.WriteHeader(status)
			write(w, object{"message": message})
		},
		id: func(n int) string { return fmt.Sprintf("toolu_bdrk_%021d", n) },
	}, "", script)
}
