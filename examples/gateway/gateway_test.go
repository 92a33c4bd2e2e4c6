package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/internal/npmservers"
)

// asProgram makes the test binary the program.
const asProgram = "GATEWAY_EXAMPLE"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// configFile writes a file with four servers that others wrote.
func configFile(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("remember the milk"), 0o600); err != nil {
		t.Fatal(err)
	}
	servers := map[string]any{}
	for name, args := range map[string][]string{
		npmservers.Everything: nil, npmservers.Filesystem: {dir}, npmservers.Memory: nil, npmservers.SequentialThinking: nil,
	} {
		command, args := npmservers.Command(t, name, args...)
		servers[name] = map[string]any{"command": command, "args": args, "env": map[string]string{"MEMORY_FILE_PATH": filepath.Join(dir, "memory.jsonl")}}
	}
	raw, err := json.Marshal(map[string]any{"mcpServers": servers})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "mcp.json")
	if err := os.WriteFile(file, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// overStdio runs the program as a child.
func overStdio(t *testing.T) mcp.Transport {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-config", configFile(t))
	cmd.Env = append(cmd.Environ(), asProgram+"=1")
	return &mcp.CommandTransport{Command: cmd, TerminateDuration: 20 * time.Second}
}

// overHTTP runs the program in this process and returns how to reach it.
func overHTTP(t *testing.T) mcp.Transport {
	ctx, cancel := context.WithCancel(context.Background())
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- run(ctx, []string{"-http", "127.0.0.1:0", "-config", configFile(t)}, w)
		w.Close()
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	lines := bufio.NewScanner(r)
	if !lines.Scan() {
		t.Fatal("the program says nothing")
	}
	_, url, ok := strings.Cut(lines.Text(), "gateway: ")
	if !ok {
		t.Fatalf("the program says %q", lines.Text())
	}
	go func() { _, _ = io.Copy(io.Discard, r) }()
	return &mcp.StreamableClientTransport{Endpoint: url}
}

// TestFourServers is a session of a plain client with four servers behind the
// gateway.
func TestFourServers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, version string
		transport     func(*testing.T) mcp.Transport
		session       bool // the servers keep what they are told
	}{
		{"stdio/2025-11-25", "2025-11-25", overStdio, true},
		{"stdio/2026-07-28", "2026-07-28", overStdio, true},
		{"http/2025-11-25", "2025-11-25", overHTTP, true},
		{"http/2026-07-28", "2026-07-28", overHTTP, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			progress, changes := make(chan string, 100), make(chan struct{}, 100)
			client := mcp.NewClient(&mcp.Implementation{Name: "plain", Version: "1"}, &mcp.ClientOptions{
				ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
					progress <- fmt.Sprintf("%v %v/%v", req.Params.ProgressToken, req.Params.Progress, req.Params.Total)
				},
				ElicitationHandler: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
					return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": "Ada Lovelace"}}, nil
				},
				ResourceListChangedHandler: func(context.Context, *mcp.ResourceListChangedRequest) { changes <- struct{}{} },
			})
			cs, err := client.Connect(t.Context(), test.transport(t), &mcp.ClientSessionOptions{ProtocolVersion: test.version})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = cs.Close() })
			usesAll(t, cs, progress)
			if test.session {
				listChanges(t, cs, changes)
			}
		})
	}
}

func call(t *testing.T, cs *mcp.ClientSession, tool, token string, arguments map[string]any) string {
	t.Helper()
	params := &mcp.CallToolParams{Name: tool, Arguments: arguments}
	if token != "" {
		params.SetProgressToken(token)
	}
	res, err := cs.CallTool(t.Context(), params)
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	text := ""
	for _, c := range res.Content {
		if c, ok := c.(*mcp.TextContent); ok {
			text += c.Text + "\n"
		}
	}
	return text
}

func usesAll(t *testing.T, cs *mcp.ClientSession, progress <-chan string) {
	var tools []string
	for tool, err := range cs.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		tools = append(tools, tool.Name)
	}
	for _, want := range []string{"echo", "read_text_file", "create_entities", "sequentialthinking"} {
		if !slices.Contains(tools, want) {
			t.Errorf("the tool %s is missing from %q", want, tools)
		}
	}
	if text := call(t, cs, "echo", "", map[string]any{"message": "hello"}); !strings.Contains(text, "hello") {
		t.Errorf("echo says %q", text)
	}
	call(t, cs, "trigger-long-running-operation", "mine", map[string]any{"duration": 0.2, "steps": 2})
	for _, want := range []string{"mine 1/2", "mine 2/2"} {
		select {
		case got := <-progress:
			if got != want {
				t.Errorf("progress is %q, want %q", got, want)
			}
		case <-time.After(30 * time.Second):
			t.Fatalf("progress %q does not come", want)
		}
	}
	if text := call(t, cs, "trigger-elicitation-request", "", map[string]any{}); !strings.Contains(text, "Ada Lovelace") {
		t.Errorf("the answer arrives as %q", text)
	}
	resources, err := cs.ListResources(t.Context(), nil)
	if err != nil || len(resources.Resources) == 0 {
		t.Fatalf("resources are %v, %v", resources, err)
	}
	read, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: resources.Resources[0].URI})
	if err != nil || len(read.Contents) == 0 || read.Contents[0].Text == "" {
		t.Errorf("the first resource is %v, %v", read, err)
	}
}

// listChanges has a server offer one resource more.
func listChanges(t *testing.T, cs *mcp.ClientSession, changes <-chan struct{}) {
	call(t, cs, "gzip-file-as-resource", "", map[string]any{"name": "new.gz", "data": "data:text/plain;base64,aGVsbG8=", "outputType": "resourceLink"})
	select {
	case <-changes:
	case <-time.After(30 * time.Second):
		t.Fatal("the change is not announced")
	}
	for {
		resources, err := cs.ListResources(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(resources.Resources, func(r *mcp.Resource) bool { return strings.Contains(r.URI, "new.gz") })
		if i >= 0 {
			if read, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: resources.Resources[i].URI}); err != nil || len(read.Contents) != 1 {
				t.Errorf("the new resource is %v, %v", read, err)
			}
			return
		}
		select { // it was another change
		case <-changes:
		case <-time.After(30 * time.Second):
			t.Fatal("the new resource is not listed")
		}
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"-config", "none.json"}, {"-nonsense"}, {"surplus"}, {"-http", "nowhere:-1", "-config", configFile(t)}} {
		if err := run(t.Context(), args, io.Discard); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
}
