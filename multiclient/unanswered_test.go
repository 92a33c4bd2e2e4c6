package multiclient_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/leak"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

const manyQuestions = 6_000

// A pest is a server that asks many questions, which are answered at once, and
// takes no answer for a while.
type pest struct {
	question string // with a place for a number

	once    sync.Once
	taking  chan struct{} // closed when it takes answers
	answers atomic.Int32
	holding atomic.Int32 // answers that it has been offered and not taken
	most    atomic.Int32
	threads atomic.Int32 // goroutines at most while it asks
}

const pestHandshake = `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`

func (p *pest) ask(w io.Writer, format string) {
	for i := range manyQuestions {
		if _, err := fmt.Fprintf(w, format, fmt.Sprintf(p.question, i)); err != nil {
			return
		}
		if i%100 == 0 {
			p.threads.Store(max(p.threads.Load(), int32(runtime.NumGoroutine())))
		}
	}
}

// lazy makes it take answers a second after the first.
func (p *pest) lazy() {
	p.once.Do(func() { time.AfterFunc(time.Second, func() { close(p.taking) }) })
}

func (p *pest) pipe() config.Connection {
	return config.Custom{Settings: config.Settings{ProtocolVersion: stateful}, NewTransport: func(context.Context) (mcp.Transport, error) {
		server, client := net.Pipe()
		go func() {
			defer server.Close()
			r := bufio.NewReader(server)
			_, _ = r.ReadBytes('\n')
			fmt.Fprintln(server, pestHandshake)
			_, _ = r.ReadBytes('\n')
			go p.ask(server, "%s\n")
			p.lazy()
			<-p.taking
			for _, err := r.ReadBytes('\n'); err == nil; _, err = r.ReadBytes('\n') {
				p.answers.Add(1)
			}
		}()
		return &mcp.IOTransport{Reader: client, Writer: client}, nil
	}}
}

// http serves it by streamable HTTP, or by the transport of 2024-11-05.
func (p *pest) http(t *testing.T, single bool) config.Connection {
	begun := make(chan struct{}, 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch {
		case r.Method == http.MethodGet:
			w.Header().Set("Content-Type", "text/event-stream")
			if single {
				fmt.Fprint(w, "event: endpoint\ndata: /\n\n")
				w.(http.Flusher).Flush()
				<-begun
				fmt.Fprintf(w, "data: %s\n\n", pestHandshake)
			}
			p.ask(w, "data: %s\n\n")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		case bytes.Contains(body, []byte(`"initialize"`)) && single:
			begun <- struct{}{}
		case bytes.Contains(body, []byte(`"initialize"`)):
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, pestHandshake)
		case bytes.Contains(body, []byte(`"id":"p`)):
			p.most.Store(max(p.most.Load(), p.holding.Add(1)))
			p.lazy()
			select {
			case <-p.taking:
				p.answers.Add(1)
			case <-r.Context().Done():
			}
			p.holding.Add(-1)
			w.WriteHeader(http.StatusAccepted)
		default:
			w.WriteHeader(http.StatusAccepted)
		}
	}))
	t.Cleanup(s.Close)
	settings := config.Settings{ProtocolVersion: stateful}
	if single {
		return config.SSE{URL: s.URL, Settings: settings}
	}
	return config.StreamableHTTP{URL: s.URL, Settings: settings}
}

func onEachPest(t *testing.T, test func(*testing.T, *pest, *multiclient.MultiServerClient)) {
	for name, question := range map[string]string{
		"ping":        `{"jsonrpc":"2.0","id":"p%d","method":"ping"}`,
		"elicitation": `{"jsonrpc":"2.0","id":"p%d","method":"elicitation/create","params":{"message":"x","requestedSchema":{"type":"object","properties":{}}}}`,
	} {
		for _, transport := range []string{"pipe", "http", "sse"} {
			t.Run(name+"/"+transport, func(t *testing.T) {
				leak.Check(t)
				p := &pest{question: question, taking: make(chan struct{})}
				connection := p.pipe()
				if transport != "pipe" {
					connection = p.http(t, transport == "sse")
				}
				c := newClient(t, config.Connections{"s": connection}, &multiclient.Options{CloseTimeout: time.Second, Callbacks: callbacks.Callbacks{
					OnElicitation: func(context.Context, callbacks.CallbackContext, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
						return &mcp.ElicitResult{Action: "cancel"}, nil
					},
				}})
				if _, err := c.ServerInfo(t.Context(), "s"); err != nil {
					t.Fatal(err)
				}
				test(t, p, c)
			})
		}
	}
}

// A server that asks and asks and takes no answer is not listened to when too many
// wait for it, and costs neither memory nor connections. It gets all of them when
// it takes them.
func TestAnswersThatAreNotTaken(t *testing.T) {
	onEachPest(t, func(t *testing.T, p *pest, _ *multiclient.MultiServerClient) {
		eventually(t, func() bool { return p.answers.Load() == manyQuestions })
		if n := p.threads.Load(); n > 3000 {
			t.Errorf("there were %d goroutines", n)
		}
		if n := p.most.Load(); n > 100 {
			t.Errorf("%d requests held answers", n)
		}
	})
}

// Nor does it keep anybody from closing.
func TestCloseWhileAnswersAreNotTaken(t *testing.T) {
	onEachPest(t, func(t *testing.T, _ *pest, c *multiclient.MultiServerClient) {
		begun := time.Now()
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if took := time.Since(begun); took > 5*time.Second {
			t.Errorf("it took %v", took)
		}
	})
}
