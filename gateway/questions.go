package gateway

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

// A target is whom a question of a server goes to.
type target struct {
	caps     *mcp.ClientCapabilities
	exchange *exchange          // asks by a result, or
	session  *mcp.ServerSession // asks by a request
}

// target returns the client that the context of a callback leads to. Questions
// that belong to no one call go to the client with the session, if there is
// one: by any of its requests to the server, or else, if it can be asked at any
// time, by themselves.
func (p *peer) target(ctx context.Context, cc callbacks.CallbackContext) (target, error) {
	o := originOf(ctx)
	if o == nil && !p.shared {
		o = p.inFlight.any(cc.ServerName)
	}
	if o != nil {
		if o.exchange != nil {
			return target{caps: o.caps, exchange: o.exchange}, nil
		}
		if ss := o.session(); ss != nil {
			return target{caps: o.caps, session: ss}, nil
		}
	}
	ss := p.theSession()
	if ss == nil {
		return target{}, refusal("it cannot be told which client is to be asked")
	}
	// Before the handshake is over a client does not expect to be asked.
	select {
	case <-p.ready:
	case <-ctx.Done():
		return target{}, context.Cause(ctx)
	}
	init := ss.InitializeParams()
	if init == nil || init.ProtocolVersion >= stateless {
		return target{}, refusal("the client can be asked only during a call")
	}
	return target{caps: init.Capabilities, session: ss}, nil
}

// A notAsked is why a client was not asked, or gave no answer. It holds the answer
// to the server; the client is told the same if its request fails of it.
type notAsked struct {
	answer   *jsonrpc.Error
	required json.RawMessage // the capabilities that a client of 2026-07-28 lacks
}

func (e *notAsked) Error() string { return e.answer.Message }

func (e *notAsked) Unwrap() error { return e.answer }

func refusal(why string) error {
	return &notAsked{answer: &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: why}}
}

// unsupported is about a question that takes capabilities, as JSON, which the
// client has not declared. The type of the SDK would name roots each time.
func (t target) unsupported(what, capabilities string) error {
	e := &notAsked{answer: &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "the client does not support " + what}}
	if t.exchange != nil {
		e.required = json.RawMessage(`{"requiredCapabilities":` + capabilities + `}`)
	}
	return e
}

// wrongAnswer is about an answer of another kind than the question.
func wrongAnswer() error {
	return &notAsked{answer: &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the client did not answer the question"}}
}

func (p *peer) elicit(ctx context.Context, cc callbacks.CallbackContext, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	t, err := p.target(ctx, cc)
	if err != nil {
		return nil, err
	}
	own := *req.Params
	own.Meta = foreignMeta(own.Meta)
	form, url := elicits(t.caps)
	switch {
	case own.Mode == "url" && !url:
		return nil, t.unsupported("elicitation in url mode", `{"elicitation":{"url":{}}}`)
	case own.Mode != "url" && !form:
		return nil, t.unsupported("elicitation in form mode", `{"elicitation":{"form":{}}}`)
	}
	if t.exchange == nil {
		// The SDK checks answers by the schema as JSON Schema, which a server
		// can make so that it does not end. The client that passed the
		// question on has checked the schema, and checks the answer, field by
		// field.
		ctx = context.WithValue(ctx, schemaKey{}, own.RequestedSchema)
		own.RequestedSchema = nil
		return t.session.Elicit(ctx, &own)
	}
	answer, err := p.askInside(ctx, cc, t.exchange, &own)
	if err != nil {
		return nil, err
	}
	if res, ok := answer.(*mcp.ElicitResult); ok && res != nil {
		return res, nil
	}
	return nil, wrongAnswer()
}

// askInside asks by the result of a request, and by that of another if the one
// that was chosen ends meanwhile without having been the cause of the question.
func (p *peer) askInside(ctx context.Context, cc callbacks.CallbackContext, e *exchange, q mcp.InputRequest) (mcp.InputResponse, error) {
	for {
		answer, err := e.ask(ctx, q)
		if !errors.Is(err, errOver) || originOf(ctx) != nil || p.shared {
			return answer, err
		}
		other := p.inFlight.any(cc.ServerName)
		if other == nil || other.exchange == e {
			return nil, refusal("the client can be asked only during a call")
		}
		e = other.exchange
	}
}

type schemaKey struct{}

// withSchema puts the schema that elicit took out into what is sent.
func withSchema(ctx context.Context, req mcp.Request) mcp.Request {
	schema := ctx.Value(schemaKey{})
	params, ok := req.GetParams().(*mcp.ElicitParams)
	ss, isServer := req.GetSession().(*mcp.ServerSession)
	if schema == nil || !ok || !isServer {
		return req
	}
	own := *params
	own.RequestedSchema = schema
	return &mcp.ServerRequest[*mcp.ElicitParams]{Session: ss, Params: &own}
}

// elicits returns the modes that a client takes. One that says nothing of modes
// takes forms.
func elicits(caps *mcp.ClientCapabilities) (form, url bool) {
	if caps == nil || caps.Elicitation == nil {
		return false, false
	}
	e := caps.Elicitation
	return e.Form != nil || e.URL == nil, e.URL != nil
}

func (p *peer) sample(ctx context.Context, cc callbacks.CallbackContext, req *mcp.CreateMessageWithToolsRequest) (*mcp.CreateMessageWithToolsResult, error) {
	t, err := p.target(ctx, cc)
	if err != nil {
		return nil, err
	}
	own := *req.Params
	own.Meta = foreignMeta(own.Meta)
	switch {
	case t.caps == nil || t.caps.Sampling == nil:
		return nil, t.unsupported("sampling", `{"sampling":{}}`)
	case t.caps.Sampling.Tools == nil && (len(own.Tools) > 0 || own.ToolChoice != nil):
		return nil, t.unsupported("sampling with tools", `{"sampling":{"tools":{}}}`)
	}
	if t.exchange == nil {
		return t.session.CreateMessageWithTools(ctx, &own)
	}
	answer, err := p.askInside(ctx, cc, t.exchange, &own)
	if err != nil {
		return nil, err
	}
	if res, ok := answer.(*mcp.CreateMessageWithToolsResult); ok && res != nil {
		return res, nil
	}
	return nil, wrongAnswer()
}

func (p *peer) listRoots(ctx context.Context, cc callbacks.CallbackContext, req *mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	t, err := p.target(ctx, cc)
	if err != nil {
		return nil, err
	}
	if t.caps == nil || t.caps.RootsV2 == nil {
		return nil, t.unsupported("roots", `{"roots":{}}`)
	}
	own := &mcp.ListRootsParams{}
	if req.Params != nil {
		own.Meta = foreignMeta(req.Params.Meta)
	}
	if t.exchange == nil {
		return t.session.ListRoots(ctx, own)
	}
	answer, err := p.askInside(ctx, cc, t.exchange, own)
	if err != nil {
		return nil, err
	}
	if res, ok := answer.(*mcp.ListRootsResult); ok && res != nil {
		return res, nil
	}
	return nil, wrongAnswer()
}
