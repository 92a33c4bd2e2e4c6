package httpwire_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/langchaingo-mcp/mcpadapters/internal/httpwire"
	"github.com/langchaingo-mcp/mcpadapters/internal/leak"
)

func TestHeaders(t *testing.T) {
	var got *http.Request
	wire := httpwire.New(httpwire.Options{
		Base: baseFunc(func(req *http.Request) (*http.Response, error) {
			got = req
			return reply(req, 202, "", strings.NewReader("")), nil
		}),
		Hooks: httpwire.Hooks{Headers: func(context.Context) (http.Header, error) {
			return http.Header{
				"x-api-key":            {"k1", "k2"},
				"AUTHORIZATION":        {"Bearer explicit"},
				"Host":                 {"virtual.test"},
				"accept":               {"text/html"},
				"Accept-Encoding":      {"br"},
				"Content-Type":         {"text/plain"},
				"Content-Length":       {"5"},
				"mcp-session-id":       {"forged"},
				"Mcp-Protocol-Version": {"1999-01-01"},
				"Mcp-Method":           {"x"},
				"Mcp-Name":             {"x"},
				"Last-Event-ID":        {"x"},
				"Mcp-Param-Region":     {"replaced"},
				"Mcp-Param-Zone":       {"added"},
				"Mcp-Vendor":           {"mine"},
				"X-Empty":              {},
			}, nil
		}},
	})
	defer wire.Close()
	req := newPost(t.Context(), note)
	req.Header.Set("Authorization", "Bearer of the SDK")
	req.Header.Set("Mcp-Session-Id", "s1")
	req.Header.Set("Mcp-Param-Region", "eu")
	before := req.Header.Clone()
	do(t, wire, req)
	want := http.Header{
		"Accept":           {"application/json, text/event-stream"},
		"Authorization":    {"Bearer explicit"},
		"Content-Type":     {"application/json"},
		"Mcp-Param-Region": {"eu"},
		"Mcp-Param-Zone":   {"added"},
		"Mcp-Session-Id":   {"s1"},
		"Mcp-Vendor":       {"mine"},
		"X-Api-Key":        {"k1", "k2"},
	}
	if diff := cmp.Diff(want, got.Header); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
	if got.Host != "virtual.test" {
		t.Errorf("Host = %q", got.Host)
	}
	if diff := cmp.Diff(before, req.Header); diff != "" {
		t.Errorf("the SDK's request was changed:\n%s", diff)
	}
}

func TestMergeHeaders(t *testing.T) {
	connection := http.Header{"x-a": {"1"}, "X-B": {"1", "2"}, "X-C": nil}
	call := http.Header{"X-A": {"2"}, "x-d": {"3"}}
	got := httpwire.MergeHeaders(nil, connection, call)
	want := http.Header{"X-A": {"2"}, "X-B": {"1", "2"}, "X-D": {"3"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	got["X-B"][0] = "changed"
	if connection["X-B"][0] != "1" {
		t.Error("the layer was changed")
	}
}

// Headers are secrets of one origin.
func TestHeadersStayWithTheEndpoint(t *testing.T) {
	for name, test := range map[string]struct {
		endpoint, request string
		want              bool
	}{
		"same":            {"https://a.test/mcp", "https://a.test/mcp", true},
		"path and query":  {"https://a.test/mcp?x=1", "https://A.test/other", true},
		"default port":    {"https://a.test/mcp", "https://a.test:443/mcp", true},
		"default port 80": {"http://a.test:80/mcp", "HTTP://a.test/mcp", true},
		"port":            {"https://a.test/mcp", "https://a.test:8443/mcp", false},
		"host":            {"https://a.test/mcp", "https://evil.test/mcp", false},
		"subdomain":       {"https://a.test/mcp", "https://x.a.test/mcp", false},
		"scheme":          {"https://a.test/mcp", "http://a.test/mcp", false},
		"other scheme":    {"unix://a.test/mcp", "unix://a.test:1/mcp", false},
	} {
		t.Run(name, func(t *testing.T) {
			u, _ := url.Parse(test.endpoint)
			var got string
			wire := httpwire.New(httpwire.Options{
				Endpoint: u,
				Base: baseFunc(func(req *http.Request) (*http.Response, error) {
					got = req.Header.Get("X-Key")
					return reply(req, 202, "", strings.NewReader("")), nil
				}),
				Hooks: httpwire.Hooks{Headers: func(context.Context) (http.Header, error) {
					return http.Header{"X-Key": {"secret"}}, nil
				}},
			})
			defer wire.Close()
			req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, test.request, strings.NewReader(note))
			do(t, wire, req)
			if (got == "secret") != test.want {
				t.Errorf("sent %q", got)
			}
		})
	}
}

// A redirect takes the request to another host, but not what was added to it.
func TestRedirect(t *testing.T) {
	var keys []string
	note := func(name string, req *http.Request) {
		keys = append(keys, name+" "+req.Method+" "+req.Header.Get("X-Key"))
	}
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		note("other", req)
		if req.Method == http.MethodGet {
			io.WriteString(w, "<title>Sign in</title>")
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, "data: "+answer+"\n\n")
	}))
	defer other.Close()
	code := http.StatusTemporaryRedirect
	first := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		note("first", req)
		http.Redirect(w, req, other.URL, code)
	}))
	defer first.Close()
	rec := new(recorder)
	hooks := rec.hooks()
	hooks.Headers = func(context.Context) (http.Header, error) { return http.Header{"X-Key": {"secret"}}, nil }
	wire := httpwire.New(httpwire.Options{Hooks: hooks})
	defer wire.Close()
	client := wire.Client(nil)
	send := func() string {
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, first.URL, strings.NewReader(callMessage))
		req.Header.Set("Accept", "application/json, text/event-stream")
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		return string(body)
	}
	if diff := cmp.Diff([]string{answer}, messages(t, send())); diff != "" {
		t.Error(diff)
	}
	code = http.StatusFound // turns the POST into a GET
	if body := send(); !strings.Contains(body, `"id":7,"error"`) || !strings.Contains(body, "Sign in") {
		t.Errorf("got %s", body)
	}
	want := []string{"first POST secret", "other POST ", "first POST secret", "other GET "}
	if diff := cmp.Diff(want, keys); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	var statuses []int
	for _, a := range rec.answers {
		statuses = append(statuses, a.Status)
		if a.Method != "tools/call" || !a.Sent {
			t.Errorf("Responded was told %+v", a)
		}
	}
	if diff := cmp.Diff([]int{307, 200, 302, 200}, statuses); diff != "" {
		t.Error(diff)
	}
}

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
func TestSSEStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		rec := new(recorder)
		wire := httpwire.New(httpwire.Options{
			SSE:        true,
			MaxMessage: 500,
			Hooks:      rec.hooks(),
			Logger:     slog.New(slog.NewTextHandler(&log, nil)),
			Base: baseFunc(held(": hi\n\nevent: endpoint\ndata: /messages?id=1\n\nevent: ping\ndata: now\n\nid: 4\ndata:\n\n" +
				"data: " + strings.Repeat("x", 600) + "\n\ndata: nonsense\n\nid: 5\nevent: message\ndata: " + note + "\n\ndata: [" + ask + "," + answer + "]\n\n")),
		})
		connect, cancel := context.WithCancel(t.Context())
		defer cancel()
		resp, err := wire.RoundTrip(newGet(connect, ""))
		if err != nil {
			t.Fatal(err)
		}
		want := "event: endpoint\ndata: /messages?id=1\n\ndata: " + note + "\n\ndata: " + ask + "\n\ndata: " + answer + "\n\n"
		buf := make([]byte, len(want))
		for n := 0; n < len(want); {
			m, err := resp.Body.Read(buf[n:])
			if err != nil {
				t.Fatal(err)
			}
			n += m
			cancel() // once the first event is there, Connect's context is no matter
			synctest.Wait()
		}
		if string(buf) != want {
			t.Errorf("read %q, want %q", buf, want)
		}
		if diff := cmp.Diff([]string{"notifications/message", "elicitation/create"}, rec.methods()); diff != "" {
			t.Error(diff)
		}
		if !strings.Contains(log.String(), "too large") || !strings.Contains(log.String(), "nonsense") {
			t.Errorf("log: %s", &log)
		}
		wire.Close()
		if _, err := resp.Body.Read(buf); err == nil {
			t.Error("the stream outlived the session")
		}
		resp.Body.Close()
	})
}

func TestSSEStreamFailures(t *testing.T) {
	for name, test := range map[string]struct {
		step   func(*http.Request) (*http.Response, error)
		err    string
		status int
		told   httpwire.Answer
	}{
		"denied":   {step: status(401, "text/plain", "no"), status: 401, told: httpwire.Answer{Status: 401, Sent: true, Excerpt: "no"}},
		"web page": {step: status(200, "text/html", "<html>"), err: `HTTP 200 OK of type "text/html", which is not MCP: <html>`, told: httpwire.Answer{Status: 200, Sent: true, Excerpt: "<html>"}},
		"refused":  {step: refuse, err: "connection refused", told: httpwire.Answer{Sent: true, Err: errors.New("connection refused")}},
		"too late": {step: never, err: "context deadline exceeded", told: httpwire.Answer{Sent: true, Err: context.DeadlineExceeded}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				rec := new(recorder)
				wire := httpwire.New(httpwire.Options{SSE: true, Base: baseFunc(test.step), Hooks: rec.hooks()})
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				resp, err := wire.RoundTrip(newGet(ctx, ""))
				if test.err != "" {
					if err == nil || err.Error() != test.err {
						t.Errorf("error = %v", err)
					}
				} else if body, _ := io.ReadAll(resp.Body); resp.StatusCode != test.status || string(body) != "no" {
					t.Errorf("got %d %q", resp.StatusCode, body)
				}
				same := cmp.Comparer(func(a, b error) bool { return fmt.Sprint(a) == fmt.Sprint(b) })
				if diff := cmp.Diff([]httpwire.Answer{test.told}, rec.answers, same); diff != "" {
					t.Errorf("Responded was told (-want +got):\n%s", diff)
				}
			})
		})
	}
	// A POST is answered without content; an error is passed on as it is.
	rec := new(recorder)
	wire := httpwire.New(httpwire.Options{SSE: true, Base: baseFunc(status(404, "text/plain", "Session not found")), Hooks: rec.hooks()})
	defer wire.Close()
	if resp, body := do(t, wire, newPost(t.Context(), callMessage)); resp.StatusCode != 404 || body != "Session not found" {
		t.Errorf("got %d %q", resp.StatusCode, body)
	}
	if diff := cmp.Diff([]httpwire.Answer{{Method: "tools/call", Status: 404, Sent: true, SessionLost: true, Excerpt: "Session not found"}}, rec.answers); diff != "" {
		t.Error(diff)
	}
}
