package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
)

// The exit status of the program.
const (
	statusOK     = 0
	statusFailed = 1 // a server or the call failed
	statusUsage  = 2 // bad usage or configuration
)

// run is the program. It returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	opts, err := parseOptions(args)
	out := printer{json: opts.json, stdout: stdout, stderr: stderr}
	if errors.Is(err, flag.ErrHelp) {
		return out.help()
	}
	if err != nil {
		return out.print(failed(err))
	}
	inputs := &asker{given: opts.inputs, stdin: stdin, stderr: stderr}
	connections, result, err := load(ctx, opts, inputs)
	switch {
	case opts.verb.offline != nil:
		return out.print(opts.verb.offline(opts, connections, result, err))
	case err != nil:
		return out.print(failed(err))
	case len(connections) == 0:
		return out.print(failed(configError{fmt.Errorf("%s has no server that is enabled", opts.config)}))
	}

	if opts.timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, opts.timeout, timeoutError(opts.timeout))
		defer cancel()
	}
	in, err := open(connections, opts, stdin, stderr)
	if err != nil {
		return out.print(failed(err))
	}
	doc := opts.verb.run(ctx, in, opts.args)
	in.term.Close() // its error is that of stderr, where there is no one to tell
	in.login.close()
	doc.result().Errors = append(doc.result().Errors, in.answerer.failures()...)
	in.hints(doc.result().Errors)
	status := out.print(doc)
	if err := in.client.Close(); err != nil {
		out.report(problemsOf(err))
		return max(status, statusFailed)
	}
	return status
}
