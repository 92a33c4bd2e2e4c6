package calls

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Bounds of what a server may ask before it answers (2026-07-28, multi
// round-trip requests): rounds in all, requests in one of them, and rounds in a
// row that ask for nothing but to come back later.
const (
	maxRounds      = 10
	maxInputs      = 64
	maxEmptyRounds = 3
	// emptyRoundWait is how long the first of those waits; each further one
	// waits twice as long.
	emptyRoundWait = 100 * time.Millisecond
)

// An input is what a result asks for, if it does.
type input struct {
	requests mcp.InputRequestMap
	state    string
}

// inputOf returns what a result asks for, or nil if it is the answer.
func inputOf(res mcp.Result) *input {
	switch r := res.(type) {
	case *mcp.CallToolResult:
		if r.NeedsInput() {
			return &input{r.InputRequests, r.RequestState}
		}
	case *mcp.GetPromptResult:
		if r.NeedsInput() {
			return &input{r.InputRequests, r.RequestState}
		}
	case *mcp.ReadResourceResult:
		if r.NeedsInput() {
			return &input{r.InputRequests, r.RequestState}
		}
	}
	return nil
}

// withInput returns a copy of the parameters of a request that carries the
// responses and the state, which is echoed as it came.
func withInput(params mcp.Params, responses mcp.InputResponseMap, state string) mcp.Params {
	switch p := params.(type) {
	case *mcp.CallToolParams:
		own := *p
		own.Meta, own.InputResponses, own.RequestState = maps.Clone(p.Meta), responses, state
		return &own
	case *mcp.GetPromptParams:
		own := *p
		own.Meta, own.InputResponses, own.RequestState = maps.Clone(p.Meta), responses, state
		return &own
	case *mcp.ReadResourceParams:
		own := *p
		own.Meta, own.InputResponses, own.RequestState = maps.Clone(p.Meta), responses, state
		return &own
	}
	return params
}

// rounds sends a request, answers what its results ask for, and sends it again
// with the answers, until it is answered itself.
//
// It takes the place of the SDK's own loop, which has no way to ask a callback
// for roots and takes a result that carries nothing but a state for an answer.
func (t *Tracker) rounds(c *Call, cs *mcp.ClientSession, send func(mcp.Params) (mcp.Result, error), params mcp.Params) (mcp.Result, error) {
	empty := 0
	for round := 1; ; round++ {
		res, err := send(params)
		if err != nil {
			return nil, err
		}
		in := inputOf(res)
		if in == nil {
			return res, nil
		}
		if round == maxRounds {
			return nil, fmt.Errorf("the server asks for input again and again: it was given up after %d rounds", maxRounds)
		}
		if len(in.requests) > 0 {
			empty = 0
		} else if empty++; empty > maxEmptyRounds {
			return nil, fmt.Errorf("the server put the request off %d times", empty)
		} else if err := sleep(c.ctx, emptyRoundWait<<(empty-1)); err != nil {
			return nil, err
		}
		responses, err := t.fulfil(c, cs, in.requests)
		if err != nil {
			return nil, err
		}
		params = withInput(params, responses, in.state)
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// fulfil answers all requests of a round at once: the callbacks are called one
// at a time, in the order of the ids. One that is refused fails the call, since
// there is nothing else to send back.
func (t *Tracker) fulfil(c *Call, cs *mcp.ClientSession, requests mcp.InputRequestMap) (mcp.InputResponseMap, error) {
	if n := len(requests); n > maxInputs {
		return nil, &AnswerError{fmt.Errorf("%d requests at a time, more than %d", n, maxInputs)}
	}
	ctx, cancel := context.WithCancelCause(c.ctx)
	defer cancel(nil)
	var (
		wg        sync.WaitGroup
		mu        sync.Mutex
		responses = make(mcp.InputResponseMap, len(requests))
		failed    error
	)
	for _, id := range slices.Sorted(maps.Keys(requests)) {
		r := t.newRequest(c, nil)
		wg.Go(func() {
			// Last, so that a refusal ends what is next before its turn.
			defer r.answer()
			response, err := t.answerInput(context.WithValue(ctx, requestKey{}, r), cs, requests[id])
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				responses[id] = response
			case failed == nil:
				failed = &AnswerError{err}
				cancel(failed)
			}
		})
	}
	wg.Wait()
	if failed != nil {
		return nil, failed
	}
	return responses, nil
}

// An AnswerError says that what the server asked for was refused here: by a
// callback, for want of one, or as malformed.
type AnswerError struct{ Err error }

func (e *AnswerError) Error() string {
	return "what the server asked for was refused: " + e.Err.Error()
}

func (e *AnswerError) Unwrap() error { return e.Err }

func (t *Tracker) answerInput(ctx context.Context, cs *mcp.ClientSession, request mcp.InputRequest) (mcp.InputResponse, error) {
	switch p := request.(type) {
	case *mcp.ElicitParams:
		if m := t.missing(methodElicit); m != nil {
			return nil, m
		}
		return orNil[mcp.InputResponse](t.elicit(ctx, &mcp.ElicitRequest{Session: cs, Params: p}))
	case *mcp.CreateMessageParams:
		if m := t.missing(methodCreateMessage); m != nil {
			return nil, m
		}
		return orNil[mcp.InputResponse](t.sample(ctx, &mcp.CreateMessageWithToolsRequest{Session: cs, Params: withTools(p)}))
	case *mcp.CreateMessageWithToolsParams:
		if m := t.missing(methodCreateMessage); m != nil {
			return nil, m
		}
		return orNil[mcp.InputResponse](t.sample(ctx, &mcp.CreateMessageWithToolsRequest{Session: cs, Params: p}))
	case *mcp.ListRootsParams:
		if m := t.missing(methodListRoots); m != nil {
			return nil, m
		}
		return orNil[mcp.InputResponse](t.listRoots(ctx, &mcp.ListRootsRequest{Session: cs, Params: p}))
	}
	return nil, errUnknownInput
}

// orNil keeps a nil pointer from becoming an interface that is not nil.
func orNil[I any, P any](p P, err error) (I, error) {
	var none I
	if err != nil {
		return none, err
	}
	i, ok := any(p).(I)
	if !ok {
		return none, errUnknownInput
	}
	return i, nil
}

// withTools converts parameters of sampling from before there were tools.
func withTools(p *mcp.CreateMessageParams) *mcp.CreateMessageWithToolsParams {
	own := &mcp.CreateMessageWithToolsParams{
		Meta:             p.Meta,
		IncludeContext:   p.IncludeContext,
		MaxTokens:        p.MaxTokens,
		Metadata:         p.Metadata,
		ModelPreferences: p.ModelPreferences,
		StopSequences:    p.StopSequences,
		SystemPrompt:     p.SystemPrompt,
		Temperature:      p.Temperature,
	}
	for _, m := range p.Messages {
		own.Messages = append(own.Messages, &mcp.SamplingMessageV2{Content: []mcp.Content{m.Content}, Role: m.Role})
	}
	return own
}
