package callbacks

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Callbacks are the functions that receive what servers send. The zero value
// receives nothing and declares nothing.
//
// Delivery: events of one call arrive one at a time, in the order in which the
// server sent them, and all of them before the call returns. Different calls
// are independent, so that a function must be safe for concurrent use; a slow
// one delays its own call only. Events of a call whose context has ended are
// discarded. The context given to a function is that of the call the event
// belongs to (with its values, deadline and cancellation), or that of the
// session when no single call is known.
//
// A function that panics fails the call that the event belongs to, with an
// error that holds the panic's value; the process goes on.
//
// Everything in an event comes from the server: do not trust its size, and
// remove control characters before it reaches a terminal.
type Callbacks struct {
	// OnProgress receives notifications/progress of tool calls. Progress is
	// asked for (by a progress token on each call) only when it is set. Under
	// a flood, events that wait are coalesced: the latest is kept.
	OnProgress func(ctx context.Context, cc CallbackContext, params *mcp.ProgressNotificationParams)

	// OnLoggingMessage receives notifications/message. Under a flood, messages
	// are discarded and counted: see [CallbackContext.Dropped].
	OnLoggingMessage func(ctx context.Context, cc CallbackContext, params *mcp.LoggingMessageParams)

	// OnElicitation answers elicitation/create: the server asks the user
	// something. Setting it declares the elicitation capability, form mode.
	//
	// Return a result with action "accept" (and content), "decline" or
	// "cancel". An error refuses the request: the server receives it as a
	// JSON-RPC error (a *jsonrpc.Error as it is) and usually fails the tool
	// call. The context ends when the call is cancelled; the answer is then no
	// longer awaited.
	OnElicitation func(ctx context.Context, cc CallbackContext, req *mcp.ElicitRequest) (*mcp.ElicitResult, error)
}
