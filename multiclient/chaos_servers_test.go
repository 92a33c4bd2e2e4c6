package multiclient_test

import (
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/testserver"
)

// A victim is a server that the chaos test does things to.
type victim struct {
	testserver.Chaos
	name  string
	stdio config.Stdio // how it is started

	// of those over HTTP
	front   *front
	process *testserver.Process
}

// newVictim returns a server over stdio, which the client starts, or one over
// HTTP, by the version of the protocol, which is started here and reached by an
// address that outlives it.
func newVictim(t *testing.T, name, http string) *victim {
	v := &victim{name: name, Chaos: testserver.Chaos{Dir: t.TempDir(), HTTP: http}}
	v.stdio = v.Chaos.Stdio(t)
	if http != "" {
		v.front = newFront(t)
		v.start(t)
		t.Cleanup(v.kill)
	}
	return v
}

func (v *victim) connection() config.Connection {
	if v.front != nil {
		return config.StreamableHTTP{URL: "http://" + v.front.Addr().String()}
	}
	return v.stdio
}

// start starts a server over HTTP.
func (v *victim) start(t *testing.T) {
	process, err := testserver.Start(v.stdio)
	if err != nil {
		t.Errorf("%s: %v", v.name, err)
		return
	}
	v.process = process
	v.front.lead(strings.TrimPrefix(process.URL, "http://"))
}

// kill ends a server over HTTP.
func (v *victim) kill() { v.process.Kill() }

// signal sends a signal, if there is a process to send it to.
func (v *victim) signal(sig syscall.Signal) {
	if v.front != nil {
		_ = v.process.Process.Signal(sig)
	} else if pid, err := v.PID(); err == nil {
		_ = syscall.Kill(pid, sig)
	}
}

// A fault is something that happens to a server.
type fault struct {
	name string
	do   func(t *testing.T, v *victim, r *rand.Rand)
}

func pause(r *rand.Rand, most int) {
	<-time.After(time.Duration(r.IntN(most)) * time.Millisecond)
}

// faultsOf returns what can happen to a server.
func faultsOf(v *victim) []fault {
	stop := fault{"stopped and continued", func(_ *testing.T, v *victim, r *rand.Rand) {
		v.signal(syscall.SIGSTOP)
		pause(r, 80)
		v.signal(syscall.SIGCONT)
	}}
	if v.front == nil {
		return []fault{stop, {"killed", func(_ *testing.T, v *victim, _ *rand.Rand) { v.signal(syscall.SIGKILL) }}}
	}
	return []fault{stop,
		{"restarted at once", func(t *testing.T, v *victim, _ *rand.Rand) {
			v.kill()
			v.start(t)
		}},
		{"killed, restarted later", func(t *testing.T, v *victim, r *rand.Rand) {
			v.kill()
			pause(r, 100)
			v.start(t)
		}},
		{"connections cut", func(_ *testing.T, v *victim, _ *rand.Rand) { v.front.cut() }},
	}
}

// A front passes connections on to where it is told, and can cut them.
type front struct {
	net.Listener

	mu     sync.Mutex
	target string
	conns  map[net.Conn]struct{}
	wg     sync.WaitGroup
}

func newFront(t *testing.T) *front {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &front{Listener: l, conns: map[net.Conn]struct{}{}}
	f.wg.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			f.wg.Go(func() { f.pass(conn) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		f.cut()
		f.wg.Wait()
	})
	return f
}

func (f *front) lead(target string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.target = target
}

func (f *front) pass(client net.Conn) {
	defer client.Close()
	f.mu.Lock()
	target := f.target
	f.mu.Unlock()
	server, err := net.Dial("tcp", target)
	if err != nil {
		return
	}
	defer server.Close()
	f.mu.Lock()
	f.conns[client], f.conns[server] = struct{}{}, struct{}{}
	f.mu.Unlock()
	var both sync.WaitGroup
	both.Go(func() { io.Copy(server, client); server.Close(); client.Close() })
	both.Go(func() { io.Copy(client, server); server.Close(); client.Close() })
	both.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.conns, client)
	delete(f.conns, server)
}

// cut closes every connection.
func (f *front) cut() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for conn := range f.conns {
		conn.Close()
	}
}
