package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/examples/quickstart/servers"
)

// serveLibrary as the only argument makes the program one of the servers.
const serveLibrary = "serve-library"

func main() {
	if len(os.Args) == 2 && os.Args[1] == serveLibrary {
		if err := servers.Library().Run(context.Background(), &mcp.StdioTransport{}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(run(os.Args[1:]))
}

// run returns the exit status: 0 if there is an answer, 1 if not, 2 if the
// flags make no sense, 130 if it was interrupted.
func run(args []string) int {
	s, err := parseFlags(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		fmt.Fprintln(os.Stderr, "quickstart -h tells more")
		return 2
	}

	// The first Ctrl-C ends everything tidily, another one at once.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)

	err = quickstart(ctx, s)
	switch {
	case err == nil:
		return 0
	case ctx.Err() != nil:
		fmt.Fprintln(os.Stderr, "quickstart: interrupted")
		return 130
	default:
		fmt.Fprintln(os.Stderr, "quickstart:", err)
		return 1
	}
}
