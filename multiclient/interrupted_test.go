package multiclient_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// Who gives up on connecting is told what was said to its own attempt, and not to
// that of another who connects at the same time.
func TestInterruptedAttemptsAreOnesOwn(t *testing.T) {
	for _, policy := range []config.SessionPolicy{config.SessionPerCall, config.SessionPerIdentity} {
		t.Run(string(policy), func(t *testing.T) {
			hanging, end := make(chan string, 10), make(chan struct{})
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				user := r.Header.Get("User")
				if bytes.Contains(body, []byte(`"server/discover"`)) {
					http.Error(w, "no, "+user, http.StatusBadRequest)
					return
				}
				hanging <- user
				select {
				case <-end:
				case <-r.Context().Done():
				}
			}))
			t.Cleanup(func() { close(end); srv.CloseClientConnections(); srv.Close() })
			c := newClient(t, config.Connections{"one": config.StreamableHTTP{URL: srv.URL, Settings: config.Settings{SessionPolicy: policy}, HTTP: config.HTTP{
				HeaderSource: func(ctx context.Context) (http.Header, error) {
					return http.Header{"User": {fmt.Sprint(ctx.Value(userKey{}))}}, nil
				},
			}}}, &multiclient.Options{Identities: multiclient.Identities{Of: func(ctx context.Context) (string, error) { return fmt.Sprint(ctx.Value(userKey{})), nil }}})
			list := func(ctx context.Context) error { _, err := c.Tools(ctx); return err }
			call := func(ctx context.Context) error { _, err := c.CallTool(ctx, "one", "look", nil); return err }
			for _, first := range []string{"ann", "eve"} {
				asks := map[string]func(context.Context) error{"ann": list, "eve": call}
				ctx, cancel := context.WithCancel(t.Context())
				errs := map[string]chan error{"ann": make(chan error, 1), "eve": make(chan error, 1)}
				users := []string{first, map[string]string{"ann": "eve", "eve": "ann"}[first]}
				for _, user := range users {
					go func() { errs[user] <- asks[user](as(ctx, user)) }()
					if got := receive(t, hanging, "request"); got != user {
						t.Fatalf("%s asked", got)
					}
				}
				cancel()
				for _, user := range users {
					err := receive(t, errs[user], "error")
					if !errors.Is(err, context.Canceled) || strings.Count(err.Error(), "no, ") != 1 || !strings.Contains(err.Error(), "no, "+user) {
						t.Errorf("%s, %s first: %v", user, first, err)
					}
				}
			}
		})
	}
}
