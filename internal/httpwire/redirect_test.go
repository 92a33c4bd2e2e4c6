package httpwire_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/langchaingo-mcp/mcpadapters/internal/httpwire"
)

// visits notes the requests that servers get.
type visits struct {
	mu  sync.Mutex
	all []string
}

func (v *visits) note(server string, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	v.mu.Lock()
	defer v.mu.Unlock()
	v.all = append(v.all, fmt.Sprintf("%s %s key=%s session=%s cookie=%s body=%d",
		server, req.Method, req.Header.Get("X-Key"), req.Header.Get("Mcp-Session-Id"), req.Header.Get("Cookie"), len(body)))
}

// await returns the requests so far, when there are some number of them.
func (v *visits) await(t *testing.T, n int) []string {
	t.Helper()
	for deadline := time.After(10 * time.Second); ; {
		v.mu.Lock()
		all := slices.Clone(v.all)
		v.mu.Unlock()
		if len(all) >= n {
			return all
		}
		select {
		case <-time.After(time.Millisecond):
		case <-deadline:
			t.Fatalf("there were but %d requests: %q", len(all), all)
		}
	}
}

// redirecting returns a server that redirects from /mcp with a status, and one
// of another origin. Where the first one's redirect leads to, it answers.
func redirecting(t *testing.T, v *visits, status int, location func(other string) string) (first *httptest.Server) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		v.note("other", req)
	}))
	t.Cleanup(other.Close)
	first = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		v.note("first", req)
		switch {
		case req.URL.Path == "/mcp":
			http.SetCookie(w, &http.Cookie{Name: "c", Value: "chocolate"})
			w.Header().Set("Location", location(other.URL))
			w.WriteHeader(status)
		case req.Method == http.MethodPost:
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, answer)
		case req.Method == http.MethodGet:
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, "data: "+note+"\n\n")
			w.(http.Flusher).Flush()
			<-req.Context().Done()
		default:
			w.WriteHeader(http.StatusNoContent)
		}
	}))
	t.Cleanup(first.Close)
	return first
}

// A redirect is followed if it keeps the method and the origin. Nobody else is
// told anything.
func TestRedirects(t *testing.T) {
	locations := map[string]func(first *httptest.Server) func(other string) string{
		"same origin":  func(*httptest.Server) func(string) string { return func(string) string { return "/mcp/" } },
		"other origin": func(*httptest.Server) func(string) string { return func(other string) string { return other + "/mcp" } },
		"downgrade": func(first *httptest.Server) func(string) string {
			return func(string) string { return strings.Replace(first.URL, "https://", "http://", 1) + "/mcp/" }
		},
	}
	for _, status := range []int{301, 302, 303, 307, 308} {
		for where, location := range locations {
			for _, method := range []string{http.MethodPost, http.MethodGet, http.MethodDelete} {
				t.Run(fmt.Sprint(status, " ", where, " ", method), func(t *testing.T) {
					var v visits
					var first *httptest.Server
					first = redirecting(t, &v, status, func(other string) string { return location(first)(other) })
					jar, _ := cookiejar.New(nil)
					rec := new(recorder)
					hooks := rec.hooks()
					hooks.Headers = func(context.Context) (http.Header, error) { return http.Header{"X-Key": {"secret-key"}}, nil }
					wire := httpwire.New(httpwire.Options{Hooks: hooks})
					defer wire.Close()
					base := first.Client()
					base.Jar = jar
					err := redirected(t, wire.Client(base), first.URL+"/mcp", method)
					kept := status >= 307 || method == http.MethodGet
					followed := where == "same origin" && kept
					want := []string{"first " + method}
					if followed {
						want = append(want, "first "+method)
					}
					seen := v.await(t, len(want))
					var got []string
					for i, visit := range seen {
						words := strings.SplitN(visit, " ", 3)
						got = append(got, words[0]+" "+words[1])
						if !strings.Contains(visit, "key=secret-key session=s-1") || method == http.MethodPost != strings.Contains(visit, fmt.Sprint("body=", len(callMessage))) ||
							(i > 0) != strings.Contains(visit, "chocolate") {
							t.Errorf("visit %d was %s", i, visit)
						}
					}
					if diff := cmp.Diff(want, got); diff != "" {
						t.Errorf("visits (-want +got):\n%s", diff)
					}
					switch {
					case followed && err != nil:
						t.Error(err)
					case !followed && method != http.MethodGet:
						says := "another origin"
						if where == "same origin" {
							says = "turn the " + method + " into a GET"
						}
						if err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), fmt.Sprint("HTTP ", status)) {
							t.Errorf("the error is %v, and does not say %q", err, says)
						}
					}
				})
			}
		}
	}
}

// redirected makes a request as the SDK does. A GET is for the stream of the
// session, which does not fail.
func redirected(t *testing.T, client *http.Client, url, method string) error {
	req, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if method == http.MethodPost {
		req, err = http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(callMessage))
	}
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Mcp-Session-Id", "s-1")
	req.Header.Set("Accept", "text/event-stream")
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if method == http.MethodPost {
		body, err := io.ReadAll(resp.Body)
		if string(body) != answer {
			t.Errorf("the answer is %s", body)
		}
		return err
	}
	return nil
}

func TestRedirectsThatTheCallerRefuses(t *testing.T) {
	var v visits
	first := redirecting(t, &v, 307, func(string) string { return "/mcp" }) // for ever
	for name, test := range map[string]struct {
		check func(*http.Request, []*http.Request) error
		says  string
	}{
		"for ever": {nil, "10th in a row"},
		"at once":  {func(*http.Request, []*http.Request) error { return fmt.Errorf("not that one") }, "not that one"},
		"by use of the last": {func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			"CheckRedirect"},
	} {
		wire := httpwire.New(httpwire.Options{})
		base := first.Client()
		base.CheckRedirect = test.check
		if err := redirected(t, wire.Client(base), first.URL+"/mcp", http.MethodPost); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v", name, err)
		}
		wire.Close()
	}
}

// What clients do not follow is an answer like any other.
func TestStatusesThatAreNoRedirects(t *testing.T) {
	for _, status := range []int{300, 304, 305, 306} {
		wire := httpwire.New(httpwire.Options{Base: baseFunc(func(req *http.Request) (*http.Response, error) {
			resp := reply(req, status, "text/plain", strings.NewReader("elsewhere"))
			resp.Header.Set("Location", "/elsewhere")
			return resp, nil
		})})
		resp, body := do(t, wire.Client(nil).Transport, newPost(t.Context(), callMessage))
		if resp.Header.Get("Content-Type") != "application/json" || !strings.Contains(body, fmt.Sprint("HTTP ", status)) {
			t.Errorf("%d became %s of type %s", status, body, resp.Header.Get("Content-Type"))
		}
		wire.Close()
	}
}
