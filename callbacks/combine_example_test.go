package callbacks_test

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

func logTo(name string) callbacks.Callbacks {
	return callbacks.Callbacks{
		OnLoggingMessage: func(_ context.Context, cc callbacks.CallbackContext, p *mcp.LoggingMessageParams) {
			fmt.Printf("%s: %v says %v\n", name, cc, p.Data)
		},
	}
}

func ExampleMerge() {
	cb := callbacks.Merge(logTo("file"), logTo("screen"))
	// What a client does with it when a server logs something.
	cb.OnLoggingMessage(context.Background(),
		callbacks.CallbackContext{ServerName: "files", ToolName: "index"},
		&mcp.LoggingMessageParams{Level: "info", Data: "half done"})
	// Output:
	// file: files/index says half done
	// screen: files/index says half done
}

func ExampleOverride() {
	common := logTo("screen")
	forFiles := callbacks.Override(common, logTo("file"))
	forFiles.OnLoggingMessage(context.Background(),
		callbacks.CallbackContext{ServerName: "files", ToolName: "index"},
		&mcp.LoggingMessageParams{Level: "info", Data: "half done"})
	// Output: file: files/index says half done
}

// One user answers for all servers, and for what is asked besides elicitations.
func ExampleOneAtATime() {
	var user callbacks.Line
	cb := callbacks.OneAtATime(callbacks.Callbacks{
		OnElicitation: func(context.Context, callbacks.CallbackContext, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			fmt.Println("May the server know your name?")
			return &mcp.ElicitResult{Action: "decline"}, nil
		},
	}, &user)

	approve := func(ctx context.Context) error {
		_, done, err := user.Wait(ctx)
		if err != nil {
			return err
		}
		defer done()
		fmt.Println("May the server ask the model?")
		return nil
	}

	ctx := context.Background()
	_ = approve(ctx)
	_, _ = cb.OnElicitation(ctx, callbacks.CallbackContext{}, nil)
	// Output:
	// May the server ask the model?
	// May the server know your name?
}
