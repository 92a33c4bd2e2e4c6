package gateway_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
)

// That a server does not take the gateway is told, but not in the words of the
// server, which are about the gateway.
func TestAServerThatRefusesTheGateway(t *testing.T) {
	t.Parallel()
	s := testserver.New("s")
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.Server }, nil)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if bytes.Contains(body, []byte(`"tools/call"`)) {
			http.Error(w, "the token of tenant 17 has expired", http.StatusUnauthorized)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	h := newHouse(t, wires[0], config.Connections{"s": config.StreamableHTTP{URL: srv.URL}}, nil)
	_, err := h.enter(t, "alice").CallTool(t.Context(), &mcp.CallToolParams{Name: "count"})
	var told *jsonrpc.Error
	if !errors.As(err, &told) || told.Code != jsonrpc.CodeInternalError || !strings.Contains(told.Message, `server "s": refused by the server`) || strings.Contains(err.Error(), "tenant") {
		t.Errorf("got %v", err)
	}
}
