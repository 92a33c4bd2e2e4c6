package multiclient_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/callbacks/elicitation"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/leak"
	"github.com/langchaingo-mcp/mcpadapters/internal/npmservers"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// node returns the connection to a server from npm over stdio.
func node(t testing.TB, name string, args ...string) config.Stdio {
	command, args := npmservers.Command(t, name, args...)
	return config.Stdio{Command: command, Args: args}
}

// heard records what servers that are not ours send.
type heard struct {
	mu       sync.Mutex
	progress []string
	logs     []string
	asked    []string
}

func (h *heard) callbacks() callbacks.Callbacks {
	return callbacks.Callbacks{
		OnProgress: func(_ context.Context, cc callbacks.CallbackContext, p *mcp.ProgressNotificationParams) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.progress = append(h.progress, fmt.Sprintf("%v %v/%v", cc, p.Progress, p.Total))
		},
		OnLoggingMessage: func(_ context.Context, cc callbacks.CallbackContext, p *mcp.LoggingMessageParams) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.logs = append(h.logs, fmt.Sprintf("%v %s", cc, p.Level))
		},
		OnElicitation: func(ctx context.Context, cc callbacks.CallbackContext, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			h.mu.Lock()
			h.asked = append(h.asked, cc.String())
			h.mu.Unlock()
			return elicitation.AcceptDefaults(map[string]any{"name": "Ada"})(ctx, cc, req)
		},
	}
}

// take returns what was heard since the last time.
func (h *heard) take() (progress, logs, asked []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	progress, logs, asked = h.progress, h.logs, h.asked
	h.progress, h.logs, h.asked = nil, nil, nil
	return progress, logs, asked
}

func TestFourServersFromNPM(t *testing.T) {
	leak.Check(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "hello.txt")
	if err := os.WriteFile(file, []byte("hello from a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	memory := node(t, npmservers.Memory)
	memory.Env = map[string]string{"MEMORY_FILE_PATH": filepath.Join(dir, "memory.json")}
	var h heard
	c := newClient(t, config.Connections{
		"everything": node(t, npmservers.Everything, "stdio"),
		"filesystem": node(t, npmservers.Filesystem, dir),
		"memory":     memory,
		"thinking":   node(t, npmservers.SequentialThinking),
	}, &multiclient.Options{Callbacks: h.callbacks(), LogLevel: "debug", ToolNamePrefix: true})

	list, err := c.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	perServer := map[string]int{}
	for _, tool := range list {
		perServer[tool.(*adapters.Tool).ServerName()]++
	}
	for server, least := range map[string]int{"everything": 13, "filesystem": 10, "memory": 9, "thinking": 1} {
		if perServer[server] < least {
			t.Errorf("%s has %d tools, want at least %d", server, perServer[server], least)
		}
	}
	for tool, test := range map[string]struct{ input, want string }{
		"filesystem_read_text_file":   {fmt.Sprintf(`{"path": %q}`, file), "hello from a file"},
		"memory_create_entities":      {`{"entities":[{"name":"Ada","entityType":"person","observations":["wrote programs"]}]}`, "wrote programs"},
		"thinking_sequentialthinking": {`{"thought":"so","nextThoughtNeeded":false,"thoughtNumber":1,"totalThoughts":1}`, "thoughtNumber"},
		"everything_echo":             {`{"message":"hi"}`, "Echo: hi"},
	} {
		found, err := c.Tool(t.Context(), tool)
		if err != nil {
			t.Error(err)
			continue
		}
		got, err := found.Call(t.Context(), test.input)
		if err != nil || !strings.Contains(got, test.want) {
			t.Errorf("%s returned %q, %v; want %q in it", tool, got, err, test.want)
		}
	}
	everything(t, c, &h, "everything", false)
}

func TestEverythingOverHTTP(t *testing.T) {
	for _, kind := range []npmservers.Kind{npmservers.StreamableHTTP, npmservers.SSE} {
		t.Run(string(kind), func(t *testing.T) {
			url := npmservers.StartHTTP(t, kind)
			leak.Check(t)
			var connection config.Connection = config.StreamableHTTP{URL: url}
			if kind == npmservers.SSE {
				connection = config.SSE{URL: url}
			}
			var h heard
			c := newClient(t, config.Connections{"everything": connection}, &multiclient.Options{Callbacks: h.callbacks(), LogLevel: "debug"})
			everything(t, c, &h, "everything", kind == npmservers.StreamableHTTP)
		})
	}
}

// everything tries the features of server-everything. Its log messages have
// random levels, so that the client has to ask for all of them.
func everything(t *testing.T, c *multiclient.MultiServerClient, h *heard, server string, twoStreams bool) {
	if got := call(t, c, server, "trigger-long-running-operation", map[string]any{"duration": 0.2, "steps": 4}); !strings.Contains(got, "completed") {
		t.Errorf("the long operation returned %q", got)
	}
	progress, _, _ := h.take()
	var want []string
	for i := 1; i <= 4; i++ {
		want = append(want, fmt.Sprintf("%s/trigger-long-running-operation %d/4", server, i))
	}
	if diff := cmp.Diff(want, progress); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}

	// Over Streamable HTTP it sends log messages on another stream than the answer,
	// with no order between the two: one that comes after the call is nobody's.
	call(t, c, server, "toggle-simulated-logging", nil)
	_, logs, _ := h.take()
	eventually(t, func() bool {
		_, more, _ := h.take()
		logs = append(logs, more...)
		return len(logs) > 0
	})
	of := func(caller string) bool { return strings.HasPrefix(logs[0], caller+" ") }
	if !of(server+"/toggle-simulated-logging") && !(twoStreams && of(server)) {
		t.Errorf("log messages: %q", logs)
	}
	call(t, c, server, "toggle-simulated-logging", nil)

	got := call(t, c, server, "trigger-elicitation-request", nil)
	if !strings.Contains(got, "Ada") || !strings.Contains(got, "provided the requested information") {
		t.Errorf("the elicitation returned %q", got)
	}
	if _, _, asked := h.take(); !cmp.Equal(asked, []string{server + "/trigger-elicitation-request"}) {
		t.Errorf("asked by %q", asked)
	}

	res, err := c.CallTool(t.Context(), server, "get-tiny-image", nil)
	if err != nil {
		t.Fatal(err)
	}
	if text := adapters.ResultText(res, nil); !strings.Contains(text, "image/png") {
		t.Errorf("an image became %q", text)
	}
	if parts := adapters.ResultParts(res, adapters.ImagesAsBinary); len(parts) == 0 {
		t.Error("an image became no part")
	}
	res, err = c.CallTool(t.Context(), server, "get-structured-content", map[string]any{"location": "Chicago"})
	if err != nil {
		t.Fatal(err)
	}
	if content, _ := res.StructuredContent.(map[string]any); content["temperature"] == nil {
		t.Errorf("structured content: %v", res.StructuredContent)
	}

	prompts, err := c.Prompts(t.Context(), server)
	if err != nil || len(prompts) < 3 {
		t.Errorf("%d prompts, %v", len(prompts), err)
	}
	prompt, err := c.Prompt(t.Context(), server, "args-prompt", map[string]string{"city": "Oslo"})
	if err != nil {
		t.Fatal(err)
	}
	if messages, err := adapters.PromptMessages(prompt, adapters.ImagesAsBinary); err != nil || len(messages) != 1 {
		t.Errorf("the prompt became %v, %v", messages, err)
	}
	resources, err := c.Resources(t.Context(), server)
	if err != nil || len(resources) == 0 {
		t.Fatalf("%d resources, %v", len(resources), err)
	}
	content, err := c.ReadResource(t.Context(), server, resources[0].URI)
	if err != nil {
		t.Fatal(err)
	}
	if documents := adapters.ResourceDocuments(server, content); len(documents) == 0 || documents[0].PageContent == "" {
		t.Errorf("%s became %v", resources[0].URI, documents)
	}
	if templates, err := c.ResourceTemplates(t.Context(), server); err != nil || len(templates) != 2 {
		t.Errorf("%d templates, %v", len(templates), err)
	}
}

func TestKilledServerFromNPM(t *testing.T) {
	leak.Check(t)
	pids := filepath.Join(t.TempDir(), "pids")
	server := node(t, npmservers.Everything, "stdio")
	server.Args = append([]string{"-c", `echo $$ >> "$0"; exec "$@"`, pids, server.Command}, server.Args...)
	server.Command = "sh"
	c := newClient(t, config.Connections{"everything": server}, nil)
	call(t, c, "everything", "echo", map[string]any{"message": "x"})
	done := make(chan error, 1)
	go func() {
		_, err := c.CallTool(t.Context(), "everything", "trigger-long-running-operation", map[string]any{"duration": 60, "steps": 1})
		done <- err
	}()
	eventually(t, func() bool { return c.Status()[0].InFlight == 1 })
	killLast(t, pids)
	if err := receive(t, done, "end of the call"); err == nil {
		t.Error("the call to the killed server succeeded")
	}
	if got := call(t, c, "everything", "echo", map[string]any{"message": "again"}); !strings.Contains(got, "again") {
		t.Errorf("the next call returned %q", got)
	}
}
