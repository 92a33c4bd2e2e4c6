package httpwire_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/internal/httpwire"
)

type ownerKey struct{}

// Headers of the streams of a session come from who opened it, those of a call
// from its caller.
func TestHeadersAreAskedOfTheOwner(t *testing.T) {
	for name, test := range map[string]struct {
		req  func(ctx context.Context) *http.Request
		want string
	}{
		"listen":     {func(ctx context.Context) *http.Request { return newPost(ctx, listenMessage) }, "opener"},
		"standalone": {func(ctx context.Context) *http.Request { return newGet(ctx, "") }, "opener"},
		"call":       {func(ctx context.Context) *http.Request { return newPost(ctx, callMessage) }, "caller"},
	} {
		t.Run(name, func(t *testing.T) {
			asked := make(chan any, 10)
			wire := httpwire.New(httpwire.Options{
				Context: context.WithValue(t.Context(), ownerKey{}, "opener"),
				Hooks: httpwire.Hooks{Headers: func(ctx context.Context) (http.Header, error) {
					asked <- ctx.Value(ownerKey{})
					return nil, nil
				}},
				Base: baseFunc(func(req *http.Request) (*http.Response, error) {
					return reply(req, 405, "text/plain", strings.NewReader("")), nil
				}),
			})
			defer wire.Close()
			resp, err := wire.RoundTrip(test.req(context.WithValue(t.Context(), ownerKey{}, "caller")))
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if got := <-asked; got != test.want {
				t.Errorf("asked with the values of the %v, want %s", got, test.want)
			}
		})
	}
}

// Who is asked for headers and takes too long is told to stop when the request
// does not need them any more, whosever values he was given.
func TestHeadersAreAskedForAsLongAsTheRequestLasts(t *testing.T) {
	for name, req := range map[string]func(ctx context.Context) *http.Request{
		"call":   func(ctx context.Context) *http.Request { return newPost(ctx, callMessage) },
		"stream": func(ctx context.Context) *http.Request { return newGet(ctx, "") },
		"resume": func(ctx context.Context) *http.Request { return newGet(ctx, "4") },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ended := make(chan error, 10)
				wire := httpwire.New(httpwire.Options{
					Hooks: httpwire.Hooks{Headers: func(ctx context.Context) (http.Header, error) {
						<-ctx.Done()
						ended <- context.Cause(ctx)
						return nil, context.Cause(ctx)
					}},
					Base: baseFunc(refuse),
				})
				defer wire.Close()
				gaveUp := errors.New("gave up")
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(5*time.Second, func() { cancel(gaveUp) })
				resp, err := wire.RoundTrip(req(ctx))
				if name != "stream" && !errors.Is(err, gaveUp) {
					t.Errorf("the request gave %v", err)
				}
				if got := <-ended; !errors.Is(got, gaveUp) {
					t.Errorf("the hook was ended by %v", got)
				}
				if resp != nil {
					resp.Body.Close()
				}
			})
		})
	}
}

// That a server has no stream for the session is nothing to be warned of; that
// it has none any more is.
func TestWarningsOfStreams(t *testing.T) {
	for name, test := range map[string]struct {
		steps steps
		warns bool
	}{
		"no such method":  {steps{status(405, "text/plain", "")}, false},
		"no such page":    {steps{status(404, "text/plain", "")}, false},
		"bad request":     {steps{status(400, "text/plain", "what?")}, false},
		"no more of them": {steps{stream("data: " + note + "\n\n"), status(400, "text/plain", "what?")}, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var log bytes.Buffer
				wire := httpwire.New(httpwire.Options{
					Base:   &script{steps: test.steps},
					Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
				})
				w := openWatch(t, wire, newGet(t.Context(), ""))
				time.Sleep(time.Minute)
				synctest.Wait()
				if warned := strings.Contains(log.String(), "WARN"); warned != test.warns || !strings.Contains(log.String(), "given up") {
					t.Errorf("log: %s", &log)
				}
				wire.Close()
				<-w.ended
			})
		})
	}
}
