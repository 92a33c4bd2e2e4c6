package calls

import (
	"context"
	"maps"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// firstStateless is the first version of the protocol whose requests carry the
// log level themselves, in _meta.
const firstStateless = "2026-07-28"

// ClientOptions returns the options for an SDK client whose session the
// tracker follows: exactly the capabilities that there are callbacks for.
func (t *Tracker) ClientOptions() *mcp.ClientOptions {
	caps := &mcp.ClientCapabilities{} // non-nil, or the SDK declares roots
	opts := &mcp.ClientOptions{
		Logger:         t.logger,
		Capabilities:   caps,
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
	}
	if t.callbacks.OnElicitation != nil {
		caps.Elicitation = &mcp.ElicitationCapabilities{Form: &mcp.FormElicitationCapabilities{}}
		if t.callbacks.URLElicitation {
			caps.Elicitation.URL = &mcp.URLElicitationCapabilities{}
		}
	}
	if t.callbacks.OnSampling != nil {
		caps.Sampling = &mcp.SamplingCapabilities{}
		if t.callbacks.Sampling != nil {
			*caps.Sampling = *t.callbacks.Sampling
		}
	}
	if t.callbacks.OnListRoots != nil {
		caps.RootsV2 = &mcp.RootCapabilities{ListChanged: true}
	}
	// Set so that the SDK subscribes to them on 2026-07-28; they are taken from
	// the wire by Inbound.
	opts.ToolListChangedHandler = func(context.Context, *mcp.ToolListChangedRequest) {}
	if t.callbacks.OnPromptsListChanged != nil || t.callbacks.OnPromptsChanged != nil || t.callbacks.OnMessage != nil {
		opts.PromptListChangedHandler = func(context.Context, *mcp.PromptListChangedRequest) {}
	}
	if t.callbacks.OnResourcesListChanged != nil || t.callbacks.OnResourcesChanged != nil || t.callbacks.OnMessage != nil {
		opts.ResourceListChangedHandler = func(context.Context, *mcp.ResourceListChangedRequest) {}
	}
	return opts
}

// Sending returns the middleware for the SDK's client that registers each call
// for as long as it is in flight. It covers calls on a leased session too.
func (t *Tracker) Sending() mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			if !tracked(method) {
				return next(ctx, method, req)
			}
			cs, ok := req.GetSession().(*mcp.ClientSession)
			if !ok {
				return next(ctx, method, req)
			}
			params, tool := ownParams(req.GetParams())
			c, err := t.begin(ctx, tool)
			if err != nil {
				return nil, err
			}
			_, c.takes = params.(*mcp.CallToolParams)
			t.stamp(c, cs, params)
			// The call's context ends with the caller's, or with the session.
			send := func(params mcp.Params) (mcp.Result, error) {
				if c.ctx.Err() != nil { // what it waited for may have come at the same time
					return nil, c.ctx.Err()
				}
				return c.given(contained(func() (mcp.Result, error) {
					return next(c.wireCtx, method, &mcp.ClientRequest[mcp.Params]{Session: cs, Params: params})
				}))
			}
			res, err := t.rounds(c, cs, t.visiting(c, cs, send), params)
			failure := c.settle(c.ctx)
			cause := context.Cause(c.ctx)
			t.end(c, err != nil && cause != nil)
			switch {
			case failure != nil:
				return nil, failure
			case err != nil && cause != nil && ctx.Err() == nil:
				// Ended by the session and not by the caller.
				return nil, cause
			case err != nil:
				return nil, c.explain(err)
			}
			return c.explainResult(res), nil
		}
	}
}

// tracked reports whether events may belong to a request of the method. The
// handshake, pings and subscriptions are no calls.
func tracked(method string) bool {
	switch method {
	case "initialize", "server/discover", "ping", "subscriptions/listen", "logging/setLevel":
		return false
	}
	return !strings.HasPrefix(method, "notifications/")
}

// ownParams returns a copy of the parameters whose _meta can be changed, for
// those requests that carry marks, and the name of the tool that is called.
func ownParams(params mcp.Params) (mcp.Params, string) {
	switch p := params.(type) {
	case *mcp.CallToolParams:
		return withOwnMeta(p), p.Name
	case *mcp.GetPromptParams:
		return withOwnMeta(p), ""
	case *mcp.ReadResourceParams:
		return withOwnMeta(p), ""
	case *mcp.ListToolsParams:
		return withOwnMeta(p), ""
	case *mcp.ListPromptsParams:
		return withOwnMeta(p), ""
	case *mcp.ListResourcesParams:
		return withOwnMeta(p), ""
	case *mcp.ListResourceTemplatesParams:
		return withOwnMeta(p), ""
	case *mcp.CompleteParams:
		return withOwnMeta(p), ""
	}
	return params, ""
}

func withOwnMeta[T any, P interface {
	*T
	mcp.Params
}](params P) mcp.Params {
	own := *params
	P(&own).SetMeta(maps.Clone(params.GetMeta()))
	return P(&own)
}

// stamp adds what makes the server's events come, and come back to this call.
func (t *Tracker) stamp(c *Call, cs *mcp.ClientSession, params mcp.Params) {
	progress := false
	switch params.(type) {
	case *mcp.CallToolParams, *mcp.GetPromptParams, *mcp.ReadResourceParams:
		progress = t.callbacks.OnProgress != nil
	case *mcp.ListToolsParams, *mcp.ListPromptsParams, *mcp.ListResourcesParams, *mcp.ListResourceTemplatesParams, *mcp.CompleteParams:
		if t.logLevel == "" {
			return
		}
	default:
		return
	}
	meta := params.GetMeta()
	if meta == nil {
		meta = map[string]any{}
		params.SetMeta(meta)
	}
	c.token = meta["progressToken"]
	delete(meta, "progressToken")
	if progress {
		meta["progressToken"] = c.ID
	}
	if t.logLevel != "" {
		if init := cs.InitializeResult(); init != nil && init.ProtocolVersion >= firstStateless {
			meta[mcp.MetaKeyLogLevel] = string(t.logLevel)
		}
	}
}
