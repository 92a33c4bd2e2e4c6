package main

import (
	"context"

	"github.com/langchaingo-mcp/mcpadapters/config"
)

// A verb is what the program can do. One of run and offline is set.
type verb struct {
	name     string
	args     string // for the usage
	min, max int    // how many arguments
	run      func(context.Context, *inspector, []string) document
	// offline connects to nothing. It gets what came of loading.
	offline func(options, config.Connections, *config.Result, error) document
}

func verbs() []verb {
	return []verb{
		{name: "servers", run: servers},
		{name: "tools", run: tools},
		{name: "call", args: "TOOL [JSON]", min: 1, max: 2, run: call},
		{name: "prompts", run: prompts},
		{name: "prompt", args: "SERVER NAME [JSON]", min: 2, max: 3, run: prompt},
		{name: "resources", run: resources},
		{name: "read", args: "SERVER URI", min: 2, max: 2, run: read},
		{name: "validate", offline: validate},
	}
}
