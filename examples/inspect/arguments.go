package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// arguments reads the JSON object that is the last argument of a verb, or
// what there is none of.
func (in *inspector) arguments(ctx context.Context, args []string) (map[string]any, error) {
	if len(args) == 0 {
		return map[string]any{}, nil
	}
	text := []byte(args[0])
	if args[0] == "-" {
		var err error
		if text, err = readAll(ctx, in.stdin); err != nil {
			return nil, fmt.Errorf("standard input: %w", err)
		}
	}
	// Numbers stay as they are written, however large.
	var arguments map[string]any
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	err := dec.Decode(&arguments)
	var other *json.UnmarshalTypeError
	switch {
	case errors.As(err, &other):
		return nil, usageError("the arguments are no JSON object but of type " + other.Value)
	case errors.Is(err, io.EOF):
		return nil, usageError("the arguments are empty: leave them out, or write {}")
	case err != nil:
		return nil, usageError("the arguments are no JSON: " + err.Error())
	case arguments == nil:
		return nil, usageError("the arguments are null: leave them out, or write {}")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, usageError("something follows the arguments, which are one JSON object")
	}
	return arguments, nil
}

// texts turns arguments into those of a prompt, which are texts.
func texts(arguments map[string]any) (map[string]string, error) {
	list := make(map[string]string, len(arguments))
	for name, value := range arguments {
		switch value.(type) {
		case string, json.Number, bool:
			list[name] = fmt.Sprint(value)
		default:
			return nil, usageError(fmt.Sprintf("the argument %q is no text: prompts take nothing else", name))
		}
	}
	return list, nil
}

// readAll reads until the end, or until ctx ends, and then leaves the reading
// to whoever still types.
func readAll(ctx context.Context, r io.Reader) ([]byte, error) {
	type input struct {
		text []byte
		err  error
	}
	done := make(chan input, 1)
	go func() {
		text, err := io.ReadAll(r)
		done <- input{text, err}
	}()
	select {
	case in := <-done:
		return in.text, in.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
