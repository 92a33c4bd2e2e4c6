package agent

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/schema"
	"github.com/tmc/langchaingo/tools"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

// The keys of an agent's inputs and outputs.
const (
	inputKey  = "input"
	outputKey = "output"

	// historyKey is where langchaingo's memories put the conversation so far.
	historyKey = "history"
)

// Options are the options of [New]. A nil *Options is the zero value.
type Options struct {
	// SystemMessage, if not empty, is the first message.
	SystemMessage string

	// Messages come after the system message and before the question:
	// examples, or an earlier conversation.
	Messages []llms.MessageContent

	// ModelOptions go to the model each time. Those of the chain come after
	// them.
	ModelOptions []llms.CallOption

	// TransportErrors is [adapters.RunOptions.TransportErrors]: by default a call
	// without an answer of the tool ends the executor's run.
	TransportErrors adapters.ErrorPolicy
}

// An Agent is an [agents.Agent]. Its input is "input", its output "output". A
// memory of the executor under the key "history", which is that of langchaingo's
// conversation memories, is told to the model.
//
// It is safe for concurrent use if its model and tools are.
type Agent struct {
	model   llms.Model
	tools   []tools.Tool
	options Options
}

var _ agents.Agent = (*Agent)(nil)

// New returns an agent. The tools may be any of langchaingo; nil ones are
// skipped, nil pointers included. It panics if model is nil, as [adapters.BindTools] does.
func New(model llms.Model, list []tools.Tool, opts *Options) *Agent {
	a := &Agent{model: adapters.BindTools(model, list)}
	if opts != nil {
		a.options = *opts
	}
	for _, tool := range list {
		if v := reflect.ValueOf(tool); v.IsValid() && (v.Kind() != reflect.Pointer || !v.IsNil()) {
			a.tools = append(a.tools, called{tool, a.options.TransportErrors})
		}
	}
	return a
}

// called is a tool that is called as the loop of package adapters does: what the
// executor gives it are the arguments as the model wrote them.
type called struct {
	tools.Tool
	transportErrors adapters.ErrorPolicy
}

func (c called) Call(ctx context.Context, arguments string) (string, error) {
	return adapters.CallTool(ctx, c.Tool, arguments, c.transportErrors)
}

// Plan implements [agents.Agent]. It asks the model, and returns either all the
// calls of its answer or, if there are none, the answer.
func (a *Agent) Plan(ctx context.Context, steps []schema.AgentStep, inputs map[string]string, options ...chains.ChainCallOption) ([]schema.AgentAction, *schema.AgentFinish, error) {
	response, err := a.model.GenerateContent(ctx, a.messages(steps, inputs), append(slices.Clip(a.options.ModelOptions), chainOptions(options))...)
	if err != nil {
		return nil, nil, err
	}
	if response == nil || len(response.Choices) == 0 || response.Choices[0] == nil {
		return nil, nil, errors.New("agent: the model's answer is empty")
	}
	choice := response.Choices[0]
	if len(choice.ToolCalls) == 0 {
		return nil, &schema.AgentFinish{ReturnValues: map[string]any{outputKey: choice.Content}, Log: choice.Content}, nil
	}
	log := logOf(len(steps), choice)
	var actions []schema.AgentAction
	for _, call := range choice.ToolCalls {
		actions = append(actions, schema.AgentAction{
			Tool: call.FunctionCall.Name, ToolInput: call.FunctionCall.Arguments, ToolID: call.ID, Log: log,
		})
	}
	return actions, nil, nil
}

// chainOptions is the options of a chain as one. langchaingo's conversion sets
// the streaming function even to nil, which would undo another.
func chainOptions(options []chains.ChainCallOption) llms.CallOption {
	all := chains.GetLLMCallOptions(options...)
	return func(co *llms.CallOptions) {
		before := co.StreamingFunc
		for _, option := range all {
			option(co)
		}
		if co.StreamingFunc == nil {
			co.StreamingFunc = before
		}
	}
}

// logOf returns the log of the actions of an answer. The executor keeps nothing
// else of it: the first line tells one answer from another, the rest is its
// text.
func logOf(done int, choice *llms.ContentChoice) string {
	var names []string
	for _, call := range choice.ToolCalls {
		names = append(names, fmt.Sprintf("%q", call.FunctionCall.Name))
	}
	return fmt.Sprintf("After %d calls, calling %s\n%s", done, strings.Join(names, ", "), choice.Content)
}

// messages returns the conversation that the steps stand for.
func (a *Agent) messages(steps []schema.AgentStep, inputs map[string]string) []llms.MessageContent {
	var messages []llms.MessageContent
	add := func(role llms.ChatMessageType, parts ...llms.ContentPart) {
		messages = append(messages, llms.MessageContent{Role: role, Parts: parts})
	}
	system := a.options.SystemMessage
	if history := inputs[historyKey]; history != "" {
		system = strings.TrimSpace(system + "\n\nThe conversation so far:\n" + history)
	}
	if system != "" {
		add(llms.ChatMessageTypeSystem, llms.TextPart(system))
	}
	messages = append(messages, a.options.Messages...)
	add(llms.ChatMessageTypeHuman, llms.TextPart(inputs[inputKey]))
	for len(steps) > 0 {
		log := steps[0].Action.Log
		n := 1
		for n < len(steps) && steps[n].Action.Log == log && log != "" {
			n++
		}
		if steps[0].Action.Tool == "" { // what an error handler of the executor says
			add(llms.ChatMessageTypeHuman, llms.TextPart(steps[0].Observation))
			steps = steps[1:]
			continue
		}
		var parts []llms.ContentPart
		if _, text, _ := strings.Cut(log, "\n"); text != "" {
			parts = append(parts, llms.TextPart(text))
		}
		for _, step := range steps[:n] {
			parts = append(parts, llms.ToolCall{ID: step.Action.ToolID, Type: "function", FunctionCall: &llms.FunctionCall{
				Name: step.Action.Tool, Arguments: step.Action.ToolInput,
			}})
		}
		add(llms.ChatMessageTypeAI, parts...)
		for _, step := range steps[:n] {
			add(llms.ChatMessageTypeTool, llms.ToolCallResponse{ToolCallID: step.Action.ToolID, Name: step.Action.Tool, Content: step.Observation})
		}
		steps = steps[n:]
	}
	return messages
}

// GetInputKeys implements [agents.Agent].
func (a *Agent) GetInputKeys() []string { return []string{inputKey} }

// GetOutputKeys implements [agents.Agent].
func (a *Agent) GetOutputKeys() []string { return []string{outputKey} }

// GetTools implements [agents.Agent]. The tools take the arguments that a model
// writes.
func (a *Agent) GetTools() []tools.Tool { return slices.Clone(a.tools) }
