package main

import (
	"context"
	"fmt"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
)

// A readReport is what the verb "read" prints.
type readReport struct {
	Server string                  `json:"server"`
	URI    string                  `json:"uri"`
	Result *mcp.ReadResourceResult `json:"result,omitempty"`
	outcome
}

// read reads a resource.
func read(ctx context.Context, in *inspector, args []string) document {
	doc := &readReport{Server: args[0], URI: args[1]}
	if err := in.check(doc.Server); err != nil {
		doc.fail(err)
		return doc
	}
	var err error
	doc.Result, err = in.client.ReadResource(ctx, doc.Server, doc.URI)
	doc.fail(err)
	return doc
}

func (d *readReport) text(w io.Writer) {
	documents := adapters.ResourceDocuments(d.Server, d.Result)
	for i, document := range documents {
		uri, _ := document.Metadata[adapters.MetadataURI].(string)
		media, _ := document.Metadata[adapters.MetadataMIMEType].(string)
		blob, _ := document.Metadata[adapters.MetadataBlob].([]byte)
		if len(documents) > 1 {
			if i > 0 {
				fmt.Fprintln(w)
			}
			fmt.Fprintf(w, "%s:\n", cell(uri, noLimit))
		}
		if len(blob) > 0 && document.PageContent == "" {
			fmt.Fprintf(w, "[%s, %d bytes: -json has them in base64]\n", cell(orElse(media, "unknown type"), summary), len(blob))
			continue
		}
		fmt.Fprintln(w, document.PageContent)
	}
}
