package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/internal/authserver"
)

// fakeBrowser names the variable that makes the test binary a browser.
const fakeBrowser = "INSPECT_TEST_BROWSER"

// browse is the browser of a user who agrees: it visits a page and goes where
// it is sent to.
func browse(page string) error {
	resp, err := http.Get(page)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the page is %s", resp.Status)
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// A reader of what is printed visits the pages that are to be visited.
type reader struct {
	visit func(page string)

	mu    sync.Mutex
	text  bytes.Buffer
	pages int
}

var page = regexp.MustCompile(`(?m)^http://\S+/authorize\?\S+$`)

func (r *reader) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text.Write(b)
	found := page.FindAllString(r.text.String(), -1)
	for ; r.pages < len(found); r.pages++ {
		go r.visit(found[r.pages])
	}
	return len(b), nil
}

// inspectAs runs the program for a user who visits the pages that it prints,
// and returns how many those were.
func inspectAs(ctx context.Context, visit func(page string), args ...string) (ran, int) {
	var stdout bytes.Buffer
	stderr := &reader{visit: visit}
	status := run(ctx, args, strings.NewReader(""), &stdout, stderr)
	stderr.mu.Lock()
	defer stderr.mu.Unlock()
	return ran{status, stdout.String(), stderr.text.String()}, stderr.pages
}

// visiting returns a visit that fails the test unless it can be made.
func visiting(t *testing.T) func(string) {
	return func(page string) {
		if err := browse(page); err != nil {
			t.Error(err)
		}
	}
}

// noSecrets fails the test if the program printed a token.
func (r ran) noSecrets(t testing.TB) {
	t.Helper()
	if strings.Contains(r.stdout+r.stderr, authserver.Marker) {
		t.Error("a secret is told")
	}
}

// locked returns a configuration of two servers that want users to sign in.
func locked(t *testing.T) (*authserver.Server, string) {
	as := authserver.New(t)
	protect := func(s *mcp.Server) string {
		return as.Protect(t, mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)).URL
	}
	return as, configure(t, entries{"library": url(protect(library(t, nil))), "twin": url(protect(twin()))})
}

func TestLogin(t *testing.T) {
	as, config := locked(t)
	tokens := filepath.Join(t.TempDir(), "new", "tokens.json")
	for run, want := range []struct {
		pages, authorizations int
		stderr                string
	}{{2, 2, "library: sign in at "}, {0, 2, ""}} {
		r, pages := inspectAs(t.Context(), visiting(t), "-config", config, "-login", "-tokens", tokens, "servers")
		r.must(t, statusOK, "twin", want.stderr)
		r.noSecrets(t)
		if pages != want.pages || as.Count("authorize") != want.authorizations {
			t.Errorf("run %d: %d pages, %d authorizations", run, pages, as.Count("authorize"))
		}
	}
	if info, err := os.Stat(tokens); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file of tokens: %v, %v", info, err)
	}
}

func TestLoginForgets(t *testing.T) {
	as, config := locked(t)
	for range 2 {
		r, pages := inspectAs(t.Context(), visiting(t), "-config", config, "-login", "-json", "-server", "twin", "call", "search")
		r.must(t, statusOK, "found the twin", "twin: sign in at ")
		r.noSecrets(t)
		if problems := errorsOf(t, r); pages != 1 || len(problems) != 0 {
			t.Errorf("%d pages, problems %+v", pages, problems)
		}
	}
	if n := as.Count("register"); n != 2 {
		t.Errorf("%d registrations", n)
	}
}

func TestLoginIsNotAskedFor(t *testing.T) {
	_, config := locked(t)
	r := inspect(t, "-config", config, "tools")
	r.must(t, statusFailed, "", "; -login signs in")
	r.noSecrets(t)
	r = inspect(t, "-config", config, "-json", "tools")
	for _, p := range errorsOf(t, r) {
		if p.Status != http.StatusUnauthorized || !strings.HasSuffix(p.Message, "; -login signs in") {
			t.Errorf("problem %+v", p)
		}
	}
	plain := httpServer(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "who is there?", http.StatusUnauthorized) })
	refused := configure(t, entries{
		"old":    {"url": plain + "/sse"},
		"header": {"url": plain, "headers": map[string]any{"Authorization": "Bearer " + authserver.Marker}},
	})
	r = inspect(t, "-config", refused, "-login", "tools")
	r.must(t, statusFailed, "", "; there is no signing in over this transport: give a token in headers")
	r.must(t, statusFailed, "", "; the Authorization of the configuration was refused: leave it out to sign in with -login")
	r.noSecrets(t)
}

func httpServer(t *testing.T, handler http.HandlerFunc) string {
	srv := &http.Server{Handler: handler}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go srv.Serve(listener)
	t.Cleanup(func() { srv.Close() })
	return "http://" + listener.Addr().String()
}

// TestLoginAsConfigured signs in as the client that the file names.
func TestLoginAsConfigured(t *testing.T) {
	as := authserver.New(t)
	as.NoRegistration = true
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	redirect := "http://" + listener.Addr().String() + "/oauth/back"
	listener.Close()
	secret := authserver.Secret()
	as.AddClient("me", secret, nil, redirect)
	s := twin()
	protected := as.Protect(t, mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
	protected.Scopes = []string{"read"}
	t.Setenv("INSPECT_TEST_SECRET", secret)
	config := configure(t, entries{"twin": {"url": protected.URL, "oauth": map[string]any{
		"clientId": "me", "clientSecret": "${INSPECT_TEST_SECRET}", "redirectUrl": redirect, "scopes": []string{"read", "more"}, "issuer": as.URL,
	}}})
	r, _ := inspectAs(t.Context(), visiting(t), "-config", config, "-login", "call", "search")
	r.must(t, statusOK, "found the twin", " (read, more):\n")
	r.noSecrets(t)

	// Several servers may have the same port.
	other := as.Protect(t, mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil)).URL
	client := map[string]any{"clientId": "me", "clientSecret": "${INSPECT_TEST_SECRET}", "redirectUrl": redirect, "scopes": "read"}
	both := configure(t, entries{"twin": {"url": protected.URL, "oauth": client}, "other": {"url": other, "oauth": client}})
	r, pages := inspectAs(t.Context(), visiting(t), "-config", both, "-login", "tools")
	r.must(t, statusOK, "other_search", "other: sign in at ")
	if pages != 2 {
		t.Errorf("%d pages", pages)
	}

	elsewhere := configure(t, entries{"twin": {"url": protected.URL, "oauth": map[string]any{"clientId": "me", "redirectUrl": "https://me.example.com/back"}}})
	inspect(t, "-config", elsewhere, "-login", "tools").must(t, statusUsage, "", `server "twin" cannot be signed in to: loopback: the redirect URL is none of this machine`)
}

func TestBrowser(t *testing.T) {
	_, config := locked(t)
	t.Setenv("BROWSER", os.Args[0])
	t.Setenv(fakeBrowser, "1")
	r, _ := inspectAs(t.Context(), func(string) {}, "-config", config, "-login", "-browser", "-server", "twin", "call", "search")
	r.must(t, statusOK, "found the twin", "twin: sign in at ")

	// One that cannot be started leaves the user with the printed page.
	t.Setenv("BROWSER", filepath.Join(t.TempDir(), "nonesuch"))
	r, _ = inspectAs(t.Context(), visiting(t), "-config", config, "-login", "-browser", "-server", "twin", "call", "search")
	r.must(t, statusOK, "found the twin", "twin: no browser was opened: ")
}

// TestLoginIsGivenUp: the program ends when it is told to, whoever has not
// signed in.
func TestLoginIsGivenUp(t *testing.T) {
	_, config := locked(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, _ := inspectAs(ctx, func(string) { cancel() }, "-config", config, "-login", "tools")
	r.must(t, statusFailed, "", "context canceled")
}
