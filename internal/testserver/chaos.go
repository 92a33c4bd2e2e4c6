package testserver

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
)

// Variables that make [Main] serve a server that can be killed at any time.
const (
	chaosDirEnv  = "MCPADAPTERS_TESTSERVER_CHAOS"
	chaosHTTPEnv = "MCPADAPTERS_TESTSERVER_CHAOS_HTTP"
)

// A Chaos is a server as a process, that writes down in a directory what
// outlives it: a line with the id of each call when it begins, in "journal", and
// its process id, in "pid". Its tools "once", which says nothing of itself, and
// "again", which is idempotent, wait for a number of milliseconds and return the
// id.
type Chaos struct {
	Dir string
	// HTTP is empty for stdio, or the version of the protocol, for which it
	// listens and writes its URL to stdout.
	HTTP string
}

// Journal returns the path of the file with the ids of calls.
func (c Chaos) Journal() string { return filepath.Join(c.Dir, "journal") }

// PID returns the id of the process that was started last.
func (c Chaos) PID() (int, error) {
	raw, err := os.ReadFile(filepath.Join(c.Dir, "pid"))
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(string(raw))
}

// Stdio returns the command of the server.
func (c Chaos) Stdio(tb testing.TB) config.Stdio {
	s := Stdio(tb, "chaos")
	s.Env[chaosDirEnv], s.Env[chaosHTTPEnv] = c.Dir, c.HTTP
	// A test binary that exits would wait for a second.
	s.Env["GORACE"] = "atexit_sleep_ms=0"
	return s
}

func mainChaos() {
	c := Chaos{Dir: os.Getenv(chaosDirEnv), HTTP: os.Getenv(chaosHTTPEnv)}
	if c.Dir == "" {
		return
	}
	if err := c.main(); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	os.Exit(0)
}

func (c Chaos) main() error {
	pid := filepath.Join(c.Dir, "pid")
	own := fmt.Sprint(pid, ".", os.Getpid())
	if err := os.WriteFile(own, []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
		return err
	}
	if err := os.Rename(own, pid); err != nil { // so that it is never read half
		return err
	}
	journal, err := os.OpenFile(c.Journal(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	s := chaosServer(journal)
	if c.HTTP == "" {
		return s.Run(context.Background(), &mcp.StdioTransport{})
	}
	return listen(s, c.HTTP >= stateless)
}

func chaosServer(journal io.Writer) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "chaos", Version: "1.0.0"}, nil)
	type in struct {
		ID string `json:"id"`
		MS int    `json:"ms"`
	}
	for name, annotations := range map[string]*mcp.ToolAnnotations{"once": nil, "again": {IdempotentHint: true}} {
		mcp.AddTool(s, &mcp.Tool{Name: name, Annotations: annotations},
			func(ctx context.Context, _ *mcp.CallToolRequest, in in) (*mcp.CallToolResult, any, error) {
				// One write, which is done or not whenever the process is killed.
				if _, err := fmt.Fprintln(journal, in.ID); err != nil {
					return nil, nil, err
				}
				select {
				case <-time.After(time.Duration(in.MS) * time.Millisecond):
				case <-ctx.Done():
				}
				return text("%s", in.ID), nil, nil
			})
	}
	return s
}
