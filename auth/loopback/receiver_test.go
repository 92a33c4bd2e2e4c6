package loopback_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/auth"
	"github.com/langchaingo-mcp/mcpadapters/auth/loopback"
	"github.com/langchaingo-mcp/mcpadapters/internal/authserver"
)

const state = "of-this-one"

var prompt = &auth.Prompt{URL: "https://as.example.com/authorize?state=" + state}

var browser = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 10 * time.Second}

func request(t *testing.T, method, target, host string) (status int, page string, header http.Header) {
	t.Helper()
	req, err := http.NewRequest(method, target, nil)
	if err != nil {
		t.Fatal(err)
	}
	if host != "" {
		req.Host = host
	}
	resp, err := browser.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body), resp.Header
}

// receive begins to wait and returns the redirect URL and what Wait returns.
func receive(t *testing.T, r *loopback.Receiver) (string, <-chan url.Values) {
	t.Helper()
	shown := make(chan struct{})
	r.Visit = func(context.Context, *auth.Prompt) error {
		close(shown)
		return nil
	}
	rec, err := r.Receive(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { rec.Close() })
	got := make(chan url.Values, 1)
	go func() {
		query, err := rec.Wait(t.Context(), prompt)
		if err != nil {
			query = url.Values{"failed": {err.Error()}}
		}
		got <- query
	}()
	<-shown
	return rec.RedirectURL(), got
}

func TestOnlyTheRightRedirectIsTaken(t *testing.T) {
	redirect, got := receive(t, &loopback.Receiver{})
	right := redirect + "?state=" + state + "&code=" + authserver.Marker
	for name, test := range map[string]struct {
		method, target, host string
		status               int
	}{
		"another path":  {"GET", strings.Replace(right, "/callback", "/", 1), "", http.StatusNotFound},
		"another host":  {"GET", right, "rebound.example.com", http.StatusNotFound},
		"another state": {"GET", redirect + "?state=other&code=x", "", http.StatusBadRequest},
		"no state":      {"GET", redirect + "?code=x", "", http.StatusBadRequest},
		"a form":        {"POST", right, "", http.StatusMethodNotAllowed},
		"a look":        {"HEAD", right, "", http.StatusMethodNotAllowed},
	} {
		t.Run(name, func(t *testing.T) {
			if status, _, _ := request(t, test.method, test.target, test.host); status != test.status {
				t.Errorf("status %d, want %d", status, test.status)
			}
		})
	}
	status, page, header := request(t, "GET", right, "")
	if status != http.StatusOK || !strings.Contains(page, "close this window") {
		t.Errorf("status %d, page %s", status, page)
	}
	if strings.Contains(page, authserver.Marker) || strings.Contains(page, state) {
		t.Error("the page repeats what is secret")
	}
	for key, want := range map[string]string{"Referrer-Policy": "no-referrer", "Cache-Control": "no-store"} {
		if header.Get(key) != want {
			t.Errorf("%s: %q, want %q", key, header.Get(key), want)
		}
	}
	if query := <-got; query.Get("code") != authserver.Marker {
		t.Error("the query is not that of the redirect")
	}
}

func TestOneRedirectOnly(t *testing.T) {
	redirect, got := receive(t, &loopback.Receiver{Localhost: true, Path: "/back"})
	u, err := url.Parse(redirect)
	if err != nil || u.Hostname() != "localhost" || u.Path != "/back" {
		t.Fatalf("redirect URL %s", redirect)
	}
	target := "http://" + net.JoinHostPort("127.0.0.1", u.Port()) + "/back?error=access_denied&state=" + state
	if _, page, _ := request(t, "GET", target, u.Host); !strings.Contains(page, "not signed in") {
		t.Errorf("page %s", page)
	}
	<-got
	if status, _, _ := request(t, "GET", target, u.Host); status != http.StatusBadRequest {
		t.Errorf("the second time: status %d", status)
	}
}

func TestEnds(t *testing.T) {
	declined := errors.New("not now")
	for name, test := range map[string]struct {
		visit func(context.Context, *auth.Prompt) error
		want  string
	}{
		"the user declines":  {func(context.Context, *auth.Prompt) error { return declined }, "not now"},
		"the callback fails": {func(context.Context, *auth.Prompt) error { panic("oh") }, "panicked: oh"},
		"the bound passes":   {func(ctx context.Context, _ *auth.Prompt) error { <-ctx.Done(); return nil }, "deadline"},
	} {
		t.Run(name, func(t *testing.T) {
			rec, err := (&loopback.Receiver{Visit: test.visit}).Receive(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer rec.Close()
			ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer cancel()
			if test.want != "deadline" {
				ctx = t.Context()
			}
			if _, err := rec.Wait(ctx, prompt); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want %q in it", err, test.want)
			}
			if err := rec.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestUnusableReceivers(t *testing.T) {
	visit := func(context.Context, *auth.Prompt) error { return nil }
	rec, err := (&loopback.Receiver{Visit: visit}).Receive(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Close()
	taken, _ := url.Parse(rec.RedirectURL())
	port := 0
	fmt.Sscan(taken.Port(), &port)
	for name, r := range map[string]*loopback.Receiver{
		"no callback":   {},
		"a bad path":    {Visit: visit, Path: "callback"},
		"a query":       {Visit: visit, Path: "/callback?x"},
		"a port in use": {Visit: visit, Port: port},
	} {
		if _, err := r.Receive(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "loopback: ") {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if _, err := rec.Wait(t.Context(), &auth.Prompt{URL: "https://as.example.com/"}); err == nil {
		t.Error("a prompt without a state is shown")
	}
}

func TestAt(t *testing.T) {
	for redirect, want := range map[string]loopback.Receiver{
		"http://127.0.0.1/callback":                   {Path: "/callback"},
		"http://localhost:7777/oauth/callback":        {Path: "/oauth/callback", Port: 7777, Localhost: true},
		"http://localhost:0/":                         {Path: "/", Localhost: true},
		"https://localhost/callback":                  {},
		"http://localhost":                            {},
		"http://me.example.com/callback":              {},
		"http://[::1]:8080/callback":                  {},
		"http://localhost:99999/callback":             {},
		"http://u:plantedsecret@127.0.0.1:1/callback": {},
		"http://127.0.0.1:1/callback?x=plantedsecret": {},
		"localhost:8080/callback":                     {},
	} {
		got, err := loopback.At(redirect, nil)
		if refused := want.Path == ""; refused != (err != nil) {
			t.Errorf("%s: %v", redirect, err)
		} else if err != nil && strings.Contains(err.Error(), "plantedsecret") {
			t.Error("the error shows a secret")
		} else if !refused && (got.Path != want.Path || got.Port != want.Port || got.Localhost != want.Localhost) {
			t.Errorf("%s: %+v", redirect, got)
		}
	}
}
