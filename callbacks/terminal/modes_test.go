//go:build unix

package terminal_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/langchaingo-mcp/mcpadapters/callbacks/elicitation"
	"github.com/langchaingo-mcp/mcpadapters/callbacks/terminal"
)

func TestDumbTerminalGetsPlainLines(t *testing.T) {
	s := newScreen(t, 80, 24)
	t.Setenv("TERM", "dumb")
	term := terminal.New(terminal.Options{In: s.tty, Out: s.tty, Answer: elicitation.AcceptDefaults(nil)})
	moves(t.Context(), term, call("a", "x", "1"), 1, 2, "")
	logs(term, call("a", "x", "1"), "error", "oops")
	expect(t, ask(t.Context(), term, form("Who?", `{}`)), &mcp.ElicitResult{Action: "accept", Content: map[string]any{}})
	s.shows("a/x: 1/2 (50%)", "a/x: error: oops", `library/issue_card asked "Who?": accepted`)
	if strings.Contains(s.raw.String(), "\x1b") {
		t.Errorf("escape sequences in %q", s.raw.String())
	}
}

func TestBarsWithoutATerminalToReadFrom(t *testing.T) {
	s := newScreen(t, 80, 24)
	term := terminal.New(terminal.Options{In: strings.NewReader(""), Out: s.tty})
	defer term.Close()
	moves(t.Context(), term, call("a", "x", "1"), 1, 2, "")
	s.sees("50%")
	expect(t, ask(t.Context(), term, form("Who?", `{}`)), &mcp.ElicitResult{Action: "decline"})
	s.shows(`library/issue_card asked "Who?": declined`, "a/x  ██████████░░░░░░░░░░   50%  1/2")
}

func TestNoColor(t *testing.T) {
	for _, tc := range []struct {
		value string
		red   bool
	}{{"", true}, {"1", false}} {
		s := newScreen(t, 80, 24)
		t.Setenv("NO_COLOR", tc.value)
		term := s.terminal()
		logs(term, call("a", "x", "1"), "error", "oops")
		s.shows("a/x: error: oops")
		s.mu.Lock()
		if red := strings.Contains(s.raw.String(), "\x1b[31m"); red != tc.red {
			t.Errorf("NO_COLOR=%q: %q", tc.value, s.raw.String())
		}
		s.mu.Unlock()
	}
}

func TestFormsLeaveNoGoroutines(t *testing.T) {
	s := newScreen(t, 80, 24)
	term := s.terminal()
	before := goleak.IgnoreCurrent()
	for i := range 10 {
		ctx, stop := context.WithCancel(t.Context())
		c := ask(ctx, term, form("Who?", `{"properties": {"p": {"type": "string"}}}`))
		s.sees("(1 of 2)")
		if i%2 == 0 {
			s.types(escape)
		} else {
			stop()
		}
		<-c
		stop()
		s.lacks("(1 of 2)")
	}
	// a cursor that blinks notices half a second later
	deadline := time.Now().Add(10 * time.Second)
	for {
		err := goleak.Find(before)
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}
