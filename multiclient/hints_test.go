package multiclient_test

import (
	"bufio"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/leak"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// pageOf returns the URL of a server that answers everything alike.
func pageOf(t *testing.T, status int, contentType, body string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// saying returns the URL of what says something that is not HTTP.
func saying(t *testing.T, words string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			http.ReadRequest(bufio.NewReader(conn))
			io.WriteString(conn, words)
			conn.Close()
		}
	}()
	t.Cleanup(func() { l.Close(); <-ended })
	return "http://" + l.Addr().String()
}

// What is probably wrong with a URL is said, and only then.
func TestWrongURLs(t *testing.T) {
	const page = "<!DOCTYPE html><title>Welcome</title>"
	const endpoint, wantsTLS, noTLS = "is this the URL of the server's MCP endpoint?", `the URL needs "https:"`, `the URL needs "http:"`
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	for name, test := range map[string]struct {
		url, streamable, sse string // what the error says of each transport
	}{
		"no such page":    {pageOf(t, 404, "text/plain", "404 page not found"), endpoint, "config.StreamableHTTP"},
		"a page for it":   {pageOf(t, 404, "text/html", page), endpoint, "config.StreamableHTTP"},
		"no POST":         {pageOf(t, 405, "text/html", page), endpoint, "config.StreamableHTTP"},
		"gone":            {pageOf(t, 410, "text/html", page), endpoint, endpoint},
		"a page":          {pageOf(t, 200, "text/html", page), endpoint, endpoint},
		"another API":     {pageOf(t, 200, "application/json", `{"status":"ok"}`), endpoint, endpoint},
		"nothing":         {pageOf(t, 200, "", ""), endpoint, ""},
		"a bad gateway":   {pageOf(t, 502, "text/html", page), "", ""},
		"a refusal":       {pageOf(t, 403, "text/html", page), "", ""},
		"HTTP for TLS":    {strings.Replace(secure.URL, "https:", "http:", 1), wantsTLS, wantsTLS},
		"nginx for TLS":   {pageOf(t, 400, "text/html", "<h1>400 Bad Request</h1>The plain HTTP request was sent to HTTPS port"), wantsTLS, wantsTLS},
		"an alert of TLS": {saying(t, "\x15\x03\x01\x00\x02\x02\x0a"), wantsTLS, wantsTLS},
		"TLS for HTTP":    {strings.Replace(pageOf(t, 404, "text/plain", ""), "http:", "https:", 1), noTLS, noTLS},
		"no HTTP":         {saying(t, "SSH-2.0-OpenSSH_9.6\r\n"), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			leak.Check(t)
			c := newClient(t, config.Connections{"streamable": config.StreamableHTTP{URL: test.url}, "sse": config.SSE{URL: test.url}}, nil)
			for server, want := range map[string]string{"streamable": test.streamable, "sse": test.sse} {
				_, err := c.Tools(t.Context(), server)
				if !errors.Is(err, multiclient.ErrUnavailable) {
					t.Fatalf("%s: %v", server, err)
				}
				if !strings.Contains(err.Error(), want) || want == "" && strings.Contains(err.Error(), "the URL") {
					t.Errorf("%s: want %q in %v", server, want, err)
				}
				if strings.Count(err.Error(), "200") > 1 {
					t.Errorf("%s: the status is there twice: %v", server, err)
				}
				if strings.Contains(err.Error(), "rejected by transport") {
					t.Errorf("%s: the words of the SDK are in %v", server, err)
				}
			}
		})
	}
}
