package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/term"

	"github.com/langchaingo-mcp/mcpadapters/config"
)

// An asker answers the inputs of a file: by the command line, by variables, or
// by asking on the terminal.
type asker struct {
	given  map[string]string // by -input
	stdin  io.Reader
	stderr io.Writer
}

// placeholder stands for what only a person can say, where nothing is
// connected to. It is a URL, since that has the most rules.
const placeholder = "https://input.invalid"

// answer is config.ParseOptions.Input.
func (a *asker) answer(ctx context.Context, input config.Input) (string, error) {
	if value, ok := a.known(input.ID); ok {
		return value, nil
	}
	how := fmt.Sprintf("use -input %s=VALUE or the variable %s", input.ID, variableOf(input.ID))
	if input.Type == "command" {
		return "", fmt.Errorf("only VS Code can run its command: %s", how)
	}
	terminal, ok := a.stdin.(*os.File)
	if !ok || !term.IsTerminal(int(terminal.Fd())) {
		return "", fmt.Errorf("there is no terminal to ask on: %s", how)
	}
	return a.ask(ctx, terminal, input)
}

// assume is answer where nothing is connected to: nobody is asked.
func (a *asker) assume(_ context.Context, input config.Input) (string, error) {
	switch value, ok := a.known(input.ID); {
	case ok:
		return value, nil
	case len(input.Options) > 0:
		return input.Options[0].Value, nil
	case input.Default != "":
		return input.Default, nil
	}
	return placeholder, nil
}

func (a *asker) known(id string) (string, bool) {
	if value, ok := a.given[id]; ok {
		return value, true
	}
	return os.LookupEnv(variableOf(id))
}

// variableOf returns the variable that holds the answer to an input.
func variableOf(id string) string {
	return "INPUT_" + strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return r - 'a' + 'A'
		case 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
			return r
		}
		return '_'
	}, id)
}

// ask asks on the terminal.
func (a *asker) ask(ctx context.Context, terminal *os.File, input config.Input) (string, error) {
	question := cell(filepath.Base(input.File), summary) + ": " + cell(orID(input), noLimit)
	if len(input.Options) > 0 {
		fmt.Fprintln(a.stderr, question)
		for i, option := range input.Options {
			fmt.Fprintf(a.stderr, "  %d  %s\n", i+1, cell(option.Label, summary))
		}
		question = "Number"
	}
	if input.Default != "" && !input.Password {
		question += fmt.Sprintf(" [%s]", cell(input.Default, summary))
	}
	line, err := readLine(ctx, screen{terminal, a.stderr}, question+": ", input.Password)
	switch {
	case err != nil:
		fmt.Fprintln(a.stderr) // that of the user is missing
		return "", err
	case line == "" && input.Default != "":
		return input.Default, nil
	case len(input.Options) == 0:
		return line, nil
	}
	for i, option := range input.Options {
		if line == option.Value || line == strconv.Itoa(i+1) {
			return option.Value, nil
		}
	}
	return "", fmt.Errorf("use one of the numbers 1 to %d", len(input.Options))
}

func orID(input config.Input) string {
	if input.Description == "" {
		return input.ID
	}
	return input.Description
}

// A screen is what a line is read from, and shown on.
type screen struct {
	file *os.File
	out  io.Writer
}

// Read does not read ahead: what comes after a line is for others.
func (s screen) Read(b []byte) (int, error) { return s.file.Read(b[:min(1, len(b))]) }

func (s screen) Write(b []byte) (int, error) { return s.out.Write(b) }

// readLine reads a line of a terminal until ctx ends. What is secret is not
// shown as it is typed, from before the question is.
func readLine(ctx context.Context, s screen, question string, secret bool) (string, error) {
	fd := int(s.file.Fd())
	before, err := term.MakeRaw(fd)
	if err != nil {
		return "", err
	}
	defer term.Restore(fd, before)
	type result struct {
		line string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		if line := term.NewTerminal(s, question); secret {
			r.line, r.err = line.ReadPassword(question)
		} else {
			r.line, r.err = line.ReadLine()
		}
		done <- r
	}()
	select {
	case r := <-done:
		if errors.Is(r.err, io.EOF) { // Ctrl-C and Ctrl-D
			r.err = errors.New("it was given up")
		}
		return r.line, r.err
	case <-ctx.Done():
		// The one who still reads ends with the program.
		return "", context.Cause(ctx)
	}
}
