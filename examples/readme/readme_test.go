package readme_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/internal/npmservers"
)

var block = regexp.MustCompile("(?s)<!-- examples/readme .*?-->\n```go\n(.*?)```")

// build builds the program of the README as it is printed, but for where its two
// servers are, and returns a command that runs it with the model at the URL.
func build(t *testing.T, model, command string, args ...string) *exec.Cmd {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	found := block.FindSubmatch(readme)
	if found == nil {
		t.Fatal("the README has no program")
	}
	program := string(found[1])
	if _, body, _ := strings.Cut(program, "func main() {\n"); strings.Count(body, "\n") > 30 {
		t.Errorf("the program has %d lines", strings.Count(body, "\n"))
	}
	program = replace(t, program, `Command: "npx", Args: []string{"-y", "@modelcontextprotocol/server-filesystem", "."}`,
		fmt.Sprintf("Command: %q, Args: %#v", command, args))
	program = replace(t, program, `"http://localhost:8000/mcp"`, fmt.Sprintf("%q", weather(t)))

	// Inside the module, where its dependencies are.
	source, err := os.MkdirTemp(".", "program")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(source) })
	if err := os.WriteFile(filepath.Join(source, "main.go"), []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(t.TempDir(), "program")
	if out, err := exec.Command("go", "build", "-o", binary, "./"+source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.CommandContext(t.Context(), binary)
	cmd.Env = append(os.Environ(), "OPENAI_API_KEY=none", "OPENAI_BASE_URL="+model)
	return cmd
}

// The program does what it says, with a model that calls a tool of each server.
func TestProgram(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	node, args := npmservers.Command(t, npmservers.Filesystem, dir)
	out, err := build(t, model(t, dir), node, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if got, want := string(out), "There is notes.txt and it is sunny in Oslo.\n"; got != want {
		t.Errorf("the program printed %q, want %q", got, want)
	}
}

// A signal ends the program while its model thinks, and the process of a server that
// goes on when its stdin has ended.
func TestProgramEndsByASignal(t *testing.T) {
	dir := t.TempDir()
	asked, over := make(chan struct{}, 1), make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case asked <- struct{}{}:
		default:
		}
		select {
		case <-r.Context().Done():
		case <-over:
		}
	}))
	t.Cleanup(func() { close(over); slow.Close() })
	node, args := npmservers.Command(t, npmservers.Filesystem, dir)
	pidFile := filepath.Join(dir, "pid")
	cmd := build(t, slow.URL, "sh", append([]string{"-c", `echo $$ > "$0"; "$@"; sleep 600`, pidFile, node}, args...)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-asked:
	case <-ended:
		t.Fatalf("the program has ended before it was told to:\n%s", out.String())
	}
	raw, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Kill(-pid, syscall.SIGKILL) })
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("the program ended with %v\n%s", err, out.String())
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("the process of the server is still there: %v", err)
	}
}

func replace(t *testing.T, s, old, new string) string {
	t.Helper()
	if strings.Count(s, old) != 1 {
		t.Fatalf("the program does not have %s once", old)
	}
	return strings.Replace(s, old, new, 1)
}

func weather(t *testing.T) string {
	s := mcp.NewServer(&mcp.Implementation{Name: "weather"}, nil)
	type place struct {
		City string `json:"city"`
	}
	mcp.AddTool(s, &mcp.Tool{Name: "now"}, func(_ context.Context, _ *mcp.CallToolRequest, in place) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "sunny in " + in.City}}}, nil, nil
	})
	srv := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	return srv.URL
}

// model serves an OpenAI-compatible endpoint that asks for one tool of each
// server and answers with what they returned.
func model(t *testing.T, dir string) string {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req struct {
			Messages []struct {
				Role    string `json:"role"`
				Content any    `json:"content"`
			} `json:"messages"`
			Tools []struct {
				Function struct {
					Name       string `json:"name"`
					Parameters struct {
						Properties map[string]any `json:"properties"`
					} `json:"parameters"`
				} `json:"function"`
			} `json:"tools"`
		}
		if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
			t.Error(err)
		}
		schemas := map[string]map[string]any{}
		for _, tool := range req.Tools {
			schemas[tool.Function.Name] = tool.Function.Parameters.Properties
		}
		if schemas["files_list_directory"]["path"] == nil || schemas["weather_now"]["city"] == nil {
			t.Errorf("the model is offered %v", schemas)
		}
		var answers []string
		for _, m := range req.Messages {
			if m.Role == "tool" {
				answers = append(answers, fmt.Sprint(m.Content))
			}
		}
		message := map[string]any{"role": "assistant", "content": ""}
		if len(answers) < 2 {
			path, _ := json.Marshal(map[string]string{"path": dir})
			message["tool_calls"] = []any{
				map[string]any{"id": "1", "type": "function", "function": map[string]any{"name": "files_list_directory", "arguments": string(path)}},
				map[string]any{"id": "2", "type": "function", "function": map[string]any{"name": "weather_now", "arguments": `{"city":"Oslo"}`}},
			}
		} else {
			file := "no file"
			if strings.Contains(answers[0], "notes.txt") {
				file = "notes.txt"
			}
			message["content"] = "There is " + file + " and it is " + answers[1] + "."
		}
		json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"message": message, "finish_reason": "stop"}}})
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}
