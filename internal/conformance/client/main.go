package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"
)

// timeout ends a scenario before the suite gives up on it, so that the reason
// is told.
const timeout = 25 * time.Second

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	if err := run(ctx, os.Args[1:], os.Getenv); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, getenv func(string) string) error {
	if len(args) != 1 {
		return fmt.Errorf("%d arguments, want the URL of a scenario's server", len(args))
	}
	in := input{URL: args[0], Version: getenv("MCP_CONFORMANCE_PROTOCOL_VERSION")}
	name := getenv("MCP_CONFORMANCE_SCENARIO")
	scenario, ok := scenarios()[name]
	if !ok {
		return fmt.Errorf("MCP_CONFORMANCE_SCENARIO is %q, which is no scenario that this client knows", name)
	}
	if given := getenv("MCP_CONFORMANCE_CONTEXT"); given != "" {
		if err := json.Unmarshal([]byte(given), &in.Context); err != nil {
			return fmt.Errorf("MCP_CONFORMANCE_CONTEXT: %w", err)
		}
	}
	if err := scenario(ctx, in); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
