package main

import (
	"context"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// accept answers every question with the content.
func accept(content map[string]any) callbacks.Callbacks {
	return callbacks.Callbacks{
		OnElicitation: func(context.Context, callbacks.CallbackContext, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: content}, nil
		},
	}
}

// elicitDefaults accepts a form without filling it in.
func elicitDefaults(ctx context.Context, in input) error {
	return with(in, config.StreamableHTTP{}, accept(map[string]any{}), func(client *multiclient.MultiServerClient) error {
		if _, err := client.Tools(ctx); err != nil {
			return err
		}
		return mustCall(ctx, client, "test_client_elicitation_defaults", nil)
	})
}

// roundTrips calls tools that ask in their results, with and without a state
// to be sent back.
func roundTrips(ctx context.Context, in input) error {
	return with(in, config.StreamableHTTP{}, accept(map[string]any{"confirmed": true}), func(client *multiclient.MultiServerClient) error {
		if _, err := client.Tools(ctx); err != nil {
			return err
		}
		var errs []error
		for _, tool := range []string{
			"test_mrtr_echo_state",
			"test_mrtr_no_state",
			"test_mrtr_unrelated",
			"test_mrtr_no_result_type",
		} {
			errs = append(errs, mustCall(ctx, client, tool, nil))
		}
		return errors.Join(errs...)
	})
}

// everyCapability lists the tools of a server that looks at what the client
// declares, with all that it can declare. The server asks for nothing.
func everyCapability(ctx context.Context, in input) error {
	refused := errors.New("nobody is here to answer")
	cb := accept(map[string]any{})
	cb.URLElicitation = true
	cb.OnSampling = func(context.Context, callbacks.CallbackContext, *mcp.CreateMessageWithToolsRequest) (*mcp.CreateMessageWithToolsResult, error) {
		return nil, refused
	}
	cb.OnListRoots = func(context.Context, callbacks.CallbackContext, *mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
		return nil, refused
	}
	return with(in, config.StreamableHTTP{}, cb, func(client *multiclient.MultiServerClient) error {
		_, err := client.Tools(ctx)
		return err
	})
}
