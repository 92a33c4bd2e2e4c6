package edits_test

import (
	"strings"
	"testing"

	"github.com/langchaingo-mcp/mcpadapters/internal/edits"
)

func TestBetween(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"args", "args", 0},
		{"arg", "args", 1},
		{"argss", "args", 1},
		{"arks", "args", 1},
		{"agrs", "args", 1},
		{"", "ab", 2},
		{"haedrs", "headers", 2},
		{"kitten", "sitting", 3},
		{"abcd", "badc", 2},
		{"ca", "abc", 3}, // what was swapped is changed no further
	} {
		for _, pair := range [][2]string{{test.a, test.b}, {test.b, test.a}} {
			if got := edits.Between(pair[0], pair[1], 9); got != test.want {
				t.Errorf("%q and %q are %d apart, want %d", pair[0], pair[1], got, test.want)
			}
			if got := edits.Between(pair[0], pair[1], 1); (got > 1) != (test.want > 1) {
				t.Errorf("%q and %q are %d apart with a limit of 1, want %d", pair[0], pair[1], got, test.want)
			}
		}
	}
	if got := edits.Between(strings.Repeat("a", 1<<16), "args", 2); got != 3 {
		t.Errorf("got %d, want 3", got)
	}
}
