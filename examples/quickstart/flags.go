package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/langchaingo-mcp/mcpadapters/examples/quickstart/script"
)

// settings are what can be chosen on the command line.
type settings struct {
	model, baseURL, key string
	question            string
	prefix              bool
}

const usage = `Usage: quickstart [flags]

A langchaingo agent that uses three MCP servers at once. By default the model is
a script, which needs no network and no key. Steps and answer go to standard
output, what servers send meanwhile to standard error.

Flags:
`

const examples = `
With a model of OpenAI:      OPENAI_API_KEY=... quickstart -model gpt-4.1-mini
With one of Ollama:          quickstart -model qwen3 -base-url http://localhost:11434/v1

Environment: OPENAI_API_KEY is the key (not needed with -base-url),
OPENAI_BASE_URL the default of -base-url. Both are used with -model only.
`

// parseFlags reads and checks the flags. On -h it prints the usage and returns
// flag.ErrHelp.
func parseFlags(args []string) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("quickstart", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // errors are printed by the caller
	flags.StringVar(&s.model, "model", "", "`name` of a model behind an OpenAI-compatible API (default: a script)")
	flags.StringVar(&s.baseURL, "base-url", "", "`URL` of that API, if it is not that of OpenAI")
	flags.StringVar(&s.question, "question", "", "`text` to ask (default: something that needs all three servers; the script knows no other)")
	flags.BoolVar(&s.prefix, "prefix", false, "name each tool server_tool")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			flags.SetOutput(os.Stdout)
			fmt.Print(usage)
			flags.PrintDefaults()
			fmt.Print(examples)
		}
		return s, err
	}
	if flags.NArg() > 0 {
		return s, fmt.Errorf("%q is no flag; a question is asked by -question", flags.Arg(0))
	}
	if s.model == "" {
		switch {
		case s.baseURL != "":
			return s, errors.New("-base-url needs -model")
		case s.question != "":
			return s, errors.New("the script knows one question only: -question needs -model")
		}
		s.question = script.Question
		return s, nil
	}
	if s.question == "" {
		s.question = script.Question
	}
	if s.baseURL == "" {
		s.baseURL = os.Getenv("OPENAI_BASE_URL")
	}
	if s.key = os.Getenv("OPENAI_API_KEY"); s.key == "" {
		if s.baseURL == "" {
			return s, errors.New("-model needs the key of OpenAI in OPENAI_API_KEY, or the -base-url of another API")
		}
		s.key = "none" // langchaingo insists on one, local endpoints do not
	}
	return s, nil
}
