package adapters

import (
	"log/slog"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tmc/langchaingo/llms"
)

// RunOptions are the options of [Run] and [RunEvents]. A nil *RunOptions is the
// zero value.
type RunOptions struct {
	// MaxSteps is how often the model is asked. If the last answer calls tools,
	// they are not run and the run ends by [ErrRunLimit]. Zero is 20, less is
	// no limit.
	MaxSteps int

	// Timeout is how long the run may take; it ends by [ErrRunLimit], which
	// wraps context.DeadlineExceeded. Zero or less is no limit.
	Timeout time.Duration

	// ToolTimeout is how long one call may take, after which it has failed as if
	// its connection had. Zero or less is no limit.
	ToolTimeout time.Duration

	// MaxConcurrent is how many calls of a step run at the same time. Zero or
	// less is 8; with 1 each waits for the one before.
	MaxConcurrent int

	// ModelOptions go to the model with each step. A streaming function
	// among them is called as ever.
	ModelOptions []llms.CallOption

	// Stream asks the model for a stream and yields its text as it comes, in
	// events of kind [RunText].
	Stream bool

	// Stop, if set, is asked after the calls of each step, and ends the run
	// without an error when it returns true.
	Stop func(step *RunStep) bool

	// TransportErrors says what becomes of the run when there is no answer of a
	// tool. With [ErrorsAsErrors] it ends by the error: calls that run at that
	// moment come to their end, no other begins. With [ErrorsAsText] the model is
	// told. By default a [*Tool] goes by its own [ToolOptions], which end the run
	// unless they say otherwise, and other tools end it.
	TransportErrors ErrorPolicy

	// Media returns what of a result is sent on to the model in a message
	// after the results, besides the text. By default it is the images, and
	// with Gemini audio, video and PDF too, that the model's API takes by type
	// and size. Return nil to send nothing. It is called from one goroutine, and
	// gets of a [*Tool] that respects audiences what the model is shown.
	Media func(res *mcp.CallToolResult) []llms.ContentPart

	// MaxMedia and MaxMediaBytes are how many images and other media of results
	// the conversation holds, and how many bytes they have together; data: URLs
	// count as what they are. When there are more, the oldest are replaced by a
	// line of text, for good. What was in the messages given does not count and
	// stays. Zero is 20 (above which Anthropic's API takes small images only) and
	// 12 MiB (16 MiB on the wire; Gemini takes requests of 20 MB); less is no limit.
	MaxMedia, MaxMediaBytes int

	// Logger gets the stack of a tool or a model that panicked. Nil is silent.
	Logger *slog.Logger
}

const (
	defaultMaxSteps      = 20
	defaultMaxConcurrent = 8
	defaultMaxMedia      = 20
	defaultMaxMediaBytes = 12 << 20
)

// A RunResult is what has come of a run.
type RunResult struct {
	// Answer is the text of the model's last answer.
	Answer string

	// Messages is the whole conversation: the messages given, and each answer,
	// response and image since (but see [RunOptions.MaxMedia]). It is as things
	// happened (parallel calls in one message, each response in its own); a model
	// to which it is given again wants [BindTools], as Run does.
	Messages []llms.MessageContent

	// Steps is how often the model was asked.
	Steps int

	// Stopped says that [RunOptions.Stop] ended the run.
	Stopped bool

	// Usage is the sum over all steps.
	Usage Usage
}

// A RunStep is an answer of the model with its calls.
type RunStep struct {
	// Number counts from 1.
	Number int

	// Answer is the whole answer, merged into one choice. It is never nil.
	Answer *llms.ContentChoice

	// Calls are the calls in the order of the answer, each ended.
	Calls []RunCall
}

// A RunEventKind says what an event tells.
type RunEventKind string

const (
	RunText   RunEventKind = "text"   // a piece of the model's text: Text
	RunAnswer RunEventKind = "answer" // a whole answer: Answer, and Text
	RunCalled RunEventKind = "called" // a call begins: Call
	RunReply  RunEventKind = "reply"  // a call has ended: Call with Text
	RunEnd    RunEventKind = "end"    // the run has ended: Result
)

// A RunEvent is something that happens in a run. Which fields are set depends on
// its kind.
type RunEvent struct {
	Kind RunEventKind

	// Step counts from 1. It is 0 if the run ends before the first.
	Step int

	Text   string
	Answer *llms.ContentChoice
	Call   *RunCall
	Result *RunResult
}

// A RunCall is a call of a tool.
type RunCall struct {
	// ID is unique in the conversation. Tool and Arguments are as the model
	// wrote them.
	ID, Tool, Arguments string

	// Text is what the model reads of the result.
	Text string

	// Result is the result, if the tool is a [*Tool] and has answered.
	Result *mcp.CallToolResult

	// Err is why the call failed, also where the model is told and the run
	// goes on: an [*Error], of kind [ErrToolFailed], [ErrBadArguments],
	// [ErrUnknownTool] or [ErrCallFailed].
	Err error
}
