package multiclient_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

var errBroken = errors.New("the cable is cut")

// broken is a transport, and its connection, that fails when it reads, at once or
// after it has written a call, or when it writes, anything or requests of a method.
type broken struct {
	on     string
	next   mcp.Transport
	called atomic.Bool
	mcp.Connection
}

func (b *broken) Connect(ctx context.Context) (_ mcp.Connection, err error) {
	b.Connection, err = b.next.Connect(ctx)
	return b, err
}

func (b *broken) Read(ctx context.Context) (jsonrpc.Message, error) {
	if b.on == "reading" {
		return nil, errBroken
	}
	msg, err := b.Connection.Read(ctx)
	if b.on == "reading the answer" && b.called.Load() {
		return nil, errBroken
	}
	return msg, err
}

func (b *broken) Write(ctx context.Context, msg jsonrpc.Message) error {
	if req, ok := msg.(*jsonrpc.Request); ok && (b.on == "writing" || b.on == req.Method) {
		return errBroken
	} else if ok && req.Method == "tools/call" {
		b.called.Store(true)
	}
	return b.Connection.Write(ctx, msg)
}

// The error tells what a transport of the program's own has failed with, although
// the SDK may find first that it has closed the connection for that.
func TestTransportThatBreaks(t *testing.T) {
	for _, test := range []struct {
		on, version string
		kind        multiclient.ErrorKind
	}{
		{"reading", "", multiclient.ErrUnavailable},
		{"reading", stateful, multiclient.ErrUnavailable},
		{"writing", "", multiclient.ErrUnavailable},
		{"writing", stateful, multiclient.ErrUnavailable},
		{"notifications/initialized", stateful, multiclient.ErrUnavailable},
		{"reading the answer", "", multiclient.ErrLost},
		{"tools/call", "", multiclient.ErrLost},
		{"tools/call", stateful, multiclient.ErrLost},
	} {
		for name, closed := range map[string]bool{"at once": false, "when the SDK has closed the connection": true} {
			t.Run(test.on+" "+test.version+" "+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := testserver.New("one")
					c, err := multiclient.New(config.Connections{"one": config.Custom{
						Settings: config.Settings{ProtocolVersion: test.version},
						NewTransport: func(context.Context) (mcp.Transport, error) {
							here, there := mcp.NewInMemoryTransports()
							_, err := s.Connect(t.Context(), there, nil)
							return &broken{on: test.on, next: here}, err
						},
					}}, &multiclient.Options{ConfigureClient: func(_ string, client *mcp.Client) {
						client.AddSendingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
							return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
								if closed && method == "initialize" {
									time.Sleep(time.Second)
								}
								return next(ctx, method, req)
							}
						})
					}})
					if err != nil {
						t.Fatal(err)
					}
					_, err = c.CallTool(t.Context(), "one", "echo", map[string]any{"text": "x"})
					if !errors.Is(err, errBroken) || !errors.Is(err, test.kind) || strings.Count(err.Error(), errBroken.Error()) != 1 {
						t.Errorf("got %v", err)
					}
					if err := c.Close(); err != nil {
						t.Error(err)
					}
				})
			})
		}
	}
}

// So it is where the transport is over HTTP, whose answers say more.
func TestHTTPThatBreaks(t *testing.T) {
	for method, kind := range map[string]multiclient.ErrorKind{
		"server/discover": multiclient.ErrUnavailable,
		"tools/call":      multiclient.ErrLost,
	} {
		t.Run(method, func(t *testing.T) {
			url := testserver.New("one").SSE(t)
			for range 20 {
				c := newClient(t, config.Connections{"one": config.SSE{URL: url, HTTP: config.HTTP{Client: clientOf(func(req *http.Request) (*http.Response, error) {
					if req.Body != nil {
						body, err := io.ReadAll(req.Body)
						if err != nil || bytes.Contains(body, []byte(`"`+method+`"`)) {
							return nil, errBroken
						}
						req.Body = io.NopCloser(bytes.NewReader(body))
					}
					return http.DefaultTransport.RoundTrip(req)
				})}}}, nil)
				_, err := c.CallTool(t.Context(), "one", "echo", map[string]any{"text": "x"})
				if !errors.Is(err, errBroken) || !errors.Is(err, kind) || strings.Contains(err.Error(), "session") {
					t.Fatalf("got %v", err)
				}
			}
		})
	}
}
