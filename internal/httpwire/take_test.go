package httpwire_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/langchaingo-mcp/mcpadapters/internal/httpwire"
)

var errTaken = &jsonrpc.Error{Code: -32052, Message: "taken"}

// takingHooks take every result and note what they are told, in order.
func takingHooks(told *[]string) httpwire.Hooks {
	return httpwire.Hooks{
		Inbound: func(_ context.Context, req *jsonrpc.Request) bool {
			*told = append(*told, req.Method)
			return req.IsCall()
		},
		Result: func(string, []byte) ([]byte, bool) {
			*told = append(*told, "Result")
			return nil, false
		},
		Take: func(_ context.Context, result []byte) bool {
			*told = append(*told, string(result))
			return true
		},
		Taken: errTaken,
	}
}

func TestTakenResults(t *testing.T) {
	t.Parallel()
	const (
		takenAnswer = `{"jsonrpc":"2.0","id":7,"error":{"code":-32052,"message":"taken"}}`
		question    = `{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{}}`
		list        = `{"jsonrpc":"2.0","id":7,"method":"tools/list"}`
		result      = `{"content":[]}`
	)
	events := func(data ...string) string {
		var b strings.Builder
		for _, d := range data {
			b.WriteString("id: " + d[len(d)-3:] + "\ndata: " + d + "\n\n")
		}
		return b.String()
	}
	jar := func(t *testing.T) *http.Client {
		jar, err := cookiejar.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		return &http.Client{Jar: jar}
	}
	stranger := func(*testing.T) *http.Client {
		return &http.Client{Transport: struct{ http.RoundTripper }{http.DefaultTransport}}
	}
	tests := map[string]struct {
		message, contentType, answer string
		header                       string // the session that the answer names
		client                       func(*testing.T) *http.Client
		told                         []string
		body                         string // "" if the SDK is given none
	}{
		"JSON":               {callMessage, "application/json", answer, "", nil, []string{result}, ""},
		"stream":             {callMessage, "text/event-stream", events(answer), "", nil, []string{result}, ""},
		"after a note":       {callMessage, "text/event-stream", events(note, answer), "", nil, []string{"notifications/message", result}, ""},
		"after a question":   {callMessage, "text/event-stream", "data: " + question + "\n\ndata: " + answer + "\n\n", "", nil, []string{"elicitation/create", result}, "data: " + question + "\n\ndata: " + takenAnswer + "\n\n"},
		"with cookies":       {callMessage, "text/event-stream", "data: " + answer + "\n\n", "", jar, []string{result}, "data: " + takenAnswer + "\n\n"},
		"JSON with cookies":  {callMessage, "application/json", answer, "", jar, []string{result}, takenAnswer},
		"another transport":  {callMessage, "application/json", answer, "", stranger, []string{result}, takenAnswer},
		"of another session": {callMessage, "application/json", answer, "other", nil, []string{result}, takenAnswer},
		"of another method":  {list, "application/json", answer, "", nil, []string{"Result"}, answer},
		"an error":           {callMessage, "application/json", takenAnswer, "", nil, nil, takenAnswer},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", test.contentType)
				if test.header != "" {
					w.Header().Set("Mcp-Session-Id", test.header)
				}
				_, _ = io.WriteString(w, test.answer)
			}))
			defer server.Close()
			var told []string
			wire := httpwire.New(httpwire.Options{Hooks: takingHooks(&told)})
			defer wire.Close()
			var base *http.Client
			if test.client != nil {
				base = test.client(t)
			}
			resp, err := wire.Client(base).Do(postTo(t.Context(), server.URL, test.message))
			body := ""
			if err == nil {
				data, readErr := io.ReadAll(resp.Body)
				if readErr != nil {
					t.Fatal(readErr)
				}
				resp.Body.Close()
				body = string(data)
			} else if !errors.Is(err, errTaken) {
				t.Fatal(err)
			}
			if body != test.body {
				t.Errorf("the SDK is given %q, want %q", body, test.body)
			}
			if got, want := strings.Join(told, "\n"), strings.Join(test.told, "\n"); got != want {
				t.Errorf("the owner is told\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func postTo(ctx context.Context, target, message string) *http.Request {
	req := newPost(ctx, message)
	u, err := url.Parse(target)
	if err != nil {
		panic(err)
	}
	req.URL, req.Host = u, u.Host
	return req
}

// TestConnectionOutlivesItsCall has a server that ends its streams only when
// the caller of the call is gone.
func TestConnectionOutlivesItsCall(t *testing.T) {
	t.Parallel()
	for name, take := range map[string]bool{"taken": true, "read by the SDK": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			gone := make(chan struct{}, 1)
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, "data: "+answer+"\n\n")
				w.(http.Flusher).Flush()
				<-gone
			}))
			defer server.Close()
			var dialed atomic.Int32
			// The second request waits for the connection of the first, or for its end.
			base := &http.Transport{MaxConnsPerHost: 1, DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
				dialed.Add(1)
				return new(net.Dialer).DialContext(ctx, network, addr)
			}}
			defer base.CloseIdleConnections()
			opts := httpwire.Options{Base: base}
			if take {
				opts.Hooks = takingHooks(new([]string))
			}
			wire := httpwire.New(opts)
			defer wire.Close()
			for range 2 {
				ctx, cancel := context.WithCancel(t.Context())
				resp, err := wire.RoundTrip(postTo(ctx, server.URL, callMessage))
				if take != errors.Is(err, errTaken) {
					t.Fatal(err)
				}
				if !take {
					if _, err := io.ReadFull(resp.Body, make([]byte, len("data: "+answer+"\n\n"))); err != nil {
						t.Fatal(err)
					}
				}
				cancel()
				gone <- struct{}{}
				if !take {
					if _, err := io.Copy(io.Discard, resp.Body); err != nil {
						t.Fatal(err)
					}
					resp.Body.Close()
				}
			}
			if n := dialed.Load(); n != 1 {
				t.Errorf("%d connections were made, want 1", n)
			}
		})
	}
}

// TestCancelledBeforeItsResponse has a server that does not answer.
func TestCancelledBeforeItsResponse(t *testing.T) {
	t.Parallel()
	begun := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.(http.Flusher).Flush()
		close(begun)
		<-req.Context().Done()
	}))
	defer server.Close()
	wire := httpwire.New(httpwire.Options{Hooks: takingHooks(new([]string))})
	defer wire.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-begun
		cancel()
	}()
	resp, err := wire.RoundTrip(postTo(ctx, server.URL, callMessage))
	if err == nil {
		_, err = io.ReadAll(resp.Body)
		resp.Body.Close()
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("it ended with %v", err)
	}
}
