package main

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/auth"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// signIn returns the scenario that uses a server that wants to be signed in
// to, by the handler that is made for it.
func signIn(handler func(given) (auth.OAuthHandler, error)) scenario {
	return func(ctx context.Context, in input) error {
		h, err := handler(in.Context)
		if err != nil {
			return err
		}
		return useProtected(ctx, in, config.StreamableHTTP{OAuthHandler: h})
	}
}

// useProtected lists and calls the tool that all protected servers have.
func useProtected(ctx context.Context, in input, connection config.StreamableHTTP) error {
	return with(in, connection, callbacks.Callbacks{}, func(client *multiclient.MultiServerClient) error {
		if _, err := client.Tools(ctx); err != nil {
			return err
		}
		return mustCall(ctx, client, "test-tool", nil)
	})
}
