//go:build unix

package terminal_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
)

// Nothing of a hostile server gets through on a real terminal either, whether
// as a bar, a log message, a form, its summary, or an error.
func TestHostileTextOnATerminal(t *testing.T) {
	s := newScreen(t, 100, 40)
	term := s.terminal()
	cc := callbacks.CallbackContext{ServerName: "s", ToolName: hostile, CallID: "1"}
	moves(t.Context(), term, cc, 1, 2, hostile)
	term.Callbacks().OnLoggingMessage(t.Context(), cc, &mcp.LoggingMessageParams{Level: hostile, Logger: hostile, Data: hostile})
	s.sees("50%")

	choice := map[string]any{"const": hostile, "title": hostile}
	schema, err := json.Marshal(map[string]any{
		"properties": map[string]any{
			"1" + hostile: map[string]any{"type": "string", "title": hostile, "description": hostile, "default": hostile, "format": hostile, "pattern": "^a"},
			"2":           map[string]any{"type": "boolean", "title": hostile, "description": hostile},
			"3":           map[string]any{"type": "string", "title": hostile, "oneOf": []any{choice}},
			"4":           map[string]any{"type": "array", "title": hostile, "minItems": 1, "items": map[string]any{"anyOf": []any{choice}}},
		},
		"required": []string{"4"},
	})
	if err != nil {
		t.Fatal(err)
	}
	answers := make(chan answer, 1)
	go func() {
		res, err := term.Callbacks().OnElicitation(t.Context(), cc, &mcp.ElicitRequest{Params: form(hostile+"\nsecond line", string(schema))})
		answers <- answer{res, err}
	}()
	s.sees("(1 of 5)")
	s.sees("second line")
	s.types(ctrlU, "x", enter)
	s.sees("✗ must match the pattern")
	s.types(ctrlU, "a", enter)
	s.sees("(2 of 5)")
	s.types(enter)
	s.sees("(3 of 5)")
	s.types(down, enter)
	s.sees("(4 of 5)")
	s.types(enter)
	s.sees("✗ must hold at least 1 choice")
	s.types(space, enter)
	s.sees("> Send")
	s.types(enter)
	got := <-answers
	if got.err != nil || got.res.Action != "accept" {
		t.Fatalf("answer = %+v, %v", got.res, got.err)
	}
	// The content is for the server, so it holds what the server sent. JSON has
	// no way for the byte that is not UTF-8.
	value := strings.ToValidUTF8(hostile, "�")
	if v := got.res.Content["1"+value]; v != "a" {
		t.Errorf("field 1 = %q", v)
	}
	if v := got.res.Content["3"]; v != value {
		t.Errorf("field 3 = %q, want %q", v, value)
	}
	s.sees("accepted")
	term.Close()
	s.lacks("50%")

	s.mu.Lock()
	defer s.mu.Unlock()
	raw := s.raw.String()
	for _, evil := range []string{"\x1b]0;PWNED", "\x07", "\u009b", "\x9b3", "\u202e", "\u2028", "\u200e"} {
		if i := strings.Index(raw, evil); i >= 0 {
			t.Errorf("%q reached the terminal: %q", evil, raw[max(0, i-40):i+40])
		}
	}
}
