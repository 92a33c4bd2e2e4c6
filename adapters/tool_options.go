package adapters

import "github.com/tmc/langchaingo/callbacks"

// ToolOptions says how a [Tool] presents itself and what [Tool.Call] does. The
// zero value is what agents of langchaingo need.
type ToolOptions struct {
	// SchemaProfile says whom the schema is shown to. The zero value is
	// [SchemaPortable].
	SchemaProfile SchemaProfile

	// SchemaInDescription appends the schema of the arguments to
	// [Tool.Description], in words: a line for each parameter with its type,
	// whether it is required, its bounds and its description, 6 KB at most. It is
	// for agents that show a model nothing but descriptions, as langchaingo's
	// OneShotZeroAgent and ConversationalAgent.
	SchemaInDescription bool

	// MaxResultText limits what Call returns, in bytes, as
	// [TextOptions.MaxBytes] does. Zero or less is no limit.
	MaxResultText int

	// RespectAudience hides from the model the blocks of a result that the server
	// means for others, see [ForAudience]. [Tool.Invoke] returns them all.
	RespectAudience bool

	// ArgumentCheck says how far arguments are checked before they are sent.
	ArgumentCheck ArgumentCheck

	// CoerceArguments turns arguments into the type that the schema wants where
	// it admits that one only and the meaning is plain, at any depth: "5" and
	// "true" into a number and a truth value, JSON in a string into the array or
	// the object that it spells, a single value into an array of one. Nothing
	// else is changed, and no digit of a number is lost. Without it they are sent
	// as the model wrote them.
	CoerceArguments bool

	// ToolErrors says what Call does with a failure that the model can do
	// something about: a result with IsError set, input that is not arguments
	// of the tool, and a JSON-RPC error by which the server answered the call
	// (for some servers the only way to report a failure). By default and with
	// [ErrorsAsText] the model is told; with [ErrorsAsErrors] the caller is,
	// by an [*Error] of kind [ErrToolFailed] or [ErrBadArguments].
	ToolErrors ErrorPolicy

	// TransportErrors says what Call does when there is no answer of the tool: the
	// connection failed, an interceptor refused, the server asked for something
	// that nobody gives. By default and with [ErrorsAsErrors] it returns an
	// [*Error] of kind [ErrCallFailed]; with [ErrorsAsText] the model is told.
	// When the context has ended, it is an error in any case.
	TransportErrors ErrorPolicy

	// CallbacksHandler, if set, is told of each Call: HandleToolStart with the
	// input, then exactly one of HandleToolEnd with the text that Call returns and
	// HandleToolError with an [*Error]. A failure is always told by the latter,
	// also where the model gets it as text. The handler is called concurrently
	// for concurrent calls.
	//
	// langchaingo's executor leaves these events to the tools (v0.1.14); do not
	// set it with one that sends them itself.
	CallbacksHandler callbacks.Handler
}

// An ErrorPolicy says who is told of a failure.
type ErrorPolicy int

const (
	// ErrorsDefault is the policy that the option documents.
	ErrorsDefault ErrorPolicy = iota

	// ErrorsAsText returns the failure as the text that the model reads.
	ErrorsAsText

	// ErrorsAsErrors returns the failure as a Go error. langchaingo's executor
	// ends the whole run on any.
	ErrorsAsErrors
)
