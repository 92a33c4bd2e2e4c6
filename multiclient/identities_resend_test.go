package multiclient_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// What the server says of a tool to one user says nothing of what another's does.
func TestToolOfAnotherIsNotCalledTwice(t *testing.T) {
	var runs atomic.Int32
	server := func(annotations *mcp.ToolAnnotations) *mcp.Server {
		s := mcp.NewServer(&mcp.Implementation{Name: "s"}, nil)
		s.AddTool(&mcp.Tool{Name: "pay", Annotations: annotations, InputSchema: map[string]any{"type": "object"}}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			runs.Add(1)
			return &mcp.CallToolResult{}, nil
		})
		return s
	}
	trial, real := server(&mcp.ToolAnnotations{ReadOnlyHint: true}), server(nil)
	handler := mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		if r.Header.Get("Authorization") == "Bearer "+tokenOf("ann") {
			return trial
		}
		return real
	}, &mcp.StreamableHTTPOptions{Stateless: true})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if !bytes.Contains(body, []byte(`"tools/call"`)) {
			handler.ServeHTTP(w, r)
			return
		}
		handler.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler) // the answer never leaves
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	c := newPersonal(t, config.Connections{"one": config.StreamableHTTP{URL: srv.URL, Settings: own(config.Settings{})}},
		&multiclient.Options{Identities: multiclient.Identities{Connection: withTokens}})
	tool, err := c.Tool(as(t.Context(), "ann"), "pay")
	if err != nil {
		t.Fatal(err)
	}
	for user, want := range map[string]int32{"bob": 1, "ann": 3} {
		runs.Store(0)
		if _, err := tool.Call(as(t.Context(), user), "{}"); !errors.Is(err, multiclient.ErrLost) || runs.Load() != want {
			t.Errorf("%s: it ran %d times, want %d, and gave %v", user, runs.Load(), want, err)
		}
	}
}
