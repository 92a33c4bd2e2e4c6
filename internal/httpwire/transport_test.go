package httpwire_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/langchaingo-mcp/mcpadapters/internal/httpwire"
	"github.com/langchaingo-mcp/mcpadapters/internal/leak"
)

// Headers are secrets of one origin.
// A redirect takes the request to another host, but not what was added to it.
func TestClient(t *testing.T) {
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		cookie := ""
		for _, c := range req.Cookies() {
			cookie += c.Name + "=" + c.Value + ";"
		}
		got = append(got, req.Method+" "+req.URL.Path+" "+cookie)
		switch {
		case req.URL.Path == "/mcp":
			http.SetCookie(w, &http.Cookie{Name: "sticky", Value: "n1", Path: "/"})
			http.Redirect(w, req, "/mcp/", http.StatusTemporaryRedirect)
		case req.Method == http.MethodGet:
			w.WriteHeader(http.StatusMethodNotAllowed)
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	}))
	defer server.Close()
	jar, _ := cookiejar.New(nil)
	base := &http.Client{Jar: jar, Timeout: time.Nanosecond, Transport: server.Client().Transport}
	wire := httpwire.New(httpwire.Options{Base: baseFunc(refuse)})
	defer wire.Close()
	client := wire.Client(base)
	if client == base || client.Timeout != 0 || client.Jar != jar || base.Timeout == 0 {
		t.Errorf("client = %+v", client)
	}
	resp, err := client.Post(server.URL+"/mcp", "application/json", strings.NewReader(note))
	if err != nil || resp.StatusCode != http.StatusAccepted {
		t.Fatalf("%v, %v", resp, err)
	}
	resp.Body.Close()
	// The stream of the session takes the same way.
	req, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/mcp", nil)
	req.Header.Set("Accept", "text/event-stream")
	resp, err = client.Do(req)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%v, %v", resp, err)
	}
	resp.Body.Close()
	want := []string{"POST /mcp ", "POST /mcp/ sticky=n1;", "GET /mcp sticky=n1;", "GET /mcp/ sticky=n1;"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	client.CloseIdleConnections()
}

// Whether a request may have reached the server.
func TestSent(t *testing.T) {
	refused := func() string {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		return "http://" + l.Addr().String()
	}()
	hangUp := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	defer hangUp.Close()
	unknown := baseFunc(func(*http.Request) (*http.Response, error) { return nil, errors.New("failed somewhere") })
	noHeaders := func(context.Context) (http.Header, error) { return nil, errors.New("no token") }
	tests := map[string]struct {
		url     string
		base    http.RoundTripper
		headers func(context.Context) (http.Header, error)
		want    bool
		err     string
	}{
		"refused":        {url: refused, want: false, err: "refused"},
		"hung up":        {url: hangUp.URL, want: true, err: "EOF"},
		"unknown base":   {url: hangUp.URL, base: unknown, want: true, err: "failed somewhere"},
		"base in base":   {url: refused, base: baseFunc((&http.Transport{}).RoundTrip), want: true, err: "refused"},
		"no headers":     {url: hangUp.URL, headers: noHeaders, want: false, err: "headers of the request: no token"},
		"invalid header": {url: hangUp.URL, headers: func(context.Context) (http.Header, error) { return http.Header{"X": {"a\nsecret"}}, nil }, want: false, err: `"X"`},
	}
	for name, test := range tests {
		for _, sse := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				rec := new(recorder)
				hooks := rec.hooks()
				hooks.Headers = test.headers
				wire := httpwire.New(httpwire.Options{Base: test.base, Hooks: hooks, SSE: sse})
				defer wire.Close()
				req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, test.url, strings.NewReader(callMessage))
				_, err := wire.RoundTrip(req)
				if err == nil || !strings.Contains(err.Error(), test.err) || strings.Contains(err.Error(), "secret") {
					t.Errorf("error = %v", err)
				}
				if len(rec.answers) != 1 {
					t.Fatalf("Responded was told %+v", rec.answers)
				}
				if a := rec.answers[0]; a.Sent != test.want || a.Status != 0 || a.Err == nil || a.Method != "tools/call" {
					t.Errorf("Responded was told %+v", a)
				}
			})
		}
	}
}

// The end of the session ends every request, and gives its reason.
func TestSessionContextEndsRequests(t *testing.T) {
	leak.Check(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		// Before that, the server does not notice that the client is gone.
		_, _ = io.Copy(io.Discard, req.Body)
		if req.Method == http.MethodDelete {
			w.WriteHeader(http.StatusOK)
			w.(http.Flusher).Flush()
		}
		<-req.Context().Done()
	}))
	defer server.Close()
	cause := errors.New("the session is over")
	session, end := context.WithCancelCause(t.Context())
	rec := new(recorder)
	wire := httpwire.New(httpwire.Options{Context: session, Hooks: rec.hooks()})
	defer wire.Close()
	client := wire.Client(nil)
	results := make(chan error)
	for _, method := range []string{http.MethodPost, http.MethodDelete, http.MethodPut} {
		go func() {
			req, _ := http.NewRequest(method, server.URL, strings.NewReader(callMessage))
			resp, err := client.Do(req)
			if err == nil {
				_, err = io.ReadAll(resp.Body)
				resp.Body.Close()
			}
			results <- err
		}()
	}
	end(cause)
	for range 3 {
		if err := <-results; !errors.Is(err, cause) && !errors.Is(err, context.Canceled) {
			t.Errorf("a request ended with %v", err)
		}
	}
	if _, err := client.Get(server.URL); !errors.Is(err, cause) {
		t.Errorf("a request after the end: %v", err)
	}
}

// A resumption that the SDK makes itself is shown to Inbound as well.
func TestForeignResumption(t *testing.T) {
	rec := new(recorder)
	wire := httpwire.New(httpwire.Options{
		Hooks: rec.hooks(),
		Base: baseFunc(func(req *http.Request) (*http.Response, error) {
			return events(req, "garbage\n\nid: 2\ndata: "+note+"\n\n"), nil
		}),
	})
	defer wire.Close()
	_, text := do(t, wire, newGet(t.Context(), "1"))
	if diff := cmp.Diff([]sdkEvent{{ID: "2", Data: note}}, sdkEvents(t, text)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"notifications/message"}, rec.methods()); diff != "" {
		t.Error(diff)
	}
}

// Messages whose body cannot be looked at are passed on all the same.
func TestUnreadableMessage(t *testing.T) {
	wire := httpwire.New(httpwire.Options{Base: baseFunc(stream("data: " + answer + "\n\n"))})
	defer wire.Close()
	for name, prepare := range map[string]func(*http.Request){
		"no GetBody":      func(req *http.Request) { req.GetBody = nil },
		"GetBody failing": func(req *http.Request) { req.GetBody = func() (io.ReadCloser, error) { return nil, errors.New("no") } },
		"no JSON": func(req *http.Request) {
			req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("{{")), nil }
		},
		"id last": func(req *http.Request) {
			req.GetBody = func() (io.ReadCloser, error) {
				return io.NopCloser(strings.NewReader(`{"jsonrpc":"2.0","params":{"id":1},"method":"x","id":1}`)), nil
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			req := newPost(t.Context(), callMessage)
			prepare(req)
			if _, text := do(t, wire, req); text != "data: "+answer+"\n\n" {
				t.Errorf("got %q", text)
			}
		})
	}
}

// The transport of 2024-11-05: one real stream, of which the SDK reads every
// event as a message.
