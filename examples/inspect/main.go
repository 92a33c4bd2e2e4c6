// Command inspect looks at the MCP servers of a configuration file: what they
// say of themselves, what they offer, and what comes back when it is used. See
// README.md, or run it with -h.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// Writing to a pipe that is closed is then an error rather than the end,
	// so that servers are closed all the same.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	os.Exit(run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
