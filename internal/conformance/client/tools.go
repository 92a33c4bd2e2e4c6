package main

import (
	"context"
	"fmt"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// list connects and lists the tools, as langchaingo tools with their schemas
// made fit for models.
func list(ctx context.Context, in input) error {
	return with(in, config.StreamableHTTP{}, callbacks.Callbacks{}, func(client *multiclient.MultiServerClient) error {
		_, err := client.Tools(ctx)
		return err
	})
}

// addNumbers calls a tool as an agent does, text to text.
func addNumbers(ctx context.Context, in input) error {
	return with(in, config.StreamableHTTP{}, callbacks.Callbacks{}, func(client *multiclient.MultiServerClient) error {
		tool, err := client.Tool(ctx, "add_numbers")
		if err != nil {
			return err
		}
		text, err := tool.Call(ctx, `{"a": 5, "b": 3}`)
		if err != nil {
			return err
		}
		if want := "The sum of 5 and 3 is 8"; text != want {
			return fmt.Errorf("add_numbers answered %q, want %q", text, want)
		}
		return nil
	})
}

// reconnect calls a tool whose answer comes on a second stream, after the
// first has ended.
func reconnect(ctx context.Context, in input) error {
	return with(in, config.StreamableHTTP{}, callbacks.Callbacks{}, func(client *multiclient.MultiServerClient) error {
		if _, err := client.Tools(ctx); err != nil {
			return err
		}
		return mustCall(ctx, client, "test_reconnection", nil)
	})
}

// echoSchema sends the schema of one tool back as an argument of another.
func echoSchema(ctx context.Context, in input) error {
	return with(in, config.StreamableHTTP{}, callbacks.Callbacks{}, func(client *multiclient.MultiServerClient) error {
		tool, err := client.Tool(ctx, "json_schema_2020_12_tool")
		if err != nil {
			return err
		}
		return mustCall(ctx, client, "json_schema_echo", map[string]any{"schema": tool.MCPTool().InputSchema})
	})
}

// standardHeaders uses each kind of thing that a server offers once.
func standardHeaders(ctx context.Context, in input) error {
	return with(in, config.StreamableHTTP{}, callbacks.Callbacks{}, func(client *multiclient.MultiServerClient) error {
		tools, err := client.Tools(ctx)
		if err != nil {
			return err
		}
		for _, tool := range tools {
			if _, err := tool.(*adapters.Tool).Invoke(ctx, nil); err != nil {
				return err
			}
		}
		resources, err := client.Resources(ctx)
		if err != nil {
			return err
		}
		for _, resource := range resources {
			if _, err := client.ReadResource(ctx, server, resource.URI); err != nil {
				return err
			}
		}
		prompts, err := client.Prompts(ctx)
		if err != nil {
			return err
		}
		for _, prompt := range prompts {
			if _, err := client.Prompt(ctx, server, prompt.Name, nil); err != nil {
				return err
			}
		}
		if len(tools) == 0 || len(resources) == 0 || len(prompts) == 0 {
			return fmt.Errorf("%d tools, %d resources and %d prompts, want some of each", len(tools), len(resources), len(prompts))
		}
		return nil
	})
}

// customHeaders makes the calls that the suite asks for, of a tool whose
// schema puts arguments into headers.
func customHeaders(ctx context.Context, in input) error {
	return with(in, config.StreamableHTTP{}, callbacks.Callbacks{}, func(client *multiclient.MultiServerClient) error {
		if _, err := client.Tools(ctx); err != nil {
			return err
		}
		if len(in.Context.ToolCalls) == 0 {
			return fmt.Errorf("no calls to make")
		}
		for _, call := range in.Context.ToolCalls {
			if err := mustCall(ctx, client, call.Name, call.Arguments); err != nil {
				return err
			}
		}
		return nil
	})
}

// invalidToolHeaders calls every tool that is left after those that the
// protocol says must not be used are gone.
func invalidToolHeaders(ctx context.Context, in input) error {
	return with(in, config.StreamableHTTP{}, callbacks.Callbacks{}, func(client *multiclient.MultiServerClient) error {
		tools, err := client.Tools(ctx)
		if err != nil {
			return err
		}
		for _, tool := range tools {
			if _, err := tool.(*adapters.Tool).Invoke(ctx, map[string]any{"region": "us-west1"}); err != nil {
				return err
			}
		}
		return nil
	})
}
