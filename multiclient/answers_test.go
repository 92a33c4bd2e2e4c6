package multiclient_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/oauth2"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// What one request was answered is no part of the error of another, which may be
// somebody else's.
func TestErrorsHaveTheAnswerOfTheirRequest(t *testing.T) {
	const words = "you are not alice"
	type nobody struct{}
	s := testserver.New("one")
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.Server }, nil)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch {
		case bytes.Contains(body, []byte(`"count"`)):
			http.Error(w, words, http.StatusForbidden)
			return
		case bytes.Contains(body, []byte(`"block"`)):
			panic(http.ErrAbortHandler)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	c := newClient(t, config.Connections{"one": config.StreamableHTTP{URL: srv.URL, HTTP: config.HTTP{
		HeaderSource: func(ctx context.Context) (http.Header, error) {
			if ctx.Value(nobody{}) != nil {
				return nil, errors.New("no user")
			}
			return nil, nil
		},
	}}}, nil)
	ofNobody := context.WithValue(t.Context(), nobody{}, true)
	for name, request := range map[string]func() error{
		"not sent":      func() error { _, err := c.CallTool(ofNobody, "one", "echo", nil); return err },
		"no answer":     func() error { _, err := c.CallTool(t.Context(), "one", "block", nil); return err },
		"prompts":       func() error { _, err := c.Prompts(ofNobody); return err },
		"list of tools": func() error { _, err := c.Tools(ofNobody); return err },
	} {
		var e *multiclient.Error
		if _, err := c.CallTool(t.Context(), "one", "count", nil); !errors.As(err, &e) || e.Status != http.StatusForbidden || strings.Count(err.Error(), words) != 1 {
			t.Fatalf("the request that was answered: %v", err)
		}
		if err := request(); !errors.As(err, &e) || e.Status != 0 || e.Detail != "" || strings.Contains(err.Error(), words) {
			t.Errorf("%s: the error has the answer of the request before: %v", name, err)
		}
	}
}

type failingHandler struct{}

func (failingHandler) TokenSource(context.Context) (oauth2.TokenSource, error) { return nil, nil }
func (failingHandler) Authorize(context.Context, *http.Request, *http.Response) error {
	return errors.New("nobody signs in")
}

// What to do about a missing token depends on what is done already.
func TestAdviceAboutTokens(t *testing.T) {
	s := testserver.New("one")
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.Server }, nil)
	for name, first := range map[string]string{"on connecting": "", "on a call": `"tools/call"`} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if bytes.Contains(body, []byte(first)) {
				http.Error(w, "who are you?", http.StatusUnauthorized)
				return
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			handler.ServeHTTP(w, r)
		}))
		t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
		token := config.HTTP{Headers: http.Header{"Authorization": {"Bearer old"}}}
		given := func(ctx context.Context, req *interceptors.Request, next interceptors.Handler) (*mcp.CallToolResult, error) {
			req.Headers.Set("Authorization", "Bearer of the user")
			return next(ctx, req)
		}
		for _, connection := range []config.Connection{config.StreamableHTTP{URL: srv.URL}, config.StreamableHTTP{URL: srv.URL, HTTP: token}, config.SSE{URL: srv.URL}} {
			if first != "" && connection.Transport() == "sse" {
				continue
			}
			const want = "(it does not take the Authorization header that an interceptor has set)"
			c := newClient(t, config.Connections{"one": connection}, &multiclient.Options{Interceptors: []interceptors.Interceptor{given}})
			_, err := c.CallTool(t.Context(), "one", "count", nil)
			if !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "Bearer") {
				t.Errorf("%s: got %v, want %q", name, err, want)
			}
		}
		for want, connection := range map[string]config.Connection{
			"(it wants a token: set Headers, HeaderSource or OAuthHandler)": config.StreamableHTTP{URL: srv.URL},
			"(it does not take what Headers or HeaderSource give)":          config.StreamableHTTP{URL: srv.URL, HTTP: token},
			"nobody signs in": config.StreamableHTTP{URL: srv.URL, OAuthHandler: failingHandler{}},
			"(it wants a token: set Headers or HeaderSource)": config.SSE{URL: srv.URL},
		} {
			if first != "" && connection.Transport() == "sse" {
				continue
			}
			c := newClient(t, config.Connections{"one": connection}, nil)
			_, err := c.CallTool(t.Context(), "one", "count", nil)
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "(it ") != strings.HasPrefix(want, "(it ") {
				t.Errorf("%s: got %v, want %q", name, err, want)
			}
			if status := c.Status()[0]; first == "" && (status.LastError == nil || !strings.Contains(status.LastError.Error(), want)) {
				t.Errorf("the status has %v, want %q", status.LastError, want)
			}
		}
	}
}
