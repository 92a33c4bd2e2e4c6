package testserver

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
)

// httpEnv makes [Main] serve by streamable HTTP.
const httpEnv = "MCPADAPTERS_TESTSERVER_HTTP"

// A Process is a server over streamable HTTP in a process of its own.
type Process struct {
	URL string
	*exec.Cmd
	stdin io.Closer
}

// HTTPProcess serves the server of [New], of versions up to 2025-11-25, in a
// process of its own until the test ends and returns the URL.
func HTTPProcess(tb testing.TB, name string) string {
	command := Stdio(tb, name)
	command.Env[httpEnv] = name
	p, err := Start(command)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(p.Kill)
	return p.URL
}

// Start starts a command that serves by [listen].
func Start(command config.Stdio) (*Process, error) {
	cmd := exec.Command(command.Command)
	for key, value := range command.Env {
		cmd.Env = append(cmd.Env, key+"="+value)
	}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &Process{Cmd: cmd, stdin: stdin}
	url, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		p.Kill()
		return nil, fmt.Errorf("the server has not come up: %w", err)
	}
	p.URL = strings.TrimSpace(url)
	return p, nil
}

// Kill ends the process. It can be called again.
func (p *Process) Kill() {
	_ = p.Process.Kill()
	_ = p.Wait()
	_ = p.stdin.Close()
}

// listen serves by streamable HTTP, at a URL that it writes to stdout, until
// stdin ends, with whoever has started the process.
func listen(s *mcp.Server, stateless bool) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	fmt.Println("http://" + l.Addr().String())
	return http.Serve(l, mcp.NewStreamableHTTPHandler(
		func(*http.Request) *mcp.Server { return s }, &mcp.StreamableHTTPOptions{Stateless: stateless}))
}

func mainHTTP() {
	name := os.Getenv(httpEnv)
	if name == "" {
		return
	}
	fmt.Fprintln(os.Stderr, listen(New(name).Server, false))
	os.Exit(0)
}
