package main

import (
	"context"
	"io"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A promptsReport is what the verb "prompts" prints.
type promptsReport struct {
	Prompts []promptEntry `json:"prompts"`
	outcome
}

type promptEntry struct {
	Server string `json:"server"`
	*mcp.Prompt
}

// prompts lists the prompts.
func prompts(ctx context.Context, in *inspector, _ []string) document {
	doc := &promptsReport{Prompts: []promptEntry{}}
	all, err := in.client.Prompts(ctx)
	doc.fail(err)
	for _, p := range all {
		doc.Prompts = append(doc.Prompts, promptEntry{p.ServerName, p.Prompt})
	}
	return doc
}

func (d *promptsReport) text(w io.Writer) {
	if len(d.Prompts) == 0 {
		return
	}
	table := newTable(w, "SERVER", "PROMPT", "ARGUMENTS", "DESCRIPTION")
	defer table.flush()
	for _, p := range d.Prompts {
		var arguments []string
		for _, a := range p.Arguments {
			name := a.Name
			if !a.Required {
				name += "?"
			}
			arguments = append(arguments, name)
		}
		table.row(p.Server, p.Name, orDash(strings.Join(arguments, ", ")), cell(orElse(p.Description, p.Title), summary))
	}
}
