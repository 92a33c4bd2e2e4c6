package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/langchaingo-mcp/mcpadapters/callbacks/elicitation"
	"github.com/langchaingo-mcp/mcpadapters/callbacks/terminal"
	"github.com/langchaingo-mcp/mcpadapters/examples/quickstart/servers"
	"github.com/langchaingo-mcp/mcpadapters/interceptors"
	"github.com/langchaingo-mcp/mcpadapters/multiclient"
)

// quickstart connects to the servers and has an agent answer the question.
func quickstart(ctx context.Context, s settings) (err error) {
	model, err := newModel(s)
	if err != nil {
		return err
	}
	tasksURL, stop, err := servers.ServeHTTP(servers.Tasks(400 * time.Millisecond))
	if err != nil {
		return err
	}
	defer stop()
	conns, err := connections(tasksURL)
	if err != nil {
		return err
	}

	// What servers send goes to the terminal. Where there is none, nobody can
	// be asked: questions are then answered by defaults and these samples.
	term := terminal.New(terminal.Options{
		Answer: elicitation.AcceptDefaults(map[string]any{"name": "Ada Lovelace", "age": 36}),
	})
	defer term.Close()
	out := stdout(term)

	client, err := multiclient.New(conns, &multiclient.Options{
		Callbacks:      term.Callbacks(),
		Interceptors:   []interceptors.Interceptor{trace(out)},
		ToolNamePrefix: s.prefix,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, client.Close()) }()

	tools, err := client.Tools(ctx)
	if err != nil {
		if ctx.Err() != nil || len(tools) == 0 {
			return err
		}
		fmt.Fprintln(term, "going on without:", err) // the other servers are there
	}
	printServers(out, client, tools)
	fmt.Fprintf(out, "\nQuestion:\n%s\n\nSteps:\n", indented(s.question))

	answer, err := ask(ctx, model, tools, s.question)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\nAnswer:\n%s\n", indented(answer))
	return nil
}
