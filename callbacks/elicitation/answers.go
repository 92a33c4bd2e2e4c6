package elicitation

import (
	"context"
	"maps"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

// Decline answers every elicitation with "decline": the user said no. It is a
// value for callbacks.Callbacks.OnElicitation, and the right one when servers
// are to know that they can ask but get nothing here.
func Decline(context.Context, callbacks.CallbackContext, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	return &mcp.ElicitResult{Action: "decline"}, nil
}

// Cancel answers every elicitation with "cancel": the user went away without
// a choice. It is a value for callbacks.Callbacks.OnElicitation.
func Cancel(context.Context, callbacks.CallbackContext, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	return &mcp.ElicitResult{Action: "cancel"}, nil
}

// AcceptDefaults returns a value for callbacks.Callbacks.OnElicitation that
// accepts without asking anyone: each field takes its default, or else the
// sample under its name if that is a valid value for it. A required field with
// neither makes the answer "decline", and so does a request to visit a URL,
// which nobody but the user can consent to. Samples for fields that are not
// asked are ignored; samples may be nil and are copied.
//
// A schema that [Fields] refuses is refused as invalid parameters.
//
// It gives servers what they ask for: use it for tests, demonstrations and
// servers you trust.
func AcceptDefaults(samples map[string]any) func(context.Context, callbacks.CallbackContext, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	samples = maps.Clone(samples)
	return func(_ context.Context, cc callbacks.CallbackContext, req *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		if req.Params.Mode == "url" || req.Params.URL != "" {
			return &mcp.ElicitResult{Action: "decline"}, nil
		}
		fields, err := FieldsOf(cc, req.Params)
		if err != nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: err.Error()}
		}
		content := Defaults(fields)
		for _, f := range fields {
			if _, ok := content[f.Name]; ok {
				continue
			}
			if sample, ok := samples[f.Name]; ok {
				if v, problem := check(f, sample); problem == "" {
					content[f.Name] = v
					continue
				}
			}
			if f.Required {
				return &mcp.ElicitResult{Action: "decline"}, nil
			}
		}
		return &mcp.ElicitResult{Action: "accept", Content: content}, nil
	}
}
