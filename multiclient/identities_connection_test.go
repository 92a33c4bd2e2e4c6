package multiclient_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"strings"
	"testing"

	"github.com/langchaingo-mcp/mcpadapters/auth"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

func TestIdentitiesAreConfigured(t *testing.T) {
	personal := config.InMemory{Server: testserver.New("one").Server, Settings: own(config.Settings{})}
	for name, test := range map[string]struct {
		connection config.Connection
		identities multiclient.Identities
		want       string
	}{
		"no function": {personal, multiclient.Identities{}, `connection "one" has a session for each identity (sessionPolicy "per-identity"): set option Identities.Of`},
		"one handler for all": {
			config.StreamableHTTP{URL: "https://one.example.com", Settings: own(config.Settings{}), OAuthHandler: userHandler(t)},
			multiclient.Identities{Of: userOf}, `one OAuthHandler for all of them`,
		},
		"one cookie jar for all": {
			config.SSE{URL: "https://one.example.com", Settings: own(config.Settings{}), HTTP: config.HTTP{Client: clientWithJar(t)}},
			multiclient.Identities{Of: userOf}, `one cookie jar for all of them`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			options := &multiclient.Options{Identities: test.identities}
			if _, err := multiclient.New(config.Connections{"one": test.connection}, options); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v", err)
			}
			c := newClient(t, nil, options)
			if err := c.AddServer("one", test.connection); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("AddServer: error %v", err)
			}
		})
	}
	machine, err := auth.NewMachine(&auth.MachineOptions{ClientID: "nightly", ClientSecret: "planted-secret-of-nightly"})
	if err != nil {
		t.Fatal(err)
	}
	newPersonal(t, config.Connections{
		"one": config.StreamableHTTP{URL: "https://one.example.com", Settings: own(config.Settings{}), OAuthHandler: machine},
	}, nil)
}

func userHandler(t testing.TB) *auth.Handler {
	h, err := auth.NewUser(&auth.UserOptions{RedirectURL: "https://agent.example.com/callback"})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func clientWithJar(t testing.TB) *http.Client {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar}
}

// What belongs to one user is never given to another.
func TestConnectionsOfIdentities(t *testing.T) {
	const ann = "ann@example.com"
	h := userHandler(t)
	client := clientWithJar(t)
	refusal := fmt.Errorf("there is no token of %s", ann)
	derive := map[string]func(user string, c config.StreamableHTTP) (config.Connection, error){
		"is another identity's or server's too": func(_ string, c config.StreamableHTTP) (config.Connection, error) {
			c.OAuthHandler = h
			return c, nil
		},
		"the cookie jar of the connection that Identities.Connection gave is another identity's": func(_ string, c config.StreamableHTTP) (config.Connection, error) {
			c.Client = client
			return c, nil
		},
		"there is no token of [identity]": func(user string, c config.StreamableHTTP) (config.Connection, error) {
			if user == ann {
				return nil, refusal
			}
			return c, nil
		},
		"url": func(user string, c config.StreamableHTTP) (config.Connection, error) {
			if user == ann {
				c.URL = "" // is not valid
			}
			return c, nil
		},
		"Identities.Connection panicked with a string": func(user string, c config.StreamableHTTP) (config.Connection, error) {
			if user == ann {
				panic("no such user: " + user)
			}
			return c, nil
		},
	}
	for want, derive := range derive {
		t.Run(want, func(t *testing.T) {
			c := newPersonal(t, config.Connections{
				"one": config.StreamableHTTP{URL: testserver.New("one").HTTP(t, false), Settings: own(config.Settings{})},
			}, &multiclient.Options{Identities: multiclient.Identities{
				Connection: func(_ context.Context, user, _ string, c config.Connection) (config.Connection, error) {
					return derive(user, c.(config.StreamableHTTP))
				},
			}})
			if _, err := c.CallTool(as(t.Context(), "bob"), "one", "count", nil); err != nil {
				t.Fatal(err)
			}
			_, err := c.CallTool(as(t.Context(), ann), "one", "count", nil)
			if !errors.Is(err, multiclient.ErrUnavailable) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), ann) {
				t.Errorf("error %v, want %q and nobody's name", err, want)
			}
			if n := c.Status()[0].Identities; n != 1 {
				t.Errorf("%d identities have sessions", n)
			}
		})
	}
}

// A handler or a jar that another server uses is not an identity's own.
func TestConnectionsOfIdentitiesShareNothingWithServers(t *testing.T) {
	h, client := userHandler(t), clientWithJar(t)
	for name, derive := range map[string]func(config.StreamableHTTP) config.StreamableHTTP{
		"OAuthHandler": func(c config.StreamableHTTP) config.StreamableHTTP { c.OAuthHandler = h; return c },
		"cookie jar":   func(c config.StreamableHTTP) config.StreamableHTTP { c.Client = client; return c },
	} {
		t.Run(name, func(t *testing.T) {
			s := testserver.New("one")
			c := newPersonal(t, config.Connections{
				"one":   config.StreamableHTTP{URL: s.HTTP(t, false), Settings: own(config.Settings{})},
				"other": config.StreamableHTTP{URL: "https://other.example.com", OAuthHandler: h, HTTP: config.HTTP{Client: client}},
			}, &multiclient.Options{Identities: multiclient.Identities{
				Connection: func(_ context.Context, _, _ string, c config.Connection) (config.Connection, error) {
					return derive(c.(config.StreamableHTTP)), nil
				},
			}})
			_, err := c.CallTool(as(t.Context(), "bob"), "one", "count", nil)
			if !errors.Is(err, multiclient.ErrUnavailable) || !strings.Contains(err.Error(), "the "+name+" of the connection") {
				t.Errorf("got %v", err)
			}
			if n, _ := s.Received("tools/call"); n != 0 {
				t.Error("the server was called")
			}
		})
	}
}
