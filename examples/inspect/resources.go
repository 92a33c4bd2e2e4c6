package main

import (
	"context"
	"fmt"
	"io"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A resourcesReport is what the verb "resources" prints.
type resourcesReport struct {
	Resources         []resourceEntry `json:"resources"`
	ResourceTemplates []templateEntry `json:"resourceTemplates"`
	outcome
}

type resourceEntry struct {
	Server string `json:"server"`
	*mcp.Resource
}

type templateEntry struct {
	Server string `json:"server"`
	*mcp.ResourceTemplate
}

// resources lists the resources and the templates of their URIs.
func resources(ctx context.Context, in *inspector, _ []string) document {
	doc := &resourcesReport{Resources: []resourceEntry{}, ResourceTemplates: []templateEntry{}}
	all, err := in.client.Resources(ctx)
	doc.fail(err)
	for _, r := range all {
		doc.Resources = append(doc.Resources, resourceEntry{r.ServerName, r.Resource})
	}
	healthy := doc.healthy(in.servers)
	if len(healthy) == 0 {
		return doc // no names would mean all servers
	}
	templates, err := in.client.ResourceTemplates(ctx, healthy...)
	doc.fail(err)
	for _, t := range templates {
		doc.ResourceTemplates = append(doc.ResourceTemplates, templateEntry{t.ServerName, t.ResourceTemplate})
	}
	return doc
}

func (d *resourcesReport) text(w io.Writer) {
	if len(d.Resources) > 0 {
		table := newTable(w, "SERVER", "URI", "TYPE", "SIZE", "NAME", "DESCRIPTION")
		for _, r := range d.Resources {
			size := ""
			if r.Size > 0 {
				size = strconv.FormatInt(r.Size, 10)
			}
			table.row(r.Server, r.URI, orDash(r.MIMEType), orDash(size), orDash(orElse(r.Title, r.Name)), cell(r.Description, summary))
		}
		table.flush()
	}
	if len(d.ResourceTemplates) > 0 {
		if len(d.Resources) > 0 {
			fmt.Fprintln(w)
		}
		table := newTable(w, "SERVER", "TEMPLATE", "TYPE", "NAME", "DESCRIPTION")
		for _, t := range d.ResourceTemplates {
			table.row(t.Server, t.URITemplate, orDash(t.MIMEType), orDash(orElse(t.Title, t.Name)), cell(t.Description, summary))
		}
		table.flush()
	}
}
