package callbacks_test

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

func ExampleCallbacks() {
	cb := callbacks.Callbacks{
		OnProgress: func(_ context.Context, cc callbacks.CallbackContext, p *mcp.ProgressNotificationParams) {
			fmt.Printf("%v: %v of %v\n", cc, p.Progress, p.Total)
		},
	}
	// What a client does with it when a server reports progress.
	cb.OnProgress(context.Background(),
		callbacks.CallbackContext{ServerName: "files", ToolName: "index"},
		&mcp.ProgressNotificationParams{Progress: 3, Total: 10})
	// Output: files/index: 3 of 10
}
