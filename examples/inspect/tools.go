package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

// A toolReport is what the verb "tools" prints.
type toolReport struct {
	Tools []toolEntry `json:"tools"`
	outcome
}

type toolEntry struct {
	Name           string               `json:"name"` // as a model calls it
	Server         string               `json:"server"`
	OriginalName   string               `json:"originalName"`
	Title          string               `json:"title,omitempty"`
	Description    string               `json:"description"`
	Schema         map[string]any       `json:"schema"` // as a model is shown it
	OriginalSchema any                  `json:"originalSchema"`
	OutputSchema   any                  `json:"outputSchema,omitempty"`
	Annotations    *mcp.ToolAnnotations `json:"annotations,omitempty"`
}

// tools lists the tools.
func tools(ctx context.Context, in *inspector, _ []string) document {
	doc := &toolReport{Tools: []toolEntry{}}
	all, err := in.tools(ctx)
	doc.fail(err)
	for _, tool := range all {
		original := tool.MCPTool()
		doc.Tools = append(doc.Tools, toolEntry{
			Name:           tool.Name(),
			Server:         tool.ServerName(),
			OriginalName:   tool.OriginalName(),
			Title:          original.Title,
			Description:    tool.Description(),
			Schema:         tool.Schema(),
			OriginalSchema: original.InputSchema,
			OutputSchema:   original.OutputSchema,
			Annotations:    original.Annotations,
		})
	}
	return doc
}

// tools returns the tools of all servers that could be asked.
func (in *inspector) tools(ctx context.Context) ([]*adapters.Tool, error) {
	all, err := in.client.Tools(ctx)
	list := make([]*adapters.Tool, len(all))
	for i, tool := range all {
		list[i] = tool.(*adapters.Tool)
	}
	return list, err
}

func (d *toolReport) text(w io.Writer) {
	server := ""
	for i, t := range d.Tools {
		if i == 0 || t.Server != server {
			server = t.Server
			if i > 0 {
				fmt.Fprintln(w)
			}
			fmt.Fprintf(w, "%s\n", cell(server, noLimit))
		}
		call := signature(t.Name, t.Schema)
		if t.Name != t.OriginalName {
			call = append(call, "[the server's "+cell(t.OriginalName, maxName)+"]")
		}
		wrap(w, "  ", "        ", call)
		wrap(w, "      ", "      ", strings.Fields(beginning(t.Description)))
	}
}

// beginning returns what a list shows of a description.
func beginning(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")), "\n\n")
	return cell(s, 2*summary)
}
