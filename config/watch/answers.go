package watch

import (
	"context"
	"reflect"

	"github.com/langchaingo-mcp/mcpadapters/config"
)

// answers are what the user was asked already, so that an edit of a file does
// not ask all over again.
type answers map[question]answered

type question struct{ file, id string }

type answered struct {
	input config.Input
	value string
}

// remember returns the options with an Input that asks once for each input.
func (a answers) remember(opts *config.ParseOptions) *config.ParseOptions {
	if opts == nil || opts.Input == nil {
		return opts
	}
	own := *opts
	own.Input = func(ctx context.Context, input config.Input) (string, error) {
		q := question{input.File, input.ID}
		if known, ok := a[q]; ok && reflect.DeepEqual(known.input, input) {
			return known.value, nil
		}
		value, err := opts.Input(ctx, input)
		if err == nil {
			a[q] = answered{input, value}
		}
		return value, err
	}
	return &own
}
