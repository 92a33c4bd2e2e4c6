package multiclient_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
	"github.com/langchaingo-mcp/mcpadapters/interceptors/timeout"
	"github.com/langchaingo-mcp/mcpadapters/internal/leak"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// It is not the client that has closed anything.
func TestServerThatEndsIsNotTheClient(t *testing.T) {
	for name, script := range map[string]string{
		"at once":         "echo out of cheese >&2; exit 3",
		"when asked":      "read line; exit 3",
		"in the midst":    `read line; echo '{"jsonrpc":"2.0","id":1,"result":{}}'; exit 3`,
		"reads no more":   "exec <&-; sleep 0.1; exit 3",
		"says no more":    "exec >&-; sleep 0.1; exit 3",
		"with its parent": "sh -c 'exit 3'; exit 3",
	} {
		t.Run(name, func(t *testing.T) {
			leak.Check(t)
			c := newClient(t, config.Connections{"s": config.Stdio{Command: "sh", Args: []string{"-c", script}}}, nil)
			_, err := c.Tools(t.Context())
			if !errors.Is(err, multiclient.ErrUnavailable) || strings.Contains(err.Error(), "client is closing") || strings.Contains(err.Error(), "EOF") {
				t.Errorf("got %v", err)
			}
		})
	}
	const handshake = `read line; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}'; read line; `
	for script, want := range map[string]string{
		"read line; exit 3": "answer lost, the tool may have run: the server has closed the connection: the process exited with status 3",
		`read line; echo '{"jsonrpc":"2.0","id":2}'; cat > /dev/null`: `no usable answer, the tool may have run: calling "tools/call": EOF`, // it has no result
	} {
		t.Run(script, func(t *testing.T) {
			leak.Check(t)
			c := newClient(t, config.Connections{"s": config.Stdio{
				Command: "sh", Args: []string{"-c", handshake + script}, Settings: config.Settings{ProtocolVersion: stateful},
			}}, nil)
			if _, err := c.CallTool(t.Context(), "s", "x", nil); err == nil || !strings.HasSuffix(err.Error(), want) {
				t.Errorf("got %v, want %q", err, want)
			}
		})
	}
	c := newClient(t, config.Connections{"s": config.Stdio{
		Command: "sh", Args: []string{"-c", `read line; echo '{"jsonrpc":"2.0","id":1}'; cat > /dev/null`}, Settings: config.Settings{ProtocolVersion: stateful},
	}}, nil)
	if _, err := c.Tools(t.Context()); err == nil || strings.Contains(err.Error(), "closed") {
		t.Errorf("of an answer without a result: %v", err)
	}
}

func TestUntrustedCertificates(t *testing.T) {
	leak.Check(t)
	serve := func(config *tls.Config) *httptest.Server {
		s := httptest.NewUnstartedServer(http.NotFoundHandler())
		s.TLS, s.Config.ErrorLog = config, log.New(io.Discard, "", 0)
		s.StartTLS()
		t.Cleanup(s.Close)
		return s
	}
	own, mutual := serve(nil), serve(&tls.Config{ClientAuth: tls.RequireAnyClientCert})
	roots := x509.NewCertPool()
	roots.AddCert(mutual.Certificate())
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}}
	t.Cleanup(transport.CloseIdleConnections)
	trusting := config.HTTP{Client: &http.Client{Transport: transport}}

	c := newClient(t, config.Connections{
		"unknown authority": config.StreamableHTTP{URL: own.URL},
		"over SSE":          config.SSE{URL: own.URL},
		"client":            config.StreamableHTTP{URL: mutual.URL, HTTP: trusting},
	}, nil)
	for server, want := range map[string]string{
		"unknown authority": "RootCAs",
		"over SSE":          "RootCAs",
		"client":            "wants a certificate of the client",
	} {
		_, err := c.Tools(t.Context(), server)
		if !errors.Is(err, multiclient.ErrUnavailable) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: want %q in %v", server, want, err)
		}
	}
}

// What a server has not declared is said in words of the protocol, and not only by
// the name of a method that it does not know.
func TestWhatServersDoNotDeclare(t *testing.T) {
	s := mcp.NewServer(&mcp.Implementation{Name: "s", Version: "1"}, nil)
	for _, version := range []string{stateful, stateless} {
		c := newClient(t, config.Connections{"s": config.InMemory{Server: s, Settings: config.Settings{ProtocolVersion: version}}}, nil)
		_, prompt := c.Prompt(t.Context(), "s", "p", nil)
		_, read := c.ReadResource(t.Context(), "s", "file:///x")
		for want, err := range map[string]error{
			"the server declares no prompts: ":                    prompt,
			"the server declares no resources: ":                  read,
			"the server declares no subscriptions to resources: ": c.Subscribe(t.Context(), "s", "file:///x"),
		} {
			var refused *jsonrpc.Error
			if !errors.Is(err, multiclient.ErrRefused) || !errors.As(err, &refused) || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want %q", version, err, want)
			}
		}
	}
}

// A stream that the client ends itself is none that is opened again.
func TestEndsOfOwnStreamsAreNotTold(t *testing.T) {
	leak.Check(t)
	for name, end := range map[string]func(c *multiclient.MultiServerClient) error{
		"closed":  (*multiclient.MultiServerClient).Close,
		"removed": func(c *multiclient.MultiServerClient) error { return c.RemoveServer(t.Context(), "one") },
	} {
		for _, version := range []string{stateful, stateless} {
			var log account
			s := testserver.New("one")
			c := newClient(t, config.Connections{"one": config.StreamableHTTP{URL: s.HTTP(t, version == stateless), Settings: config.Settings{ProtocolVersion: version}}}, &multiclient.Options{
				Callbacks: callbacks.Callbacks{OnToolsChanged: func(context.Context, callbacks.CallbackContext, callbacks.ToolsChange) {}},
				Logger:    slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
			})
			if _, err := c.Tools(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := end(c); err != nil {
				t.Fatal(err)
			}
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
			if text := log.String(); strings.Contains(text, "stream") {
				t.Errorf("%s: %s: the log says\n%s", version, name, text)
			}
		}
	}
}

func TestTimeoutInterceptorNamesTheToolOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, config.Connections{"s": config.InMemory{Server: hanging("s", "tools/call").Server}}, &multiclient.Options{
			Interceptors: []interceptors.Interceptor{timeout.New(&timeout.Options{Default: 2 * time.Second})},
		})
		_, err := c.CallTool(t.Context(), "s", "echo", nil)
		const want = `server "s": tool "echo": call: failed: no answer within 2s, the bound of the timeout interceptor: context deadline exceeded`
		if !errors.Is(err, context.DeadlineExceeded) || !strings.HasSuffix(err.Error(), ": "+want) {
			t.Errorf("got  %v\nwant %s", err, want)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
}
