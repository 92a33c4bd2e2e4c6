package httpwire_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/langchaingo-mcp/mcpadapters/internal/httpwire"
)

// Results pass the hook in whatever form they come.
func TestResultsPassTheHook(t *testing.T) {
	const changed = `{"jsonrpc":"2.0","id":7,"result":{"mended":true}}`
	for name, test := range map[string]struct {
		contentType, body string
		want              []string
	}{
		"JSON":                 {"application/json", `{"jsonrpc":"2.0","id":7,"result":{"broken":true}}`, []string{changed}},
		"JSON, as it was":      {"application/json", answer, []string{answer}},
		"JSON, a batch":        {"application/json", `[{"jsonrpc":"2.0","id":7,"result":{"broken":true}}]`, []string{changed}},
		"JSON, an error":       {"application/json", `{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"broken"}}`, []string{`{"jsonrpc":"2.0","id":7,"error":{"code":1,"message":"broken"}}`}},
		"a stream":             {"text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"broken\":true}}\n\n", []string{changed}},
		"a stream, another id": {"text/event-stream", "data: {\"jsonrpc\":\"2.0\",\"id\":\"7\",\"result\":{\"broken\":true}}\n\n", []string{changed}},
		"a stream, as it was":  {"text/event-stream", "data: " + answer + "\n\n", []string{answer}},
	} {
		t.Run(name, func(t *testing.T) {
			wire := httpwire.New(httpwire.Options{
				Hooks: httpwire.Hooks{Result: func(method string, result []byte) ([]byte, bool) {
					if method != "tools/call" {
						t.Errorf("the method is %q", method)
					}
					return []byte(`{"mended":true}`), bytes.Contains(result, []byte("broken"))
				}},
				Base: baseFunc(func(req *http.Request) (*http.Response, error) {
					return reply(req, 200, test.contentType, io.Reader(strings.NewReader(test.body))), nil
				}),
			})
			defer wire.Close()
			resp, body := do(t, wire, newPost(t.Context(), callMessage))
			got := []string{body}
			if resp.Header.Get("Content-Type") == "text/event-stream" {
				got = messages(t, body)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("the SDK gets (-want +got):\n%s", diff)
			}
		})
	}
}
