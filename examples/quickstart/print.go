package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/tmc/langchaingo/tools"
	"golang.org/x/term"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/callbacks/terminal"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// stdout returns where results are printed. If that is a terminal, so most
// likely is standard error, and what is printed has to go above the bars there.
func stdout(t *terminal.Terminal) io.Writer {
	if term.IsTerminal(int(os.Stdout.Fd())) && term.IsTerminal(int(os.Stderr.Fd())) {
		return t
	}
	return os.Stdout
}

// printServers prints what each server is and which tools it has.
func printServers(w io.Writer, client *multiclient.MultiServerClient, list []tools.Tool) {
	names := map[string][]string{}
	for _, tool := range list {
		if t, ok := tool.(*adapters.Tool); ok {
			names[t.ServerName()] = append(names[t.ServerName()], t.Name())
		}
	}
	fmt.Fprintln(w, "Servers:")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	defer table.Flush()
	for _, s := range client.Status() {
		version := "-"
		if s.Server != nil {
			version = s.Server.ProtocolVersion
		}
		fmt.Fprintf(table, "  %s\t%s\t%s\t%s\n", printable(s.Name), s.Transport, printable(version), strings.Join(names[s.Name], ", "))
	}
}

// indented returns lines of text as they are printed below a heading.
func indented(s string) string {
	return "  " + strings.ReplaceAll(printable(strings.TrimSpace(s)), "\n", "\n  ")
}

// printable replaces what could steer a terminal: names and texts come from
// servers and models.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, s)
}
