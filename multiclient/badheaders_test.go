package multiclient_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
	"github.com/langchaingo-mcp/mcpadapters/interceptors/retry"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// A header that cannot be sent is the program's fault: the error says which it is and
// where it is from, not what it holds, and that trying again is in vain.
func TestHeadersThatCannotBeSent(t *testing.T) {
	t.Parallel()
	const secret = "s3cr3t-value"
	for name, test := range map[string]struct {
		header  http.Header
		opened  bool // there is a session before
		source  bool
		policy  config.SessionPolicy
		says    string
		connect bool // by HTTP+SSE
	}{
		"of an interceptor":                    {header: http.Header{"X-User": {secret + "\n"}}, opened: true, says: `"X-User"`},
		"of an interceptor, while connecting":  {header: http.Header{"X-User": {secret + "\n"}}, says: `"X-User"`},
		"of an interceptor, per call":          {header: http.Header{"X-User": {secret + "\r"}}, policy: config.SessionPerCall, says: `"X-User"`},
		"a name of an interceptor":             {header: http.Header{"X-User: " + secret: {"x"}}, opened: true, says: `"X-User"...`},
		"of a header source":                   {header: http.Header{"Authorization": {"Bearer " + secret + "\x00"}}, opened: true, source: true, says: `"Authorization"`},
		"of a header source, while connecting": {header: http.Header{"Authorization": {"Bearer " + secret + "\n"}}, source: true, says: `"Authorization"`},
		"a name of a header source":            {header: http.Header{"": {secret}}, opened: true, source: true, says: `""...`},
		"over SSE":                             {header: http.Header{"X-User": {secret + "\n"}}, opened: true, connect: true, says: `"X-User"`},
		"of a source, over SSE, connecting":    {header: http.Header{"X-User": {secret + "\n"}}, source: true, connect: true, says: `"X-User"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var requests, tries atomic.Int32
			var bad atomic.Bool
			s := testserver.New("one")
			var handler http.Handler = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.Server }, nil)
			if test.connect {
				handler = mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return s.Server }, nil)
			}
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if bad.Load() {
					requests.Add(1)
				}
				handler.ServeHTTP(w, r)
			}))
			t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
			own := config.HTTP{}
			from := "Request.Headers"
			if test.source {
				from = "the header source of the connection"
				own.HeaderSource = func(context.Context) (http.Header, error) {
					if bad.Load() {
						return test.header, nil
					}
					return nil, nil
				}
			}
			settings := config.Settings{SessionPolicy: test.policy, ProtocolVersion: "2025-11-25"}
			var connection config.Connection = config.StreamableHTTP{URL: srv.URL, HTTP: own, Settings: settings}
			if test.connect {
				connection = config.SSE{URL: srv.URL, HTTP: own, Settings: config.Settings{SessionPolicy: test.policy}}
			}
			c := newClient(t, config.Connections{"one": connection}, &multiclient.Options{Interceptors: []interceptors.Interceptor{
				retry.New(nil),
				func(ctx context.Context, req *interceptors.Request, next interceptors.Handler) (*mcp.CallToolResult, error) {
					if bad.Load() {
						tries.Add(1)
						req.Tool = &mcp.Tool{Name: req.ToolName, Annotations: &mcp.ToolAnnotations{IdempotentHint: true}}
						if !test.source {
							req.Headers = test.header
						}
					}
					return next(ctx, req)
				},
			}})
			if test.opened {
				if _, err := c.Tools(t.Context()); err != nil { // so that it says idempotentHint, too
					t.Fatal(err)
				}
			}
			bad.Store(true)
			_, err := c.CallTool(t.Context(), "one", "count", nil)
			bad.Store(false)
			var e *multiclient.Error
			if !errors.As(err, &e) || e.Kind != multiclient.ErrBadHeaders || !e.RetryAt.IsZero() {
				t.Errorf("got %v", err)
			} else {
				for _, want := range []string{test.says, from} {
					if !strings.Contains(err.Error(), want) {
						t.Errorf("%v does not say %s", err, want)
					}
				}
			}
			if strings.Contains(err.Error(), secret) {
				t.Errorf("it says what was to be sent: %v", err)
			}
			if requests.Load() != 0 || tries.Load() != 1 {
				t.Errorf("%d requests were sent, in %d attempts", requests.Load(), tries.Load())
			}
			if _, err := c.CallTool(t.Context(), "one", "count", nil); err != nil {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}

// Where no headers are sent none is wrong.
func TestHeadersThatAreNotSent(t *testing.T) {
	t.Parallel()
	c := newClient(t, config.Connections{"one": config.InMemory{Server: testserver.New("one").Server}}, &multiclient.Options{Interceptors: []interceptors.Interceptor{
		func(ctx context.Context, req *interceptors.Request, next interceptors.Handler) (*mcp.CallToolResult, error) {
			req.Headers = http.Header{"X-User": {"\n"}}
			return next(ctx, req)
		},
	}})
	if _, err := c.CallTool(t.Context(), "one", "count", nil); err != nil {
		t.Error(err)
	}
}
