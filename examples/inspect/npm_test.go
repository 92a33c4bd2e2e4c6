package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/langchaingo-mcp/mcpadapters/internal/npmservers"
)

// npm returns the entries of four servers that others wrote, and a directory
// that one of them may use.
func npm(t testing.TB) (entries, string) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("remember the milk"), 0o600); err != nil {
		t.Fatal(err)
	}
	servers := entries{}
	for name, args := range map[string][]string{
		npmservers.Everything: nil, npmservers.Filesystem: {dir}, npmservers.Memory: nil, npmservers.SequentialThinking: nil,
	} {
		command, args := npmservers.Command(t, name, args...)
		servers[name] = stdio(command, args...)
	}
	servers[npmservers.Memory]["env"] = map[string]string{"MEMORY_FILE_PATH": filepath.Join(t.TempDir(), "memory.jsonl")}
	return servers, dir
}

// TestFourServers looks at all of them at once.
func TestFourServers(t *testing.T) {
	t.Parallel()
	servers, _ := npm(t)
	servers["broken"] = stdio("nonesuch-server")
	config := configure(t, servers)

	r := inspect(t, "-config", config, "-json", "tools")
	r.must(t, statusFailed, "{", "broken  spawn  server unavailable: ")
	doc := decode[struct{ Tools []toolEntry }](t, r)
	counts := map[string]int{}
	for _, tool := range doc.Tools {
		counts[tool.Server]++
		if tool.Name == "" || tool.OriginalName == "" || tool.Description == "" || tool.Schema["type"] != "object" || tool.OriginalSchema == nil {
			t.Errorf("something is missing from the tool %+v", tool)
		}
	}
	want := map[string]int{npmservers.Everything: 14, npmservers.Filesystem: 14, npmservers.Memory: 9, npmservers.SequentialThinking: 1}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Errorf("tools of each server (-want +got):\n%s", diff)
	}
	if problems := errorsOf(t, r); len(problems) != 1 || problems[0].Server != "broken" || problems[0].Phase != "spawn" {
		t.Errorf("problems are %+v, want one of the broken server", problems)
	}

	r = inspect(t, "-config", config, "tools")
	for _, tool := range doc.Tools {
		if !strings.Contains(r.stdout, "\n  "+tool.Name+"(") {
			t.Errorf("the tool %q is missing from\n%s", tool.Name, r.stdout)
		}
	}

	r = inspect(t, "-config", config, "servers")
	r.must(t, statusFailed, "broken               stdio      failed  -", "broken")
	for _, want := range []string{"mcp-servers/everything", "secure-filesystem-server", "memory-server", "sequential-thinking-server"} {
		r.must(t, statusFailed, want, "broken")
	}
}

// TestNPM uses what the servers offer, one at a time.
func TestNPM(t *testing.T) {
	t.Parallel()
	servers, dir := npm(t)
	config := configure(t, servers)
	encoded, err := json.Marshal(map[string]string{"path": filepath.Join(dir, "notes.txt")})
	if err != nil {
		t.Fatal(err)
	}
	path := string(encoded)
	tests := []struct {
		name, server   string
		args           []string
		status         int
		stdout, stderr string
	}{
		{"text", npmservers.Everything, []string{"call", "echo", `{"message": "hi"}`}, 0, "Echo: hi\n", ""},
		{"image", npmservers.Everything, []string{"call", "get-tiny-image"}, 0, "[image: image/png, 4033 bytes]", ""},
		{"structured", npmservers.Everything, []string{"call", "get-structured-content", `{"location": "Chicago"}`}, 0, `"conditions"`, ""},
		{"bad arguments", npmservers.Everything, []string{"call", "get-sum", `{"a": "x"}`}, 1, "Input validation error", "call   get-sum: the tool reports a failure"},
		{"progress", npmservers.Everything, []string{"call", "trigger-long-running-operation", `{"duration": 1, "steps": 2}`}, 0, "completed",
			"everything/trigger-long-running-operation: 1/2 (50%)\neverything/trigger-long-running-operation: 2/2 (100%)\n"},
		{"accept without a default", npmservers.Everything, []string{"-elicit", "accept", "call", "trigger-elicitation-request"}, 1, `"action": "decline"`,
			`does not fit the question: "name" is required; declined`},
		{"accept with content", npmservers.Everything, []string{"-elicit", `{"name": "Ada", "number": 7}`, "call", "trigger-elicitation-request"}, 0,
			"- Name: Ada\n- Favorite Integer: 42\n- Favorite Number: 7\n", "everything/trigger-elicitation-request asked \"Please provide inputs for the following fields:\": accepted\n"},
		{"decline", npmservers.Everything, []string{"-elicit", "decline", "call", "trigger-elicitation-request"}, 0, "User declined", ": declined\n"},
		{"cancel", npmservers.Everything, []string{"-elicit", "cancel", "call", "trigger-elicitation-request"}, 0, "User cancelled", ": cancelled\n"},
		{"prompts", npmservers.Everything, []string{"prompts"}, 0, "everything  args-prompt         city, state?", ""},
		{"prompt", npmservers.Everything, []string{"prompt", "everything", "args-prompt", `{"city": "Paris"}`}, 0, "user:\nWhat's weather in Paris?\n", ""},
		{"prompt with a number", npmservers.Everything, []string{"prompt", "everything", "resource-prompt", `{"resourceType": "Text", "resourceId": 1}`}, 0,
			"[resource: demo://resource/dynamic/text/1, text/plain]", ""},
		{"unknown prompt", npmservers.Everything, []string{"prompt", "everything", "nope"}, 1, "", "everything  call   refused by the server: "},
		{"resources", npmservers.Everything, []string{"resources"}, 0, "demo://resource/dynamic/blob/{resourceId}", ""},
		{"read", npmservers.Everything, []string{"read", "everything", "demo://resource/dynamic/text/1"}, 0, "Resource 1: This is a plaintext resource", ""},
		{"file", npmservers.Filesystem, []string{"call", "read_text_file", path}, 0, "remember the milk\n", ""},
		{"file that is not allowed", npmservers.Filesystem, []string{"call", "read_text_file", `{"path": "/etc/passwd"}`}, 1, "Access denied", "read_text_file: the tool reports a failure"},
		{"memory", npmservers.Memory, []string{"call", "create_entities", `{"entities": [{"name": "Ada", "entityType": "person", "observations": []}]}`}, 0, `"Ada"`, ""},
		{"thinking", npmservers.SequentialThinking, []string{"call", "sequentialthinking",
			`{"thought": "hm", "nextThoughtNeeded": false, "thoughtNumber": 1, "totalThoughts": 1}`}, 0, `"thoughtHistoryLength": 1`, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			args := slices.Concat([]string{"-config", config, "-server", test.server}, test.args)
			inspect(t, args...).must(t, test.status, test.stdout, test.stderr)
		})
	}
}

// TestWholeImage: what people see cut short is whole for scripts.
func TestWholeImage(t *testing.T) {
	t.Parallel()
	servers, _ := npm(t)
	r := inspect(t, "-config", configure(t, servers), "-server", npmservers.Everything, "-json", "call", "get-tiny-image")
	doc := decode[struct {
		Result struct {
			Content []struct {
				Type string
				Data []byte
			}
		}
	}](t, r)
	i := slices.IndexFunc(doc.Result.Content, func(c struct {
		Type string
		Data []byte
	}) bool {
		return c.Type == "image"
	})
	if i < 0 || len(doc.Result.Content[i].Data) != 4033 {
		t.Errorf("no image of 4033 bytes in\n%.500s", r.stdout)
	}
}
