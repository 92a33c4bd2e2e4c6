package adapters

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/tmc/langchaingo/llms"
)

// ask asks the model for its next answer, and yields its text as it comes.
func (r *runner) ask(ctx context.Context) (*llms.ContentChoice, error) {
	type answer struct {
		response *llms.ContentResponse
		err      error
	}
	options := append([]llms.CallOption{}, r.options.ModelOptions...)
	chunks := make(chan string)
	if r.options.Stream {
		options = append(options, streamTo(ctx, chunks))
	}
	messages := r.messages[:len(r.messages):len(r.messages)]
	done := make(chan answer, 1)
	r.tasks.Go(func() {
		a, err := contain(ctx, r.options.Logger, "the model", func() answer {
			response, err := r.model.GenerateContent(ctx, messages, options...)
			return answer{response, err}
		})
		if err != nil {
			a.err = err
		}
		done <- a
	})
	for {
		select {
		case text := <-chunks:
			if err := r.event(RunEvent{Kind: RunText, Text: text}); err != nil {
				return nil, err
			}
		case a := <-done:
			if err := ctx.Err(); err != nil {
				// Some providers return what they have by then.
				return nil, err
			}
			return soleChoice(a.response, a.err)
		}
	}
}

// soleChoice returns the first choice of an answer.
func soleChoice(response *llms.ContentResponse, err error) (*llms.ContentChoice, error) {
	if err == nil && (response == nil || len(response.Choices) == 0 || response.Choices[0] == nil) {
		err = errors.New("its answer is empty")
	}
	if errors.Is(err, ErrNoTools) {
		return nil, err
	}
	if err != nil {
		return nil, &Error{Kind: ErrModelFailed, Err: err}
	}
	choice := *response.Choices[0]
	choice.ToolCalls = append([]llms.ToolCall(nil), choice.ToolCalls...)
	return &choice, nil
}

// streamTo makes a model stream its text to chunks, besides where it streams it
// already.
func streamTo(run context.Context, chunks chan<- string) llms.CallOption {
	return func(co *llms.CallOptions) {
		others := co.StreamingFunc
		co.StreamingFunc = func(ctx context.Context, chunk []byte) error {
			if others != nil {
				if err := others(ctx, chunk); err != nil {
					return err
				}
			}
			if len(chunk) == 0 || isToolChunk(chunk) {
				return nil
			}
			select {
			case chunks <- string(chunk):
				return nil
			case <-run.Done():
				return run.Err()
			}
		}
	}
}

// isToolChunk reports whether a chunk is not text: langchaingo's openai package
// streams pieces of tool calls as JSON among the text.
func isToolChunk(chunk []byte) bool {
	var pieces []struct {
		Function *struct{} `json:"function"`
	}
	if chunk[0] != '[' || json.Unmarshal(chunk, &pieces) != nil {
		return false
	}
	for _, piece := range pieces {
		if piece.Function == nil {
			return false
		}
	}
	return len(pieces) > 0
}
