package terminal_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/langchaingo-mcp/mcpadapters/callbacks"
	"github.com/langchaingo-mcp/mcpadapters/callbacks/terminal"
)

// hostile is what must not reach a terminal: an escape sequence that sets its
// title, C1 control sequence introducers (as a rune and as a byte), a bell, a
// return to overwrite the line, an override of direction, a line separator.
const hostile = "a\x1b]0;PWNED\x07\u009b31m\x9b31m\r\bb\u202ec\u2028d\u200e"

func TestCleaning(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"plain é 漢字 👍", "plain é 漢字 👍"},
		{"a\tb\nc\r\nd\re", "a b c d e"},
		{"no\u00a0break\u3000wide", "no break wide"},
		{hostile, "a�]0;PWNED��31m�31m �b�c�d�"},
		{"می\u200cخواهم", "می\u200cخواهم"},
		{"\u2066isolate\u2069 \ufeff\u00ad\u061c\U000e0041", "�isolate� ����"},
		{strings.Repeat("x", 5000), strings.Repeat("x", 2000) + "…"},
		{strings.Repeat("\x1b", 5000), strings.Repeat("�", 2000) + "…"},
	} {
		var out bytes.Buffer
		term := terminal.New(terminal.Options{In: strings.NewReader(""), Out: &out})
		term.Callbacks().OnLoggingMessage(t.Context(), callbacks.CallbackContext{ServerName: "s"}, &mcp.LoggingMessageParams{Level: "info", Data: tc.text})
		if got, want := out.String(), "s: info: "+tc.want+"\n"; got != want {
			t.Errorf("%q is shown as\n%q, want\n%q", tc.text, got, want)
		}
	}
}

// One event is one line that prints, whatever the server sends.
func FuzzPlainEvents(f *testing.F) {
	f.Add("tool", "info", "logger", "data", 1.0, 2.0)
	f.Add(hostile, hostile, hostile, hostile, -1.0, 1e300)
	f.Add("\"quoted\\", "\xff\xfe", "", strings.Repeat("\u202e", 300), 0.0, 0.0)
	f.Fuzz(func(t *testing.T, tool, level, logger, text string, progress, total float64) {
		var out bytes.Buffer
		term := terminal.New(terminal.Options{In: strings.NewReader(""), Out: &out})
		cb := term.Callbacks()
		cc := callbacks.CallbackContext{ServerName: "s", ToolName: tool}
		cb.OnProgress(t.Context(), cc, &mcp.ProgressNotificationParams{Progress: progress, Total: total, Message: text})
		cb.OnLoggingMessage(t.Context(), cc, &mcp.LoggingMessageParams{Level: mcp.LoggingLevel(level), Logger: logger, Data: text})
		cb.OnLoggingMessage(t.Context(), cc, &mcp.LoggingMessageParams{Level: mcp.LoggingLevel(level), Logger: logger, Data: map[string]any{text: text}})
		cb.OnElicitation(t.Context(), cc, &mcp.ElicitRequest{Params: &mcp.ElicitParams{Message: text}})
		cc = callbacks.CallbackContext{ServerName: "s", Candidates: []string{tool, level}}
		cb.OnProgress(t.Context(), cc, &mcp.ProgressNotificationParams{})
		if got := strings.Count(out.String(), "\n"); got != 5 {
			t.Errorf("5 events made %d lines: %q", got, out.String())
		}
		for line := range strings.Lines(out.String()) {
			if n := utf8.RuneCountInString(line); n > 2200 {
				t.Errorf("a line of %d runes", n)
			}
		}
		printable(t, out.String())
	})
}

func printable(t *testing.T, s string) {
	t.Helper()
	for i, r := range s {
		if r == utf8.RuneError && !strings.HasPrefix(s[i:], "�") {
			t.Fatalf("%q is not UTF-8", s)
		}
		if r != '\n' && r != '\u200c' && r != '\u200d' && !unicode.IsPrint(r) {
			t.Fatalf("%q holds %U", s, r)
		}
	}
}
