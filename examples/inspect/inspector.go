package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/langchaingo-mcp/mcpadapters/adapters"
	"github.com/langchaingo-mcp/mcpadapters/callbacks/terminal"
	"github.com/langchaingo-mcp/mcpadapters/config"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// An inspector is what the verbs work with.
type inspector struct {
	client   *multiclient.MultiServerClient
	servers  []string // all that the client has, sorted
	term     *terminal.Terminal
	answerer *answerer
	stdin    io.Reader
	login    *login // nil if nobody is to sign in

	connections config.Connections
}

// load returns the connections that the options name, and what else came of
// reading their file.
func load(ctx context.Context, opts options, inputs *asker) (config.Connections, *config.Result, error) {
	parse := &config.ParseOptions{WorkspaceFolder: ".", Input: inputs.answer}
	if opts.verb.offline != nil {
		parse.Input = inputs.assume
	}
	result, err := config.Read(ctx, parse, config.Source{Path: opts.config})
	if err != nil {
		return nil, result, configError{err}
	}
	all := result.Connections
	if len(opts.servers) == 0 {
		return all, result, nil
	}
	chosen := config.Connections{}
	for _, name := range opts.servers {
		connection, ok := all[name]
		if !ok {
			return nil, result, unknownServer(name, slices.Sorted(maps.Keys(all)))
		}
		chosen[name] = connection
	}
	return chosen, result, nil
}

func unknownServer(name string, known []string) error {
	quoted := make([]string, len(known))
	for i, k := range known {
		quoted[i] = fmt.Sprintf("%q", k)
	}
	return usageError(fmt.Sprintf("there is no server %q, only %s", name, strings.Join(quoted, ", ")))
}

// open returns an inspector, whose terminal and client have to be closed. It
// connects to nothing yet.
func open(connections config.Connections, opts options, stdin io.Reader, stderr io.Writer) (*inspector, error) {
	in := &inspector{
		connections: connections,
		servers:     slices.Sorted(maps.Keys(connections)),
		answerer:    &answerer{answer: opts.elicit},
		stdin:       stdin,
	}
	screen := terminal.Options{In: stdin, Out: stderr, Answer: in.answerer.elicit}
	if opts.elicit != nil {
		screen.In = strings.NewReader("") // no terminal, so that no form is shown
	}
	in.term = terminal.New(screen)
	in.answerer.notes = in.term
	client := &multiclient.Options{
		Callbacks:      in.term.Callbacks(),
		ToolNamePrefix: opts.prefix,
		Collisions:     adapters.CollisionPrefix,
	}
	if early := opts.timeout * 9 / 10; early < multiclient.DefaultConnectTimeout {
		// Of a connection that takes too long the client can tell why, but not
		// when the context of the caller ends first. 0 stays the default.
		client.ConnectTimeout = early
	}
	var err error
	if in.login = newLogin(opts, in.term); in.login != nil {
		if connections, err = in.login.prepare(connections); err != nil {
			in.term.Close()
			return nil, err
		}
	}
	in.client, err = multiclient.New(connections, client)
	return in, err
}

// check returns a usageError if there is no server of the name.
func (in *inspector) check(server string) error {
	if slices.Contains(in.servers, server) {
		return nil
	}
	return unknownServer(server, in.servers)
}
