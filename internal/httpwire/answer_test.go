package httpwire_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/langchaingo-mcp/mcpadapters/internal/httpwire"
)

const rpcError = `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: broken\u0000"}}`

// What the SDK gets for each kind of answer to a call, and what the owner is
// told.
func TestAnswers(t *testing.T) {
	const (
		jsonType = "application/json; charset=utf-8"
		text     = "text/plain"
	)
	failure := func(message string) string {
		return `{"jsonrpc":"2.0","id":7,"error":{"code":-32050,"message":"` + message + `"}}`
	}
	long := strings.Repeat("word ", 100)
	tests := map[string]struct {
		status      int
		contentType string
		body        string
		session     bool
		message     string // sent; callMessage if empty

		wantStatus int // status if 0
		want       string
		told       httpwire.Answer // Status and Method filled in
	}{
		"plain 413":        {status: 413, contentType: text, body: "too\x1b[31m\nlarge", want: failure("HTTP 413 Request Entity Too Large: too [31m large"), told: httpwire.Answer{Excerpt: "too [31m large"}},
		"blank 400":        {status: 400, contentType: text, want: failure("HTTP 400 Bad Request")},
		"long 400":         {status: 400, contentType: text, body: long, want: failure("HTTP 400 Bad Request: " + strings.TrimSpace(long[:200])), told: httpwire.Answer{Excerpt: strings.TrimSpace(long[:200])}},
		"JSON-RPC with id": {status: 400, contentType: jsonType, body: strings.Replace(rpcError, "null", "7", 1), want: strings.Replace(rpcError, "null", "7", 1), told: httpwire.Answer{Excerpt: "Bad Request: broken"}},
		"JSON-RPC with other id": {
			status: 400, contentType: jsonType, body: strings.Replace(rpcError, "null", `"server-error"`, 1),
			want: strings.Replace(rpcError, "null", `"server-error"`, 1), told: httpwire.Answer{Excerpt: "Bad Request: broken"},
		},
		"JSON-RPC with a status that passes": {status: 503, contentType: jsonType, body: rpcError, wantStatus: 400, want: strings.Replace(rpcError, "null", "7", 1), told: httpwire.Answer{Excerpt: "Bad Request: broken"}},
		"JSON-RPC with null id":              {status: 400, contentType: jsonType, body: rpcError, want: strings.Replace(rpcError, "null", "7", 1), told: httpwire.Answer{Excerpt: "Bad Request: broken"}},
		"JSON-RPC with data": {
			status: 400, contentType: jsonType, body: `{"jsonrpc":"2.0","error":{"code":-32022,"message":"v","data":{"supported":["2025-11-25"]}}}`,
			want: `{"jsonrpc":"2.0","id":7,"error":{"code":-32022,"message":"v","data":{"supported":["2025-11-25"]}}}`, told: httpwire.Answer{Excerpt: "v"},
		},
		"of a notification": {
			status: 400, contentType: jsonType, body: rpcError, message: note,
			want: strings.Replace(rpcError, "null", `"none"`, 1), told: httpwire.Answer{Excerpt: "Bad Request: broken"},
		},
		"of a response": {
			status: 500, contentType: text, body: "oops", message: `{"jsonrpc":"2.0","id":"q","result":{"action":"accept"}}`,
			want: `{"jsonrpc":"2.0","id":"q","error":{"code":-32050,"message":"HTTP 500 Internal Server Error: oops"}}`, told: httpwire.Answer{Excerpt: "oops"},
		},
		"notification accepted":  {status: 202, message: note},
		"notification with text": {status: 200, contentType: text, body: "ok", message: note, want: "ok"},
		"web page":               {status: 200, contentType: "text/html", body: "<title>Sign in</title>", want: failure(`the answer is of type \"text/html\", which is not MCP: <title>Sign in</title>`), told: httpwire.Answer{Excerpt: "<title>Sign in</title>"}},
		"JSON of no type":        {status: 200, body: rpcError, want: strings.Replace(rpcError, "null", "7", 1), told: httpwire.Answer{Excerpt: "Bad Request: broken"}},
		"no answer":              {status: 202, want: failure("HTTP 202 Accepted without an answer")},
		"web page as an error":   {status: 403, contentType: "text/html", body: "<html>\n<body>", want: failure("HTTP 403 Forbidden: <html> <body>"), told: httpwire.Answer{Excerpt: "<html> <body>"}},
		"cannot be redirected":   {status: 307, contentType: text, want: failure("HTTP 307 Temporary Redirect")},

		"lost, plain":            {status: 404, contentType: text, body: "session not found", session: true, told: httpwire.Answer{SessionLost: true, Excerpt: "session not found"}},
		"lost, null id":          {status: 404, contentType: jsonType, body: rpcError, session: true, told: httpwire.Answer{SessionLost: true, Excerpt: "Bad Request: broken"}},
		"lost, id server-error":  {status: 404, contentType: jsonType, body: `{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"Session not found"}}`, session: true, told: httpwire.Answer{SessionLost: true, Excerpt: "Session not found"}},
		"lost, id of the call":   {status: 404, contentType: jsonType, body: `{"jsonrpc":"2.0","id":7,"error":{"code":-32001,"message":"Session not found"}}`, session: true, told: httpwire.Answer{SessionLost: true, Excerpt: "Session not found"}},
		"lost, foreign -32601":   {status: 404, contentType: jsonType, body: `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Not Found"}}`, session: true, told: httpwire.Answer{SessionLost: true, Excerpt: "Not Found"}},
		"lost, by a proxy":       {status: 404, contentType: "text/html", body: "<html>", session: true, told: httpwire.Answer{SessionLost: true, Excerpt: "<html>"}},
		"lost, old Python":       {status: 400, contentType: text, body: "Bad Request: No valid session ID provided", session: true, wantStatus: 404, told: httpwire.Answer{SessionLost: true, Excerpt: "Bad Request: No valid session ID provided"}},
		"lost, everything":       {status: 400, contentType: jsonType, body: `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":7}`, session: true, wantStatus: 404, told: httpwire.Answer{SessionLost: true, Excerpt: "Bad Request: No valid session ID provided"}},
		"lost, not initialized":  {status: 400, contentType: jsonType, body: `{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: Server not initialized"},"id":null}`, session: true, wantStatus: 404, told: httpwire.Answer{SessionLost: true, Excerpt: "Bad Request: Server not initialized"}},
		"lost, invalid":          {status: 400, contentType: text, body: "Invalid or expired session ID", session: true, wantStatus: 404, told: httpwire.Answer{SessionLost: true, Excerpt: "Invalid or expired session ID"}},
		"lost, by name":          {status: 410, contentType: text, body: "Session 5f2e has expired", session: true, wantStatus: 404, told: httpwire.Answer{SessionLost: true, Excerpt: "Session 5f2e has expired"}},
		"alive, method":          {status: 404, contentType: jsonType, body: `{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"Method not found"}}`, session: true, want: `{"jsonrpc":"2.0","id":7,"error":{"code":-32601,"message":"Method not found"}}`, told: httpwire.Answer{Excerpt: "Method not found"}},
		"alive, header stripped": {status: 400, contentType: text, body: "Mcp-Session-Id header is required", session: true, want: failure("HTTP 400 Bad Request: Mcp-Session-Id header is required"), told: httpwire.Answer{Excerpt: "Mcp-Session-Id header is required"}},
		"alive, arguments": {
			status: 400, contentType: jsonType, body: `{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"invalid session name"}}`, session: true,
			want: `{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"invalid session name"}}`, told: httpwire.Answer{Excerpt: "invalid session name"},
		},
		"alive, arguments, null id": {
			status: 400, contentType: jsonType, body: `{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"invalid session name"}}`, session: true,
			want: `{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"invalid session name"}}`, told: httpwire.Answer{Excerpt: "invalid session name"},
		},
		"alive, a tool's session": {
			status: 500, contentType: jsonType, body: `{"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"Session not found"}}`, session: true, wantStatus: 400,
			want: `{"jsonrpc":"2.0","id":7,"error":{"code":-32000,"message":"Session not found"}}`, told: httpwire.Answer{Excerpt: "Session not found"},
		},
		"alive, other status": {status: 401, contentType: text, body: "session expired", session: true, want: failure("HTTP 401 Unauthorized: session expired"), told: httpwire.Answer{Excerpt: "session expired"}},
		"no session, 404":     {status: 404, contentType: text, body: "404 page not found", want: failure("HTTP 404 Not Found: 404 page not found"), told: httpwire.Answer{Excerpt: "404 page not found"}},
		"no session, 400":     {status: 400, contentType: text, body: "No valid session ID provided", want: failure("HTTP 400 Bad Request: No valid session ID provided"), told: httpwire.Answer{Excerpt: "No valid session ID provided"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			rec := new(recorder)
			wire := httpwire.New(httpwire.Options{
				Hooks: rec.hooks(),
				Base: baseFunc(func(req *http.Request) (*http.Response, error) {
					resp := reply(req, test.status, test.contentType, strings.NewReader(test.body))
					resp.Header.Set("WWW-Authenticate", "Bearer")
					return resp, nil
				}),
			})
			defer wire.Close()
			message := test.message
			if message == "" {
				message = callMessage
			}
			req := newPost(t.Context(), message)
			if test.session {
				inSession(req)
			}
			resp, body := do(t, wire, req)
			wantStatus := test.wantStatus
			if wantStatus == 0 {
				wantStatus = test.status
			}
			if resp.StatusCode != wantStatus {
				t.Errorf("status %d, want %d", resp.StatusCode, wantStatus)
			}
			if diff := cmp.Diff(test.want, strings.ReplaceAll(unquote(body), `"the answer is of type "text/html"`, `"the answer is of type \"text/html\"`)); diff != "" {
				t.Errorf("body (-want +got):\n%s", diff)
			}
			if resp.Header.Get("WWW-Authenticate") != "Bearer" || resp.Request != req {
				t.Error("the response lost its headers or its request")
			}
			want := test.told
			want.Status, want.Sent = test.status, true
			if test.message == "" {
				want.Method = "tools/call"
			} else if test.message == note {
				want.Method = "notifications/message"
			}
			if diff := cmp.Diff([]httpwire.Answer{want}, rec.answers); diff != "" {
				t.Errorf("Responded was told (-want +got):\n%s", diff)
			}
		})
	}
}

func TestJSONAnswers(t *testing.T) {
	big := `{"jsonrpc":"2.0","id":7,"result":"` + strings.Repeat("x", 900) + `"}`
	tests := map[string]struct {
		body     io.Reader
		length   int64 // -1 if 0
		want     string
		events   []string // if it becomes a stream
		fails    string
		inbounds []string
	}{
		"response":       {body: strings.NewReader(answer), want: answer},
		"with length":    {body: strings.NewReader(answer), length: int64(len(answer)), want: answer},
		"indented":       {body: strings.NewReader("\r\n" + strings.ReplaceAll(answer, ",", ",\r\n ") + "\n"), want: "\r\n" + strings.ReplaceAll(answer, ",", ",\r\n ") + "\n"},
		"at the limit":   {body: strings.NewReader(big), want: big},
		"a batch":        {body: strings.NewReader("[" + answer + ",\r\n" + note + "]"), events: []string{note, answer}, inbounds: []string{"notifications/message"}},
		"a batch of one": {body: strings.NewReader("[" + answer + "]"), events: []string{answer}},
		"no id":          {body: strings.NewReader(rpcError), events: []string{strings.Replace(rpcError, "null", "7", 1)}},
		"wrong id":       {body: strings.NewReader(`{"jsonrpc":"2.0","id":8,"result":{}}`), events: []string{`{"jsonrpc":"2.0","id":8,"result":{}}`}, fails: "no response to the request"},
		"a notification": {body: strings.NewReader(note), events: []string{note}, fails: "no response to the request", inbounds: []string{"notifications/message"}},
		"empty":          {body: strings.NewReader(""), fails: "no response to the request"},
		"no JSON":        {body: strings.NewReader("<html>"), fails: "no response to the request: <html>"},
		"half":           {body: strings.NewReader(answer[:30]), fails: "not JSON-RPC"},
		"broken":         {body: io.MultiReader(strings.NewReader(answer[:30]), iotest.ErrReader(errors.New("reset by peer"))), fails: "broke off: reset by peer"},
		"too large":      {body: strings.NewReader(big + strings.Repeat(" ", 1000)), fails: "more than 1000 bytes"},
		"a lie":          {body: strings.NewReader(answer), length: 1 << 50, want: answer},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			rec := new(recorder)
			wire := httpwire.New(httpwire.Options{
				MaxMessage: 1000,
				Hooks:      rec.hooks(),
				Base: baseFunc(func(req *http.Request) (*http.Response, error) {
					resp := reply(req, 200, "application/json", test.body)
					if test.length > 0 {
						resp.ContentLength = test.length
					}
					return resp, nil
				}),
			})
			defer wire.Close()
			resp, body := do(t, wire, newPost(t.Context(), callMessage))
			if resp.ContentLength != int64(len(body)) {
				t.Errorf("ContentLength = %d for %d bytes", resp.ContentLength, len(body))
			}
			if test.want != "" {
				if body != test.want || resp.Header.Get("Content-Type") != "application/json" {
					t.Errorf("got %s %q", resp.Header.Get("Content-Type"), body)
				}
				return
			}
			if resp.Header.Get("Content-Type") != "text/event-stream" {
				t.Fatalf("got %s %q", resp.Header.Get("Content-Type"), body)
			}
			got := messages(t, body)
			if test.fails != "" {
				last := len(got) - 1
				code := "-32050"
				if name == "broken" {
					code = "-32051"
				}
				if last < 0 || !strings.Contains(got[last], `"id":7,"error":{"code":`+code) || !strings.Contains(unquote(got[last]), test.fails) {
					t.Fatalf("got %q, want an error that says %q", got, test.fails)
				}
				got = got[:last]
			}
			if diff := cmp.Diff(test.events, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("events (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.inbounds, rec.methods()); diff != "" {
				t.Errorf("Inbound was told (-want +got):\n%s", diff)
			}
		})
	}
}

// An error whose body does not end is not waited for.
func TestEndlessErrorBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wire := httpwire.New(httpwire.Options{Base: baseFunc(func(req *http.Request) (*http.Response, error) {
			r, w := io.Pipe()
			go io.WriteString(w, "slow")
			return reply(req, 400, "text/plain", r), nil
		})})
		defer wire.Close()
		began := time.Now()
		_, body := do(t, wire, newPost(t.Context(), callMessage))
		if took := time.Since(began); took > 10*time.Second || !strings.Contains(body, "HTTP 400 Bad Request: slow") {
			t.Errorf("after %v: %s", took, body)
		}
	})
}

func TestDiscoverTimeout(t *testing.T) {
	const discover = `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{}}`
	halfJSON := func(req *http.Request) (*http.Response, error) {
		resp, w := openStream(req)
		resp.Header.Set("Content-Type", "application/json")
		go io.WriteString(w, "{")
		return resp, nil
	}
	for name, step := range map[string]func(*http.Request) (*http.Response, error){
		"no headers": never, "no event": held(""), "half an answer": halfJSON,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rec := new(recorder)
				wire := httpwire.New(httpwire.Options{Base: baseFunc(step), DiscoverTimeout: 2 * time.Second, Hooks: rec.hooks()})
				defer wire.Close()
				began := time.Now()
				resp, err := wire.RoundTrip(newPost(t.Context(), discover))
				got := ""
				if err != nil {
					got = err.Error()
				} else {
					body, _ := io.ReadAll(resp.Body)
					resp.Body.Close()
					got = string(body)
				}
				if !strings.Contains(got, "no answer to server/discover within 2s") || time.Since(began) != 2*time.Second {
					t.Errorf("after %v: %s", time.Since(began), got)
				}
				if len(rec.answers) != 1 || rec.answers[0].Method != "server/discover" || (rec.answers[0].Err == nil) != (rec.answers[0].Status != 0) {
					t.Errorf("Responded was told %+v", rec.answers)
				}
			})
		})
	}
	t.Run("answered", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			wire := httpwire.New(httpwire.Options{DiscoverTimeout: 2 * time.Second, Base: baseFunc(func(req *http.Request) (*http.Response, error) {
				time.Sleep(time.Second)
				return events(req, `data: {"jsonrpc":"2.0","id":1,"result":{}}`+"\n\n"), nil
			})})
			defer wire.Close()
			if _, body := do(t, wire, newPost(t.Context(), discover)); !strings.Contains(body, "result") {
				t.Error(body)
			}
		})
	})
	t.Run("other methods", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			wire := httpwire.New(httpwire.Options{Base: baseFunc(never), DiscoverTimeout: 2 * time.Second})
			defer wire.Close()
			began := time.Now()
			if _, err := wire.RoundTrip(newPost(ctx, callMessage)); time.Since(began) != time.Hour {
				t.Errorf("ended after %v with %v", time.Since(began), err)
			}
		})
	})
}
