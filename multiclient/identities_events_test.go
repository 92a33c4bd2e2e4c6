package multiclient_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/auth"
	"github.com/langchaingo-mcp/mcpadapters/auth/filestore"
	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	tolog "github.com/langchaingo-mcp/mcpadapters/callbacks/logging"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/authserver"
	"github.com/langchaingo-mcp/mcpadapters/internal/leak"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// What servers ask and tell comes with the identity that it is for, on every
// wire, and the ready-made log leaves it out.
func TestConcurrentEventsOfIdentities(t *testing.T) {
	onEachWire(t, func(t *testing.T, w wire) {
		var log account
		logger := slog.New(slog.NewJSONHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
		var mu sync.Mutex
		wrong, connected := 0, map[string]int{}
		check := func(ctx context.Context, cc callbacks.CallbackContext) string {
			mu.Lock()
			defer mu.Unlock()
			// Of a call the context tells it too.
			if user, _ := ctx.Value(userKey{}).(string); cc.Identity == "" || user != "" && user != cc.Identity {
				wrong++
			}
			return cc.Identity
		}
		cb := callbacks.Merge(callbacks.Callbacks{
			OnElicitation: func(ctx context.Context, cc callbacks.CallbackContext, _ *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
				return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"word": check(ctx, cc)}}, nil
			},
			OnProgress: func(ctx context.Context, cc callbacks.CallbackContext, _ *mcp.ProgressNotificationParams) {
				check(ctx, cc)
			},
			OnLoggingMessage: func(ctx context.Context, cc callbacks.CallbackContext, _ *mcp.LoggingMessageParams) {
				check(ctx, cc)
			},
			OnConnectionState: func(_ context.Context, cc callbacks.CallbackContext, change callbacks.ConnectionChange) {
				mu.Lock()
				defer mu.Unlock()
				if change.State == callbacks.Connected {
					connected[cc.Identity]++
				}
			},
		}, tolog.New(logger, &tolog.Options{Progress: true, Connections: true, Changes: true, Tools: true, TransportErrors: true}))
		c := newPersonal(t, config.Connections{"one": w.connect(t, testserver.New("one"), own(config.Settings{}))}, &multiclient.Options{
			Callbacks: cb, Logger: logger,
		})
		users, calls := 8, 4
		if w.process() {
			users = 3
		}
		everybody(t, c, users, calls, "planted-secret-user-", "ask_0", map[string]any{"id": "x"}, func(user, text string) {
			if !strings.Contains(text, user) {
				t.Error("the answer was another user's")
			}
		})
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		if wrong > 0 {
			t.Errorf("%d events had no identity or that of another", wrong)
		}
		if len(connected) != users {
			t.Errorf("%d identities were told to be connected, want %d", len(connected), users)
		}
		if text := log.String(); text == "" || strings.Contains(text, "planted-secret-user") {
			t.Errorf("a log of %d bytes, which may hold identities", len(text))
		}
	})
}

// Each user signs in for themselves, has their own tokens in the common store,
// and finds them there again.
func TestConcurrentSignInOfIdentities(t *testing.T) {
	leak.Check(t)
	issuer := authserver.New(t)
	a := &audit{}
	s := testserver.New("one")
	resource := issuer.Protect(t, a.watch(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.Server }, nil)))
	store := filestore.New(filepath.Join(t.TempDir(), "tokens.json"))
	const users, calls = 8, 4
	asked := map[string]int{}
	var mu sync.Mutex
	connections := config.Connections{"one": config.StreamableHTTP{URL: resource.URL, Settings: own(config.Settings{})}}
	options := func() *multiclient.Options {
		return &multiclient.Options{Identities: multiclient.Identities{
			Connection: func(_ context.Context, user, _ string, connection config.Connection) (config.Connection, error) {
				signIn, err := auth.NewUser(&auth.UserOptions{
					Options: auth.Options{Store: store, Identity: user, HTTPClient: issuer.Client()},
					Receiver: &auth.Redirect{URL: "http://127.0.0.1:1/callback", Visit: func(_ context.Context, prompt *auth.Prompt) (url.Values, error) {
						mu.Lock()
						asked[user]++
						mu.Unlock()
						return authserver.Agree(prompt.URL)
					}},
				})
				if err != nil {
					return nil, err
				}
				c := connection.(config.StreamableHTTP)
				c.OAuthHandler = signIn
				return c, nil
			},
		}}
	}
	tokens := map[string]string{}
	for round := range 2 { // of the program
		c := newPersonal(t, connections, options())
		everybody(t, c, users, calls, "user", "header", map[string]any{"name": "Authorization"}, func(user, text string) {
			mu.Lock()
			defer mu.Unlock()
			if have := tokens[user]; have != "" && have != text {
				t.Errorf("round %d: %s has two tokens", round, user)
			}
			tokens[user] = text
		})
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	distinct := map[string]bool{}
	for _, token := range tokens {
		distinct[token] = true
	}
	if len(distinct) != users {
		t.Errorf("%d tokens for %d users", len(distinct), users)
	}
	for user := range tokens {
		if n := asked[user]; n != 1 {
			t.Errorf("%s was asked %d times", user, n)
		}
	}
	if n := a.check(t); n != 2*users {
		t.Errorf("%d sessions, want %d", n, 2*users)
	}
}
