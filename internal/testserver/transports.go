package testserver

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
)

// HTTP serves the server by streamable HTTP until the test ends and returns
// the URL. A stateless handler speaks 2026-07-28, another one up to
// 2025-11-25.
func (s *Server) HTTP(tb testing.TB, stateless bool) string {
	return serve(tb, mcp.NewStreamableHTTPHandler(
		func(*http.Request) *mcp.Server { return s.Server },
		&mcp.StreamableHTTPOptions{Stateless: stateless, PropagateRequestCancellation: true},
	))
}

// SSE serves the server by the HTTP+SSE transport of 2024-11-05 until the test
// ends and returns the URL.
func (s *Server) SSE(tb testing.TB) string {
	return serve(tb, mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return s.Server }, nil))
}

func serve(tb testing.TB, handler http.Handler) string {
	srv := httptest.NewServer(handler)
	tb.Cleanup(func() {
		srv.CloseClientConnections()
		srv.Close()
	})
	return srv.URL
}

// stdioEnv makes [Main] serve.
const stdioEnv = "MCPADAPTERS_TESTSERVER"

// Stdio returns the connection to a server that is this test binary, whose
// TestMain has to call [Main] first.
func Stdio(tb testing.TB, name string) config.Stdio {
	exe, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	return config.Stdio{Command: exe, Env: map[string]string{stdioEnv: name}}
}

// Main serves over stdin and stdout and exits if the process was started by
// the connection of [Stdio]. Otherwise it returns at once.
func Main() {
	mainScript()
	mainChaos()
	mainHTTP()
	name := os.Getenv(stdioEnv)
	if name == "" {
		return
	}
	if err := New(name).Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(0)
}
