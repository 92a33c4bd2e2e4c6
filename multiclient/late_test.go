package multiclient_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
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

// late holds back a method until it is let through.
type late struct {
	mcp.Connection
	method string
	let    <-chan struct{}
	msgs   chan jsonrpc.Message
	errs   chan error
}

func newLate(c mcp.Connection, method string, let <-chan struct{}) *late {
	l := &late{c, method, let, make(chan jsonrpc.Message), make(chan error, 1)}
	go func() {
		for {
			m, err := c.Read(context.Background())
			if err != nil {
				l.errs <- err
				return
			}
			if req, ok := m.(*jsonrpc.Request); ok && req.Method == method {
				go func() { <-let; l.msgs <- m }()
				continue
			}
			l.msgs <- m
		}
	}()
	return l
}

func (l *late) Connect(context.Context) (mcp.Connection, error) { return l, nil }
func (l *late) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-l.msgs:
		return m, nil
	case err := <-l.errs:
		return nil, err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func lateConnection(t *testing.T, s *testserver.Server, method string, let <-chan struct{}) config.Connection {
	return config.Custom{NewTransport: func(context.Context) (mcp.Transport, error) {
		server, client := mcp.NewInMemoryTransports()
		conn, err := server.Connect(t.Context())
		if err != nil {
			return nil, err
		}
		_, err = s.Connect(t.Context(), newLate(conn, method, let), nil)
		return client, err
	}}
}

func TestChangesBeforeTheServerListens(t *testing.T) {
	s := testserver.New("s")
	let := make(chan struct{})
	c := newClient(t, config.Connections{"s": lateConnection(t, s, "subscriptions/listen", let)}, nil)
	before, err := c.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	call(t, c, "s", "announce", map[string]any{"what": "tools"}) // nobody listens yet
	close(let)
	eventually(t, func() bool {
		after, err := c.Tools(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return len(after) == len(before)+1
	})
}

// answered tells when the server has written its answer to server/discover.
type answered struct {
	*late
	told chan<- struct{}
}

func (a *answered) Write(ctx context.Context, msg jsonrpc.Message) error {
	err := a.late.Write(ctx, msg)
	if resp, ok := msg.(*jsonrpc.Response); ok && (strings.Contains(string(resp.Result), "supportedVersions") || resp.Error != nil) {
		a.told <- struct{}{}
	}
	return err
}

func (a *answered) Connect(context.Context) (mcp.Connection, error) { return a, nil }

func TestSlowDiscoveryIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { slowDiscovery(t, testserver.New("s"), stateless) })
}

// A server that is slow to say that it knows nothing of server/discover is asked once.
func TestSlowRefusalOfDiscovery(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testserver.New("s")
		var asked atomic.Int32
		s.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
			return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
				if method == "server/discover" {
					asked.Add(1)
					return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "what?"}
				}
				return next(ctx, method, req)
			}
		})
		slowDiscovery(t, s, stateful)
		if n := asked.Load(); n != 1 {
			t.Errorf("it was asked %d times", n)
		}
	})
}

// slowDiscovery opens a session with a server whose answer to server/discover comes
// too late, and another one, which is to be of the version next.
func slowDiscovery(t *testing.T, s *testserver.Server, next string) {
	let, told := make(chan struct{}), make(chan struct{}, 8)
	conns := make(chan mcp.Connection, 8)
	c := newClient(t, config.Connections{"s": config.Custom{NewTransport: func(context.Context) (mcp.Transport, error) {
		server, client := mcp.NewInMemoryTransports()
		conn, err := server.Connect(t.Context())
		if err != nil {
			return nil, err
		}
		conns <- conn
		_, err = s.Connect(t.Context(), &answered{late: newLate(conn, "server/discover", let), told: told}, nil)
		return client, err
	}}}, &multiclient.Options{DiscoverTimeout: 200 * time.Millisecond})
	info, err := c.ServerInfo(t.Context(), "s")
	if err != nil || info.ProtocolVersion != stateful {
		t.Fatalf("a server that is slow at first gave %v, %v", info, err)
	}
	close(let)
	receive(t, told, "late answer")
	call(t, c, "s", "echo", map[string]any{"text": "x"}) // answered after it
	(<-conns).Close()
	eventually(t, func() bool { return c.Status()[0].State != multiclient.StateReady })
	c2, err := c.ServerInfo(t.Context(), "s")
	if err != nil || c2.ProtocolVersion != next {
		t.Errorf("the next session: %v, %v", c2, err)
	}
}

// starting is the server's side of a connection whose server takes a second to start,
// and answers to server/discover before it reads more.
type starting struct {
	mcp.Connection
	started  bool
	discover jsonrpc.ID
	answered chan struct{}
}

func (s *starting) Connect(context.Context) (mcp.Connection, error) { return s, nil }

func (s *starting) Read(ctx context.Context) (jsonrpc.Message, error) {
	if !s.started {
		time.Sleep(time.Second)
		s.started = true
	}
	if s.discover.IsValid() {
		<-s.answered
	}
	msg, err := s.Connection.Read(ctx)
	if req, ok := msg.(*jsonrpc.Request); ok && req.Method == "server/discover" {
		s.discover = req.ID
	}
	return msg, err
}

func (s *starting) Write(ctx context.Context, msg jsonrpc.Message) error {
	err := s.Connection.Write(ctx, msg)
	if resp, ok := msg.(*jsonrpc.Response); ok && s.discover.IsValid() && resp.ID == s.discover {
		close(s.answered)
	}
	return err
}

// A server that starts slowly, and knows no initialize once it has answered to
// server/discover, is given the time for it.
func TestServersThatStartSlowly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testserver.New("s")
		attempts := 0
		var last mcp.Connection
		c := newClient(t, config.Connections{"s": config.Custom{NewTransport: func(context.Context) (mcp.Transport, error) {
			attempts++
			server, client := mcp.NewInMemoryTransports()
			conn, err := server.Connect(t.Context())
			if err != nil {
				return nil, err
			}
			last = conn
			_, err = s.Connect(t.Context(), &starting{Connection: conn, answered: make(chan struct{})}, nil)
			return client, err
		}}}, &multiclient.Options{DiscoverTimeout: 200 * time.Millisecond})
		for session, want := range []int{2, 3, 4} {
			info, err := c.ServerInfo(t.Context(), "s")
			if err != nil || info.ProtocolVersion != stateless || attempts != want {
				t.Errorf("session %d: %+v, %v after %d attempts, want %s after %d", session+1, info, err, attempts, stateless, want)
			}
			last.Close()
			eventually(t, func() bool { return c.Status()[0].State != multiclient.StateReady })
		}
	})
}

func TestSlowDiscoveryOverHTTPIsTriedAgain(t *testing.T) {
	s := testserver.New("s")
	var discoveries atomic.Int32
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.Server }, &mcp.StreamableHTTPOptions{Stateless: true})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Method") == "server/discover" && discoveries.Add(1) == 1 {
			_, _ = io.Copy(io.Discard, r.Body) // or the end is not noticed
			<-r.Context().Done()               // starting takes its time
			return
		}
		handler.ServeHTTP(w, r)
	}))
	defer srv.Close()
	c := newClient(t, config.Connections{"s": config.StreamableHTTP{URL: srv.URL, Settings: config.Settings{SessionPolicy: config.SessionPerCall}}},
		&multiclient.Options{DiscoverTimeout: time.Second})
	var got []string
	for range 2 {
		cs, release, err := c.Session(t.Context(), "s")
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, cs.InitializeResult().ProtocolVersion)
		release()
	}
	if strings.Join(got, " ") != stateful+" "+stateless {
		t.Errorf("the sessions are of %v", got)
	}
}
