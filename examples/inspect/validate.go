package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/langchaingo-mcp/mcpadapters/config"
)

// A validation is what the verb "validate" prints.
type validation struct {
	File    string       `json:"file"`
	Valid   bool         `json:"valid"`
	Servers []validEntry `json:"servers"`
	// Warnings are what has no effect, and what editors that use the schema of
	// our own form will mark.
	Warnings []problem `json:"warnings"`
	outcome
}

type validEntry struct {
	Name       string `json:"name"`
	Transport  string `json:"transport"`
	Connection string `json:"connection"` // without anything secret
}

// validate tells what is wrong with the configuration.
func validate(opts options, connections config.Connections, result *config.Result, err error) document {
	var usage usageError
	if errors.As(err, &usage) {
		return failed(err)
	}
	doc := &validation{File: opts.config, Valid: err == nil, Servers: []validEntry{}, Warnings: []problem{}}
	for _, f := range result.Warnings {
		doc.Warnings = append(doc.Warnings, problemOf(f))
	}
	doc.shown = true
	doc.fail(err)
	doc.Warnings = append(doc.Warnings, againstSchema(opts.config, doc.Warnings, doc.Errors)...)
	for _, name := range slices.Sorted(maps.Keys(connections)) {
		c := connections[name]
		doc.Servers = append(doc.Servers, validEntry{name, c.Transport(), c.String()})
	}
	return doc
}

func (d *validation) text(w io.Writer) {
	defer d.warn(w)
	if !d.Valid {
		ofFile, ofServers := splitProblems(d.Errors)
		for _, p := range ofFile {
			fmt.Fprintln(w, cell(p.Message, noLimit))
		}
		if len(ofServers) > 0 {
			fmt.Fprintf(w, "%s is not valid:\n", cell(d.File, noLimit))
			writeProblems(w, ofServers)
		}
		return
	}
	if len(d.Servers) == 0 {
		fmt.Fprintf(w, "%s is valid, but has no server that is enabled.\n", cell(d.File, noLimit))
		return
	}
	fmt.Fprintf(w, "%s is valid:\n", cell(d.File, noLimit))
	table := newTable(w, "SERVER", "CONNECTION")
	defer table.flush()
	for _, s := range d.Servers {
		table.row(s.Name, s.Connection)
	}
}

// warn writes the warnings below everything else.
func (d *validation) warn(w io.Writer) {
	if len(d.Warnings) > 0 {
		fmt.Fprintln(w, "Warnings:")
		writeFaults(w, d.Warnings)
	}
}
