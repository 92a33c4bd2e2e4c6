package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"github.com/langchaingo-mcp/mcpadapters/config"
)

// A printer writes results to stdout and failures to stderr.
type printer struct {
	json           bool
	stdout, stderr io.Writer
}

func (p printer) help() int {
	return p.write([]byte(usage))
}

// print writes a document and returns the exit status.
func (p printer) print(doc document) int {
	out := doc.result()
	if out.Errors == nil {
		out.Errors = []problem{}
	}
	var body []byte
	if p.json {
		var err error
		if body, err = encode(doc); err != nil {
			fallback := &nothing{*out}
			fallback.fail(fmt.Errorf("the result is no JSON: %w", err))
			out = fallback.result()
			body, _ = encode(fallback) // it is made of strings and numbers
		}
	} else {
		var b bytes.Buffer
		doc.text(&b)
		body = []byte(clean(b.String()))
	}
	status := max(p.write(body), out.status())
	if !out.shown || p.json {
		p.report(out.Errors)
	}
	return status
}

func (p printer) write(body []byte) int {
	_, err := p.stdout.Write(body)
	switch {
	case err == nil:
		return statusOK
	case !errors.Is(err, syscall.EPIPE): // whoever closed it knows
		fmt.Fprintf(p.stderr, "inspect: %v\n", err)
	}
	return statusFailed
}

// report writes problems to stderr.
func (p printer) report(problems []problem) {
	var b strings.Builder
	general, ofServers := splitProblems(problems)
	for _, problem := range general {
		fmt.Fprintf(&b, "inspect: %s\n", cell(problem.Message, noLimit))
		if problem.Kind == kindUsage {
			fmt.Fprintln(&b, "Run inspect -h for help.")
		}
	}
	if len(ofServers) > 0 {
		fmt.Fprintln(&b, "inspect: failed:")
		writeProblems(&b, ofServers)
	}
	fmt.Fprint(p.stderr, clean(b.String()))
}

// encode returns a value as JSON that is safe to show on a terminal.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return escapeUnprintable(b.Bytes()), nil
}

// splitProblems returns the problems that concern no server, and the others.
func splitProblems(problems []problem) (general, ofServers []problem) {
	for _, p := range problems {
		if p.Server == "" {
			general = append(general, p)
		} else {
			ofServers = append(ofServers, p)
		}
	}
	return general, ofServers
}

// writeFaults writes problems of the configuration as compilers do, so that
// terminals and editors make links of the places.
func writeFaults(w io.Writer, problems []problem) {
	for _, p := range problems {
		f := config.Fault{File: p.File, Line: p.Line, Column: p.Column, Server: p.Server, Key: p.Key, Problem: p.Message}
		fmt.Fprintln(w, cell(f.String(), noLimit))
	}
}

// writeProblems writes a table of problems of servers, all of the
// configuration or none.
func writeProblems(w io.Writer, problems []problem) {
	if problems[0].Kind == kindConfiguration {
		writeFaults(w, problems)
		return
	}
	table := newTable(w, "SERVER", "PHASE", "PROBLEM")
	defer table.flush()
	for _, p := range problems {
		message := p.Message
		if p.Tool != "" {
			message = p.Tool + ": " + message
		}
		table.row(p.Server, orDash(p.Phase), cell(message, noLimit))
		for line := range strings.Lines(p.Detail) {
			table.row("", "", "| "+line)
		}
	}
}
