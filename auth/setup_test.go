package auth_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/auth"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/authserver"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

const callback = "http://127.0.0.1:1/callback"

// many is how many callers come at the same time.
const many = 32

// protected returns an authorization server and an MCP server that wants its
// tokens, whose sessions are stateful or not.
func protected(t *testing.T, stateless bool) (*authserver.Server, *authserver.Resource) {
	as := authserver.New(t)
	s := testserver.New("one")
	return as, as.Protect(t, mcp.NewStreamableHTTPHandler(
		func(*http.Request) *mcp.Server { return s.Server },
		&mcp.StreamableHTTPOptions{Stateless: stateless},
	))
}

// A person signs in by a browser.
type person struct {
	asked atomic.Int64

	mu      sync.Mutex
	prompts []auth.Prompt
	answer  func(ctx context.Context, p *auth.Prompt) (url.Values, error) // nil: agrees
}

func (p *person) receiver() auth.Redirect {
	return auth.Redirect{URL: callback, Visit: func(ctx context.Context, prompt *auth.Prompt) (url.Values, error) {
		p.asked.Add(1)
		p.mu.Lock()
		p.prompts = append(p.prompts, *prompt)
		answer := p.answer
		p.mu.Unlock()
		if answer != nil {
			return answer(ctx, prompt)
		}
		return authserver.Agree(prompt.URL)
	}}
}

func newUser(t *testing.T, o auth.UserOptions) *auth.Handler {
	t.Helper()
	h, err := auth.NewUser(&o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func newMachine(t *testing.T, o auth.MachineOptions) *auth.Handler {
	t.Helper()
	h, err := auth.NewMachine(&o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// newClient returns a client of the one server, "one".
func newClient(t *testing.T, r *authserver.Resource, h *auth.Handler) *multiclient.MultiServerClient {
	t.Helper()
	c, err := multiclient.New(config.Connections{"one": config.StreamableHTTP{URL: r.URL, OAuthHandler: h}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func echo(ctx context.Context, c *multiclient.MultiServerClient) error {
	_, err := c.CallTool(ctx, "one", "echo", map[string]any{"text": "x"})
	return err
}

// together runs f for many callers at once and returns their errors.
func together(f func(i int) error) []error {
	errs := make([]error, many)
	begin := make(chan struct{})
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			<-begin
			errs[i] = f(i)
		})
	}
	close(begin)
	wg.Wait()
	return errs
}

func noErrors(t *testing.T, errs []error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// wantError checks the kind of an error, and that it holds no secret.
func wantError(t *testing.T, err error, kind auth.ErrorKind) *auth.Error {
	t.Helper()
	var e *auth.Error
	if !errors.As(err, &e) || !errors.Is(err, kind) {
		t.Fatalf("the error is %v, want an *auth.Error of kind %q", err, kind)
	}
	if text := err.Error(); strings.Contains(text, authserver.Marker) {
		t.Error("the error shows a secret")
	}
	return e
}

// refreshes counts the uses of refresh tokens.
func refreshes(as *authserver.Server) (n int) {
	for _, form := range as.TokenRequests() {
		if form.Get("grant_type") == "refresh_token" {
			n++
		}
	}
	return n
}

func wantCount(t *testing.T, what string, got, want int) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %d, want %d", what, got, want)
	}
}

func wantGeneration(t *testing.T, c *multiclient.MultiServerClient, want int) {
	t.Helper()
	wantCount(t, "sessions that were opened", c.Status()[0].Generation, want)
}
