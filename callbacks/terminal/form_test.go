//go:build unix

package terminal_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/callbacks/terminal"
)

type answer struct {
	res *mcp.ElicitResult
	err error
}

var library = callbacks.CallbackContext{ServerName: "library", ToolName: "issue_card", CallID: "1"}

func form(message, schema string) *mcp.ElicitParams {
	return &mcp.ElicitParams{Mode: "form", Message: message, RequestedSchema: json.RawMessage(schema)}
}

func ask(ctx context.Context, term *terminal.Terminal, params *mcp.ElicitParams) <-chan answer {
	c := make(chan answer, 1)
	go func() {
		res, err := term.Callbacks().OnElicitation(ctx, library, &mcp.ElicitRequest{Params: params})
		c <- answer{res, err}
	}()
	return c
}

func expect(t *testing.T, c <-chan answer, want *mcp.ElicitResult) {
	t.Helper()
	got := <-c
	if got.err != nil {
		t.Fatal(got.err)
	}
	if diff := cmp.Diff(want, got.res); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
}

func TestFormAsksEveryKindOfField(t *testing.T) {
	s := newScreen(t, 80, 30)
	term := s.terminal()
	c := ask(t.Context(), term, form("Please fill in the card", `{
		"type": "object",
		"properties": {
			"name":    {"type": "string", "title": "Name on the card", "description": "In full", "minLength": 2, "maxLength": 20},
			"line":    {"type": "string", "title": "First line", "default": "It was dark"},
			"nothing": {"type": "string", "title": "Leave me out"},
			"mail":    {"type": "string", "title": "Mail", "format": "email"},
			"years":   {"type": "integer", "title": "Years", "minimum": 1, "maximum": 5, "default": 2},
			"ratio":   {"type": "number", "title": "Ratio", "default": 3.14},
			"terms":   {"type": "boolean", "title": "Agree?"},
			"news":    {"type": "boolean", "title": "News?", "default": true},
			"maybe":   {"type": "boolean", "title": "Maybe?"},
			"kind":    {"type": "string", "title": "Kind", "oneOf": [{"const": "std", "title": "Standard"}, {"const": "kid", "title": "Children"}]},
			"friend":  {"type": "string", "title": "Friend", "enum": ["Monica", "Rachel"], "default": "Rachel"},
			"pet":     {"type": "string", "title": "Pet", "enum": ["p1", "p2"], "enumNames": ["Cat", "Dog"]},
			"play":    {"type": "array", "title": "Instruments", "minItems": 1, "items": {"enum": ["Guitar", "Piano", "Drums"]}, "default": ["Guitar"]},
			"fish":    {"type": "array", "title": "Fish", "minItems": 1, "items": {"anyOf": [{"const": "f1", "title": "Tuna"}]}}
		},
		"required": ["name", "terms", "kind"]
	}`))

	s.sees("library/issue_card asks (1 of 15)")
	s.sees("Please fill in the card")
	s.sees("┃ Name on the card")
	s.sees("┃ In full")
	s.sees("┃ required, 2 to 20 characters")
	s.types("A", enter)
	s.sees("✗ must have at least 2 characters")
	s.types("da", enter)
	s.sees("(2 of 15)")
	s.sees("> It was dark")
	s.types("!", enter)
	s.sees("Leave me out")
	s.types(enter)
	s.sees("optional, an e-mail address")
	s.types("ada", enter)
	s.sees("✗ must be an e-mail address")
	s.types("@example.com", enter)
	s.sees("optional, a whole number, 1 to 5")
	s.types(ctrlU, "9", enter)
	s.sees("✗ must be at most 5")
	s.types(ctrlU, "3", enter)
	s.sees("optional, a number")
	s.types(enter)
	s.sees("Agree?")
	s.types("y")
	s.sees("News?")
	s.types("n")
	s.sees("Maybe?")
	s.sees("> (no answer)")
	s.types(down, down)
	s.sees("> No")
	s.types(enter)
	s.sees("┃ > Standard")
	s.types(down)
	s.sees("┃ > Children")
	s.types(enter)
	s.sees("┃ > Rachel")
	s.types(enter)
	s.sees("Cat")
	s.types(down, down)
	s.sees("> Dog")
	s.types(enter)
	s.sees("> [•] Guitar")
	s.types(space)
	s.sees("[ ] Guitar")
	s.types(enter)
	s.lacks("(14 of 15)") // optional, so that none is an answer
	s.sees("Fish")
	s.types(shiftTab)
	s.sees("Instruments")
	s.types(space, down, down, space)
	s.sees("> [•] Drums")
	s.types(enter)
	s.sees("Tuna")
	s.types(enter)
	text := s.sees("Send this answer?")
	for _, line := range []string{"Name on the card: Ada", "First line: It was dark!", "Leave me out: —", "Years: 3", "Agree?: Yes", "News?: No", "Maybe?: No", "Kind: Children", "Pet: Dog", "Instruments: Guitar, Drums", "Fish: —"} {
		if !strings.Contains(text, "┃ "+line+"\n") {
			t.Errorf("the summary lacks %q:\n%s", line, text)
		}
	}
	s.types(enter)
	expect(t, c, &mcp.ElicitResult{Action: "accept", Content: map[string]any{
		"name": "Ada", "line": "It was dark!", "mail": "ada@example.com", "years": int64(3), "ratio": 3.14,
		"terms": true, "news": false, "maybe": false, "kind": "kid", "friend": "Rachel", "pet": "p2", "play": []string{"Guitar", "Drums"},
	}})
	if got, want := s.sees("accepted"), `library/issue_card asked "Please fill in the card": accepted`; got != want {
		t.Errorf("afterwards the screen shows\n%s\nwant only\n%s", got, want)
	}
	s.restored()
}

func TestFormThatIsNotSent(t *testing.T) {
	const schema = `{"properties": {"name": {"type": "string"}}, "required": ["name"]}`
	for _, tc := range []struct {
		name   string
		keys   []string
		action string
	}{
		{"escape", []string{escape}, "cancel"},
		{"control C", []string{ctrlC}, "cancel"},
		{"control D", []string{ctrlD}, "decline"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newScreen(t, 80, 24)
			c := ask(t.Context(), s.terminal(), form("Who?", schema))
			s.sees("(1 of 2)")
			s.types(tc.keys...)
			expect(t, c, &mcp.ElicitResult{Action: tc.action})
			s.lacks("(1 of 2)")
			s.restored()
		})
	}
	for _, tc := range []struct {
		downs  int
		action string
	}{{1, "decline"}, {2, "cancel"}} {
		t.Run("last page "+tc.action, func(t *testing.T) {
			s := newScreen(t, 80, 24)
			c := ask(t.Context(), s.terminal(), form("Who?", schema))
			s.sees("(1 of 2)")
			s.types("Ada", enter)
			s.sees("> Send")
			s.types(strings.Repeat(down, tc.downs), enter)
			expect(t, c, &mcp.ElicitResult{Action: tc.action})
			s.restored()
		})
	}
}

// Consent must take more than an enter that was meant for something else.
func TestFormWithoutFieldsStartsAtDecline(t *testing.T) {
	s := newScreen(t, 80, 24)
	term := s.terminal()
	c := ask(t.Context(), term, &mcp.ElicitParams{Message: "Delete all?"})
	s.sees("> Decline")
	s.types(enter)
	expect(t, c, &mcp.ElicitResult{Action: "decline"})
	c = ask(t.Context(), term, &mcp.ElicitParams{Message: "Really?"})
	s.sees("Really?")
	s.types(up)
	s.sees("> Accept")
	s.types(enter)
	expect(t, c, &mcp.ElicitResult{Action: "accept", Content: map[string]any{}})
}

func TestFormClearedDefaultIsSentEmpty(t *testing.T) {
	s := newScreen(t, 80, 24)
	c := ask(t.Context(), s.terminal(), form("", `{"properties": {"note": {"type": "string", "default": "draft"}}}`))
	s.sees("> draft")
	s.types(ctrlU, enter)
	s.sees("> Send")
	s.types(enter)
	expect(t, c, &mcp.ElicitResult{Action: "accept", Content: map[string]any{"note": ""}})
}

func TestFormFilterTakesEscape(t *testing.T) {
	var choices []string
	for i := range 30 {
		choices = append(choices, fmt.Sprintf("%q", fmt.Sprintf("choice %d", i)))
	}
	s := newScreen(t, 80, 24)
	c := ask(t.Context(), s.terminal(), form("", `{"properties": {"p": {"enum": [`+strings.Join(choices, ",")+`]}}, "required": ["p"]}`))
	text := s.sees("> choice 0")
	if strings.Contains(text, "choice 15") {
		t.Errorf("30 choices are shown at once:\n%s", text)
	}
	s.types("/", "23")
	s.sees("> choice 23")
	s.types(escape) // ends the filter, not the form
	s.sees("esc clear filter")
	s.types(enter)
	s.sees("> Send")
	s.types(enter)
	expect(t, c, &mcp.ElicitResult{Action: "accept", Content: map[string]any{"p": "choice 23"}})
}

func TestFormTellsEqualTitlesApart(t *testing.T) {
	s := newScreen(t, 80, 24)
	c := ask(t.Context(), s.terminal(), form("", `{"properties": {"p": {"type": "array", "items": {"anyOf": [
		{"const": "a", "title": "Same"}, {"const": "b", "title": "Same"}, {"const": "\u0001", "title": "Odd"}, {"const": "\u0002", "title": "Odd"}]}}}}`))
	s.sees("[ ] Odd (�) #4")
	s.types(down, space)
	s.sees("[•] Same (b)")
	s.types(enter)
	s.sees("p: Same (b)")
	s.types(enter)
	expect(t, c, &mcp.ElicitResult{Action: "accept", Content: map[string]any{"p": []string{"b"}}})
}

func TestFormRefusesABadSchema(t *testing.T) {
	s := newScreen(t, 80, 24)
	got := <-ask(t.Context(), s.terminal(), form("Who?", `{"properties": {"a": {"type": "object"}}}`))
	var rpc *jsonrpc.Error
	if got.res != nil || !errors.As(got.err, &rpc) || rpc.Code != jsonrpc.CodeInvalidParams || !strings.Contains(rpc.Message, `"a" is of type "object"`) {
		t.Errorf("answer = %v, %v; want invalid params", got.res, got.err)
	}
	got = <-ask(t.Context(), s.terminal(), &mcp.ElicitParams{Mode: "telepathy"})
	if !errors.As(got.err, &rpc) || !strings.Contains(rpc.Message, `mode "telepathy"`) {
		t.Errorf("answer = %v, %v; want invalid params", got.res, got.err)
	}
}

func TestFormOnATinyTerminal(t *testing.T) {
	s := newScreen(t, 20, 6)
	c := ask(t.Context(), s.terminal(), form(strings.Repeat("long words ", 50), `{"properties": {
		"a": {"type": "string", "title": "`+strings.Repeat("t", 100)+`", "description": "`+strings.Repeat("d ", 100)+`"},
		"b": {"type": "array", "description": "`+strings.Repeat("d ", 100)+`", "items": {"enum": ["x", "y", "z"]}},
		"c": {"enum": ["x", "y", "z"]}}}`))
	s.sees("(1 of 4)")
	s.types("v", enter)
	s.sees("(2 of 4)")
	s.resize(100, 30)
	s.types(space)
	s.sees("[•] x")
	s.resize(10, 3)
	s.types(enter, enter)
	s.resize(100, 30)
	s.sees("> Send")
	s.types(enter)
	expect(t, c, &mcp.ElicitResult{Action: "accept", Content: map[string]any{"a": "v", "b": []string{"x"}}})
}
