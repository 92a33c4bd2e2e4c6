package multiclient_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
)

// A script is a server of 2025-11-25 that gives fixed answers: by method, or by
// the name of the tool, a result, or a whole message in which %s stands for the id.
type script map[string]string

func (s script) answer(req *jsonrpc.Request) string {
	result, ok := s[req.Method]
	if req.Method == "tools/call" {
		for tool, r := range s {
			if bytes.Contains(req.Params, fmt.Appendf(nil, `"name":%q`, tool)) {
				result, ok = r, true
			}
		}
	}
	switch {
	case ok && bytes.HasPrefix([]byte(result), []byte(`{"jsonrpc"`)):
		return fmt.Sprintf(result, fmt.Sprintf("%#v", req.ID.Raw()))
	case ok:
	case req.Method == "initialize":
		result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"prompts":{},"resources":{}},"serverInfo":{"name":"script","version":"1"}}`
	default:
		result = `{}`
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%#v,"result":%s}`, req.ID.Raw(), result)
}

// pipe serves on a single stream.
func (s script) pipe() config.Connection {
	return config.Custom{Settings: config.Settings{ProtocolVersion: stateful}, NewTransport: func(context.Context) (mcp.Transport, error) {
		server, client := net.Pipe()
		conn, err := (&mcp.IOTransport{Reader: server, Writer: nopWriter{}}).Connect(context.Background())
		if err != nil {
			return nil, err
		}
		go func() {
			for {
				msg, err := conn.Read(context.Background())
				if err != nil {
					return
				}
				if req, ok := msg.(*jsonrpc.Request); ok && req.IsCall() {
					fmt.Fprintln(server, s.answer(req))
				}
			}
		}()
		return &mcp.IOTransport{Reader: client, Writer: client}, nil
	}}
}

type nopWriter struct{}

func (nopWriter) Write(p []byte) (int, error) { return len(p), nil }
func (nopWriter) Close() error                { return nil }

// http serves by streamable HTTP, in one piece or as a stream of events.
func (s script) http(t testing.TB, stream bool) config.Connection {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || r.Method != http.MethodPost {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		msg, err := jsonrpc.DecodeMessage(body)
		req, ok := msg.(*jsonrpc.Request)
		switch {
		case err != nil || !ok || !req.IsCall():
			w.WriteHeader(http.StatusAccepted)
		case stream:
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprintf(w, "data: %s\n\n", s.answer(req))
		default:
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, s.answer(req))
		}
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return config.StreamableHTTP{URL: srv.URL, Settings: config.Settings{ProtocolVersion: stateful}}
}

// onEachScript runs a test for each way in which a script can be served.
func onEachScript(t *testing.T, s script, test func(t *testing.T, connection config.Connection)) {
	t.Run("pipe", func(t *testing.T) { test(t, s.pipe()) })
	t.Run("http/json", func(t *testing.T) { test(t, s.http(t, false)) })
	t.Run("http/stream", func(t *testing.T) { test(t, s.http(t, true)) })
}

// faults collects the errors of transports that the callbacks are told.
type faults struct {
	mu   sync.Mutex
	errs []error
}

func (f *faults) callbacks() callbacks.Callbacks {
	return callbacks.Callbacks{OnMessage: func(_ context.Context, _ callbacks.CallbackContext, m callbacks.Message) {
		if m.Err != nil {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.errs = append(f.errs, m.Err)
		}
	}}
}

// told returns the messages of the errors so far.
func (f *faults) told() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var told []string
	for _, err := range f.errs {
		told = append(told, err.Error())
	}
	return told
}
