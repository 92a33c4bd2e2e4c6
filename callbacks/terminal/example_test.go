package terminal_test

import (
	"context"
	"fmt"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/callbacks/elicitation"
	"github.com/langchaingo-mcp/mcpadapters/callbacks/terminal"
)

// A client calls the callbacks; here it is played by hand. On a terminal there
// would be a bar and a form instead.
func Example() {
	term := terminal.New(terminal.Options{
		Out:    os.Stdout,
		Answer: elicitation.AcceptDefaults(map[string]any{"name": "Ada"}),
	})
	defer term.Close()
	cb := term.Callbacks()

	ctx := context.Background()
	cc := callbacks.CallbackContext{ServerName: "library", ToolName: "issue_card", CallID: "1"}
	cb.OnProgress(ctx, cc, &mcp.ProgressNotificationParams{Progress: 1, Total: 2, Message: "Looking up the reader"})
	cb.OnLoggingMessage(ctx, cc, &mcp.LoggingMessageParams{Level: "warning", Logger: "db", Data: "no such reader"})
	res, err := cb.OnElicitation(ctx, cc, &mcp.ElicitRequest{Params: &mcp.ElicitParams{
		Message: "What name should go on the card?",
		RequestedSchema: map[string]any{
			"properties": map[string]any{"name": map[string]any{"type": "string"}},
			"required":   []string{"name"},
		},
	}})
	fmt.Fprintln(term, "answer:", res.Content, err)
	// Output:
	// library/issue_card: 1/2 (50%) Looking up the reader
	// library/issue_card: warning [db]: no such reader
	// library/issue_card asked "What name should go on the card?": accepted
	// answer: map[name:Ada] <nil>
}
