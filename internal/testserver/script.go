package testserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/config"
)

// A Script is a server of 2025-11-25 that gives fixed answers: by the name of a
// tool, or else by the method. An answer is a result, or lines of output if it
// begins with "!", in which ID stands for the id of the request and BIG for
// 32 KiB of text. As a process it also knows the lines CLOSE and FLOOD.
type Script map[string]string

const big = 32 << 10

func (s Script) answer(req *jsonrpc.Request) string {
	result, ok := s[req.Method]
	if req.Method == "tools/call" {
		var params struct {
			Name string `json:"name"`
		}
		_ = json.Unmarshal(req.Params, &params) // of the SDK
		result, ok = s[params.Name]
	}
	if !ok {
		result = `{}`
		if req.Method == "initialize" {
			result = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"prompts":{},"resources":{}},"serverInfo":{"name":"script","version":"1"}}`
		}
	}
	id, err := json.Marshal(req.ID.Raw())
	if err != nil {
		panic(err)
	}
	lines, raw := strings.CutPrefix(result, "!")
	if !raw {
		lines = `{"jsonrpc":"2.0","id":ID,"result":` + result + `}`
	}
	return strings.NewReplacer("ID", string(id), "BIG", strings.Repeat("x", big)).Replace(lines)
}

// serve answers what it reads.
func (s Script) serve(in io.Reader, out io.Writer) {
	for r := bufio.NewReader(in); ; {
		line, err := r.ReadBytes('\n')
		if err != nil {
			return
		}
		msg, err := jsonrpc.DecodeMessage(line)
		if req, ok := msg.(*jsonrpc.Request); err == nil && ok && req.IsCall() {
			fmt.Fprintln(out, s.answer(req))
		}
	}
}

var scripted = config.Settings{ProtocolVersion: "2025-11-25"}

// Pipe returns the connection to the script on a transport of its own.
func (s Script) Pipe() config.Custom {
	return config.Custom{Settings: scripted, NewTransport: func(context.Context) (mcp.Transport, error) {
		server, client := net.Pipe()
		go s.serve(server, server)
		return &mcp.IOTransport{Reader: client, Writer: client}, nil
	}}
}

// scriptEnv makes [Main] serve the script that it holds.
const scriptEnv = "MCPADAPTERS_TESTSERVER_SCRIPT"

// Stdio returns the connection to the script as a process: see [Stdio].
func (s Script) Stdio(tb testing.TB) config.Stdio {
	c := Stdio(tb, "script")
	raw, err := json.Marshal(s)
	if err != nil {
		tb.Fatal(err)
	}
	c.Env[scriptEnv] = string(raw)
	c.Settings = scripted
	return c
}

// mainScript serves a script if it is what [Main] is to do.
func mainScript() {
	raw := os.Getenv(scriptEnv)
	if raw == "" {
		return
	}
	var s Script
	if err := json.Unmarshal([]byte(raw), &s); err != nil {
		panic(err)
	}
	s.serve(os.Stdin, process{})
	os.Exit(0)
}

// process is the output of a script that is a process. It closes its standard
// output after a line that is CLOSE, and writes a lot to standard error after
// one that is FLOOD.
type process struct{}

func (process) Write(b []byte) (int, error) {
	for line := range bytes.Lines(b) {
		switch string(bytes.TrimSpace(line)) {
		case "CLOSE":
			os.Stdout.Close()
		case "FLOOD":
			for range 256 {
				fmt.Fprintln(os.Stderr, strings.Repeat("e", big))
			}
		default:
			if _, err := os.Stdout.Write(line); err != nil {
				return 0, err
			}
		}
	}
	return len(b), nil
}

// HTTP serves the script by streamable HTTP until the test ends, each answer in
// one piece, or as a stream of events with one for each line.
func (s Script) HTTP(tb testing.TB, stream bool) config.StreamableHTTP {
	return config.StreamableHTTP{URL: serve(tb, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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
			for line := range strings.SplitSeq(s.answer(req), "\n") {
				fmt.Fprintf(w, "data: %s\n\n", line)
			}
		default:
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, s.answer(req))
		}
	})), Settings: scripted}
}

// SSE serves the script by the HTTP+SSE transport of 2024-11-05 until the test
// ends.
func (s Script) SSE(tb testing.TB) config.SSE {
	answers := make(chan string, 64)
	return config.SSE{URL: serve(tb, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			body, err := io.ReadAll(r.Body)
			msg, decodeErr := jsonrpc.DecodeMessage(bytes.TrimSpace(body))
			if req, ok := msg.(*jsonrpc.Request); err == nil && decodeErr == nil && ok && req.IsCall() {
				answers <- s.answer(req)
			}
			w.WriteHeader(http.StatusAccepted)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "event: endpoint\ndata: /messages\n\n")
		for {
			w.(http.Flusher).Flush()
			select {
			case lines := <-answers:
				for line := range strings.SplitSeq(lines, "\n") {
					fmt.Fprintf(w, "data: %s\n\n", line)
				}
			case <-r.Context().Done():
				return
			}
		}
	})), Settings: scripted}
}
