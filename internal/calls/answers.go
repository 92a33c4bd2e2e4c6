package calls

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

var errDismissed = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the call that the request belongs to has ended"}

// elicit answers elicitation/create by the callback.
func (t *Tracker) elicit(ctx context.Context, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	own := *req.Params
	schema := takeSchema(&own)
	if own.Mode == "" {
		own.Mode = "form"
		if own.URL != "" || own.ElicitationID != "" {
			own.Mode = "url"
		}
	}
	switch own.Mode {
	case "form":
		return t.elicitForm(ctx, req.Session, &own, schema)
	case "url":
		return t.elicitURL(ctx, req.Session, &own)
	}
	return nil, invalidParams("unknown mode of elicitation %q", own.Mode)
}

// elicitForm takes the schema as the server wrote it, or nil if that is not
// known.
func (t *Tracker) elicitForm(ctx context.Context, cs *mcp.ClientSession, params *mcp.ElicitParams, schema json.RawMessage) (*mcp.ElicitResult, error) {
	if params.URL != "" {
		return nil, invalidParams("an elicitation in form mode has no URL")
	}
	requested := params.RequestedSchema
	if schema != nil {
		requested = schema
	}
	form, err := readForm(requested)
	if err != nil {
		return nil, err
	}
	res, err := t.askUser(ctx, cs, params, schema)
	if err != nil {
		return nil, err
	}
	res = form.complete(res)
	return res, form.check(res)
}

func (t *Tracker) elicitURL(ctx context.Context, cs *mcp.ClientSession, params *mcp.ElicitParams) (*mcp.ElicitResult, error) {
	if !t.callbacks.URLElicitation {
		return nil, (&MissingError{Method: methodElicit, Callback: "URLElicitation"}).refuse(ctx)
	}
	if err := checkURL(params); err != nil {
		return nil, err
	}
	res, err := t.askUser(ctx, cs, params, nil)
	if err != nil {
		return nil, err
	}
	own := *res
	own.Content = nil // it has none in this mode
	return &own, nil
}

// checkURL refuses what nobody should be asked to visit.
func checkURL(params *mcp.ElicitParams) error {
	if params.RequestedSchema != nil {
		return invalidParams("an elicitation in url mode has no requested schema")
	}
	if params.ElicitationID == "" {
		return invalidParams("an elicitation in url mode needs an elicitationId")
	}
	if n := len(params.ElicitationID); n > maxID {
		return invalidParams("an elicitationId has at most %d bytes, not %d", maxID, n)
	}
	u, err := url.Parse(params.URL)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return invalidParams("an elicitation in url mode needs a URL with http or https and a host")
	}
	return nil
}

// askUser runs the elicitation callback when it is its turn.
func (t *Tracker) askUser(ctx context.Context, cs *mcp.ClientSession, params *mcp.ElicitParams, schema json.RawMessage) (*mcp.ElicitResult, error) {
	return serve(ctx, t, "OnElicitation", &mcp.ElicitResult{Action: "cancel"}, nil,
		func(ctx context.Context, cc callbacks.CallbackContext) (*mcp.ElicitResult, error) {
			if params.Mode == "url" {
				t.urls.asked(params.ElicitationID, cc)
			}
			cc.RequestedSchema = schema
			res, err := t.callbacks.OnElicitation(ctx, cc, &mcp.ElicitRequest{Session: cs, Params: params})
			if err != nil {
				return nil, err
			}
			if res == nil {
				return nil, noResult("OnElicitation")
			}
			switch res.Action {
			case "accept", "decline", "cancel":
				return res, nil
			}
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the client's callback returned an unknown action"}
		})
}

// sample answers sampling/createMessage by the callback.
func (t *Tracker) sample(ctx context.Context, req *mcp.CreateMessageWithToolsRequest) (*mcp.CreateMessageWithToolsResult, error) {
	if tools := t.callbacks.Sampling != nil && t.callbacks.Sampling.Tools != nil; !tools && (len(req.Params.Tools) > 0 || req.Params.ToolChoice != nil) {
		return nil, (&MissingError{Method: methodCreateMessage, Callback: "Sampling.Tools"}).refuse(ctx)
	}
	own := *req.Params
	return serve(ctx, t, "OnSampling", nil, errDismissed,
		func(ctx context.Context, cc callbacks.CallbackContext) (*mcp.CreateMessageWithToolsResult, error) {
			res, err := t.callbacks.OnSampling(ctx, cc, &mcp.CreateMessageWithToolsRequest{Session: req.Session, Params: &own})
			if err == nil && res == nil {
				err = noResult("OnSampling")
			}
			return res, err
		})
}

// listRoots answers roots/list by the callback.
func (t *Tracker) listRoots(ctx context.Context, req *mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	own := &mcp.ListRootsParams{}
	if req.Params != nil {
		*own = *req.Params
	}
	return serve(ctx, t, "OnListRoots", nil, errDismissed,
		func(ctx context.Context, cc callbacks.CallbackContext) (*mcp.ListRootsResult, error) {
			res, err := t.callbacks.OnListRoots(ctx, cc, &mcp.ListRootsRequest{Session: req.Session, Params: own})
			if err != nil {
				return nil, err
			}
			if res == nil {
				return nil, noResult("OnListRoots")
			}
			if res.Roots == nil { // JSON null is no list
				res = &mcp.ListRootsResult{Meta: res.Meta, Roots: []*mcp.Root{}}
			}
			return res, nil
		})
}

func noResult(callback string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the client's callback " + callback + " returned no result"}
}

var errUnknownInput = errors.New("the server asks for something of a kind that is not known")
