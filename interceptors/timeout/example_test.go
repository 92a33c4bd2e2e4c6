package timeout_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/interceptors"
	"github.com/langchaingo-mcp/mcpadapters/interceptors/timeout"
)

func Example() {
	// The client builds this chain from its options.
	call := interceptors.Chain(waiting, timeout.New(&timeout.Options{
		Default: 10 * time.Millisecond,
		Tools: map[string]time.Duration{
			"research":     10 * time.Minute, // on any server
			"github/clone": time.Hour,        // on one
			"ask_user":     0,                // as long as it takes
		},
	}))
	_, err := call(context.Background(), &interceptors.Request{ServerName: "weather", ToolName: "forecast"})
	fmt.Println(errors.Is(err, context.DeadlineExceeded))
	// Output: true
}
