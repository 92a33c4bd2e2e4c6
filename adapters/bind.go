package adapters

import (
	"context"
	"fmt"
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
//     ids, types and names are filled in, ids that the provider would refuse
//     are replaced, and arguments that are not a JSON object are made one.
//     Images get the form that the provider's package can send: a data: URL for
//     OpenAI, bytes for the others. The messages given are not changed.
//   - makes one choice of the answer, with all its text and tool calls, since
//     the agent looks at the first choice only and some providers spread an
//     answer over several. Tool calls without a name go, ids are filled in.
//     When several candidates were asked for, each stays a choice of its own.
//
// Streaming goes on as it would without BindTools, except that Bedrock's package
// loses the tool calls of a stream: with tools, its text comes in one piece.
//
// Vertex's package sends of a property only its type and description: nested
// arguments are asked for as JSON text, and decoded in the calls.
//
// langchaingo has packages that drop tools without a word (v0.1.14: ollama,
// llamafile, cohere and others, and bedrock for all models but Anthropic's). With
// them, a call that would send tools fails with an [*Error] of kind
// [ErrNoTools] that says what to use instead. A package is known by the type of
// the model. The model inside langchaingo's cache (llms/cache) is found, and so is
// that inside a type of your own with a method Unwrap() llms.Model; a type without
// is sent whatever BindTools has, in the form that the most packages take.
//
// Call goes to the model as it is, without tools: its answer is text.
//
// A tool's definition is what its method Definition() llms.Tool returns, as
// [*Tool] has, taken once and not to be changed afterwards; the schema of a
// [*Tool] of the portable profile keeps its unions where the package of the model
// sends them on. For any other tool it is that of the functions agent: one
// string. Of tools with the same name the last counts, as for langchaingo's executor.
//
// The result is an llms.ReasoningModel if model is. It is safe for concurrent
// use if model is. BindTools panics if model is nil; nil tools are skipped, nil
// pointers in the interface included.
//
// Agents that describe tools in the prompt (one-shot, conversational) take
// the model itself: its answers to them are text.
func BindTools(model llms.Model, tools []tools.Tool) llms.Model {
	if isNil(model) {
		panic("adapters: BindTools: model is nil")
	}
	bound := &boundModel{model: model, dialect: dialectOf(model)}
	bound.tools = newToolbox(tools, bound.dialect.passesOn)
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
	model   llms.Model
	tools   *toolbox
	dialect dialect
}

func (m *boundModel) bound() *boundModel { return m }

// GenerateContent implements [llms.Model].
func (m *boundModel) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	called := calledTools(messages)
	var given llms.CallOptions
	for _, option := range options {
		option(&given)
	}
	if err := m.refuse(called, given); err != nil {
		return nil, err
	}
	candidates := 1
	var flat flatCalls
	var stream func(ctx context.Context, chunk []byte) error
	// The last option sees what the model has made of the others, defaults of
	// its own included, which llms.WithOptions would wipe out.
	last := func(co *llms.CallOptions) {
		if given.Functions == nil && len(co.Functions) == 0 {
			co.Functions = nil // Mistral's default is an empty list
		}
		m.tools.offer(co)
		if m.dialect.needsTools && len(co.Tools) == 0 {
			co.Tools = m.tools.standIns(called)
		}
		if m.dialect.options != nil {
			m.dialect.options(co)
		}
		if m.dialect.flat {
			co.Tools, flat = flatten(co.Tools)
		}
		if m.dialect.losesCalls && len(co.Tools) > 0 {
			stream, co.StreamingFunc = co.StreamingFunc, nil
		}
		candidates = max(co.N, co.CandidateCount)
	}
	messages = m.dialect.fitMedia(m.tools.history(messages, &m.dialect))
	response, err := m.model.GenerateContent(ctx, messages, append(slices.Clip(options), last)...)
	if err != nil || response == nil {
		return response, err
	}
	if candidates > 1 {
		response = eachChoice(response, m.dialect.accumulates)
	} else {
		response = oneChoice(response)
	}
	for _, choice := range response.Choices {
		if choice != nil && flat != nil {
			flat.restore(choice.ToolCalls)
			completeCalls(choice)
		}
	}
	if stream != nil && len(response.Choices) > 0 && response.Choices[0] != nil {
		if err := stream(ctx, []byte(response.Choices[0].Content)); err != nil {
			return nil, fmt.Errorf("adapters: the streaming function returned an error: %w", err)
		}
	}
	return response, nil
}

// refuse returns an error if tools are to be sent to a model that has none.
func (m *boundModel) refuse(called []string, co llms.CallOptions) error {
	m.tools.offer(&co)
	if len(co.Tools) == 0 && len(called) == 0 {
		return nil
	}
	return m.dialect.refuse(m.model, &co)
}

// Call implements [llms.Model].
func (m *boundModel) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m.model, prompt, options...)
}
