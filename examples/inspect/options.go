package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// options are what the command line says.
type options struct {
	config  string
	servers []string // none means all
	prefix  bool
	json    bool
	timeout time.Duration
	elicit  *answer // nil means that the user is asked
	login   bool
	browser bool
	tokens  string            // the file, or ""
	inputs  map[string]string // by id
	verb    verb
	args    []string // of the verb
}

// parseOptions returns [flag.ErrHelp] if help is asked for, and a [usageError]
// for a command line that makes no sense; of the options, json is right even
// then.
func parseOptions(args []string) (options, error) {
	opts := options{inputs: map[string]string{}}
	badInput := false
	flags := flag.NewFlagSet("inspect", flag.ContinueOnError)
	flags.SetOutput(io.Discard) // errors are reported like all others
	flags.StringVar(&opts.config, "config", "", "")
	flags.BoolVar(&opts.prefix, "prefix", false, "")
	flags.BoolVar(&opts.json, "json", false, "")
	flags.Func("timeout", "", func(s string) (err error) {
		opts.timeout, err = time.ParseDuration(s)
		if err != nil || opts.timeout <= 0 {
			return errors.New("use a number and a unit, such as 20s or 2m")
		}
		return nil
	})
	flags.Func("server", "", func(name string) error {
		opts.servers = append(opts.servers, name)
		return nil
	})
	flags.Func("elicit", "", func(s string) (err error) {
		opts.elicit, err = parseAnswer(s)
		return err
	})
	flags.BoolVar(&opts.login, "login", false, "")
	flags.BoolVar(&opts.browser, "browser", false, "")
	flags.StringVar(&opts.tokens, "tokens", "", "")
	flags.Func("input", "", func(s string) error {
		id, value, ok := strings.Cut(s, "=")
		if !ok || id == "" {
			badInput = true // an error from here would show what may be secret
			return nil
		}
		opts.inputs[id] = value
		return nil
	})
	words, err := parseAnywhere(flags, args)
	switch {
	case errors.Is(err, flag.ErrHelp), err == nil && slices.Equal(words, []string{"help"}):
		return opts, flag.ErrHelp
	case err != nil:
		// Parsing has stopped before what comes next.
		opts.json = opts.json || slices.Contains(args, "-json") || slices.Contains(args, "--json")
		return opts, usageError(err.Error())
	case len(words) == 0:
		return opts, usageError("say what to do: one of " + verbNames())
	}

	known := verbs()
	i := slices.IndexFunc(known, func(v verb) bool { return v.name == words[0] })
	if i < 0 {
		return opts, usageError(fmt.Sprintf("%q is not known: use one of %s", words[0], verbNames()))
	}
	opts.verb, opts.args = known[i], words[1:]
	if n := len(opts.args); n < opts.verb.min || n > opts.verb.max {
		takes := "no arguments"
		if opts.verb.max > 0 {
			takes = opts.verb.args
		}
		return opts, usageError(fmt.Sprintf("%s takes %s: %d given", opts.verb.name, takes, n))
	}
	switch {
	case badInput:
		return opts, usageError("-input takes ID=VALUE")
	case opts.config == "":
		return opts, usageError("-config FILE is missing")
	case !opts.login && opts.browser:
		return opts, usageError("-browser is for -login, which is missing")
	case !opts.login && opts.tokens != "":
		return opts, usageError("-tokens is for -login, which is missing")
	}
	return opts, nil
}

// parseAnywhere lets flags come before, between and after the other words,
// which it returns. After "--" there are no more flags.
func parseAnywhere(flags *flag.FlagSet, args []string) ([]string, error) {
	var words []string
	for {
		if err := flags.Parse(args); err != nil {
			return nil, err
		}
		rest := flags.Args()
		if len(rest) == 0 {
			return words, nil
		}
		if read := len(args) - len(rest); read > 0 && args[read-1] == "--" {
			return append(words, rest...), nil
		}
		words = append(words, rest[0])
		args = rest[1:]
	}
}

func verbNames() string {
	var names []string
	for _, v := range verbs() {
		names = append(names, v.name)
	}
	return strings.Join(names, ", ")
}
