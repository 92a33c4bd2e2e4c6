package gateway

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

// callbacks returns what passes the servers' events on. What is declared to
// the servers is what the client has declared; a shared peer declares all, and
// asks each client what it can do.
func (p *peer) callbacks(caps *mcp.ClientCapabilities) callbacks.Callbacks {
	cb := callbacks.Callbacks{
		OnProgress:            p.progress,
		OnLoggingMessage:      p.log,
		OnElicitationComplete: p.elicitationComplete,
		OnToolsListChanged: func(context.Context, callbacks.CallbackContext, *mcp.ToolListChangedParams) {
			p.features.changed(p.features.syncTools)
		},
		OnPromptsListChanged: func(context.Context, callbacks.CallbackContext, *mcp.PromptListChangedParams) {
			p.features.changed(p.features.syncPrompts)
		},
		OnResourcesListChanged: func(context.Context, callbacks.CallbackContext, *mcp.ResourceListChangedParams) {
			p.features.changed(p.features.syncResources)
		},
		OnConnectionState: func(_ context.Context, _ callbacks.CallbackContext, change callbacks.ConnectionChange) {
			// What a server offers after it has been lost may be something else.
			if change.State == callbacks.Connected && change.Generation > 1 {
				p.features.changed(p.features.syncTools)
				p.features.changed(p.features.syncPrompts)
				p.features.changed(p.features.syncResources)
			}
		},
		OnResourceUpdated: func(ctx context.Context, cc callbacks.CallbackContext, params *mcp.ResourceUpdatedNotificationParams) {
			for _, uri := range p.subscriptions.concerned(cc.ServerName, params.URI) {
				_ = p.server.ResourceUpdated(context.WithoutCancel(ctx), &mcp.ResourceUpdatedNotificationParams{URI: uri, Meta: foreignMeta(params.Meta)})
			}
		},
	}
	form, url := elicits(caps)
	if p.shared || form || url {
		cb.OnElicitation, cb.URLElicitation = p.elicit, p.shared || url
	}
	switch {
	case p.shared:
		cb.OnSampling, cb.Sampling = p.sample, &mcp.SamplingCapabilities{Tools: &mcp.SamplingToolsCapabilities{}}
	case caps != nil && caps.Sampling != nil:
		cb.OnSampling, cb.Sampling = p.sample, caps.Sampling
	}
	if p.shared || caps != nil && caps.RootsV2 != nil {
		cb.OnListRoots = p.listRoots
	}
	return callbacks.Merge(cb, p.g.opts.Client.Callbacks)
}

func (p *peer) progress(ctx context.Context, _ callbacks.CallbackContext, params *mcp.ProgressNotificationParams) {
	o := originOf(ctx)
	if o == nil {
		return
	}
	o.deliver(func(w waiter) {
		if w.token == nil || w.session == nil || !o.told.increases(params.Progress) {
			return
		}
		own := *params
		own.Meta = foreignMeta(own.Meta)
		own.ProgressToken = w.token
		p.failed("progress", w.session.NotifyProgress(w.ctx, &own))
	})
}

// log passes a log message on, with the server's name before that of its
// logger, since to the client all come from one server.
func (p *peer) log(ctx context.Context, cc callbacks.CallbackContext, params *mcp.LoggingMessageParams) {
	own := *params
	own.Meta = foreignMeta(own.Meta)
	own.Logger = cc.ServerName
	if params.Logger != "" {
		own.Logger += "/" + params.Logger
	}
	p.deliver(ctx, cc, func(ctx context.Context, ss *mcp.ServerSession) { p.failed("log message", ss.Log(ctx, &own)) })
}

func (p *peer) elicitationComplete(ctx context.Context, cc callbacks.CallbackContext, params *mcp.ElicitationCompleteParams) {
	own := *params
	own.Meta = foreignMeta(own.Meta)
	p.deliver(ctx, cc, func(ctx context.Context, ss *mcp.ServerSession) {
		p.failed("completion of an elicitation", ss.NotifyElicitationComplete(ctx, &own))
	})
}

// deliver passes an event on to the request that it belongs to, or else to the
// client with the session. Without either it is dropped.
func (p *peer) deliver(ctx context.Context, cc callbacks.CallbackContext, send func(context.Context, *mcp.ServerSession)) {
	o := originOf(ctx)
	if o == nil && !p.shared {
		o = p.inFlight.any(cc.ServerName)
	}
	if o != nil {
		o.deliver(func(w waiter) {
			if w.session != nil {
				send(w.ctx, w.session)
			}
		})
		return
	}
	select {
	case <-p.ready:
		if ss := p.theSession(); ss != nil {
			send(p.ctx, ss)
		}
	default:
	}
}

func (p *peer) failed(what string, err error) {
	if err != nil {
		p.g.opts.Logger.Debug("an event could not be passed on", "event", what, "error", err)
	}
}
