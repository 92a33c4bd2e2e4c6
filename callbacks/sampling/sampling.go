package sampling

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/llms"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

// Usage is the key in the Meta of a result that tells what the answer took, as
// far as the model says: an object with "inputTokens", "outputTokens" and
// "totalTokens".
const Usage = "com.github.langchaingo-mcp/usage"

// New returns callbacks that answer with the model; see [callbacks.Merge] for
// combining them with others. Nil options are the zero value. It panics if the
// model is nil. The result is safe for concurrent use if the model and the
// functions in the options are.
//
// # What the model gets
//
// The system prompt; the messages, with images and, by option, audio; the
// number of tokens, within bounds; the temperature, unless it is 0, which
// cannot be told from none; the stop sequences. Tools and tool choice if the
// options say so, and as far as the provider has them: langchaingo's Anthropic
// and Google providers know no tool choice, so that "required" is not enforced
// with them. Names of tools that providers do not accept are replaced on the
// way to the model and back.
//
// The history is brought into the form that all providers of langchaingo take:
// each tool call in a message of its own, followed by its result. Results of
// tools are text for these; images in them follow in a message of their own.
// What an assistant message holds besides text and tool calls is named in the
// text, since no provider takes it.
//
// The request's metadata, which is up to the provider, and includeContext, which
// is never declared, are ignored.
//
// # What the server gets
//
// The text of the answer in one block, followed by the tool calls; the name of
// the model as far as it is known, otherwise "unknown"; the stop reason in the
// terms of the specification, or the provider's own where there is none; the
// usage in Meta, under [Usage]. A provider that does not tell a stop sequence
// from the end of the turn (OpenAI) makes it "endTurn".
//
// A request that breaks the rules of the specification, or that this client
// does not take, is refused as invalid parameters (-32602) before anybody is
// asked: tools without [Options.Tools], tool results that are missing, too many
// or mixed with other content, roles and contents that do not exist, and what
// exceeds the bounds.
func New(model llms.Model, opts *Options) callbacks.Callbacks {
	if model == nil {
		panic("sampling: the model is nil")
	}
	s := &sampler{model: model, Options: opts.withDefaults(model)}
	declared := &mcp.SamplingCapabilities{}
	if s.Tools {
		declared.Tools = &mcp.SamplingToolsCapabilities{}
	}
	return callbacks.Callbacks{OnSampling: s.sample, Sampling: declared}
}

// A sampler does not change once it is made.
type sampler struct {
	Options
	model llms.Model
}

func (s *sampler) sample(ctx context.Context, cc callbacks.CallbackContext, req *mcp.CreateMessageWithToolsRequest) (*mcp.CreateMessageWithToolsResult, error) {
	if err := s.check(req); err != nil {
		return nil, err
	}
	if s.Approve != nil {
		if err := s.Approve(ctx, cc, req); err != nil {
			return nil, refusal(ctx, err)
		}
		if err := s.check(req); err != nil { // it may have been changed
			return nil, err
		}
	}
	p, err := s.newPrompt(cc, req.Params)
	if err != nil {
		return nil, err
	}
	res, err := s.ask(ctx, cc, p)
	if err != nil {
		return nil, err
	}
	if s.Review != nil {
		if err := s.Review(ctx, cc, req, res); err != nil {
			return nil, refusal(ctx, err)
		}
	}
	return res, nil
}

// ask has the model answer.
func (s *sampler) ask(ctx context.Context, cc callbacks.CallbackContext, p *prompt) (*mcp.CreateMessageWithToolsResult, error) {
	// The last option sees what the model has made of the others, defaults of
	// its own included. Some models do not look at options.
	var used llms.CallOptions
	for _, option := range p.options {
		option(&used)
	}
	observe := func(co *llms.CallOptions) { used = *co }
	response, err := s.model.GenerateContent(ctx, p.messages, append(p.options, observe)...)
	if err != nil {
		return nil, s.failure(ctx, cc, err)
	}
	res, err := p.result(response, &used)
	if err != nil {
		return nil, s.failure(ctx, cc, err)
	}
	return res, nil
}
