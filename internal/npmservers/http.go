package npmservers

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A Kind is a transport over HTTP, in the spelling of server-everything.
type Kind string

const (
	// StreamableHTTP is the transport of protocol versions since 2025-03-26.
	StreamableHTTP Kind = "streamableHttp"

	// SSE is the HTTP+SSE transport of protocol version 2024-11-05.
	SSE Kind = "sse"
)

// startTimeout is generous, since several servers may start at once on a busy
// machine; a server that runs needs a fraction of a second.
const startTimeout = 60 * time.Second

// portLine is what listen.cjs writes to stderr.
const portLine = "npmservers: port "

// StartHTTP starts server-everything on a loopback port of its own, waits
// until it listens and returns the URL to connect to. The server is killed
// when the test ends, and ends by itself if the test binary does. A server
// that does not start ends the test by tb.Fatal.
func StartHTTP(tb testing.TB, kind Kind) string {
	tb.Helper()
	path := "/mcp"
	if kind == SSE {
		path = "/sse"
	}
	node, args := Command(tb, Everything, string(kind))
	cmd := exec.Command(node, append([]string{"--require", filepath.Join(packageDir(tb), "listen.cjs")}, args...)...)
	return "http://127.0.0.1:" + start(tb, cmd) + path
}

// start runs cmd until the test ends and returns the port that it announces.
func start(tb testing.TB, cmd *exec.Cmd) string {
	tb.Helper()
	stderr, err := cmd.StderrPipe()
	if err != nil {
		tb.Fatalf("npmservers: %v", err)
	}
	// Nothing is ever written to it: it is closed by the end of this process.
	if _, err := cmd.StdinPipe(); err != nil {
		tb.Fatalf("npmservers: %v", err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatalf("npmservers: %v", err)
	}
	drained := make(chan struct{})
	tb.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-drained
		_ = cmd.Wait() // reports the kill
	})

	late := time.AfterFunc(startTimeout, func() { _ = cmd.Process.Kill() })
	port, err := readPort(stderr)
	if stopped := late.Stop(); !stopped {
		err = fmt.Errorf("no port within %v: %w", startTimeout, err)
	}
	go func() {
		defer close(drained)
		_, _ = io.Copy(io.Discard, stderr)
	}()
	if err != nil {
		tb.Fatalf("npmservers: %v did not start: %v", cmd.Args, err)
	}
	return port
}

// readPort reads lines until one announces the port. Without one its error
// holds what was read.
func readPort(stderr io.Reader) (string, error) {
	var said strings.Builder
	for scanner := bufio.NewScanner(stderr); scanner.Scan(); {
		if port, found := strings.CutPrefix(scanner.Text(), portLine); found {
			return port, nil
		}
		fmt.Fprintln(&said, scanner.Text())
	}
	return "", fmt.Errorf("it ended after writing:\n%s", said.String())
}
