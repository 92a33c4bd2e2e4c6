package httpwire_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/internal/httpwire"
)

// BenchmarkCall compares calls through a wire, with all hooks, with calls
// through a bare HTTP transport, in turns. The ratio is of the times that a
// call takes; 1.05 means five per cent more.
func BenchmarkCall(b *testing.B) {
	for _, kind := range []string{"SSE", "JSON", "stateless"} {
		for _, callers := range []int{1, 64} {
			b.Run(fmt.Sprintf("%s/%d", kind, callers), func(b *testing.B) {
				mcpServer := newServer(nil)
				opts := &mcp.StreamableHTTPOptions{JSONResponse: kind == "JSON", Stateless: kind == "stateless"}
				server := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return mcpServer }, opts))
				defer server.Close()
				version := legacy
				if kind == "stateless" {
					version = modern
				}
				bare := &http.Transport{MaxIdleConnsPerHost: 128}
				defer bare.CloseIdleConnections()
				wire := httpwire.New(httpwire.Options{Hooks: httpwire.Hooks{
					Headers:   func(context.Context) (http.Header, error) { return http.Header{"X-Tenant": {"acme"}}, nil },
					Inbound:   func(context.Context, *jsonrpc.Request) bool { return true },
					Responded: func(context.Context, httpwire.Answer) {},
				}})
				defer wire.Close()
				plain := benchSession(b, server.URL, &http.Client{Transport: bare}, version)
				defer plain.Close()
				wired := benchSession(b, server.URL, wire.Client(nil), version)
				defer wired.Close()

				const calls = 256
				round(b, plain, callers, calls)
				round(b, wired, callers, calls)
				var plainTime, wiredTime time.Duration
				for b.Loop() {
					plainTime += round(b, plain, callers, calls)
					wiredTime += round(b, wired, callers, calls)
				}
				b.ReportMetric(float64(wiredTime)/float64(plainTime), "ratio")
				b.ReportMetric(float64(wiredTime.Microseconds())/float64(b.N*calls), "µs/call")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

func benchSession(b *testing.B, url string, client *http.Client, version string) *mcp.ClientSession {
	b.Helper()
	transport := &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: client, MaxEventSize: -1}
	cs, err := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, nil).
		Connect(b.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		b.Fatal(err)
	}
	return cs
}

// round makes calls from a number of callers and returns how long they took.
func round(b *testing.B, cs *mcp.ClientSession, callers, calls int) time.Duration {
	b.Helper()
	began := time.Now()
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for range calls / callers {
				if _, err := callTool(b.Context(), cs, "echo", map[string]any{"a": 1}); err != nil {
					b.Error(err)
				}
			}
		})
	}
	wg.Wait()
	return time.Since(began)
}

// BenchmarkExchange is what a wire adds to one answered POST, without network
// and SDK.
func BenchmarkExchange(b *testing.B) {
	for name, contentType := range map[string]string{"SSE": "text/event-stream", "JSON": "application/json"} {
		b.Run(name, func(b *testing.B) {
			body := answer
			if name == "SSE" {
				body = "event: message\nid: 1\ndata: " + note + "\n\nevent: message\nid: 2\ndata: " + answer + "\n\n"
			}
			wire := httpwire.New(httpwire.Options{
				Hooks: httpwire.Hooks{Inbound: func(context.Context, *jsonrpc.Request) bool { return true }},
				Base: baseFunc(func(req *http.Request) (*http.Response, error) {
					return reply(req, http.StatusOK, contentType, strings.NewReader(body)), nil
				}),
			})
			defer wire.Close()
			req := newPost(b.Context(), callMessage)
			b.ReportAllocs()
			for b.Loop() {
				resp, err := wire.RoundTrip(req)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, resp.Body); err != nil {
					b.Fatal(err)
				}
				resp.Body.Close()
			}
		})
	}
}
