package adapters

import (
	"context"
	"slices"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/tools"
)

// BindTools returns a model that knows the tools, and that works alike with every
// provider of langchaingo that has tools. With it, langchaingo's functions
// agent runs as it is, with true schemas, on OpenAI, Anthropic, Gemini and
// others:
//
//	llm := adapters.BindTools(model, tools)
//	executor := agents.NewExecutor(agents.NewOpenAIFunctionsAgent(llm, tools))
//
// GenerateContent of the result
//
//   - offers the tools. Functions (llms.WithFunctions, which is what the agent
//     sends, with a single string argument for each) become tools
//     (llms.WithTools), those of the same name as a bound tool with its true
//     definition. Tools given by llms.WithTools stay as they are. If a call
//     gives neither, all the bound tools are offered, unless its tool choice is
//     "none".
//   - brings the history into the only order that all providers take: each
//     tool call in a message of its own, followed by its response. Missing
//     ids, types and names are filled in, and arguments that are not a JSON
//     object are made one. The messages given are not changed.
//   - makes one choice of the answer, with all its text and tool calls, since
//     the agent looks at the first choice only and some providers spread an
//     answer over several. Tool calls without a name go, ids are filled in.
//     When several candidates were asked for, each stays a choice of its own.
//
// Streaming goes on as it would without BindTools. Call goes to the model as it
// is, without tools: its answer is text.
//
// A tool's definition is what its method Definition() llms.Tool returns, as
// [*Tool] has, taken once and not to be changed afterwards. For any other
// tool it is that of the functions agent: one string. Of tools with the same
// name the last counts, as for langchaingo's executor.
//
// The result is an llms.ReasoningModel if model is. It is safe for concurrent
// use if model is. BindTools panics if model is nil; nil tools are skipped.
// Agents that describe tools in the prompt (one-shot, conversational) take
// the model itself: its answers to them are text.
func BindTools(model llms.Model, tools []tools.Tool) llms.Model {
	if model == nil {
		panic("adapters: BindTools: model is nil")
	}
	bound := &boundModel{model: model, tools: newToolbox(tools)}
	if r, ok := model.(reasoner); ok {
		return struct {
			*boundModel
			reasoner
		}{bound, r}
	}
	return bound
}

type reasoner interface{ SupportsReasoning() bool }

type boundModel struct {
	model llms.Model
	tools *toolbox
}

// GenerateContent implements [llms.Model].
func (m *boundModel) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	candidates := 1
	// The last option sees what the model has made of the others, defaults of
	// its own included, which llms.WithOptions would wipe out.
	last := func(co *llms.CallOptions) {
		m.tools.offer(co)
		candidates = max(co.N, co.CandidateCount)
	}
	response, err := m.model.GenerateContent(ctx, m.tools.history(messages), append(slices.Clip(options), last)...)
	if err != nil || response == nil {
		return response, err
	}
	if candidates > 1 {
		return eachChoice(response), nil
	}
	return oneChoice(response), nil
}

// Call implements [llms.Model].
func (m *boundModel) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m.model, prompt, options...)
}
