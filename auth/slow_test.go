package auth_test

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	"golang.org/x/oauth2"

	"github.com/langchaingo-mcp/mcpadapters/auth"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/authserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// slow is a person who takes their time.
func slow(p *person, o auth.Options, d time.Duration) auth.Redirect {
	receiver := agreeing(p, o)
	agree := p.answer
	p.answer = func(ctx context.Context, prompt *auth.Prompt) (url.Values, error) {
		select {
		case <-time.After(d):
			return agree(ctx, prompt)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return receiver
}

// bubbleClient returns a client of the one server, "one", without a network.
func bubbleClient(t *testing.T, r *authserver.Resource, h sdkauth.OAuthHandler, o auth.Options) *multiclient.MultiServerClient {
	t.Helper()
	c, err := multiclient.New(config.Connections{"one": config.StreamableHTTP{
		URL: r.URL, OAuthHandler: h, HTTP: config.HTTP{Client: o.HTTPClient},
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func closing(t *testing.T, c *multiclient.MultiServerClient) {
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// A user takes longer than a server may take to connect or to list.
func TestSlowUsers(t *testing.T) {
	for name, ask := range map[string]func(context.Context, *multiclient.MultiServerClient) error{
		"tools": func(ctx context.Context, c *multiclient.MultiServerClient) error {
			tools, err := c.Tools(ctx)
			if err == nil && len(tools) == 0 {
				return errors.New("there are no tools")
			}
			return err
		},
		"prompts": func(ctx context.Context, c *multiclient.MultiServerClient) error {
			_, err := c.Prompts(ctx)
			return err
		},
		"call": echo,
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, as *authserver.Server, r *authserver.Resource, o auth.Options) {
				var p person
				c := bubbleClient(t, r, newUser(t, auth.UserOptions{Options: o, Receiver: slow(&p, o, 4*time.Minute)}), o)
				defer closing(t, c)
				begin := time.Now()
				if err := ask(t.Context(), c); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(begin); took < 4*time.Minute || took > 4*time.Minute+multiclient.DefaultConnectTimeout {
					t.Errorf("it took %v", took)
				}
				wantCount(t, "authorizations", int(p.asked.Load()), 1)
				wantGeneration(t, c, 1)
			})
		})
	}
}

// One who never comes is waited for as long as the sign-in says.
func TestUsersWhoNeverCome(t *testing.T) {
	bubble(t, func(t *testing.T, as *authserver.Server, r *authserver.Resource, o auth.Options) {
		var p person
		c := bubbleClient(t, r, newUser(t, auth.UserOptions{Options: o, Receiver: slow(&p, o, time.Hour)}), o)
		defer closing(t, c)
		begin := time.Now()
		_, err := c.Tools(t.Context())
		wantError(t, err, auth.ErrTimeout)
		if took := time.Since(begin); took < auth.DefaultUserTimeout || took > auth.DefaultUserTimeout+time.Second {
			t.Errorf("it took %v", took)
		}
	})
}

// The caller need not wait.
func TestCallersOfSlowUsers(t *testing.T) {
	bubble(t, func(t *testing.T, as *authserver.Server, r *authserver.Resource, o auth.Options) {
		var p person
		c := bubbleClient(t, r, newUser(t, auth.UserOptions{Options: o, Receiver: slow(&p, o, 4*time.Minute)}), o)
		defer closing(t, c)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		begin := time.Now()
		if _, err := c.Tools(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != time.Minute {
			t.Errorf("error %v after %v", err, time.Since(begin))
		}
		if _, err := c.Tools(t.Context()); err != nil {
			t.Error(err)
		}
		wantCount(t, "authorizations", int(p.asked.Load()), 1)
	})
}

// A server that does not answer is given up as if nobody had signed in.
func TestServersThatHangAfterwards(t *testing.T) {
	bubble(t, func(t *testing.T, as *authserver.Server, r *authserver.Resource, o auth.Options) {
		var p person
		h := newUser(t, auth.UserOptions{Options: o, Receiver: slow(&p, o, 3*time.Minute)})
		o.HTTPClient = &http.Client{Transport: hanging{next: o.HTTPClient.Transport, path: "/mcp"}}
		c := bubbleClient(t, r, h, o)
		defer closing(t, c)
		begin := time.Now()
		_, err := c.Tools(t.Context())
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		if took := time.Since(begin); took != 3*time.Minute+multiclient.DefaultConnectTimeout {
			t.Errorf("it took %v", took)
		}
	})
}

// hanging leaves requests for a path unanswered that carry a token.
type hanging struct {
	next http.RoundTripper
	path string
}

func (h hanging) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Path == h.path && req.Header.Get("Authorization") != "" {
		<-req.Context().Done()
		return nil, context.Cause(req.Context())
	}
	return h.next.RoundTrip(req)
}

// The steps of a user's authorization in which no user takes part are bounded
// as those of machines.
func TestHangingAuthorizationServers(t *testing.T) {
	for _, path := range []string{"/.well-known/oauth-authorization-server", "/register", "/token"} {
		t.Run(path, func(t *testing.T) {
			bubble(t, func(t *testing.T, as *authserver.Server, r *authserver.Resource, o auth.Options) {
				var p person
				receiver := agreeing(&p, o)
				o.HTTPClient = &http.Client{Transport: silent{next: o.HTTPClient.Transport, path: path}}
				h := newUser(t, auth.UserOptions{Options: o, Receiver: receiver})
				begin := time.Now()
				wantError(t, h.SignIn(t.Context(), r.URL), auth.ErrTimeout)
				if took := time.Since(begin); took != auth.DefaultMachineTimeout {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}

// silent leaves requests for a path unanswered.
type silent struct {
	next http.RoundTripper
	path string
}

func (s silent) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Path == s.path {
		<-req.Context().Done()
		return nil, context.Cause(req.Context())
	}
	return s.next.RoundTrip(req)
}

// slowHandler is a handler of somebody else's, whose user takes their time.
type slowHandler struct {
	sdkauth.OAuthHandler
	d time.Duration
}

func (s slowHandler) Authorize(ctx context.Context, req *http.Request, resp *http.Response) error {
	time.Sleep(s.d)
	return s.OAuthHandler.Authorize(ctx, req, resp)
}

func (s slowHandler) TokenSource(ctx context.Context) (oauth2.TokenSource, error) {
	return s.OAuthHandler.TokenSource(ctx)
}

func TestSlowUsersOfOtherHandlers(t *testing.T) {
	bubble(t, func(t *testing.T, as *authserver.Server, r *authserver.Resource, o auth.Options) {
		var p person
		h := newUser(t, auth.UserOptions{Options: o, Receiver: agreeing(&p, o)})
		c := bubbleClient(t, r, slowHandler{h, 4 * time.Minute}, o)
		defer closing(t, c)
		if _, err := c.Tools(t.Context()); err != nil {
			t.Error(err)
		}
		synctest.Wait()
	})
}
