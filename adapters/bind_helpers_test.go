package adapters_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/tools"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
)

// A scriptedModel answers with what it is given, in turn, and remembers what it
// was asked.
type scriptedModel struct {
	mu       sync.Mutex
	answers  []*llms.ContentResponse
	defaults llms.CallOptions
	messages [][]llms.MessageContent
	options  []llms.CallOptions
}

func (m *scriptedModel) GenerateContent(_ context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	co := m.defaults
	for _, option := range options {
		option(&co)
	}
	m.messages, m.options = append(m.messages, messages), append(m.options, co)
	if len(m.answers) == 0 {
		return nil, errors.New("no answer left")
	}
	answer := m.answers[0]
	m.answers = m.answers[1:]
	return answer, nil
}

func (m *scriptedModel) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

func answer(choices ...*llms.ContentChoice) *llms.ContentResponse {
	return &llms.ContentResponse{Choices: choices}
}

func says(text string) *llms.ContentResponse { return answer(&llms.ContentChoice{Content: text}) }

func call(id, name, arguments string) llms.ToolCall {
	return llms.ToolCall{ID: id, Type: "function", FunctionCall: &llms.FunctionCall{Name: name, Arguments: arguments}}
}

func message(role llms.ChatMessageType, parts ...llms.ContentPart) llms.MessageContent {
	return llms.MessageContent{Role: role, Parts: parts}
}

// boundTools are two MCP tools that answer with their arguments.
func boundTools(t testing.TB) []tools.Tool {
	t.Helper()
	schemas := map[string]string{
		"weather": `{"type":"object","properties":{"city":{"type":"string"},"days":{"type":["integer","null"]}},"required":["city"]}`,
		"add":     `{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"},"at":{"$ref":"#/$defs/at"}},"required":["a","b"],"$defs":{"at":{"oneOf":[{"const":"now"},{"type":"integer"}]}}}`,
	}
	var list []tools.Tool
	for _, name := range []string{"weather", "add"} {
		tool, err := adapters.NewTool(adapters.ToolConfig{
			Name: name, ServerName: "srv",
			Tool: &mcp.Tool{Name: name, Description: "The " + name + ".", InputSchema: schemaOf(t, schemas[name])},
			Handler: func(_ context.Context, req *interceptors.Request) (*mcp.CallToolResult, error) {
				return content(text(req.ToolName + " " + toJSON(req.Arguments))), nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, tool)
	}
	return list
}

// plainTool is a tool as langchaingo has them.
type plainTool struct{ name string }

func (p plainTool) Name() string        { return p.name }
func (p plainTool) Description() string { return "Plain." }
func (p plainTool) Call(_ context.Context, input string) (string, error) {
	return "plain " + input, nil
}

// runAgent does what langchaingo's OpenAIFunctionsAgent and Executor do, to the
// letter where it matters: the functions that are sent, the history, which choice
// is read and how, and what of a call is kept. The agents package itself would
// bring its dependencies along.
func runAgent(ctx context.Context, model llms.Model, list []tools.Tool, question string, options ...llms.CallOption) (string, error) {
	type step struct{ id, tool, input, log, observation string }
	var functions []llms.FunctionDefinition
	byName := map[string]tools.Tool{}
	for _, tool := range list {
		byName[strings.ToUpper(tool.Name())] = tool
		functions = append(functions, llms.FunctionDefinition{
			Name: tool.Name(), Description: tool.Description(),
			Parameters: map[string]any{
				"properties": map[string]any{"__arg1": map[string]string{"title": "__arg1", "type": "string"}},
				"required":   []string{"__arg1"},
				"type":       "object",
			},
		})
	}
	var steps []step
	for range 8 {
		messages := []llms.MessageContent{
			message(llms.ChatMessageTypeSystem, llms.TextPart("You are a helpful AI assistant.")),
			message(llms.ChatMessageTypeHuman, llms.TextPart(question)),
		}
		for i := 0; i < len(steps); {
			group := i
			var calls []llms.ContentPart
			for ; i < len(steps) && steps[i].log == steps[group].log; i++ {
				calls = append(calls, call(steps[i].id, steps[i].tool, steps[i].input))
			}
			messages = append(messages, message(llms.ChatMessageTypeAI, calls...))
			for _, s := range steps[group:i] {
				messages = append(messages, message(llms.ChatMessageTypeTool, llms.ToolCallResponse{ToolCallID: s.id, Content: s.observation}))
			}
		}
		// Chains always say something about streaming, nil mostly.
		all := append([]llms.CallOption{llms.WithFunctions(functions), llms.WithStreamingFunc(nil)}, options...)
		response, err := model.GenerateContent(ctx, messages, all...)
		if err != nil {
			return "", err
		}
		choice := response.Choices[0]
		if len(choice.ToolCalls) == 0 {
			if choice.FuncCall != nil {
				return "", errors.New("a function call and no tool call")
			}
			return choice.Content, nil
		}
		for _, c := range choice.ToolCalls {
			input := c.FunctionCall.Arguments
			var arguments map[string]any
			if json.Unmarshal([]byte(input), &arguments) == nil {
				if text, ok := arguments["__arg1"].(string); ok {
					input = text
				}
			}
			s := step{id: c.ID, tool: c.FunctionCall.Name, input: input, log: fmt.Sprintf("Invoking: %s with %s \n", c.FunctionCall.Name, c.FunctionCall.Arguments)}
			tool, ok := byName[strings.ToUpper(s.tool)]
			if !ok {
				s.observation = s.tool + " is not a valid tool, try another one"
			} else if s.observation, err = tool.Call(ctx, strings.TrimSuffix(input, "\nObservation:")); err != nil {
				return "", err
			}
			steps = append(steps, s)
		}
	}
	return "", errors.New("agent not finished")
}
