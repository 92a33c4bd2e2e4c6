package main

import (
	"context"
	"fmt"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

// A promptReport is what the verb "prompt" prints.
type promptReport struct {
	Server string               `json:"server"`
	Name   string               `json:"name"`
	Result *mcp.GetPromptResult `json:"result,omitempty"`
	outcome
}

// prompt gets a prompt.
func prompt(ctx context.Context, in *inspector, args []string) document {
	doc := &promptReport{Server: args[0], Name: args[1]}
	if err := in.check(doc.Server); err != nil {
		doc.fail(err)
		return doc
	}
	given, err := in.arguments(ctx, args[2:])
	if err != nil {
		doc.fail(err)
		return doc
	}
	arguments, err := texts(given)
	if err != nil {
		doc.fail(err)
		return doc
	}
	doc.Result, err = in.client.Prompt(ctx, doc.Server, doc.Name, arguments)
	doc.fail(err)
	return doc
}

func (d *promptReport) text(w io.Writer) {
	if d.Result == nil {
		return
	}
	for i, m := range d.Result.Messages {
		if i > 0 {
			fmt.Fprintln(w)
		}
		// The text of a block is the same wherever it occurs.
		text := adapters.ResultText(&mcp.CallToolResult{Content: []mcp.Content{m.Content}}, nil)
		fmt.Fprintf(w, "%s:\n%s\n", cell(string(m.Role), summary), text)
	}
}
