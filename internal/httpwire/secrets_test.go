package httpwire_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/langchaingo-mcp/mcpadapters/internal/httpwire"
)

// planted are values that were sent, and nobody may be shown.
var planted = []string{
	"tok-abcdef", "hunter2!", "key/with+odd=chars", "cookie77", "basic-password", "user-name-1", "query-secret", "sess-1234567", "path-segment-that-is-a-key",
}

// echo returns what servers say that repeat what they were sent.
func echo(req *http.Request) string {
	var b strings.Builder
	for key, values := range req.Header {
		fmt.Fprintf(&b, "%s: %s; ", key, strings.Join(values, ","))
		if pair, ok := strings.CutPrefix(values[0], "Basic "); ok {
			raw, _ := base64.StdEncoding.DecodeString(pair)
			fmt.Fprintf(&b, "%s; ", raw)
		}
	}
	fmt.Fprintf(&b, "url %s; escaped %s", req.URL, url.QueryEscape(req.Header.Get("X-Key")))
	return b.String()
}

func TestSecretsThatServersRepeat(t *testing.T) {
	rpc := func(id, text string) string {
		quoted, _ := json.Marshal(text)
		return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32000,"message":` + string(quoted) + `}}`
	}
	for name, answer := range map[string]func(req *http.Request, text string) *http.Response{
		"an error page": func(req *http.Request, text string) *http.Response {
			return reply(req, 500, "text/plain", strings.NewReader(text))
		},
		"a long error page": func(req *http.Request, text string) *http.Response {
			return reply(req, 401, "text/html", strings.NewReader(strings.Repeat(" ", 4070)+text+strings.Repeat("x", 9000)))
		},
		"a page": func(req *http.Request, text string) *http.Response {
			return reply(req, 200, "text/html", strings.NewReader(text))
		},
		"a type": func(req *http.Request, text string) *http.Response {
			return reply(req, 200, "text/"+req.Header.Get("X-Key"), strings.NewReader(""))
		},
		"an error": func(req *http.Request, text string) *http.Response {
			return reply(req, 200, "application/json", strings.NewReader(rpc("7", text)))
		},
		"an error with a status": func(req *http.Request, text string) *http.Response {
			return reply(req, 400, "application/json", strings.NewReader(rpc("7", text)))
		},
		"an error without an id": func(req *http.Request, text string) *http.Response {
			return reply(req, 400, "application/json", strings.NewReader(rpc("null", text)))
		},
		"a batch": func(req *http.Request, text string) *http.Response {
			return reply(req, 200, "application/json", strings.NewReader("["+rpc("7", text)+"]"))
		},
		"no JSON": func(req *http.Request, text string) *http.Response {
			return reply(req, 200, "application/json", strings.NewReader("{"+text))
		},
		"an event": func(req *http.Request, text string) *http.Response {
			return events(req, "data: "+rpc("7", text)+"\n\n")
		},
		"an event that is none": func(req *http.Request, text string) *http.Response { return events(req, "data: {"+text+"\n\n") },
	} {
		for _, method := range []string{http.MethodPost, http.MethodGet} {
			t.Run(name+" "+method, func(t *testing.T) {
				var mu sync.Mutex
				var shown bytes.Buffer
				rec := new(recorder)
				hooks := rec.hooks()
				hooks.Headers = func(context.Context) (http.Header, error) {
					return http.Header{"X-Key": {"key/with+odd=chars"}, "X-Pass": {"hunter2!"}, "Cookie": {"a=1; c=cookie77"}, "Accept-Language": {"en-GB-long-enough"}}, nil
				}
				hooks.Dropped = func(err error) {
					mu.Lock()
					defer mu.Unlock()
					fmt.Fprintln(&shown, err)
				}
				u, _ := url.Parse("http://user-name-1:basic-password@server.test/path-segment-that-is-a-key/mcp?q=query-secret")
				answered := make(chan struct{}, 100)
				wire := httpwire.New(httpwire.Options{
					Hooks: hooks, Endpoint: u,
					Logger: slog.New(slog.NewTextHandler(&locked{mu: &mu, w: &shown}, &slog.HandlerOptions{Level: slog.LevelDebug})),
					Base: baseFunc(func(req *http.Request) (*http.Response, error) {
						defer func() { answered <- struct{}{} }()
						return answer(req, echo(req)), nil
					}),
				})
				req := newGet(t.Context(), "")
				if method == http.MethodPost {
					req = newPost(t.Context(), callMessage)
				}
				req.URL = u
				req.Header.Set("Authorization", "Bearer tok-abcdef")
				if name == "an error" {
					req.SetBasicAuth("user-name-1", "basic-password")
				}
				req.Header.Set("Mcp-Session-Id", "sess-1234567")
				resp, err := wire.RoundTrip(req)
				if err != nil {
					t.Fatal(err)
				}
				if method == http.MethodPost {
					body, _ := io.ReadAll(resp.Body)
					shown.Write(body)
					if !bytes.Contains(body, []byte("error")) {
						t.Errorf("the call got %s", body)
					}
				}
				<-answered
				wire.Close()
				resp.Body.Close()
				mu.Lock()
				defer mu.Unlock()
				rec.mu.Lock()
				fmt.Fprintf(&shown, "%+v", rec.answers)
				rec.mu.Unlock()
				for _, secret := range slices.Concat(planted, []string{url.QueryEscape("key/with+odd=chars")}) {
					if strings.Contains(shown.String(), secret) {
						t.Errorf("%q is shown in %s", secret, &shown)
					}
				}
			})
		}
	}
}

// locked is a writer that others use too.
type locked struct {
	mu *sync.Mutex
	w  io.Writer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// What is no secret, or too short to be one, stays readable.
func TestErrorsStayReadable(t *testing.T) {
	wire := httpwire.New(httpwire.Options{
		Hooks: httpwire.Hooks{Headers: func(context.Context) (http.Header, error) {
			return http.Header{"X-Debug": {"true"}, "User-Agent": {"my-program/1.0"}, "Mcp-Param-Region": {"eu-central-1"}}, nil
		}},
		Base: baseFunc(func(req *http.Request) (*http.Response, error) {
			return reply(req, 400, "text/plain", strings.NewReader("is it true that my-program/1.0 wants eu-central-1?")), nil
		}),
	})
	defer wire.Close()
	if _, body := do(t, wire, newPost(t.Context(), callMessage)); !strings.Contains(body, "is it true that my-program/1.0 wants eu-central-1?") {
		t.Errorf("the call got %s", body)
	}
}

// The latest values are remembered when there are many.
func TestManySecrets(t *testing.T) {
	n := 0
	wire := httpwire.New(httpwire.Options{
		Hooks: httpwire.Hooks{Headers: func(context.Context) (http.Header, error) {
			n++
			return http.Header{"Authorization": {fmt.Sprintf("Bearer token-number-%d.", n)}}, nil
		}},
		Base: baseFunc(func(req *http.Request) (*http.Response, error) {
			return reply(req, 400, "text/plain", strings.NewReader("you sent "+req.Header.Get("Authorization"))), nil
		}),
	})
	defer wire.Close()
	for range 1000 {
		if _, body := do(t, wire, newPost(t.Context(), callMessage)); !strings.Contains(body, "you sent Bearer [hidden]") {
			t.Fatalf("call %d got %s", n, body)
		}
	}
}
