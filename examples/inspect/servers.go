package main

import (
	"context"
	"io"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/sync/errgroup"

	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// A serverReport is what the verb "servers" prints.
type serverReport struct {
	Servers []serverEntry `json:"servers"`
	outcome
}

type serverEntry struct {
	Name            string                  `json:"name"`
	Transport       string                  `json:"transport"`
	State           multiclient.State       `json:"state"`
	ProtocolVersion string                  `json:"protocolVersion,omitempty"`
	ServerInfo      *mcp.Implementation     `json:"serverInfo,omitempty"`
	Instructions    string                  `json:"instructions,omitempty"`
	Capabilities    *mcp.ServerCapabilities `json:"capabilities,omitempty"`
	// How many there are: nil if that could not be found out.
	Tools             *int   `json:"tools,omitempty"`
	Prompts           *int   `json:"prompts,omitempty"`
	Resources         *int   `json:"resources,omitempty"`
	ResourceTemplates *int   `json:"resourceTemplates,omitempty"`
	Error             string `json:"error,omitempty"`

	failures []error
}

// servers tells what each server says of itself.
func servers(ctx context.Context, in *inspector, _ []string) document {
	doc := &serverReport{Servers: make([]serverEntry, len(in.servers))}
	var group errgroup.Group
	group.SetLimit(multiclient.DefaultMaxConnecting)
	for i, name := range in.servers {
		entry := &doc.Servers[i]
		entry.Name = name
		group.Go(func() error {
			entry.lookAt(ctx, in.client)
			return nil
		})
	}
	group.Wait()
	for i, status := range in.client.Status() { // sorted by name, as in.servers is
		entry := &doc.Servers[i]
		entry.Transport, entry.State = status.Transport, status.State
		for _, err := range entry.failures {
			doc.fail(err)
			if entry.Error == "" {
				entry.Error = doc.Errors[len(doc.Errors)-1].Message
			}
		}
	}
	return doc
}

// lookAt asks the server.
func (e *serverEntry) lookAt(ctx context.Context, client *multiclient.MultiServerClient) {
	info, err := client.ServerInfo(ctx, e.Name)
	if err != nil {
		e.failures = append(e.failures, err)
		return
	}
	e.ProtocolVersion, e.ServerInfo, e.Instructions, e.Capabilities = info.ProtocolVersion, info.ServerInfo, info.Instructions, info.Capabilities

	tools, err := client.Tools(ctx, e.Name)
	e.Tools = e.count(len(tools), err)
	prompts, err := client.Prompts(ctx, e.Name)
	e.Prompts = e.count(len(prompts), err)
	resources, err := client.Resources(ctx, e.Name)
	e.Resources = e.count(len(resources), err)
	templates, err := client.ResourceTemplates(ctx, e.Name)
	e.ResourceTemplates = e.count(len(templates), err)
}

func (e *serverEntry) count(n int, err error) *int {
	if err != nil {
		e.failures = append(e.failures, err)
		return nil
	}
	return &n
}

func (d *serverReport) text(w io.Writer) {
	table := newTable(w, "SERVER", "TRANSPORT", "STATE", "PROTOCOL", "IMPLEMENTATION", "TOOLS", "PROMPTS", "RESOURCES", "TEMPLATES")
	defer table.flush()
	for _, s := range d.Servers {
		if s.ServerInfo == nil {
			table.row(s.Name, s.Transport, string(s.State), "-", "-", "-", "-", "-", "-")
			continue
		}
		table.row(s.Name, s.Transport, string(s.State), s.ProtocolVersion,
			cell(s.ServerInfo.Name+" "+s.ServerInfo.Version, summary),
			number(s.Tools), number(s.Prompts), number(s.Resources), number(s.ResourceTemplates))
	}
}

func number(n *int) string {
	if n == nil {
		return "?"
	}
	return strconv.Itoa(*n)
}
