package providers_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/tools"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/adapters/agent"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/internal/fakemodels"
	"github.com/langchaingo-mcp/mcpadapters/internal/npmservers"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// npmTools returns the tools of four servers that others wrote, and a directory
// that one of them may write to.
func npmTools(t *testing.T) ([]tools.Tool, string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	node := func(name string, args ...string) config.Stdio {
		command, args := npmservers.Command(t, name, args...)
		return config.Stdio{Command: command, Args: args}
	}
	memory := node(npmservers.Memory)
	memory.Env = map[string]string{"MEMORY_FILE_PATH": filepath.Join(t.TempDir(), "memory.jsonl")}
	client, err := multiclient.New(config.Connections{
		"everything": node(npmservers.Everything, "stdio"),
		"filesystem": node(npmservers.Filesystem, dir),
		"memory":     memory,
		"thinking":   node(npmservers.SequentialThinking),
	}, &multiclient.Options{
		ToolNamePrefix: true,
		Tool:           adapters.ToolOptions{SchemaInDescription: true}, // for the text agent
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	})
	list, err := client.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return list, dir
}

// A step is some calls that the model makes at once, and what it has to be
// told.
type step struct {
	calls   []fakemodels.Call
	results []string
}

// task is what the model does: it uses a tool of each server, gets a file wrong
// and then right. Nobody is remembered twice.
func task(dir, who string) []step {
	file := filepath.Join(dir, "note.txt")
	thought := map[string]any{"thought": "add, write, remember", "nextThoughtNeeded": false, "thoughtNumber": 1, "totalThoughts": 1}
	person := map[string]any{"name": who, "entityType": "person", "observations": []any{"likes tea"}}
	return []step{
		{[]fakemodels.Call{{Tool: "thinking_sequentialthinking", Arguments: thought}}, []string{`"thoughtNumber": 1`}},
		{
			[]fakemodels.Call{
				{Tool: "everything_get-sum", Arguments: map[string]any{"a": 40, "b": 2}},
				{Tool: "filesystem_write_file", Arguments: map[string]any{"path": file, "content": "42, says \"Ada\"\n"}},
				{Tool: "memory_create_entities", Arguments: map[string]any{"entities": []any{person}}},
			},
			[]string{"42", "Successfully wrote", "likes tea"},
		},
		{[]fakemodels.Call{callOf("filesystem_read_text_file", "path", file+".missing"), callOf("everything_echo", "mesage", "hi")}, []string{"Error", "Error"}},
		{[]fakemodels.Call{callOf("filesystem_read_text_file", "path", file), {Tool: "memory_read_graph"}}, []string{`42, says "Ada"`, `"` + who + `"`}},
		{[]fakemodels.Call{{Tool: "everything_get-tiny-image"}}, []string{"[image: image/png"}},
	}
}

const (
	question = "What is 40 and 2? Write it down and remember Ada."
	final    = "It is 42, and Ada is known."
)

// withCalls is the task for agents that use the API's own tool calls.
func withCalls(last func(*fakemodels.Request) error) func(steps []step) []fakemodels.Turn {
	return func(steps []step) []fakemodels.Turn {
		turns := make([]fakemodels.Turn, len(steps)+1)
		for i, s := range steps {
			turns[i].Calls = s.calls
			turns[i+1].Check = fakemodels.LastResults(s.results...)
		}
		turns[0].Check = trueSchemas
		turns[0].Text = "Let me think."
		turns[len(steps)].Text = final
		turns[len(steps)].Check = fakemodels.All(turns[len(steps)].Check, last)
		return turns
	}
}

// trueSchemas is a check that all tools are there with what they really take.
func trueSchemas(r *fakemodels.Request) error {
	if len(r.Tools) < 30 {
		return fmt.Errorf("%d tools", len(r.Tools))
	}
	entities, _ := r.Tool("memory_create_entities").Schema["properties"].(map[string]any)["entities"].(map[string]any)
	items, _ := entities["items"].(map[string]any)
	properties, _ := items["properties"].(map[string]any)
	if properties["observations"] == nil {
		return fmt.Errorf("the schema of memory_create_entities is %v", r.Tool("memory_create_entities").Schema)
	}
	return nil
}

// asText is the task for agents that read calls out of the model's text, one at
// a time, and put the results into the prompt.
func asText(steps []step) []fakemodels.Turn {
	turns := []fakemodels.Turn{{Check: func(r *fakemodels.Request) error {
		if prompt := strings.Join(r.Texts, ""); !strings.Contains(prompt, "memory_create_entities: ") || !strings.Contains(prompt, `"observations"`) {
			return fmt.Errorf("the prompt does not say what memory_create_entities takes: %s", prompt)
		}
		return nil
	}}}
	for _, s := range steps {
		for i, call := range s.calls {
			input, _ := json.Marshal(call.Arguments) // of JSON values only
			turns[len(turns)-1].Text = fmt.Sprintf("Thought: go on\nAction: %s\nAction Input: %s", call.Tool, input)
			want := s.results[i]
			turns = append(turns, fakemodels.Turn{Check: func(r *fakemodels.Request) error {
				prompt := strings.Join(r.Texts, "")
				if last := prompt[max(strings.LastIndex(prompt, "Observation:"), 0):]; !strings.Contains(last, want) {
					return fmt.Errorf("the prompt ends with %.300q, want %q", last, want)
				}
				return nil
			}})
		}
	}
	turns[len(turns)-1].Text = "Thought: I now know the final answer\nFinal Answer: " + final
	return turns
}

// A solver lets a model and tools answer the question.
type solver func(ctx context.Context, model llms.Model, list []tools.Tool) (string, error)

func execute(ctx context.Context, a agents.Agent) (string, error) {
	return chains.Run(ctx, agents.NewExecutor(a, agents.WithMaxIterations(20)), question)
}

// Every agent finishes the task with every provider.
func TestTasks(t *testing.T) {
	list, dir := npmTools(t)
	providers := all()
	for _, name := range []string{"openai", "anthropic", "gemini", "mistral", "bedrock"} {
		p := providers[name]
		shown := 1
		if p.noImages {
			shown = 0
		}
		for who, solve := range map[string]struct {
			script func(steps []step) []fakemodels.Turn
			run    solver
		}{
			"functions agent": {withCalls(images(0)), func(ctx context.Context, model llms.Model, list []tools.Tool) (string, error) {
				return execute(ctx, agents.NewOpenAIFunctionsAgent(adapters.BindTools(model, list), list))
			}},
			"loop": {withCalls(images(shown)), func(ctx context.Context, model llms.Model, list []tools.Tool) (string, error) {
				result, err := adapters.Run(ctx, model, []llms.MessageContent{say(llms.ChatMessageTypeHuman, question)}, list, nil)
				return result.Answer, err
			}},
			"agent": {withCalls(images(0)), func(ctx context.Context, model llms.Model, list []tools.Tool) (string, error) {
				return execute(ctx, agent.New(model, list, &agent.Options{SystemMessage: "Be exact."}))
			}},
			"mrkl": {asText, func(ctx context.Context, model llms.Model, list []tools.Tool) (string, error) {
				return execute(ctx, agents.NewOneShotAgent(model, list))
			}},
		} {
			t.Run(name+"/"+who, func(t *testing.T) {
				_ = os.Remove(filepath.Join(dir, "note.txt"))
				endpoint := p.start(t, solve.script(task(dir, name+", "+who))...)
				got, err := solve.run(t.Context(), p.model(t, endpoint.URL), list)
				if err != nil || strings.TrimSpace(got) != final {
					t.Errorf("got %q, %v", got, err)
				}
				if left := endpoint.Left(); left != 0 || len(endpoint.Refused()) != 0 {
					t.Errorf("%d turns left, refused %q", left, endpoint.Refused())
				}
			})
		}
	}
}
