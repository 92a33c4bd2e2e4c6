package callbacks

import (
	"context"
	"maps"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Merge returns callbacks that stand for several: a log and a progress bar,
// say, or a form for elicitations and a model for sampling.
//
// An event goes to every one whose field for it is set, in the order of cbs,
// one after the other. Each gets a copy of its own. When one panics, the
// others still get the event; then the panic goes on, so that it fails the
// call as it would without Merge.
//
// A request of the server has one answer: OnElicitation, OnSampling and
// OnListRoots are those of the first that sets them, along with what the same
// one declares by URLElicitation and Sampling. The others are not asked, also
// when the first refuses.
//
// What is declared to servers follows from what is set in the result. The
// fields are read once, by Merge.
func Merge(cbs ...Callbacks) Callbacks {
	m := Callbacks{
		OnProgress: toAll(cbs, func(c Callbacks) event[*mcp.ProgressNotificationParams] { return c.OnProgress },
			copier(func(p *mcp.ProgressNotificationParams) { p.Meta = cloneMeta(p.Meta) })),
		OnLoggingMessage: toAll(cbs, func(c Callbacks) event[*mcp.LoggingMessageParams] { return c.OnLoggingMessage },
			copier(func(p *mcp.LoggingMessageParams) { p.Meta, p.Data = cloneMeta(p.Meta), cloneJSON(p.Data) })),
		OnElicitationComplete: toAll(cbs, func(c Callbacks) event[*mcp.ElicitationCompleteParams] { return c.OnElicitationComplete },
			copier(func(p *mcp.ElicitationCompleteParams) { p.Meta = cloneMeta(p.Meta) })),
		OnToolsListChanged: toAll(cbs, func(c Callbacks) event[*mcp.ToolListChangedParams] { return c.OnToolsListChanged },
			copier(func(p *mcp.ToolListChangedParams) { p.Meta = cloneMeta(p.Meta) })),
		OnPromptsListChanged: toAll(cbs, func(c Callbacks) event[*mcp.PromptListChangedParams] { return c.OnPromptsListChanged },
			copier(func(p *mcp.PromptListChangedParams) { p.Meta = cloneMeta(p.Meta) })),
		OnResourcesListChanged: toAll(cbs, func(c Callbacks) event[*mcp.ResourceListChangedParams] { return c.OnResourcesListChanged },
			copier(func(p *mcp.ResourceListChangedParams) { p.Meta = cloneMeta(p.Meta) })),
		OnToolsChanged:     toAll(cbs, func(c Callbacks) event[ToolsChange] { return c.OnToolsChanged }, same[ToolsChange]), // what is in it is nobody's to change
		OnPromptsChanged:   toAll(cbs, func(c Callbacks) event[PromptsChange] { return c.OnPromptsChanged }, same[PromptsChange]),
		OnResourcesChanged: toAll(cbs, func(c Callbacks) event[ResourcesChange] { return c.OnResourcesChanged }, same[ResourcesChange]),
		OnResourceUpdated: toAll(cbs, func(c Callbacks) event[*mcp.ResourceUpdatedNotificationParams] { return c.OnResourceUpdated },
			copier(func(p *mcp.ResourceUpdatedNotificationParams) { p.Meta = cloneMeta(p.Meta) })),
		OnConnectionState: toAll(cbs, func(c Callbacks) event[ConnectionChange] { return c.OnConnectionState }, same[ConnectionChange]),
		OnMessage:         toAll(cbs, func(c Callbacks) event[Message] { return c.OnMessage }, same[Message]), // its parameters are nobody's to change
	}
	for _, c := range cbs {
		if m.OnElicitation == nil {
			m.OnElicitation, m.URLElicitation = c.OnElicitation, c.URLElicitation
		}
		if m.OnSampling == nil {
			m.OnSampling, m.Sampling = c.OnSampling, c.Sampling
		}
		if m.OnListRoots == nil {
			m.OnListRoots = c.OnListRoots
		}
	}
	return m
}

// event is the type of the fields that receive something.
type event[E any] = func(ctx context.Context, cc CallbackContext, e E)

// toAll returns a function that calls those fields that are set, or nil if
// none is. own copies an event.
func toAll[E any](cbs []Callbacks, field func(Callbacks) event[E], own func(E) E) event[E] {
	var fields []event[E]
	for _, c := range cbs {
		if f := field(c); f != nil {
			fields = append(fields, f)
		}
	}
	switch len(fields) {
	case 0:
		return nil
	case 1:
		return fields[0]
	}
	return func(ctx context.Context, cc CallbackContext, e E) { inOrder(fields, ctx, cc, e, own) }
}

// inOrder calls the first field and then the rest, which it does deferred, so
// that a panic of the first neither keeps the event from them nor loses its
// stack.
func inOrder[E any](fields []event[E], ctx context.Context, cc CallbackContext, e E, own func(E) E) {
	if len(fields) > 1 {
		defer inOrder(fields[1:], ctx, cc, own(e), own)
	}
	fields[0](ctx, cc, e)
}

// same is the copy of an event that needs none.
func same[E any](e E) E { return e }

// copier returns a function that copies parameters; deepen copies what the
// fields of the copy point to.
func copier[P any](deepen func(*P)) func(*P) *P {
	return func(p *P) *P {
		if p == nil {
			return nil
		}
		c := *p
		deepen(&c)
		return &c
	}
}

func cloneMeta(meta mcp.Meta) mcp.Meta {
	c := maps.Clone(meta)
	for key, v := range c {
		c[key] = cloneJSON(v)
	}
	return c
}

// cloneJSON copies a value as encoding/json makes it.
func cloneJSON(v any) any {
	switch v := v.(type) {
	case map[string]any:
		return map[string]any(cloneMeta(v))
	case []any:
		c := make([]any, len(v))
		for i, element := range v {
			c[i] = cloneJSON(element)
		}
		return c
	default:
		return v
	}
}
