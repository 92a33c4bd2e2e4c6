package multiclient_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
)

// A raw server is one that a test writes message by message: tools is called
// for each tools/call.
type raw struct {
	t         testing.TB
	tools     func(x *exchange)
	stateless bool // it speaks 2026-07-28, and not 2025-11-25

	mu      sync.Mutex
	next    int
	pending map[string]chan *jsonrpc.Response // of requests to the client, by id
	other   []*jsonrpc.Request                // what else the client has sent
}

// An exchange is a tools/call and the stream of its answer.
type exchange struct {
	*raw
	id   jsonrpc.ID
	name string
	meta map[string]any
	// of 2026-07-28
	state     string
	responses map[string]json.RawMessage
	write     func(msg jsonrpc.Message)
	gone      <-chan struct{} // closed when the client has gone
}

// send sends any message.
func (x *exchange) send(msg jsonrpc.Message) { x.write(msg) }

// notify sends a notification.
func (x *exchange) notify(method, params string) {
	x.send(&jsonrpc.Request{Method: method, Params: json.RawMessage(params)})
}

// ask sends a request, and returns where its response will be.
func (x *exchange) ask(method, params string) <-chan *jsonrpc.Response {
	x.mu.Lock()
	x.next++
	key := fmt.Sprint("q", x.next)
	answer := make(chan *jsonrpc.Response, 1)
	x.pending[key] = answer
	x.mu.Unlock()
	id, err := jsonrpc.MakeID(key)
	if err != nil {
		panic(err)
	}
	req := &jsonrpc.Request{ID: id, Method: method}
	if params != "" {
		req.Params = json.RawMessage(params)
	}
	x.send(req)
	return answer
}

// answer asks and waits for the response.
func (x *exchange) answer(method, params string) *jsonrpc.Response {
	select {
	case resp := <-x.ask(method, params):
		return resp
	case <-time.After(30 * time.Second):
		x.t.Errorf("%s with %s was not answered within 30 s", method, params)
		return &jsonrpc.Response{Error: errors.New("no answer")}
	}
}

// say answers the call with a text.
func (x *exchange) say(format string, args ...any) {
	text, err := json.Marshal(fmt.Sprintf(format, args...))
	if err != nil {
		panic(err)
	}
	x.send(&jsonrpc.Response{ID: x.id, Result: json.RawMessage(`{"content":[{"type":"text","text":` + string(text) + `}]}`)})
}

func (r *raw) received(method string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := 0
	for _, req := range r.other {
		if req.Method == method {
			n++
		}
	}
	return n
}

// handle takes a message of the client.
func (r *raw) handle(msg jsonrpc.Message, write func(jsonrpc.Message), gone <-chan struct{}) {
	switch msg := msg.(type) {
	case *jsonrpc.Response:
		r.mu.Lock()
		answer := r.pending[fmt.Sprint(msg.ID.Raw())]
		r.mu.Unlock()
		if answer == nil {
			r.t.Errorf("the client has answered the request %v, which nobody made", msg.ID.Raw())
			return
		}
		answer <- msg
	case *jsonrpc.Request:
		switch msg.Method {
		case "initialize":
			write(&jsonrpc.Response{ID: msg.ID, Result: json.RawMessage(
				`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"raw","version":"1"}}`)})
		case "tools/call":
			var params struct {
				Name           string                     `json:"name"`
				Meta           map[string]any             `json:"_meta"`
				RequestState   string                     `json:"requestState"`
				InputResponses map[string]json.RawMessage `json:"inputResponses"`
			}
			if err := json.Unmarshal(msg.Params, &params); err != nil {
				r.t.Error(err)
			}
			r.tools(&exchange{r, msg.ID, params.Name, params.Meta, params.RequestState, params.InputResponses, write, gone})
		case "server/discover":
			if r.stateless {
				write(&jsonrpc.Response{ID: msg.ID, Result: json.RawMessage(
					`{"supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"resultType":"complete"}`)})
				return
			}
			write(&jsonrpc.Response{ID: msg.ID, Error: &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "unknown"}})
		default:
			r.mu.Lock()
			r.other = append(r.other, msg)
			r.mu.Unlock()
			if msg.IsCall() {
				write(&jsonrpc.Response{ID: msg.ID, Result: json.RawMessage(`{}`)})
			}
		}
	}
}

// onEachRaw runs a test with a raw server on a single stream, and on streams
// of HTTP.
func onEachRaw(t *testing.T, tools func(x *exchange), test func(t *testing.T, r *raw, connection config.Connection, streams bool)) {
	t.Run("pipe", func(t *testing.T) {
		r := &raw{t: t, tools: tools, pending: map[string]chan *jsonrpc.Response{}}
		test(t, r, r.pipe(), false)
	})
	t.Run("http", func(t *testing.T) {
		r := &raw{t: t, tools: tools, pending: map[string]chan *jsonrpc.Response{}}
		test(t, r, r.http(t), true)
	})
}

// onEachStatelessRaw does the same with a server of 2026-07-28.
func onEachStatelessRaw(t *testing.T, tools func(x *exchange), test func(t *testing.T, connection config.Connection)) {
	t.Run("pipe", func(t *testing.T) {
		r := &raw{t: t, tools: tools, stateless: true, pending: map[string]chan *jsonrpc.Response{}}
		test(t, r.pipe())
	})
	t.Run("http", func(t *testing.T) {
		r := &raw{t: t, tools: tools, stateless: true, pending: map[string]chan *jsonrpc.Response{}}
		test(t, r.http(t))
	})
}

// pipe serves on a pipe.
func (r *raw) pipe() config.Connection {
	return config.Custom{Settings: r.settings(), NewTransport: func(context.Context) (mcp.Transport, error) {
		server, client := net.Pipe()
		conn, err := (&mcp.IOTransport{Reader: server, Writer: server}).Connect(context.Background())
		if err != nil {
			return nil, err
		}
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			var mu sync.Mutex
			write := func(msg jsonrpc.Message) {
				mu.Lock()
				defer mu.Unlock()
				conn.Write(context.Background(), msg) // an error is the end of the session
			}
			for {
				msg, err := conn.Read(context.Background())
				if err != nil {
					return
				}
				go r.handle(msg, write, gone)
			}
		}()
		return &mcp.IOTransport{Reader: client, Writer: client}, nil
	}}
}

// http serves by streamable HTTP.
func (r *raw) http(t testing.TB) config.Connection {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Method != http.MethodPost {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return
		}
		msg, err := jsonrpc.DecodeMessage(bytes.TrimSpace(body))
		if err != nil {
			r.t.Error(err)
			return
		}
		call, ok := msg.(*jsonrpc.Request)
		if !ok || !call.IsCall() {
			r.handle(msg, func(jsonrpc.Message) {}, nil)
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		var mu sync.Mutex
		r.handle(msg, func(msg jsonrpc.Message) {
			mu.Lock()
			defer mu.Unlock()
			data, err := jsonrpc.EncodeMessage(msg)
			if err != nil {
				r.t.Error(err)
				return
			}
			fmt.Fprintf(w, "data: %s\n\n", data)
			w.(http.Flusher).Flush()
		}, req.Context().Done())
	}))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return config.StreamableHTTP{URL: srv.URL, Settings: r.settings()}
}

func (r *raw) settings() config.Settings {
	if r.stateless {
		return config.Settings{}
	}
	return config.Settings{ProtocolVersion: stateful}
}
