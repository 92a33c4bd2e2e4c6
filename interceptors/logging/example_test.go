package logging_test

import (
	"context"
	"log/slog"
	"os"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/interceptors"
	"github.com/langchaingo-mcp/mcpadapters/interceptors/logging"
)

func Example() {
	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if slices.Contains([]string{"time", "duration"}, a.Key) {
				return slog.Attr{} // differs from run to run
			}
			return a
		},
	}))
	forecast := func(context.Context, *interceptors.Request) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "sunny"}}}, nil
	}
	// The client builds this chain from its options.
	call := interceptors.Chain(forecast, logging.New(logger, &logging.Options{Arguments: true}))
	_, _ = call(context.Background(), &interceptors.Request{
		ServerName: "weather",
		ToolName:   "forecast",
		Arguments:  map[string]any{"city": "Rome"},
	})
	// Output: level=INFO msg="tool call" server=weather tool=forecast outcome=ok arguments="{\"city\":\"Rome\"}"
}
