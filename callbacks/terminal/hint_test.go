package terminal

import (
	"testing"

	"github.com/langchaingo-mcp/mcpadapters/callbacks/elicitation"
)

func TestHint(t *testing.T) {
	n := func(n int) *int { return &n }
	for want, field := range map[string]elicitation.Field{
		"optional":                                 {Kind: elicitation.String},
		"required, at least 1 character":           {Kind: elicitation.String, Required: true, MinLength: n(1)},
		"optional, at most 1 character":            {Kind: elicitation.String, MaxLength: n(1)},
		"optional, at least 2 characters":          {Kind: elicitation.String, MinLength: n(2)},
		"optional, 0 to 1 characters":              {Kind: elicitation.String, MinLength: n(0), MaxLength: n(1)},
		"required, at least 1 of them":             {Kind: elicitation.MultipleChoice, Required: true, MinItems: n(1)},
		"optional, an e-mail address, pattern .+x": {Kind: elicitation.String, Format: "email", Pattern: ".+x"},
	} {
		if got := hint(field); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
