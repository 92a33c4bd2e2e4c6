package multiclient_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

type userKey struct{}

// as returns the context of a request of the user.
func as(ctx context.Context, user string) context.Context {
	return context.WithValue(ctx, userKey{}, user)
}

var errAnonymous = errors.New("nobody is signed in")

// userOf says whose a request is by its context.
func userOf(ctx context.Context) (string, error) {
	user, ok := ctx.Value(userKey{}).(string)
	if !ok {
		return "", errAnonymous
	}
	return user, nil
}

// everybody calls a tool many times for each of many users, all at the same time,
// and gives each result to check, which is called concurrently.
func everybody(t testing.TB, c *multiclient.MultiServerClient, users, calls int, name, tool string, arguments map[string]any, check func(user, text string)) {
	t.Helper()
	var wg sync.WaitGroup
	for u := range users {
		for range calls {
			wg.Go(func() {
				user := fmt.Sprint(name, u)
				switch res, err := c.CallTool(as(t.Context(), user), "one", tool, arguments); {
				case err != nil:
					t.Error(strings.ReplaceAll(err.Error(), user, "USER"))
				default:
					check(user, textOf(res))
				}
			})
		}
	}
	wg.Wait()
}

// own returns the settings of a connection with a session for each identity.
func own(settings config.Settings) config.Settings {
	settings.SessionPolicy = config.SessionPerIdentity
	return settings
}

// tokenOf is the token that withTokens gives a user.
func tokenOf(user string) string { return "planted-secret-of-" + user }

// withTokens gives each user a connection with a token of theirs.
func withTokens(_ context.Context, user, _ string, connection config.Connection) (config.Connection, error) {
	switch c := connection.(type) {
	case config.StreamableHTTP:
		c.Headers = http.Header{"Authorization": {"Bearer " + tokenOf(user)}}
		return c, nil
	case config.Stdio:
		env := map[string]string{"TOKEN": tokenOf(user)}
		maps.Copy(env, c.Env)
		c.Env = env
		return c, nil
	}
	return connection, nil
}

// An audit records which tokens came with each session.
type audit struct {
	mu     sync.Mutex
	tokens map[string]map[string]bool // by the id of the session
	ended  int                        // sessions
}

// serve serves by streamable HTTP, until the test ends, what server returns for
// the token of each session, or of each request if there are no sessions.
func (a *audit) serve(t testing.TB, stateless bool, server func(token string) *mcp.Server) string {
	handler := mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		return server(r.Header.Get("Authorization"))
	}, &mcp.StreamableHTTPOptions{Stateless: stateless, PropagateRequestCancellation: true})
	srv := httptest.NewServer(a.watch(handler))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return srv.URL
}

// watch notes the requests to the handler.
func (a *audit) watch(handler http.Handler) http.Handler {
	a.tokens = map[string]map[string]bool{}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := r.Header.Get("Mcp-Session-Id")
		a.mu.Lock()
		if a.tokens[id] == nil {
			a.tokens[id] = map[string]bool{}
		}
		a.tokens[id][r.Header.Get("Authorization")] = true
		if r.Method == http.MethodDelete {
			a.ended++
		}
		a.mu.Unlock()
		handler.ServeHTTP(w, r)
	})
}

// check reports sessions that saw more than one token, and returns the number of
// sessions.
func (a *audit) check(t testing.TB) int {
	t.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	sessions := 0
	for id, tokens := range a.tokens {
		if id == "" {
			continue // before there is one, or where there are none
		}
		sessions++
		if len(tokens) != 1 || tokens[""] {
			t.Errorf("a session saw %d different tokens, want the one of its identity", len(tokens))
		}
	}
	return sessions
}

// newPersonal returns a client whose requests are those of the user in their
// context.
func newPersonal(t testing.TB, connections config.Connections, options *multiclient.Options) *multiclient.MultiServerClient {
	t.Helper()
	opts := multiclient.Options{}
	if options != nil {
		opts = *options
	}
	opts.Identities.Of = userOf
	return newClient(t, connections, &opts)
}
