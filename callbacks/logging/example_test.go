package logging_test

import (
	"context"
	"log/slog"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/callbacks/logging"
)

func Example() {
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{} // differs from run to run
			}
			return a
		},
	}))
	cb := logging.New(logger, nil)
	// What a client does with it when a server logs something.
	cb.OnLoggingMessage(context.Background(),
		callbacks.CallbackContext{ServerName: "files", ToolName: "index", CallID: "c1"},
		&mcp.LoggingMessageParams{Level: "warning", Logger: "disk", Data: "almost full"})
	// Output: level=WARN msg="almost full" server=files tool=index call=c1 logger=disk
}
