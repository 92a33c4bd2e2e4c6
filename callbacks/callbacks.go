package callbacks

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Callbacks are the functions that receive what servers send. The zero value
// receives nothing and declares nothing.
//
// # Delivery
//
// Events of one call arrive one at a time, in the order in which the server
// sent them, and all of them before the call returns. Different calls are
// independent, so that a function must be safe for concurrent use; a slow one
// delays its own call only. Events of a call whose context has ended are
// discarded. Events that belong to no one call arrive one at a time for each
// session, but for requests: these wait for the events before them and hold up
// nothing, not even each other. See [OneAtATime] where a person is asked.
//
// The context given to a function is that of the call the event belongs to
// (with its values, deadline and cancellation), or that of the session when no
// single call is known. A function may call tools with it, also of the same
// server.
//
// A function that panics fails the call that the event belongs to, with an
// error that holds the panic's value; the process goes on.
//
// Everything in an event comes from the server: do not trust its size, and
// remove control characters before it reaches a terminal. What an event points
// to is the callee's own, except where a field says that it is shared.
//
// # Requests
//
// OnElicitation, OnSampling and OnListRoots answer requests of the server, in
// both generations of the protocol: up to 2025-11-25 they are requests of their
// own, since 2026-07-28 they come inside results. Setting one declares the
// capability. An error refuses the request: the server receives it as a
// JSON-RPC error (a *jsonrpc.Error as it is), and usually fails the tool call.
// Their context ends when the call is cancelled; the answer is then no longer
// awaited.
type Callbacks struct {
	// OnProgress receives notifications/progress of tool calls, prompts and
	// resource reads. Progress is asked for (by a progress token on each) only
	// when it is set. Under a flood, events that wait are coalesced: the latest
	// is kept.
	OnProgress func(ctx context.Context, cc CallbackContext, params *mcp.ProgressNotificationParams)

	// OnLoggingMessage receives notifications/message. Under a flood, messages
	// are discarded and counted: see [CallbackContext.Dropped].
	OnLoggingMessage func(ctx context.Context, cc CallbackContext, params *mcp.LoggingMessageParams)

	// OnElicitation answers elicitation/create: the server asks the user
	// something. Setting it declares the elicitation capability, form mode,
	// and with URLElicitation url mode too: look at params.Mode.
	//
	// Return a result with action "accept" (and content, in form mode),
	// "decline" or "cancel". Fields that the accepted content leaves out get
	// the defaults of the schema.
	//
	// In url mode, show the user who asks, the whole URL and its host, and open
	// it only when they agree; accepting says that they did, not that they are
	// done there. If the server has to be called again afterwards (error
	// -32042), the client waits until the server says that it is completed,
	// until Meta of the result says so (see [Completed]), or for a bounded time.
	OnElicitation func(ctx context.Context, cc CallbackContext, req *mcp.ElicitRequest) (*mcp.ElicitResult, error)

	// URLElicitation declares that OnElicitation takes url mode as well. It has
	// no effect without OnElicitation.
	URLElicitation bool

	// OnElicitationComplete receives notifications/elicitation/complete: what
	// an elicitation in url mode asked for has been done.
	OnElicitationComplete func(ctx context.Context, cc CallbackContext, params *mcp.ElicitationCompleteParams)

	// OnSampling answers sampling/createMessage: the server asks the client's
	// model. Setting it declares the sampling capability as Sampling says.
	OnSampling func(ctx context.Context, cc CallbackContext, req *mcp.CreateMessageWithToolsRequest) (*mcp.CreateMessageWithToolsResult, error)

	// Sampling refines the sampling capability. Nil declares neither tools nor
	// context; requests with tools are then refused. It has no effect without
	// OnSampling.
	Sampling *mcp.SamplingCapabilities

	// OnListRoots answers roots/list: the server asks which directories it may
	// work on. Setting it declares the roots capability, with changes, which
	// the client announces when it is told of them.
	OnListRoots func(ctx context.Context, cc CallbackContext, req *mcp.ListRootsRequest) (*mcp.ListRootsResult, error)

	// OnToolsListChanged, OnPromptsListChanged and OnResourcesListChanged
	// receive the notifications that a list has changed. The client knows
	// already: the next time it is asked, it lists again.
	OnToolsListChanged     func(ctx context.Context, cc CallbackContext, params *mcp.ToolListChangedParams)
	OnPromptsListChanged   func(ctx context.Context, cc CallbackContext, params *mcp.PromptListChangedParams)
	OnResourcesListChanged func(ctx context.Context, cc CallbackContext, params *mcp.ResourceListChangedParams)

	// OnToolsChanged receives how the tools of a server differ from those that
	// were listed before. When it is set, the client lists the tools again by
	// itself soon after the server has announced a change, several announcements
	// in a row together, and after a session has replaced another; otherwise only
	// when it is asked for them. The first list is no change.
	OnToolsChanged func(ctx context.Context, cc CallbackContext, change ToolsChange)

	// OnPromptsChanged and OnResourcesChanged are the same for prompts and for
	// resources, which are not listed before the program has done it once.
	// Templates of resources are not among them.
	OnPromptsChanged   func(ctx context.Context, cc CallbackContext, change PromptsChange)
	OnResourcesChanged func(ctx context.Context, cc CallbackContext, change ResourcesChange)

	// OnResourceUpdated receives notifications/resources/updated for resources
	// that the client has subscribed to.
	OnResourceUpdated func(ctx context.Context, cc CallbackContext, params *mcp.ResourceUpdatedNotificationParams)

	// OnConnectionState receives the changes of the connection to a server.
	OnConnectionState func(ctx context.Context, cc CallbackContext, change ConnectionChange)

	// OnMessage receives every notification of a server, before the callback
	// for its kind if there is one, and every error of a transport. Of the
	// notifications, notifications/cancelled and the acknowledgement of a
	// subscription are not among them: the SDK acts on them. Under a flood,
	// messages are discarded and counted as log messages are.
	OnMessage func(ctx context.Context, cc CallbackContext, msg Message)
}

// Completed is the key in the Meta of an [mcp.ElicitResult] in url mode by
// which OnElicitation says, with the value true, that the user has already
// done what the URL asked for, so that nothing needs to be waited for.
const Completed = "github.com/langchaingo-mcp/mcpadapters/completed"
