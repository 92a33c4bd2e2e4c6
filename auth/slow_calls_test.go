package auth_test

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/auth"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/authserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// Nor does the time in which a user signs in, or agrees to more, count for the
// timeouts of calls. What comes after does.
func TestSlowUsersOfCalls(t *testing.T) {
	const thinks, callTimeout = 10 * time.Minute, time.Minute
	for _, policy := range []config.SessionPolicy{config.SessionShared, config.SessionPerIdentity} {
		t.Run(string(policy), func(t *testing.T) {
			bubble(t, func(t *testing.T, as *authserver.Server, r *authserver.Resource, o auth.Options) {
				r.ToolScopes = map[string]string{"echo": "more"}
				o.Timeout = time.Hour
				var hang atomic.Bool
				next := o.HTTPClient.Transport
				o.HTTPClient = &http.Client{Transport: tripper(func(req *http.Request) (*http.Response, error) {
					if hang.Load() {
						<-req.Context().Done()
						return nil, context.Cause(req.Context())
					}
					return next.RoundTrip(req)
				})}
				var p person
				h := newUser(t, auth.UserOptions{Options: o, Receiver: slow(&p, o, thinks)})
				plain := config.StreamableHTTP{URL: r.URL, HTTP: config.HTTP{Client: o.HTTPClient}, Settings: config.Settings{CallTimeout: callTimeout, SessionPolicy: policy}}
				own := plain
				own.OAuthHandler = h
				options := &multiclient.Options{}
				if policy == config.SessionPerIdentity {
					options.Identities = multiclient.Identities{
						Of:         func(context.Context) (string, error) { return "ann", nil },
						Connection: func(context.Context, string, string, config.Connection) (config.Connection, error) { return own, nil },
					}
				} else {
					plain = own
				}
				c, err := multiclient.New(config.Connections{"one": plain}, options)
				if err != nil {
					t.Fatal(err)
				}
				defer closing(t, c)
				begin := time.Now()
				if err := echo(t.Context(), c); err != nil {
					t.Error(err)
				}
				if took := time.Since(begin); took < 2*thinks || took > 2*thinks+callTimeout {
					t.Errorf("it took %v", took)
				}
				wantCount(t, "authorizations", int(p.asked.Load()), 2)
				hang.Store(true)
				defer hang.Store(false)
				begin = time.Now()
				err = echo(t.Context(), c)
				if took := time.Since(begin); !errors.Is(err, multiclient.ErrTimeout) || !errors.Is(err, context.DeadlineExceeded) || took != callTimeout {
					t.Errorf("a server that hangs: error %v after %v", err, took)
				}
			})
		})
	}
}
