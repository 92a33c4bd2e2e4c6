package callbacks_test

import (
	"testing"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

func TestContextString(t *testing.T) {
	for want, cc := range map[string]callbacks.CallbackContext{
		"":                     {},
		"math":                 {ServerName: "math"},
		"math/add":             {ServerName: "math", ToolName: "add", CallID: "x"},
		"math/(add|sub)":       {ServerName: "math", Candidates: []string{"add", "sub"}},
		`"a\x1b[2J"/"b\u202e"`: {ServerName: "a\x1b[2J", ToolName: "b\u202e"},
		`"a\n"/("b\x00"|c)`:    {ServerName: "a\n", Candidates: []string{"b\x00", "c"}},
		`"a\n"`:                {ServerName: "a\n"},
		`my server/my tool ü`:  {ServerName: "my server", ToolName: "my tool ü"},
	} {
		if got := cc.String(); got != want {
			t.Errorf("%#v is %s, want %s", cc, got, want)
		}
	}
}
